//! What the recorder normalised in texts, done to ours too.
//!
//! Times become `T+<seconds since the first pass>`; the entries of `workflow.failures` are sorted.
//! In: a value of any shape. Out: the same value with its texts changed.

use std::fmt::Write;

use serde_json::Value;
use unwind_model::Timestamp;

use super::FIRST_PASS;

/// Changes every text inside a value.
pub fn normalise(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(changed) = normalised(text) {
                *text = changed;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalise),
        Value::Object(fields) => fields.values_mut().for_each(normalise),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text with times and failures normalised; `None` when nothing is to be changed.
pub fn normalised(text: &str) -> Option<String> {
    let timed = with_times(text);
    let sorted = with_sorted_failures(timed.as_deref().unwrap_or(text));
    sorted.or(timed)
}

/// `2026-03-02T09:00:17Z` and Go's `2026-03-02 09:00:17 +0000 UTC` become `T+17`.
fn with_times(text: &str) -> Option<String> {
    let day = &FIRST_PASS.to_string()[..8];
    let mut changed: Option<String> = None;
    let mut rest = text;
    while let Some(at) = rest.find(day) {
        let (before, from) = rest.split_at(at);
        let out = changed.get_or_insert_default();
        out.push_str(before);
        if let Some((seconds, length)) = time_at_start(from) {
            let _ = write!(out, "T+{seconds}");
            rest = &from[length..];
        } else {
            out.push_str(day);
            rest = &from[day.len()..];
        }
    }
    let mut changed = changed?;
    changed.push_str(rest);
    Some(changed)
}

/// Seconds since the first pass, and how many bytes the time takes.
fn time_at_start(text: &str) -> Option<(i64, usize)> {
    const SECONDS: usize = "2026-03-02T09:00:00".len();
    const GO: &str = " +0000 UTC";
    let whole = text.get(..SECONDS)?;
    let after = &text[SECONDS..];
    let fraction = match after.strip_prefix('.') {
        Some(digits) => 1 + digits.bytes().take_while(u8::is_ascii_digit).count(),
        None => 0,
    };
    let zone = &after[fraction..];
    let length = if zone.starts_with('Z') {
        1
    } else if zone.starts_with(GO) {
        GO.len()
    } else {
        return None;
    };
    let at = Timestamp::parse(&format!("{whole}Z"))?;
    Some(((at - FIRST_PASS).div_euclid(1000), SECONDS + fraction + length))
}

/// Sorts the entries of each list of failures in a text, whatever the depth of its escapes.
fn with_sorted_failures(text: &str) -> Option<String> {
    const START: &str = "[{";
    const FIELD: &str = "displayName";
    let mut changed = None;
    let mut rest = text;
    let mut done = String::new();
    while let Some(at) = rest.find(START) {
        let (before, from) = rest.split_at(at);
        done.push_str(before);
        let inside = &from[START.len()..];
        let quote: String = inside.chars().take_while(|c| *c == '\\').chain(['"']).collect();
        let opening = format!("{quote}{FIELD}{quote}:");
        let end = inside.find(&format!("{quote}}}]"));
        let (Some(end), true) = (end, inside.starts_with(&opening)) else {
            done.push_str(START);
            rest = inside;
            continue;
        };
        let list = &inside[..end + quote.len()];
        let between = format!("}},{{{opening}");
        let mut entries: Vec<&str> = list[opening.len()..].split(&between).collect();
        entries.sort_unstable();
        done.push_str(START);
        done.push_str(&opening);
        done.push_str(&entries.join(&between));
        rest = &inside[list.len()..];
        changed = Some(());
    }
    changed?;
    done.push_str(rest);
    Some(done)
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn times_become_seconds_since_the_first_pass() {
        let check = |text: &str, expected: &str| {
            assert_eq!(normalised(text).as_deref().unwrap_or(text), expected);
        };
        check("deadline 2026-03-02 09:00:25 +0000 UTC.", "deadline T+25.");
        check("{\\\"at\\\":\\\"2026-03-02T09:00:17Z\\\"}", "{\\\"at\\\":\\\"T+17\\\"}");
        check("2026-03-02", "2026-03-02");
        check("2026-03-0x and 2026-03-02T09:01:00.250Z", "2026-03-0x and T+60");
    }

    #[test]
    fn failures_are_sorted_as_text() {
        let list = |a: &str, b: &str| {
            format!("f \"[{{\\\"displayName\\\":\\\"{a}\\\"}},{{\\\"displayName\\\":\\\"{b}\\\"}}]\" g [{{]")
        };
        assert_eq!(normalised(&list("z", "a")), Some(list("a", "z")));
        assert_eq!(normalised("[{\"displayName\":1}"), None);
    }
}
