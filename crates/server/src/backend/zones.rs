//! Time zones, from the machine's own tables.
//!
//! In: a zone's name and an instant. Out: how far local time is ahead of UTC.

use jiff::tz::TimeZone;
use unwind_model::Timestamp;

/// Seconds that local time is ahead of UTC; `None`: no such zone here.
pub(super) fn offset(zone: &str, at: Timestamp) -> Option<i32> {
    let zone = TimeZone::get(zone).ok()?;
    let at = jiff::Timestamp::from_millisecond(at.millis()).ok()?;
    Some(zone.to_offset(at).seconds())
}
