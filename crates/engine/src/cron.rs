//! Cron schedules and what a `CronWorkflow` does when one is due.
//!
//! In: schedules as robfig/cron reads them, objects, and the time. Out: next instants, workflows to be
//! made, terminated or deleted, and the status to be stored. Time zones come from the caller.

mod judge;
mod made;
mod next;
mod run;
mod schedule;

pub use judge::Languages;
pub use made::{workflow_at, workflow_now};
pub use run::{Child, CronAction, CronRun, Judge, SubmitError, World};
pub use schedule::{Schedule, ScheduleError};

use unwind_model::Timestamp;

/// Where time zones are looked up.
pub trait Zones {
    /// Seconds that local time in a zone is ahead of UTC at an instant; none for an unknown zone.
    fn offset_at(&self, zone: &str, at: Timestamp) -> Option<i32>;
}

impl<F: Fn(&str, Timestamp) -> Option<i32>> Zones for F {
    fn offset_at(&self, zone: &str, at: Timestamp) -> Option<i32> {
        self(zone, at)
    }
}

/// The offset in a zone, with the names that need no look-up: none, `UTC` and `Local`, as controllers
/// run in UTC. Source: Go `time.LoadLocation`.
fn offset(zones: &dyn Zones, zone: &str, at: Timestamp) -> Option<i32> {
    match zone {
        "" | "UTC" | "Local" => Some(0),
        zone => zones.offset_at(zone, at),
    }
}

/// Go's text for a zone that cannot be had, or nothing for one that can.
/// Source: Go `time.LoadLocation`.
pub(crate) fn zone_error(zones: &dyn Zones, zone: &str) -> Option<String> {
    let is_path = zone.contains("..") || zone.starts_with(['/', '\\']);
    if is_path {
        return Some("time: invalid location name".into());
    }
    match offset(zones, zone, Timestamp(0)) {
        Some(_) => None,
        None => Some(format!("unknown time zone {zone}")),
    }
}
