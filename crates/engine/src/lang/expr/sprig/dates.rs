//! Dates, in UTC. What is no point in time stands for now. Source: Masterminds/sprig `date.go`.

use crate::lang::expr::builtins::no_clock;
use crate::lang::expr::time::{self, Moment};
use crate::lang::expr::value::Value;
use crate::lang::go::{duration_text, parse_duration};

/// Calls a function; `None` where it is none of these.
pub(super) fn call(
    name: &str,
    arguments: &[Value],
    now: Option<Moment>,
    must: bool,
) -> Option<Result<Value, String>> {
    use Value::{Duration, Int, Text, Time};
    let point = |value: &Value| match value {
        Time(time) => Ok(*time),
        Int(seconds) => Ok(Moment { seconds: *seconds, nanos: 0 }),
        _ => now.ok_or_else(no_clock),
    };
    Some(match (name, arguments) {
        ("now", []) => now.map(Time).ok_or_else(no_clock),
        ("date", [Text(layout), value]) | ("dateInZone" | "date_in_zone", [Text(layout), value, _]) => {
            point(value).map(|time| Value::text(time.format(layout)))
        }
        ("htmlDate", [value]) | ("htmlDateInZone", [value, _]) => {
            point(value).map(|time| Value::text(time.format("2006-01-02")))
        }
        ("dateModify" | "date_modify", [Text(span), Time(time)]) => match parse_duration(span) {
            Ok(span) => Ok(Time(time.plus(span))),
            Err(error) if must => Err(error),
            Err(_) => Ok(Time(*time)),
        },
        ("toDate", [Text(layout), Text(text)]) => {
            match time::date(&[Text(text.clone()), Text(layout.clone())]) {
                Err(error) if must => Err(error),
                Err(_) => Ok(Time(Moment { seconds: -62_135_596_800, nanos: 0 })),
                read => read,
            }
        }
        ("unixEpoch", [Time(time)]) => Ok(Value::text(time.seconds.to_string())),
        ("ago", [value]) => point(value).and_then(|time| {
            let nanos = now.ok_or_else(no_clock)?.since(time);
            let seconds = (nanos as f64 / 1e9).round() as i64;
            Ok(Value::text(duration_text(seconds.saturating_mul(1_000_000_000))))
        }),
        // Go's `int` is none of the types that count here, only `int64` is.
        ("duration", [value]) => {
            let seconds: i64 = if let Text(text) = value { text.parse().unwrap_or(0) } else { 0 };
            Ok(Value::text(duration_text(seconds.saturating_mul(1_000_000_000))))
        }
        ("durationRound", [value]) => {
            let nanos = match value {
                Text(text) => Ok(parse_duration(text).unwrap_or(0)),
                Int(nanos) | Duration(nanos) => Ok(*nanos),
                Time(time) => now.map(|now| now.since(*time)).ok_or_else(no_clock),
                _ => Ok(0),
            };
            nanos.map(|nanos| Value::text(rounded(nanos.unsigned_abs())))
        }
        _ => return None,
    })
}

fn rounded(nanos: u64) -> String {
    const HOUR: u64 = 3_600_000_000_000;
    let units = [
        (HOUR * 24 * 365, "y"),
        (HOUR * 24 * 30, "mo"),
        (HOUR * 24, "d"),
        (HOUR, "h"),
        (HOUR / 60, "m"),
        (HOUR / 3600, "s"),
    ];
    units
        .iter()
        .find(|(unit, _)| nanos > *unit)
        .map_or_else(|| "0s".to_owned(), |(unit, name)| format!("{}{name}", nanos / unit))
}
