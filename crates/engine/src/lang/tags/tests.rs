//! Tags in texts and values.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn names() -> BTreeMap<String, String> {
    [
        ("inputs.parameters.message", "hello world"),
        ("inputs.parameters.json", "{\"a\": \"<b>\"}"),
        ("inputs.parameters.lines", "one\n\"two\"\\"),
        ("inputs.parameters.tag", "{{inputs.parameters.message}}"),
        ("inputs.parameters.bell", "\u{7}"),
        ("inputs.parameters.soft", "a\u{ad}b é"),
        ("workflow.name", "wf"),
    ]
    .map(|(name, text)| (name.to_owned(), text.to_owned()))
    .into()
}

/// Expressions give themselves in brackets, `stay` stays, `odd…` is an error.
fn express(expression: &str) -> Result<Option<String>, String> {
    match expression.trim() {
        "stay" => Ok(None),
        odd if odd.starts_with("odd") => Err(format!("failed to evaluate expression: {odd}")),
        other => Ok(Some(format!("[{other}]"))),
    }
}

fn fill(value: &Value, unresolved: Unresolved<'_>) -> Result<Value, TagError> {
    let names = names();
    let is_absent = |name: &str| name.starts_with("tasks.skipped.");
    Filler { names: &names, absent: Some(&is_absent), unresolved, express: &mut express }.value(value)
}

/// A text filled in, and the same by way of a JSON text; errors as their text.
fn text(text: &str, unresolved: Unresolved<'_>) -> String {
    let names = names();
    let is_absent = |name: &str| name.starts_with("tasks.skipped.");
    let mut express = express;
    let mut filler = Filler { names: &names, absent: Some(&is_absent), unresolved, express: &mut express };
    let by_text = filler.text(text);
    let by_json = filler.json(&Value::from(text).to_string());
    assert_eq!(by_text.is_ok(), by_json.is_ok());
    by_text.unwrap_or_else(|error| error.to_string())
}

#[test]
fn known_tags_are_filled_in_and_others_stay() {
    for (given, expected) in [
        ("plain", "plain"),
        ("a {{inputs.parameters.message}}, {{ workflow.name }}.", "a hello world, wf."),
        ("{{inputs.parameters.json}}", "{\"a\": \"<b>\"}"),
        ("{{inputs.parameters.lines}}", "one\n\"two\"\\"),
        ("{{inputs.parameters.soft}}", "a\u{ad}b é"),
        ("{{inputs.parameters.tag}}", "{{inputs.parameters.message}}"),
        ("{{nobody}} {{item}} {{retries}} {{pod.name}}", "{{nobody}} {{item}} {{retries}} {{pod.name}}"),
        ("{{inputs.parameters['message']}}", "{{inputs.parameters['message']}}"),
        ("{{a<b & \"c\"}}", "{{a<b & \"c\"}}"),
        // The break is part of the name, since JSON writes it with two characters.
        ("{{\nworkflow.name }}", "{{\nworkflow.name }}"),
        ("{{workflow.name}}}", "wf}"),
        ("{{{workflow.name}}}", "{{{workflow.name}}}"),
        ("{}{workflow.name}}", "{}{workflow.name}}"),
    ] {
        assert_eq!(text(given, Unresolved::Stays), expected);
    }
}

#[test]
fn a_tag_inside_other_braces_is_filled_in() {
    for (given, expected) in [
        (
            "{{- with secret \"{{inputs.parameters.message}}\" -}}\n {{ .Data }}",
            "{{- with secret \"hello world\" -}}\n {{ .Data }}",
        ),
        ("{{ {{ }} x {{workflow.name}} }}", "{{ {{ }} x wf }}"),
        ("{{ {{workflow.name}} }}", "{{ wf }}"),
        // Without spaces only.
        ("{{ {{ workflow.name }} }}", "{{ {{ workflow.name }} }}"),
        ("{{{{workflow.name}}}}", "{{{{workflow.name}}}}"),
        ("{{a{{nobody}}}}", "{{a{{nobody}}}}"),
    ] {
        assert_eq!(text(given, Unresolved::Stays), expected, "{given}");
    }
}

#[test]
fn expressions_are_given_away() {
    for (given, expected) in [
        ("{{=1 + 2}}", "[1 + 2]"),
        ("{{= a < b && \"c\\n\" }} ", "[a < b && \"c\\n\"] "),
        ("{{=stay}}{{=x}}", "{{=stay}}[x]"),
        ("{{=odd}}", "failed to evaluate expression: odd"),
        ("{{ =x }}", "{{ =x }}"),
        ("{{={'a': {'b': 1}}}}", "[{'a': {'b': 1]}}"),
    ] {
        assert_eq!(text(given, Unresolved::Stays), expected);
    }
}

#[test]
fn what_has_no_value_can_be_an_error() {
    let strict = Unresolved::FailsIn(&["tasks", "steps"]);
    for (given, unresolved, expected) in [
        ("{{inputs.parameters.x}}", Unresolved::Fails, "failed to resolve {{inputs.parameters.x}}"),
        ("{{ item.k }}", Unresolved::Fails, "failed to resolve {{ item.k }}"),
        ("{{a\"b}}", Unresolved::Fails, "failed to resolve {{a\\\"b}}"),
        ("{{x.outputs.artifacts.a}}", Unresolved::Fails, "failed to resolve {{x.outputs.artifacts.a}}"),
        ("{{item}} {{tasksx.y}}", strict, "{{item}} {{tasksx.y}}"),
        ("{{tasks.a.outputs.result}}", strict, "failed to resolve {{tasks.a.outputs.result}}"),
        ("{{steps.a.outputs.artifacts.a}}", strict, "{{steps.a.outputs.artifacts.a}}"),
        (
            "{{tasks.skipped.x}}",
            strict,
            "unable to substitute {{tasks.skipped.x}}: output is an absent optional (skipped/omitted node with \
             no default)",
        ),
        (
            "{{a {{tasks.skipped.x}}",
            strict,
            "unable to substitute nested tag {{a {{tasks.skipped.x}}: \"tasks.skipped.x\" is an absent optional",
        ),
    ] {
        assert_eq!(text(given, unresolved), expected);
    }
    let error = fill(&json!("{{nobody}}"), Unresolved::Fails).expect_err("no value");
    assert!(error.is_missing_variable());
}

#[test]
fn an_unclosed_tag_is_an_error_where_nothing_closes_it() {
    assert_eq!(
        text("a {{b", Unresolved::Stays),
        "Cannot find end tag=\"}}\" in the template=\"\\\"a {{b\\\"\" starting from \"b\\\"\""
    );
    // The brackets of the JSON close it.
    let value = json!({"a": {"b": "{{workflow.name"}});
    assert_eq!(fill(&value, Unresolved::Stays).as_ref(), Ok(&value));
    let error = fill(&value, Unresolved::Fails).expect_err("the quote is part of the name");
    assert_eq!(error.to_string(), "failed to resolve {{workflow.name\"}}");
    // A later text closes it.
    let value = json!({"a": "{{b", "c": "{{workflow.name}}"});
    assert_eq!(fill(&value, Unresolved::Stays), Ok(json!({"a": "{{b", "c": "wf"})));
}

#[test]
fn values_keep_their_shape_and_keys_are_filled_in_too() {
    let value = json!({
        "z{{workflow.name}}": [1, 2.5, true, null, "{{workflow.name}}"],
        "a": {"b": "{{nobody}}<", "c": "{{inputs.parameters.lines}}"},
    });
    let expected = json!({
        "zwf": [1, 2.5, true, null, "wf"],
        "a": {"b": "{{nobody}}<", "c": "one\n\"two\"\\"},
    });
    let filled = fill(&value, Unresolved::Stays).expect("all is well");
    assert_eq!(filled.to_string(), expected.to_string());
    let plain = json!({"b": "}}", "a": [1.0]});
    assert_eq!(fill(&plain, Unresolved::Fails), Ok(plain.clone()));
}

#[test]
fn a_value_that_go_escapes_otherwise_than_json_is_an_error() {
    assert_eq!(
        text("{{inputs.parameters.bell}}", Unresolved::Stays),
        "cannot finish template replacement because the result was invalid JSON"
    );
}

proptest! {
    #[test]
    fn random_texts_never_panic(given in "(\\{\\{|\\}\\}|=|workflow.name|item|[{}=\"\\\\a \n<é])*") {
        for unresolved in [Unresolved::Stays, Unresolved::Fails, Unresolved::FailsIn(&["item"])] {
            text(&given, unresolved);
        }
        if !given.contains("{{") {
            prop_assert_eq!(text(&given, Unresolved::Fails), given);
        }
    }

    #[test]
    fn texts_without_known_names_stay(given in "(\\{\\{|\\}\\}|[{}\"\\\\a \n<é])*\\}\\}") {
        prop_assert_eq!(text(&given, Unresolved::Stays), given);
    }
}
