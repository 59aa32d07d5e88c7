//! Instants as Argo's texts show them.

use unwind_model::Timestamp;

use crate::lang::expr::Moment;

/// RFC 3339 in whole seconds.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    at.whole_seconds().to_string()
}

/// As Go prints a `time.Time` in UTC: `2026-03-02 09:00:00 +0000 UTC`.
pub(crate) fn go_time(at: Timestamp) -> String {
    let text = rfc3339(at);
    let text = text.trim_end_matches('Z').replacen('T', " ", 1);
    format!("{text} +0000 UTC")
}

/// In UTC by a layout of Go's `time.Format`.
pub(crate) fn in_layout(at: Timestamp, layout: &str) -> String {
    let at = at.whole_seconds();
    Moment { seconds: at.millis().div_euclid(1000), nanos: 0 }.format(layout)
}
