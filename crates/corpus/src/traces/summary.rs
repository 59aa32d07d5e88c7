//! Where to look first: counts for each group, and the kinds of first differences with the smallest trace that
//! shows each.
//!
//! The first difference of a trace is taken from its first pass that differs. Of several there the one counts
//! that is most likely to be the cause: a missing node before its box's phase, a phase before a message, progress
//! last.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use super::report::{count, line};
use super::{Difference, Report, Subject};

/// How many kinds are listed.
const MOST_KINDS: usize = 60;

/// Longest text that is shown of a value.
const LONGEST_WORD: usize = 90;

/// A kind of first difference.
#[derive(Default)]
struct Kind {
    /// How many traces have it as their first difference, by group.
    by_group: BTreeMap<String, usize>,
    /// How many have it anywhere in their first differing pass.
    anywhere: usize,
    /// Passes and line of the smallest trace that has it first.
    example: Option<(usize, String)>,
}

/// Counts by group (or by release) and the most frequent kinds of first differences.
pub fn summary(reports: &[Report], by_release: bool) -> String {
    let mut text = groups(reports, by_release);
    let kinds = kinds(reports);
    let mut listed: Vec<(&String, &Kind, usize)> =
        kinds.iter().map(|(name, kind)| (name, kind, kind.by_group.values().sum())).collect();
    listed.sort_by(|(a, _, first_a), (b, _, first_b)| first_b.cmp(first_a).then(a.cmp(b)));
    for (name, kind, first) in listed.into_iter().filter(|(_, _, first)| *first > 0).take(MOST_KINDS) {
        let groups: Vec<String> =
            kind.by_group.iter().map(|(group, count)| format!("{group} {count}")).collect();
        let _ = writeln!(text, "\n{first} first, {} in all: {name}", kind.anywhere);
        let _ = writeln!(text, "    in {}", groups.join(", "));
        if let Some((_, example)) = &kind.example {
            let _ = writeln!(text, "    {}", cut(example, 400));
        }
    }
    text.push('\n');
    text + &count(reports)
}

fn groups(reports: &[Report], by_release: bool) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for report in reports {
        let key = if by_release { &report.argo } else { &report.group };
        let (passed, failed) = counts.entry(key).or_default();
        if report.passed() {
            *passed += 1;
        } else {
            *failed += 1;
        }
    }
    let mut text = String::new();
    for (group, (passed, failed)) in counts {
        let _ = writeln!(text, "{group:18} {passed:5} passed {failed:5} failed");
    }
    text
}

fn kinds(reports: &[Report]) -> BTreeMap<String, Kind> {
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    for report in reports {
        let Some(pass) = report.differences.first().map(|difference| difference.pass) else {
            continue;
        };
        let here = report.differences.iter().filter(|difference| difference.pass == pass);
        let names: BTreeSet<String> = here.clone().map(kind_name).collect();
        for name in names {
            kinds.entry(name).or_default().anywhere += 1;
        }
        let Some(first) = here.min_by_key(|difference| rank(difference)) else {
            continue;
        };
        let kind = kinds.entry(kind_name(first)).or_default();
        *kind.by_group.entry(report.group.clone()).or_default() += 1;
        let size = report.passes;
        if kind.example.as_ref().is_none_or(|(smallest, _)| size < *smallest) {
            kind.example = Some((size, line(&report.trace, first)));
        }
    }
    kinds
}

/// Causes before consequences; of equal ones the deepest node first.
fn rank(difference: &Difference) -> (usize, usize) {
    let field = difference.field.split(['.', '[']).next().unwrap_or_default();
    match &difference.subject {
        Subject::Replay => (0, 0),
        Subject::Node { node, .. } => {
            const FIELDS: [&str; 8] =
                ["", "type", "phase", "message", "taskResultSynced", "inputs", "outputs", "children"];
            let deepest = usize::MAX - node.len();
            match FIELDS.iter().position(|known| *known == field) {
                Some(index) => (1 + index, deepest),
                None if field == "progress" => (30, deepest),
                None => (15, deepest),
            }
        }
        Subject::Pod { act: "created", .. } => (if field.is_empty() { 10 } else { 16 }, 0),
        Subject::Pod { .. } => (17, 0),
        Subject::Workflow => (if field == "progress" { 31 } else { 20 }, 0),
    }
}

fn kind_name(difference: &Difference) -> String {
    let Difference { subject, field, expected, got, .. } = difference;
    let field: String = field.chars().filter(|c| !c.is_ascii_digit()).collect();
    let place = match subject {
        Subject::Replay => String::new(),
        Subject::Node { kind, .. } => format!("{kind} node "),
        Subject::Pod { act, .. } => format!("pod {act} "),
        Subject::Workflow => "workflow ".to_owned(),
    };
    let (expected, got) = shapes(&field, expected.as_ref(), got.as_ref());
    format!("{place}{field}: {expected} -> {got}")
}

/// What both values are like, short enough to be the same in many traces.
fn shapes(field: &str, expected: Option<&Value>, got: Option<&Value>) -> (String, String) {
    match (expected, got) {
        (Some(Value::Array(expected)), Some(Value::Array(got))) => {
            let set = |list: &[Value]| list.iter().map(Value::to_string).collect::<BTreeSet<String>>();
            if set(expected) == set(got) {
                ("a list".to_owned(), "the same in another order".to_owned())
            } else {
                (format!("{} items", expected.len()), format!("{} items", got.len()))
            }
        }
        (Some(Value::Number(expected)), Some(Value::Number(got))) => {
            let distance = got.as_i64().unwrap_or_default() - expected.as_i64().unwrap_or_default();
            ("a number".to_owned(), format!("{distance:+}"))
        }
        (expected, got) if field == "progress" => (presence(expected), presence(got)),
        (expected, got) => (shape(expected), shape(got)),
    }
}

fn presence(value: Option<&Value>) -> String {
    value.map_or("nothing", |_| "n/m").to_owned()
}

fn shape(value: Option<&Value>) -> String {
    match value {
        None => "nothing".to_owned(),
        Some(Value::Array(list)) => format!("{} items", list.len()),
        Some(Value::Object(fields)) => match (fields.get("phase"), fields.get("message")) {
            (Some(phase), Some(message)) => format!("{} {}", plain(phase), plain(message)),
            (Some(phase), None) => plain(phase),
            (None, _) => "an object".to_owned(),
        },
        Some(Value::Number(_)) => "a number".to_owned(),
        Some(value @ (Value::Null | Value::Bool(_) | Value::String(_))) => plain(value),
    }
}

/// A text with each run of digits as `#`, cut short.
fn plain(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut plain = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            plain.push(c);
        } else if !plain.ends_with('#') {
            plain.push('#');
        }
    }
    cut(&plain.replace('\n', " "), LONGEST_WORD)
}

fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    text.chars().take(longest).chain(['…']).collect()
}
