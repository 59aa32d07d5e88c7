//! Durations for people, as in `Backoff for 1 minute 4 seconds`.
//! Source: Argo `util/humanize` (before: `argoproj/pkg/humanize`), `Duration`, `TruncatedDuration`.

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;
const MONTH: i64 = 30 * DAY;
const YEAR: i64 = 12 * MONTH;
const LONG_TIME: i64 = 37 * YEAR;

/// Nanoseconds in up to two units. Without a sign, and with nothing below a second.
pub fn humanize(nanoseconds: i64) -> String {
    let first = truncated(nanoseconds);
    let (rest, unit) = if nanoseconds < MINUTE {
        return first;
    } else if nanoseconds < HOUR {
        (nanoseconds % MINUTE / SECOND, "seconds")
    } else if nanoseconds < DAY {
        (nanoseconds % HOUR / MINUTE, "minutes")
    } else {
        (nanoseconds % DAY / HOUR, "hours")
    };
    format!("{first} {rest} {unit}")
}

/// In one unit, rounded down.
fn truncated(nanoseconds: i64) -> String {
    let length = nanoseconds.checked_abs().unwrap_or(i64::MAX);
    // Below this length: text with the number of units, or a fixed one.
    let steps: [(i64, &str, i64); 17] = [
        (SECOND, "0 seconds", 0),
        (2 * SECOND, "1 second", 0),
        (MINUTE, "seconds", SECOND),
        (2 * MINUTE, "1 minute", 0),
        (HOUR, "minutes", MINUTE),
        (2 * HOUR, "1 hour", 0),
        (DAY, "hours", HOUR),
        (2 * DAY, "1 day", 0),
        (WEEK, "days", DAY),
        (2 * WEEK, "1 week", 0),
        (MONTH, "weeks", WEEK),
        (2 * MONTH, "1 month", 0),
        (YEAR, "months", MONTH),
        (18 * MONTH, "1 year", 0),
        (2 * YEAR, "2 years", 0),
        (LONG_TIME, "years", YEAR),
        (i64::MAX, "a long while", 0),
    ];
    let step = steps.iter().find(|(limit, _, _)| length < *limit);
    match step {
        None => "a long while".to_owned(),
        Some((_, text, 0)) => (*text).to_owned(),
        Some((_, unit, size)) => format!("{} {unit}", length / size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_in_up_to_two_units() {
        for (nanoseconds, expected) in [
            (0, "0 seconds"),
            (999_999_999, "0 seconds"),
            (SECOND, "1 second"),
            (4 * SECOND, "4 seconds"),
            (MINUTE, "1 minute 0 seconds"),
            (64 * SECOND, "1 minute 4 seconds"),
            (10 * MINUTE + SECOND, "10 minutes 1 seconds"),
            (HOUR, "1 hour 0 minutes"),
            (25 * HOUR, "1 day 1 hours"),
            (8 * DAY, "1 week 0 hours"),
            (60 * DAY, "2 months 0 hours"),
            (40 * YEAR, "a long while 0 hours"),
            (-5 * SECOND, "5 seconds"),
        ] {
            assert_eq!(humanize(nanoseconds), expected);
        }
    }
}
