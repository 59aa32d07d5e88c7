//! Texts for the small languages: a word that names the language, and the text below it.

use std::collections::BTreeMap;

use serde_json::Value;
use unwind_engine::cron::Schedule;
use unwind_engine::depends::Depends;
use unwind_engine::items::{Loop, items};
use unwind_engine::lang::tags::{Filler, Unresolved};
use unwind_engine::lang::{expr, go, kube, when};
use unwind_engine::plan::TaskIndex;
use unwind_engine::progress::Progress;
use unwind_engine::selector::Selector;
use unwind_model::features::Sequence;
use unwind_model::{NodeStatus, Timestamp, decimal};

use super::{Seeds, grammar, mutate};
use crate::numbers::Numbers;
use crate::traces::FIRST_PASS;

/// The languages: rules of the grammar that are wholes.
const LANGUAGES: [&str; 17] = [
    "when", "expr", "expr", "expr", "tags", "kube", "depends", "duration", "schedule", "selector", "json",
    "sequence", "format", "time", "progress", "path", "number",
];

/// A made-up text, a changed one, or one of another language.
pub fn make(seeds: &Seeds, numbers: &mut Numbers) -> Vec<u8> {
    let language = numbers.pick(&LANGUAGES);
    let seed = |numbers: &mut Numbers| {
        let count = seeds.expressions.len();
        seeds.expressions.get(numbers.below(count)).cloned().unwrap_or_default()
    };
    let text = match numbers.below(6) {
        0..3 => grammar::text(language, numbers),
        3 => {
            let (made, other) = (grammar::text(language, numbers), seed(numbers));
            mutate::text(&made, &other, numbers)
        }
        4 => {
            let (text, other) = (seed(numbers), grammar::text(language, numbers));
            mutate::text(&text, &other, numbers)
        }
        _ => grammar::text(numbers.pick(&LANGUAGES), numbers),
    };
    format!("{language}\n{text}").into_bytes()
}

/// Reads and evaluates it.
pub fn take(input: &[u8]) {
    let input = String::from_utf8_lossy(input);
    let Some((language, text)) = input.split_once('\n') else { return };
    match language {
        "when" => drop(when::should_execute(text)),
        "expr" => express(text),
        "path" => express(&format!("jsonpath(workflow.parameters.json, {text})")),
        "tags" => fill(text),
        "kube" => drop(kube::kube_path(text, &object())),
        "depends" => depends(text),
        "duration" => duration(text),
        "schedule" => schedule(text),
        "selector" => {
            if let Ok(selector) = Selector::parse(text) {
                selector.matches(&NodeStatus::default());
            }
        }
        "json" => json(text),
        "sequence" => sequence(text),
        "format" => drop(go::format_integer(text, i64::MIN)),
        "time" => drop(Timestamp::parse(text).map(|time| Timestamp::parse(&time.to_string()))),
        "progress" => drop(Progress::parse(text)),
        "number" => number(text),
        _ => {}
    }
}

fn object() -> Value {
    serde_json::json!({"a": {"x": [1, 2.5, null]}, "items": [{"a": "x", "x": 1}, {"a": 2, "items": [[], {}]}, "é"], "x": true})
}

fn names() -> BTreeMap<String, String> {
    let entry = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    [
        ("workflow.name", "hello"),
        ("workflow.parameters.list", "[1,2,3]"),
        ("workflow.parameters.json", r#"{"a":{"b":[1,2,{"c":"x"}]},"min":1.5}"#),
        ("inputs.parameters.x", "a\"b\\c\n{{x}}"),
        ("inputs.parameters.week-temps", r#"{"min":1,"max":[2,3]}"#),
        ("tasks.a.status", "Succeeded"),
        ("tasks.b-c.outputs.result", "heads"),
        ("steps.s.outputs.parameters", "{}"),
        ("item", "3"),
        ("retries", "2"),
        ("lastRetry.exitCode", "1"),
    ]
    .into_iter()
    .map(entry)
    .collect()
}

fn express(text: &str) {
    let names = names();
    let now = expr::Moment { seconds: FIRST_PASS.millis() / 1000, nanos: 0 };
    let environment = expr::environment_for(text, &names, &[]).at(now);
    if let Ok(program) = expr::compile(text) {
        for name in program.identifiers() {
            environment.has(&name);
        }
    }
    let _ = expr::evaluate_bool(text, &environment);
}

fn fill(text: &str) {
    let names = names();
    let environment = expr::environment(&names);
    for unresolved in [Unresolved::Stays, Unresolved::FailsIn(&["tasks", "steps"]), Unresolved::Fails] {
        let mut express = |expression: &str| match expr::evaluate(expression, &environment) {
            Ok(value) => Ok(Some(format!("{value:?}"))),
            Err(error) => Err(error.to_string()),
        };
        let mut filler = Filler { names: &names, absent: None, unresolved, express: &mut express };
        let _ = filler.text(text);
        let _ = filler.value(&serde_json::json!({"a": text, text: [text]}));
        let _ = filler.json(text);
    }
}

fn depends(text: &str) {
    let tasks = ["a", "b", "c-d", "e_1", "1"];
    let task = |name: &str| (0..).map(TaskIndex).zip(tasks).find(|(_, known)| *known == name);
    if let Ok(read) = Depends::parse(text, &|name| Some(task(name)?.0)) {
        read.tasks();
        for answer in [false, true] {
            read.holds_with(&|_, _| answer);
        }
    }
}

fn duration(text: &str) {
    for nanoseconds in [go::parse_duration(text), go::parse_string_to_duration(text)].into_iter().flatten() {
        let shown = go::duration_text(nanoseconds);
        assert_eq!(go::parse_duration(&shown), Ok(nanoseconds), "{shown}");
        go::humanize(nanoseconds);
    }
}

/// Zones: a usual one, one that is never the same, and some that nobody has.
fn offset(zone: &str, at: Timestamp) -> Option<i32> {
    match zone {
        "Europe/Berlin" => Some(if at.millis() / 7_884_000_000 % 2 == 0 { 3600 } else { 7200 }),
        "x" => Some((at.millis() / 1000 % 100_000) as i32),
        "" => None,
        zone => (zone.len() < 20).then_some(-43_200),
    }
}

fn schedule(text: &str) {
    let Ok(schedule) = Schedule::parse(text, &offset) else { return };
    for start in [FIRST_PASS, Timestamp(-62_135_596_800_000), Timestamp(253_402_300_799_999)] {
        let mut at = start;
        for _ in 0..20 {
            let Some(next) = schedule.next(at, &offset) else { break };
            at = next;
        }
    }
}

fn json(text: &str) {
    let is_json = go::json::check(text).is_ok();
    let _ = go::json::compact(text);
    let _ = go::json::fix(text);
    let escaped = format!("\"{}\"", go::json::escape_html(&go::json::escape_text(text)));
    assert!(go::json::check(&escaped).is_ok(), "an escaped text is JSON");
    go::quote(text);
    if is_json {
        go::json::elements(text);
        go::json::members(text);
        let read = serde_json::from_str::<Value>(text);
        let _ = read.map(|value| go::json::encode(&value));
    }
    let _ = items(Loop::Param(text), "");
}

fn sequence(text: &str) {
    let Ok(value) = serde_json::from_str::<Value>(text) else { return };
    let task = serde_json::json!({"name": "a", "withSequence": value});
    let Ok(task) = serde_json::from_value::<unwind_model::spec::Task>(task) else { return };
    let sequence: Option<Sequence> = task.with_sequence().ok().flatten();
    if let Some(sequence) = sequence {
        let _ = items(Loop::Sequence(&sequence), "");
    }
}

fn number(text: &str) {
    let _ = go::atoi(text);
    let _ = go::parse_bool(text);
    for bits in [0, 8, 32, 64] {
        let _ = go::parse_int(text, bits);
    }
    if let Some(number) = decimal(text) {
        for shown in [go::float_v(number), go::float_f(number), go::float_json(number)] {
            assert!(shown.len() < 1_000, "{shown}");
        }
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        go::any_string(&value);
    }
}
