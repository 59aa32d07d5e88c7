//! Instants as Argo's texts show them.

use unwind_model::Timestamp;

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
