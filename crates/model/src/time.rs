//! Points in time: milliseconds since the epoch, read and written as RFC 3339.

use std::fmt;
use std::ops::{Add, Sub};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since 1970-01-01T00:00:00Z. Written as RFC 3339 in UTC, with milliseconds only
/// where they are not zero; `whole_seconds` gives the form of Argo's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

const DAY_MS: i64 = 86_400_000;

impl Timestamp {
    /// Milliseconds since the epoch.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// The same instant without its fraction of a second, as Kubernetes stores times.
    #[must_use]
    pub fn whole_seconds(self) -> Self {
        Self(self.0 - self.0.rem_euclid(1000))
    }

    /// Reads RFC 3339 (`2026-03-02T09:00:00Z`, with fraction or offset). `None` when it is not.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() < 20 || !text.is_ascii() {
            return None;
        }
        let number = |from: usize, to: usize| -> Option<i64> {
            let part = text.get(from..to)?;
            part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
        };
        let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
        if separators.iter().any(|(at, c)| bytes[*at] != *c) || !matches!(bytes[10], b'T' | b't' | b' ') {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let in_range =
            (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
        if !in_range {
            return None;
        }
        let (fraction_ms, rest) = fraction(&text[19..])?;
        let offset_ms = offset(rest)?;
        let seconds = hour * 3600 + minute * 60 + second;
        Some(Self(days_from_civil(year, month, day) * DAY_MS + seconds * 1000 + fraction_ms - offset_ms))
    }
}

/// `.250Z` gives 250 and `Z`.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(digits) = text.strip_prefix('.') else {
        return Some((0, text));
    };
    let end = digits.bytes().position(|b| !b.is_ascii_digit())?;
    if end == 0 {
        return None;
    }
    let ms = digits[..end].bytes().chain(*b"00").take(3).fold(0, |sum, b| sum * 10 + i64::from(b - b'0'));
    Some((ms, &digits[end..]))
}

/// `Z` or `+02:00` in milliseconds.
fn offset(text: &str) -> Option<i64> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let sign = match text.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text[1..].split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?) * 60_000)
}

/// Days since the epoch of a date in the proleptic Gregorian calendar.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days since the epoch.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil_from_days(self.0.div_euclid(DAY_MS));
        let ms = self.0.rem_euclid(DAY_MS);
        let (hour, minute, second) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if ms % 1000 != 0 {
            write!(f, ".{:03}", ms % 1000)?;
        }
        f.write_str("Z")
    }
}

impl Sub for Timestamp {
    type Output = i64;
    /// Milliseconds from `earlier` to `self`; as many as there are at most.
    fn sub(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<i64> for Timestamp {
    type Output = Self;
    /// `ms` milliseconds later, or the last instant there is.
    fn add(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(format!(
                "expected a time such as `2026-03-02T09:00:00Z`, found `{text}`"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_end_where_they_cannot_be_counted() {
        assert_eq!(Timestamp(1) + i64::MAX, Timestamp(i64::MAX));
        assert_eq!(Timestamp(-2) - Timestamp(i64::MAX), i64::MIN);
    }

    #[test]
    fn rfc_3339_goes_in_and_out() {
        for text in ["1970-01-01T00:00:00Z", "2026-03-02T09:00:00Z", "2024-02-29T23:59:59.250Z"] {
            assert_eq!(Timestamp::parse(text).expect(text).to_string(), text);
        }
        assert_eq!(Timestamp::parse("2026-03-02T11:00:00+02:00"), Timestamp::parse("2026-03-02T09:00:00Z"));
        assert_eq!(Timestamp::parse("2026-03-02T09:00:00.123456789Z").map(|t| t.0 % 1000), Some(123));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-03-02",
            "2026-13-02T09:00:00Z",
            "2026-03-02T09:00:00",
            "2026-03-02T09:00:00.Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
