//! What is printed of a replay: a line for each difference, or all of it as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Difference, Report, Subject};

/// One line for each difference, then `N passed, M failed`.
pub fn lines(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        for difference in &report.differences {
            let _ = writeln!(text, "{}", line(&report.trace, difference));
        }
    }
    text + &count(reports)
}

/// `N passed, M failed` and a line end.
pub fn count(reports: &[Report]) -> String {
    let passed = reports.iter().filter(|report| report.passed()).count();
    format!("{passed} passed, {} failed\n", reports.len() - passed)
}

/// The whole in one JSON document: `passed`, `failed`, `traces`.
pub fn as_json(reports: &[Report]) -> String {
    let passed = reports.iter().filter(|report| report.passed()).count();
    let document = json!({"passed": passed, "failed": reports.len() - passed, "traces": reports});
    format!("{document:#}\n")
}

/// File, pass, what differs, both values.
pub fn line(trace: &str, difference: &Difference) -> String {
    let Difference { pass, subject, field, expected, got } = difference;
    let place = match subject {
        Subject::Replay => String::new(),
        Subject::Node { node, .. } => format!("{node} "),
        Subject::Pod { act, node } => format!("pod {act} {node} "),
        Subject::Workflow => "workflow ".to_owned(),
    };
    let (expected, got) = (word(expected.as_ref()), word(got.as_ref()));
    let field = if field.is_empty() { "" } else { field };
    format!("{trace} pass {pass}: {place}{field}: expected {expected}, got {got}")
}

/// A value as JSON in one line.
pub fn word(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), Value::to_string)
}
