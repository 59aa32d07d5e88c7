//! Quoted texts that are dates count as their seconds.
//! Source: govaluate `tryParseTime`; Go `time.ParseInLocation` in UTC.

use std::fmt;

/// Govaluate's formats in the notation of Go's `time`, cut into parts.
const FORMATS: [&[&str]; 14] = [
    &["Mon", " ", "Jan", " ", "_2", " ", "15", ":", "04", ":", "05", " ", "2006"],
    &["Mon", " ", "Jan", " ", "_2", " ", "15", ":", "04", ":", "05", " ", "MST", " ", "2006"],
    &["Mon", " ", "Jan", " ", "02", " ", "15", ":", "04", ":", "05", " ", "-0700", " ", "2006"],
    &["3", ":", "04", "PM"],
    &["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05", "Z07:00"],
    &["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05", ".9", "Z07:00"],
    &["2006", "-", "01", "-", "02"],
    &["2006", "-", "01", "-", "02", " ", "15", ":", "04"],
    &["2006", "-", "01", "-", "02", " ", "15", ":", "04", ":", "05"],
    &["2006", "-", "01", "-", "02", " ", "15", ":", "04", ":", "05", "-07:00"],
    &["2006", "-", "01", "-", "02", "T", "15", "Z0700"],
    &["2006", "-", "01", "-", "02", "T", "15", ":", "04", "Z0700"],
    &["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05", "Z0700"],
    &["2006", "-", "01", "-", "02", "T", "15", ":", "04", ":", "05", ".9", "Z0700"],
];

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A moment, with what is needed to print it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Unix time.
    pub(super) seconds: i64,
    nanoseconds: u32,
    /// Seconds east of UTC.
    offset: i64,
    zone: String,
}

/// The moment that a text is.
pub(super) fn parse(text: &str) -> Option<Moment> {
    // All formats have a digit, and most texts have none or are no dates at first sight.
    if text.len() < 6 || !text.is_ascii() || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    FORMATS.iter().find_map(|format| Reading::of(format, text)?.moment())
}

/// What has been read of a date.
#[derive(Default)]
struct Reading<'a> {
    rest: &'a str,
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanoseconds: u32,
    is_pm: Option<bool>,
    offset: Option<i64>,
    zone: Option<&'a str>,
}

impl<'a> Reading<'a> {
    fn of(format: &[&str], text: &'a str) -> Option<Self> {
        let mut reading = Self { rest: text, month: 1, day: 1, ..Self::default() };
        for (at, part) in format.iter().enumerate() {
            reading.part(part, format.get(at + 1).copied())?;
        }
        reading.rest.is_empty().then_some(reading)
    }

    fn part(&mut self, part: &str, next: Option<&str>) -> Option<()> {
        match part {
            "Mon" => self.name(&DAYS).map(|_| ()),
            "Jan" => {
                self.month = self.name(&MONTHS)? + 1;
                Some(())
            }
            "2006" => self.year(),
            "3" | "01" | "02" | "_2" | "04" | "05" | "15" => self.two_digits(part, next),
            ".9" => {
                self.fraction();
                Some(())
            }
            "PM" => {
                let word = self.rest.get(..2).filter(|word| matches!(*word, "AM" | "PM"))?;
                self.is_pm = Some(word == "PM");
                self.rest = &self.rest[2..];
                Some(())
            }
            "MST" => self.zone_name(),
            "Z0700" | "Z07:00" if self.rest.starts_with('Z') => {
                self.rest = &self.rest[1..];
                self.offset = Some(0);
                Some(())
            }
            "-0700" | "Z0700" => self.offset(""),
            "-07:00" | "Z07:00" => self.offset(":"),
            " " => {
                if !self.rest.is_empty() && !self.rest.starts_with(' ') {
                    return None;
                }
                self.rest = self.rest.trim_start_matches(' ');
                Some(())
            }
            literal => {
                self.rest = self.rest.strip_prefix(literal)?;
                Some(())
            }
        }
    }

    fn year(&mut self) -> Option<()> {
        let year = self.rest.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()))?;
        self.year = year.parse().ok()?;
        self.rest = &self.rest[4..];
        Some(())
    }

    fn two_digits(&mut self, part: &str, next: Option<&str>) -> Option<()> {
        if part == "_2" {
            self.rest = self.rest.strip_prefix(' ').unwrap_or(self.rest);
        }
        let number = self.number(!matches!(part, "3" | "_2" | "15"))?;
        let (field, range) = match part {
            "01" => (&mut self.month, 1..13),
            // Days are checked with their month.
            "02" | "_2" => (&mut self.day, 0..100),
            "15" => (&mut self.hour, 0..24),
            "3" => (&mut self.hour, 0..13),
            "04" => (&mut self.minute, 0..60),
            _ => (&mut self.second, 0..60),
        };
        *field = number;
        if part == "05" && next != Some(".9") {
            self.fraction();
        }
        range.contains(&number).then_some(())
    }

    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let word = self.rest.get(..3)?;
        let at = names.iter().position(|name| name.eq_ignore_ascii_case(word))?;
        self.rest = &self.rest[3..];
        i64::try_from(at).ok()
    }

    /// Two digits; one will do when it need not be `fixed`.
    fn number(&mut self, is_fixed: bool) -> Option<i64> {
        let digits = self.rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        if digits == 0 || is_fixed && digits < 2 {
            return None;
        }
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        number.parse().ok()
    }

    /// A point or comma and digits, if they are there.
    fn fraction(&mut self) {
        let Some(after) = self.rest.strip_prefix(['.', ',']) else { return };
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return;
        }
        let text = format!("{:0<9}", &after[..digits]);
        self.nanoseconds = text[..9].parse().unwrap_or(0);
        self.rest = &after[digits..];
    }

    fn offset(&mut self, colon: &str) -> Option<()> {
        let sign = match self.rest.as_bytes().first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.rest = &self.rest[1..];
        let hours = self.number(true)?;
        self.rest = self.rest.strip_prefix(colon)?;
        let minutes = self.number(true)?;
        self.offset = Some(sign * (hours * 3600 + minutes * 60));
        (hours <= 24 && minutes <= 60).then_some(())
    }

    /// Source: Go `time.parseTimeZone`.
    fn zone_name(&mut self) -> Option<()> {
        let text = self.rest;
        if let Some(after) = text.strip_prefix("UTC") {
            self.offset = Some(0);
            self.rest = after;
            return Some(());
        }
        let upper = text.bytes().take(6).take_while(u8::is_ascii_uppercase).count();
        let length = if text.starts_with("ChST") || text.starts_with("MeST") {
            4
        } else if let Some(after) = text.strip_prefix("GMT") {
            3 + gmt_offset_length(after)
        } else {
            match upper {
                3 => 3,
                4 if text.as_bytes()[3] == b'T' || text.starts_with("WITA") => 4,
                5 if text.as_bytes()[4] == b'T' => 5,
                _ => return None,
            }
        };
        self.zone = Some(&text[..length]);
        self.rest = &text[length..];
        Some(())
    }

    fn moment(self) -> Option<Moment> {
        let leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let days = match self.month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if !(1..=days).contains(&self.day) {
            return None;
        }
        let hour = match self.is_pm {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            Some(_) | None => self.hour,
        };
        let local = day_number(self.year, self.month, self.day) * 86_400
            + hour * 3600
            + self.minute * 60
            + self.second;
        let nanoseconds = self.nanoseconds;
        if let Some(name) = self.zone {
            // Names of zones do not move a time, where the place is UTC.
            let hours = name.strip_prefix("GMT").and_then(|hours| hours.parse::<i64>().ok());
            let offset = hours.unwrap_or(0) * 3600;
            return Some(Moment { seconds: local, nanoseconds, offset, zone: name.to_owned() });
        }
        let offset = self.offset.unwrap_or(0);
        let zone = if offset == 0 { "UTC".to_owned() } else { offset_text(offset) };
        Some(Moment { seconds: local - offset, nanoseconds, offset, zone })
    }
}

/// Length of a `+3` behind `GMT`.
fn gmt_offset_length(text: &str) -> usize {
    if !text.starts_with(['+', '-']) {
        return 0;
    }
    let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
    let is_hour = text[1..=digits].parse::<u32>().is_ok_and(|hour| hour < 24);
    if is_hour { 1 + digits } else { 0 }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar.
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn offset_text(offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    format!("{sign}{:02}{:02}", offset.abs() / 3600, offset.abs() / 60 % 60)
}

/// As Go prints a time.
impl fmt::Display for Moment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.seconds + self.offset;
        let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let days = days + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let (hour, minute) = (second / 3600, second / 60 % 60);
        write!(out, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}", second % 60)?;
        if self.nanoseconds > 0 {
            let digits = format!("{:09}", self.nanoseconds);
            write!(out, ".{}", digits.trim_end_matches('0'))?;
        }
        write!(out, " {} {}", offset_text(self.offset), self.zone)
    }
}
