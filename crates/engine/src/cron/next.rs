//! The next instant of five fields, in a time zone.
//!
//! The search goes field by field as robfig's does, since what happens around a change of offset follows
//! from its steps: it adds days and months on the local clock, hours and minutes on the real one.
//! Source: robfig/cron v3 `spec.go`, `SpecSchedule.Next`; Go `time.Date`, `Time.AddDate`, `Time.Truncate`.

use unwind_model::Timestamp;
use unwind_model::time::{civil_from_days, days_from_civil};

use super::schedule::Fields;
use super::{Zones, offset};

const DAY: i64 = 86_400;
/// Five years are some 2,000 steps by day, with some more by hour and minute at their ends.
const MOST_STEPS: u32 = 100_000;

/// The first instant after `after` that fits; none when there is none within five years.
pub(super) fn next(fields: &Fields, zone: &str, after: Timestamp, zones: &dyn Zones) -> Option<Timestamp> {
    let sets = [fields.minutes, fields.hours, fields.days | fields.weekdays, fields.months];
    if sets.contains(&0) {
        return None;
    }
    let clock = Clock { zone, zones };
    let mut search =
        Search { fields, clock, at: after.millis().div_euclid(1000) + 1, moved: false, steps: 0 };
    let last_year = search.local().year + 5;
    while search.local().year <= last_year && search.steps < MOST_STEPS {
        let found = search.month() && search.day() && search.hour() && search.minute() && search.second();
        if found {
            return Some(Timestamp(search.at.checked_mul(1000)?));
        }
    }
    None
}

/// What a clock on the wall shows.
struct Local {
    year: i64,
    month: i64,
    day: i64,
    weekday: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

/// A clock on a wall.
struct Clock<'a> {
    zone: &'a str,
    zones: &'a dyn Zones,
}

impl Clock<'_> {
    fn offset(&self, seconds: i64) -> i64 {
        let at = Timestamp(seconds.saturating_mul(1000));
        offset(self.zones, self.zone, at).unwrap_or_default().into()
    }

    fn show(&self, seconds: i64) -> Local {
        let local = seconds + self.offset(seconds);
        let (days, rest) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = civil_from_days(days);
        // The first day of 1970 was a Thursday.
        let weekday = (days + 4).rem_euclid(7);
        Local { year, month, day, weekday, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }

    /// The instant at which the clock shows a time; months and days may be out of range. Where there is
    /// none or two, what Go takes: the offset at the time as if it were UTC, and that at the instant so
    /// found.
    fn instant(&self, local: &Local) -> i64 {
        let month = local.month - 1;
        let year = local.year + month.div_euclid(12);
        let days = days_from_civil(year, month.rem_euclid(12) + 1, 1) + local.day - 1;
        let utc = days * DAY + local.hour * 3600 + local.minute * 60 + local.second;
        utc - self.offset(utc - self.offset(utc))
    }
}

/// A search under way. Each step says whether its field fits; when it does not within the next larger
/// one, all begin anew from there.
struct Search<'a> {
    fields: &'a Fields,
    clock: Clock<'a>,
    /// Seconds since the epoch.
    at: i64,
    /// Whether it has left the first instant, so that smaller fields are at their beginnings.
    moved: bool,
    steps: u32,
}

impl Search<'_> {
    fn local(&self) -> Local {
        self.clock.show(self.at)
    }

    /// Counts a step; false when there were too many, which only an odd time zone brings about.
    fn step(&mut self) -> bool {
        self.steps += 1;
        self.steps < MOST_STEPS
    }

    fn set(&mut self, local: &Local) {
        self.at = self.clock.instant(local);
    }

    /// Goes to a later local time. Where a whole day is left out (Apia, 2011-12-30), Go's clock stays on
    /// the day before, and robfig's search never ends; here it goes on a day later.
    fn advance(&mut self, local: &Local) {
        let before = self.at;
        self.set(local);
        if self.at <= before {
            self.at = before + DAY;
        }
    }

    fn month(&mut self) -> bool {
        let mut local = self.local();
        while !has(self.fields.months, local.month) {
            if !std::mem::replace(&mut self.moved, true) {
                self.set(&Local { day: 1, hour: 0, minute: 0, second: 0, ..local });
                local = self.local();
            }
            self.advance(&Local { month: local.month + 1, ..local });
            local = self.local();
            if !self.step() || local.month == 1 {
                return false;
            }
        }
        true
    }

    fn day(&mut self) -> bool {
        let mut local = self.local();
        while !self.day_fits(&local) {
            if !std::mem::replace(&mut self.moved, true) {
                self.set(&Local { hour: 0, minute: 0, second: 0, ..local });
                local = self.local();
            }
            self.advance(&Local { day: local.day + 1, ..local });
            local = self.local();
            if local.hour != 0 {
                // There is no midnight on that day.
                let hours = if local.hour > 12 { 24 - local.hour } else { -local.hour };
                self.at += hours * 3600;
                local = self.local();
            }
            if !self.step() || local.day == 1 {
                return false;
            }
        }
        true
    }

    fn day_fits(&self, local: &Local) -> bool {
        let (day, weekday) = (has(self.fields.days, local.day), has(self.fields.weekdays, local.weekday));
        if self.fields.both_days { day && weekday } else { day || weekday }
    }

    fn hour(&mut self) -> bool {
        let mut local = self.local();
        while !has(self.fields.hours, local.hour) {
            if !std::mem::replace(&mut self.moved, true) {
                self.set(&Local { minute: 0, second: 0, ..local });
            }
            self.at += 3600;
            local = self.local();
            if !self.step() || local.hour == 0 {
                return false;
            }
        }
        true
    }

    fn minute(&mut self) -> bool {
        let mut local = self.local();
        while !has(self.fields.minutes, local.minute) {
            if !std::mem::replace(&mut self.moved, true) {
                self.at -= self.at.rem_euclid(60);
            }
            self.at += 60;
            local = self.local();
            if !self.step() || local.minute == 0 {
                return false;
            }
        }
        true
    }

    fn second(&mut self) -> bool {
        let mut second = self.local().second;
        while second != 0 {
            self.moved = true;
            self.at += 1;
            second = self.local().second;
            if !self.step() || second == 0 {
                return false;
            }
        }
        true
    }
}

fn has(set: u64, value: i64) -> bool {
    set >> value & 1 == 1
}
