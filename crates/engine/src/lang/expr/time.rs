//! Points and spans of time in expressions, in UTC. There is no clock: what asks for the current time
//! gets it from the caller or fails.
//!
//! Source: Go `time/format.go`, `time/time.go`.

mod layout;

use std::fmt;

use super::nature::{Signature, Type};
use super::operators;
use super::value::Value;
use crate::lang::go::duration_text;

const SECOND: i64 = 1_000_000_000;

/// A point in time, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: i64,
    /// 0 to 999,999,999.
    pub nanos: u32,
}

/// A point in time as a calendar shows it.
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    /// Seconds of the day.
    pub(super) of_day: i64,
    /// 0 is Sunday.
    pub(super) weekday: i64,
    pub(super) day_of_year: i64,
}

/// Days since 1970 of a date of the Gregorian calendar.
pub(super) fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

impl Moment {
    /// The point `nanos` later.
    pub(super) fn plus(self, nanos: i64) -> Self {
        let sum = i64::from(self.nanos) + nanos.rem_euclid(SECOND);
        let seconds = self.seconds.saturating_add(nanos.div_euclid(SECOND)).saturating_add(sum / SECOND);
        Self { seconds, nanos: (sum % SECOND) as u32 }
    }

    /// Nanoseconds from `other` to this.
    pub(super) fn since(self, other: Self) -> i64 {
        let seconds = i128::from(self.seconds) - i128::from(other.seconds);
        let nanos = seconds * i128::from(SECOND) + i128::from(self.nanos) - i128::from(other.nanos);
        nanos.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    pub(super) fn civil(self) -> Civil {
        let (day, of_day) = (self.seconds.div_euclid(86_400), self.seconds.rem_euclid(86_400));
        let shifted = day + 719_468;
        let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let day_of_month = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Civil {
            year,
            month,
            day: day_of_month,
            of_day,
            weekday: (day + 4).rem_euclid(7),
            day_of_year: day - days(year, 1, 1) + 1,
        }
    }

    /// As JSON has it: `2006-01-02T15:04:05.999999999Z`.
    pub(super) fn rfc3339(self) -> String {
        layout::format(self, "2006-01-02T15:04:05.999999999Z07:00")
    }

    /// As a layout of Go shows it.
    pub(crate) fn format(self, layout: &str) -> String {
        layout::format(self, layout)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&layout::format(*self, "2006-01-02 15:04:05.999999999 -0700 MST"))
    }
}

/// `date(text)`, `date(text, layout)`.
pub(super) fn date(arguments: &[Value]) -> Result<Value, String> {
    const LAYOUTS: [&str; 7] = [
        "2006-01-02",
        "15:04:05",
        "2006-01-02 15:04:05",
        "2006-01-02T15:04:05Z07:00",
        "02 Jan 06 15:04 MST",
        "Monday, 02-Jan-06 15:04:05 MST",
        "Mon, 02 Jan 2006 15:04:05 MST",
    ];
    let Some((first, rest)) = arguments.split_first() else {
        return Err("invalid number of arguments (expected at least 1, got 0)".to_owned());
    };
    let text = operators::text(first)?;
    match rest {
        [] => LAYOUTS
            .iter()
            .find_map(|layout| layout::parse(text, layout).ok())
            .map(Value::Time)
            .ok_or_else(|| format!("invalid date {text}")),
        [layout] => layout::parse(text, operators::text(layout)?).map(Value::Time),
        [layout, zone, ..] => match operators::text(zone)? {
            "" | "UTC" => layout::parse(text, operators::text(layout)?).map(Value::Time),
            zone => Err(format!("time zone {zone} is not supported: only UTC is known here")),
        },
    }
}

/// Methods of points in time, then of spans.
const METHODS: [(bool, &str, Signature); 24] = {
    const fn to(takes: &'static [Type], gives: Type) -> Signature {
        Signature { takes, gives }
    }
    use Type::{Bool, Duration, Float, Int, Text, Time};
    [
        (true, "Year", to(&[], Int)),
        (true, "Month", to(&[], Int)),
        (true, "Day", to(&[], Int)),
        (true, "Hour", to(&[], Int)),
        (true, "Minute", to(&[], Int)),
        (true, "Second", to(&[], Int)),
        (true, "Weekday", to(&[], Int)),
        (true, "YearDay", to(&[], Int)),
        (true, "Unix", to(&[], Int)),
        (true, "UnixMilli", to(&[], Int)),
        (true, "UTC", to(&[], Time)),
        (true, "String", to(&[], Text)),
        (true, "Format", to(&[Text], Text)),
        (true, "Add", to(&[Duration], Time)),
        (true, "Sub", to(&[Time], Duration)),
        (true, "Before", to(&[Time], Bool)),
        (true, "After", to(&[Time], Bool)),
        (true, "Equal", to(&[Time], Bool)),
        (false, "Hours", to(&[], Float)),
        (false, "Minutes", to(&[], Float)),
        (false, "Seconds", to(&[], Float)),
        (false, "Milliseconds", to(&[], Int)),
        (false, "Nanoseconds", to(&[], Int)),
        (false, "String", to(&[], Text)),
    ]
};

/// What a method of a point in time, else of a span, takes and gives.
pub(super) fn method(of_point: bool, name: &str) -> Option<&'static Signature> {
    METHODS
        .iter()
        .find(|(point, own, _)| *point == of_point && *own == name)
        .map(|(_, _, signature)| signature)
}

/// Calls a method of a time or span; `None` for other values and names.
pub(super) fn call(of: &Value, name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    match of {
        Value::Time(time) => of_point(*time, name, arguments),
        Value::Duration(nanos) => of_span(*nanos, name),
        _ => None,
    }
}

fn of_point(time: Moment, name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let civil = time.civil();
    Some(Ok(match (name, arguments) {
        ("Year", _) => Value::Int(civil.year),
        ("Month", _) => Value::Int(civil.month),
        ("Day", _) => Value::Int(civil.day),
        ("Hour", _) => Value::Int(civil.of_day / 3600),
        ("Minute", _) => Value::Int(civil.of_day / 60 % 60),
        ("Second", _) => Value::Int(civil.of_day % 60),
        ("Weekday", _) => Value::Int(civil.weekday),
        ("YearDay", _) => Value::Int(civil.day_of_year),
        ("Unix", _) => Value::Int(time.seconds),
        ("UnixMilli", _) => Value::Int(time.seconds.saturating_mul(1000) + i64::from(time.nanos / 1_000_000)),
        ("UTC", _) => Value::Time(time),
        ("String", _) => Value::text(time.to_string()),
        ("Format", [Value::Text(layout)]) => Value::text(time.format(layout)),
        ("Add", [Value::Duration(span)]) => Value::Time(time.plus(*span)),
        ("Sub", [Value::Time(other)]) => Value::Duration(time.since(*other)),
        ("Before", [Value::Time(other)]) => Value::Bool(time < *other),
        ("After", [Value::Time(other)]) => Value::Bool(time > *other),
        ("Equal", [Value::Time(other)]) => Value::Bool(time == *other),
        ("Format" | "Add" | "Sub" | "Before" | "After" | "Equal", [other]) => {
            return Some(Err(operators::not_a(other, if name == "Format" { "string" } else { "time.Time" })));
        }
        _ => return None,
    }))
}

fn of_span(nanos: i64, name: &str) -> Option<Result<Value, String>> {
    let float = nanos as f64;
    Some(Ok(match name {
        "Hours" => Value::Float(float / 3600e9),
        "Minutes" => Value::Float(float / 60e9),
        "Seconds" => Value::Float(float / 1e9),
        "Milliseconds" => Value::Int(nanos / 1_000_000),
        "Nanoseconds" => Value::Int(nanos),
        "String" => Value::text(duration_text(nanos)),
        _ => return None,
    }))
}
