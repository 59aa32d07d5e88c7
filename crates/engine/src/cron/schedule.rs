//! Schedules in cron's form.
//! Source: robfig/cron v3 `parser.go`, `ParseStandard`; `spec.go`, `constantdelay.go`.

use thiserror::Error;
use unwind_model::Timestamp;

use super::{Zones, next, zone_error};
use crate::lang::go::{NumberError, atoi, parse_duration};

/// When something is due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Time zone of the fields; empty for UTC.
    zone: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Fields(Fields),
    /// Seconds from one instant to the next, at least one.
    Every(i64),
}

/// The five fields. Bit `n` of a set stands for the value `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) minutes: u64,
    pub(super) hours: u64,
    pub(super) days: u64,
    pub(super) months: u64,
    pub(super) weekdays: u64,
    /// Whether one of the day fields leaves the day open (`*` or `?` without a step): then both must fit,
    /// otherwise one is enough.
    pub(super) both_days: bool,
}

/// Why a text is no schedule, in the words of robfig/cron.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// Nothing is written.
    #[error("empty spec string")]
    Empty,
    /// The zone, and why it cannot be had.
    #[error("provided bad location {0}: {1}")]
    Zone(String, String),
    /// How many fields there are, and which; robfig stops with a panic after a zone without anything behind it.
    #[error("expected exactly 5 fields, found {0}: [{1}]")]
    Fields(usize, String),
    /// An `@…` that does not exist.
    #[error("unrecognized descriptor: {0}")]
    Descriptor(String),
    /// An `@every` with a wrong duration, and Go's text about that.
    #[error("failed to parse duration {0}: {1}")]
    Duration(String, String),
    /// A value that is no number, and Go's text about that.
    #[error("failed to parse int from {0}: {1}")]
    Number(String, NumberError),
    /// A number below zero, and its text.
    #[error("negative number ({0}) not allowed: {1}")]
    Negative(i64, String),
    /// More than one `-`.
    #[error("too many hyphens: {0}")]
    Hyphens(String),
    /// More than one `/`.
    #[error("too many slashes: {0}")]
    Slashes(String),
    /// The start of a range, the lowest value, the range.
    #[error("beginning of range ({0}) below minimum ({1}): {2}")]
    Below(u64, u64, String),
    /// The end of a range, the highest value, the range.
    #[error("end of range ({0}) above maximum ({1}): {2}")]
    Above(u64, u64, String),
    /// The ends of a range, the range.
    #[error("beginning of range ({0}) beyond end of range ({1}): {2}")]
    Backwards(u64, u64, String),
    /// A step of zero.
    #[error("step of range should be a positive number: {0}")]
    Step(String),
}

struct Bounds {
    min: u64,
    max: u64,
    names: &'static [&'static str],
}

const MINUTES: Bounds = Bounds { min: 0, max: 59, names: &[] };
const HOURS: Bounds = Bounds { min: 0, max: 23, names: &[] };
const DAYS: Bounds = Bounds { min: 1, max: 31, names: &[] };
const MONTHS: Bounds = Bounds {
    min: 1,
    max: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAYS: Bounds = Bounds { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

impl Schedule {
    /// Reads a schedule: five fields, or `@daily` and the like, or `@every 1h30m`, each perhaps after
    /// `CRON_TZ=…` or `TZ=…`.
    pub fn parse(text: &str, zones: &dyn Zones) -> Result<Self, ScheduleError> {
        if text.is_empty() {
            return Err(ScheduleError::Empty);
        }
        let in_zone = text.strip_prefix("CRON_TZ=").or_else(|| text.strip_prefix("TZ="));
        let (zone, text) = match in_zone {
            None => ("", text),
            Some(rest) => {
                let (zone, text) = rest.split_once(' ').unwrap_or((rest, ""));
                if let Some(error) = zone_error(zones, zone) {
                    return Err(ScheduleError::Zone(zone.to_owned(), error));
                }
                (zone, text.trim())
            }
        };
        let kind = if text.starts_with('@') { descriptor(text)? } else { Kind::Fields(fields(text)?) };
        Ok(Self { zone: zone.to_owned(), kind })
    }

    /// The first instant after a given one, at a whole second; none when there is none within five
    /// years. A local time that a change of offset leaves out is passed over, one that comes twice counts
    /// twice, but a daily schedule may come once only (as robfig does it).
    pub fn next(&self, after: Timestamp, zones: &dyn Zones) -> Option<Timestamp> {
        match &self.kind {
            Kind::Every(seconds) => {
                let whole = after.whole_seconds().millis();
                Some(Timestamp(whole.checked_add(seconds.checked_mul(1000)?)?))
            }
            Kind::Fields(fields) => next::next(fields, &self.zone, after, zones),
        }
    }

    /// The last instant before `now` of those that follow `since` one by one; none when there is none.
    /// Source of the question: Argo `workflow/cron/operator.go`, `shouldOutstandingWorkflowsBeRun`.
    pub(super) fn last(&self, since: Timestamp, now: Timestamp, zones: &dyn Zones) -> Option<Timestamp> {
        if let Kind::Every(seconds) = &self.kind {
            let step = seconds.checked_mul(1000)?;
            let start = since.whole_seconds();
            let steps = (now - start - 1).div_euclid(step);
            return (steps > 0).then(|| start + steps * step);
        }
        // The nearest instants are few; further back only when there is none near.
        let mut span: i64 = 60_000;
        while now - since > span {
            let near = self.last_of(now + -span, now, zones);
            if near.is_some() {
                return near;
            }
            span = span.saturating_mul(32);
        }
        self.last_of(since, now, zones)
    }

    fn last_of(&self, since: Timestamp, now: Timestamp, zones: &dyn Zones) -> Option<Timestamp> {
        let mut last = None;
        let mut at = since;
        while let Some(next) = self.next(at, zones).filter(|next| *next < now && *next > at) {
            last = Some(next);
            at = next;
        }
        last
    }
}

fn descriptor(text: &str) -> Result<Kind, ScheduleError> {
    let plain = match text {
        "@yearly" | "@annually" => "0 0 1 1 *",
        "@monthly" => "0 0 1 * *",
        "@weekly" => "0 0 * * 0",
        "@daily" | "@midnight" => "0 0 * * *",
        "@hourly" => "0 * * * *",
        text => {
            let duration = text.strip_prefix("@every ");
            let duration = duration.ok_or_else(|| ScheduleError::Descriptor(text.to_owned()))?;
            let nanoseconds =
                parse_duration(duration).map_err(|error| ScheduleError::Duration(text.to_owned(), error))?;
            let seconds = nanoseconds / 1_000_000_000;
            return Ok(Kind::Every(seconds.max(1)));
        }
    };
    Ok(Kind::Fields(fields(plain)?))
}

fn fields(text: &str) -> Result<Fields, ScheduleError> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [minutes, hours, days, months, weekdays] = parts.as_slice() else {
        return Err(ScheduleError::Fields(parts.len(), parts.join(" ")));
    };
    let (minutes, _) = field(minutes, &MINUTES)?;
    let (hours, _) = field(hours, &HOURS)?;
    let (days, any_day) = field(days, &DAYS)?;
    let (months, _) = field(months, &MONTHS)?;
    let (weekdays, any_weekday) = field(weekdays, &WEEKDAYS)?;
    Ok(Fields { minutes, hours, days, months, weekdays, both_days: any_day || any_weekday })
}

/// The values of a field, and whether it leaves the value open.
fn field(text: &str, bounds: &Bounds) -> Result<(u64, bool), ScheduleError> {
    let (mut values, mut is_open) = (0, false);
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (more, open) = range(part, bounds)?;
        values |= more;
        is_open |= open;
    }
    Ok((values, is_open))
}

/// `*`, `5`, `1-5`, each perhaps with `/step`; `5/20` means from 5 to the highest value.
fn range(text: &str, bounds: &Bounds) -> Result<(u64, bool), ScheduleError> {
    let mut slashes = text.split('/');
    let (ends, step, more_slashes) = (slashes.next().unwrap_or_default(), slashes.next(), slashes.next());
    let mut hyphens = ends.split('-');
    let (low, high, more_hyphens) = (hyphens.next().unwrap_or_default(), hyphens.next(), hyphens.next());
    let is_star = matches!(low, "*" | "?");
    let (start, mut end) = if is_star {
        (bounds.min, bounds.max)
    } else {
        let start = value(low, bounds)?;
        if more_hyphens.is_some() {
            return Err(ScheduleError::Hyphens(text.to_owned()));
        }
        (start, high.map_or(Ok(start), |high| value(high, bounds))?)
    };
    if more_slashes.is_some() {
        return Err(ScheduleError::Slashes(text.to_owned()));
    }
    if step.is_some() && high.is_none() {
        end = bounds.max;
    }
    let step = step.map_or(Ok(1), number)?;
    if start < bounds.min {
        return Err(ScheduleError::Below(start, bounds.min, text.to_owned()));
    }
    if end > bounds.max {
        return Err(ScheduleError::Above(end, bounds.max, text.to_owned()));
    }
    if start > end {
        return Err(ScheduleError::Backwards(start, end, text.to_owned()));
    }
    if step == 0 {
        return Err(ScheduleError::Step(text.to_owned()));
    }
    let values = (start..=end).filter(|value| (value - start) % step == 0);
    Ok((values.fold(0, |set, value| set | 1 << value), is_star && step == 1))
}

fn value(text: &str, bounds: &Bounds) -> Result<u64, ScheduleError> {
    let place = bounds.names.iter().position(|name| text.eq_ignore_ascii_case(name));
    match place.and_then(|place| u64::try_from(place).ok()) {
        Some(place) => Ok(place + bounds.min),
        None => number(text),
    }
}

fn number(text: &str) -> Result<u64, ScheduleError> {
    let number = atoi(text).map_err(|error| ScheduleError::Number(text.to_owned(), error))?;
    u64::try_from(number).map_err(|_| ScheduleError::Negative(number, text.to_owned()))
}

#[cfg(test)]
#[path = "schedule_tests.rs"]
mod tests;
