//! Expressions against what expr-lang, Sprig and Argo's functions gave for them.
//!
//! `vectors.jsonl` holds `[source, outcome]` a line, as the Go libraries (expr-lang v1.17.8, sprig
//! v3.3.0, jsonpath v0.8.1) gave it for the names in its first line. Go's widths of whole numbers
//! (`int64`, `uint8`) are not kept apart here. `UNWIND_EXPR_VECTORS` may name another such file.

mod argo;

use std::collections::BTreeMap;

use super::{Environment, Value, environment_with, evaluate, print};

const VECTORS: &str = include_str!("tests/vectors.jsonl");

fn names(line: &str) -> Environment {
    let names: BTreeMap<String, Option<String>> = serde_json::from_str(line).expect("names");
    let texts: BTreeMap<String, String> =
        names.iter().filter_map(|(name, text)| Some((name.clone(), text.clone()?))).collect();
    let absent: Vec<(&str, Value)> = names
        .iter()
        .filter(|(_, text)| text.is_none())
        .map(|(name, _)| (name.as_str(), Value::Nil))
        .collect();
    environment_with(&texts, &absent)
}

fn outcome(source: &str, names: &Environment) -> String {
    match evaluate(source, names) {
        Ok(value) => match print::json(&value, "") {
            Ok(json) => format!("{} {json} {}", value.type_name(), print::as_text(&value)),
            Err(error) => format!("{} {} json error {error}", value.type_name(), print::plain(&value)),
        },
        Err(super::ExprError::Compile(text)) => format!("compile: {text}"),
        Err(error) => format!("run: {error}"),
    }
}

#[test]
fn expressions_give_what_the_go_libraries_give() {
    let other =
        std::env::var_os("UNWIND_EXPR_VECTORS").map(|path| std::fs::read_to_string(path).expect("vectors"));
    let mut lines = other.as_deref().unwrap_or(VECTORS).lines();
    let names = names(lines.next().expect("names"));
    let mut wrong = Vec::new();
    for line in lines {
        let (source, expected): (String, String) = serde_json::from_str(line).expect("a vector");
        let expected = expected.replace("int64", "int").replace("uint8", "int");
        let found = outcome(&source, &names);
        if found != expected {
            wrong.push(format!("{source}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Words that meet often enough to make expressions, and what only looks like one.
const WORDS: [&str; 64] = [
    "1",
    "2.5",
    "'a'",
    "\"b\"",
    "`c`",
    "true",
    "nil",
    "workflow",
    "tasks",
    ".a",
    ".status",
    "['a-b']",
    "item",
    "retries",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    ".",
    "?.",
    "..",
    "?",
    "??",
    "|",
    "||",
    "&&",
    "and",
    "or",
    "not",
    "in",
    "!",
    "==",
    "!=",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "matches",
    "contains",
    "startsWith",
    "let x =",
    "if",
    "else",
    "#",
    "#acc",
    "filter(",
    "map(",
    "reduce(",
    "len(",
    "sprig.",
    "asInt(",
    "'",
    "\\",
    "@",
    "é",
];

/// A step of a linear congruential generator, so that every run is the same.
fn step(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 40).unwrap_or(0)
}

#[test]
fn no_run_of_tokens_panics() {
    let names = names(VECTORS.lines().next().expect("names"));
    let mut state = 7;
    for _ in 0..20_000 {
        let count = 1 + step(&mut state) % 12;
        let source: Vec<&str> = (0..count).map(|_| WORDS[step(&mut state) % WORDS.len()]).collect();
        let _ = outcome(&source.join(" "), &names);
        let _ = outcome(&source.concat(), &names);
    }
}

#[test]
fn changed_expressions_never_panic() {
    let names = names(VECTORS.lines().next().expect("names"));
    let sources: Vec<String> = VECTORS
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<(String, String)>(line).expect("a vector").0)
        .collect();
    let mut state = 11;
    for source in sources.iter().cycle().take(10_000) {
        let chars: Vec<char> = source.chars().collect();
        let at = step(&mut state) % (chars.len() + 1);
        let other = &sources[step(&mut state) % sources.len()];
        let mut changed: String = chars[..at].iter().collect();
        match step(&mut state) % 3 {
            0 => changed.push_str(WORDS[step(&mut state) % WORDS.len()]),
            1 => changed.push_str(other),
            _ => {}
        }
        changed.extend(chars.iter().skip(at + step(&mut state) % 2));
        let _ = outcome(&changed, &names);
    }
}

#[test]
fn what_is_deep_or_long_is_refused_with_a_reason() {
    let names = names("{}");
    let deep = "compilation failed: expression is nested too deeply";
    for source in [
        "(".repeat(100_000),
        "[".repeat(100_000),
        "{a:".repeat(100_000),
        "!".repeat(100_000),
        "not ".repeat(100_000),
        "-".repeat(100_000),
        format!("1{}", "+1".repeat(100_000)),
        format!("$env{}", ".a".repeat(100_000)),
        format!("$env{}", "?.a".repeat(100_000)),
        format!("1{}", "?1:1".repeat(100_000)),
        "len(".repeat(100_000),
        "map([1],".repeat(100_000),
        "if true {".repeat(100_000),
        "let x = 1;".repeat(100_000),
    ] {
        let found = outcome(&source, &names);
        assert!(found.starts_with(&format!("compile: {deep}")), "{}", &found[..found.len().min(200)]);
    }
    for (source, expected) in [
        ("1..10000000", "memory budget exceeded"),
        ("reduce(1..1000, [#acc])", "recursion depth exceeded"),
        ("toJSON(reduce(1..100, [#acc, #acc], []))", "memory budget exceeded"),
        ("join(map(1..100, repeat('x', 999999)), ',')", "memory budget exceeded"),
        ("reduce(1..1000, #acc + #acc, 'a')", "memory budget exceeded"),
        ("let x = 1..900; all(x, all(x, all(x, true)))", "expression takes too many steps"),
        ("sprig.repeat(1000000000, 'a')", "memory budget exceeded"),
        ("len(sprig.until(100000000))", "memory budget exceeded"),
        ("now()", "the current time is not known here"),
        ("sprig.uuidv4()", "sprig.uuidv4 is not supported here: it depends on randomness"),
    ] {
        let found = outcome(source, &names);
        assert!(found.starts_with(&format!("run: {expected}")), "{source}: {found}");
    }
}
