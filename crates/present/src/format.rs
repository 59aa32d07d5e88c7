//! Durations, times of day and counts as text. Source: `ui.md` section 8, first lines.

use unwind_model::Timestamp;

/// A duration in words of a reader: `5 s`, `3:25`, `3:12:40`. Below a second: `120 ms` counts as
/// `0.1 s`; between 1 and 60 seconds whole seconds.
pub fn duration(ms: i64) -> String {
    let ms = ms.max(0);
    if ms > 0 && ms < 1000 {
        return format!("0.{} s", (ms / 100).max(1));
    }
    let seconds = ms / 1000;
    if seconds < 60 {
        return format!("{seconds} s");
    }
    clock_like(seconds)
}

/// A duration as a clock of the graph shows it, also below a minute: `0:42`, `3:25`, `3:12:40`.
pub fn duration_clock(ms: i64) -> String {
    clock_like(ms.max(0) / 1000)
}

fn clock_like(seconds: i64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// An estimate: `about 12 s`.
pub fn about(ms: i64) -> String {
    format!("about {}", duration(ms))
}

/// `1 node`, `2 nodes`, with thousands set apart by commas.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// `1,000`.
pub fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// The zone that times are shown in; the caller asks its surroundings for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zone {
    /// Minutes east of UTC.
    pub offset_minutes: i32,
}

impl Zone {
    /// UTC.
    pub const UTC: Self = Self { offset_minutes: 0 };

    /// The time of day: `02:14:31`.
    pub fn time(self, at: Timestamp) -> String {
        let ms = self.ms_of_day(at);
        format!("{:02}:{:02}:{:02}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60)
    }

    /// The time of day with milliseconds: `02:14:31.020`.
    pub fn time_ms(self, at: Timestamp) -> String {
        format!("{}.{:03}", self.time(at), at.millis().rem_euclid(1000))
    }

    /// The time of day without seconds: `02:14`.
    pub fn minute(self, at: Timestamp) -> String {
        self.time(at)[..5].to_owned()
    }

    /// When something was, seen from `now`: `02:14` on the same day, `Sun 02:14` within six days,
    /// else the date.
    pub fn moment(self, at: Timestamp, now: Timestamp) -> String {
        let (day, today) = (self.day(at), self.day(now));
        if day == today {
            return self.minute(at);
        }
        if (0..7).contains(&(today - day)) {
            // The epoch was a Thursday.
            const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
            let name = DAYS[usize::try_from(day.rem_euclid(7)).unwrap_or_default()];
            return format!("{name} {}", self.minute(at));
        }
        self.local(at).to_string()[..10].to_owned()
    }

    /// The label of a tick in the ruler: full `02:15:00`, short `:10`. A step below a second adds its
    /// fraction, one of a day or more makes it a date.
    pub fn tick(self, at: Timestamp, is_full: bool, step_ms: f64) -> String {
        if step_ms >= 86_400_000.0 {
            return self.local(at).to_string()[..10].to_owned();
        }
        let time = self.time(at);
        let time = if is_full { time.as_str() } else { &time[5..] };
        if step_ms < 1000.0 {
            format!("{time}.{}", at.millis().rem_euclid(1000) / 100)
        } else {
            time.to_owned()
        }
    }

    /// The zone itself: `UTC`, `UTC+02:00`.
    pub fn name(self) -> String {
        let (sign, minutes) = match self.offset_minutes {
            0 => return "UTC".to_owned(),
            minutes if minutes < 0 => ('-', -minutes),
            minutes => ('+', minutes),
        };
        format!("UTC{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// The instant whose UTC form reads as the time in this zone.
    fn local(self, at: Timestamp) -> Timestamp {
        at + i64::from(self.offset_minutes) * 60_000
    }

    fn ms_of_day(self, at: Timestamp) -> i64 {
        self.local(at).millis().rem_euclid(86_400_000)
    }

    fn day(self, at: Timestamp) -> i64 {
        self.local(at).millis().div_euclid(86_400_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_a_person_writes_them() {
        let cases = [
            (-5, "0 s"),
            (0, "0 s"),
            (40, "0.1 s"),
            (450, "0.4 s"),
            (5_999, "5 s"),
            (59_999, "59 s"),
            (60_000, "1:00"),
            (205_000, "3:25"),
            (11_560_000, "3:12:40"),
        ];
        for (ms, expected) in cases {
            assert_eq!(duration(ms), expected);
        }
        assert_eq!(duration_clock(42_000), "0:42");
        assert_eq!(about(12_000), "about 12 s");
    }

    #[test]
    fn times_follow_the_zone() {
        let at = Timestamp::parse("2026-11-30T00:14:31.020Z").expect("a time");
        let zone = Zone { offset_minutes: 120 };
        assert_eq!(zone.time(at), "02:14:31");
        assert_eq!(zone.time_ms(at), "02:14:31.020");
        assert_eq!(zone.tick(at, true, 10_000.0), "02:14:31");
        assert_eq!(zone.tick(at, false, 10_000.0), ":31");
        assert_eq!(zone.tick(at, false, 100.0), ":31.0");
        assert_eq!(zone.tick(at, true, 86_400_000.0), "2026-11-30");
        assert_eq!(zone.name(), "UTC+02:00");
        assert_eq!(Zone { offset_minutes: -330 }.name(), "UTC-05:30");
        assert_eq!(Zone { offset_minutes: -330 }.time(at), "18:44:31");
        let moments = ["2026-11-30T03:00:00Z", "2026-12-02T03:00:00Z", "2027-01-02T03:00:00Z"];
        let shown = moments.map(|now| zone.moment(at, Timestamp::parse(now).expect("a time")));
        assert_eq!(shown, ["02:14", "Mon 02:14", "2026-11-30"]);
    }

    #[test]
    fn counts_and_lists_are_grammar() {
        assert_eq!(count(1, "node", "nodes"), "1 node");
        assert_eq!(count(12_345, "node", "nodes"), "12,345 nodes");
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
