//! Whether tags begin in a typed part of a document, without writing it as JSON.

use serde_json::{Map, Value};
use unwind_model::params::{Arguments, Parameter};
use unwind_model::spec::Task;

use super::has_tags;

/// Whether a tag begins anywhere in a task but in its hooks.
pub(crate) fn task_has_tags(task: &Task) -> bool {
    let inline = task.inline.as_deref();
    [&task.name, &task.template, &task.depends, &task.on_exit, &task.when].into_iter().any(is_tagged)
        || task.dependencies.iter().any(is_tagged)
        || arguments_have_tags(&task.arguments)
        || map_has_tags(&task.other)
        || inline.is_some_and(|inline| serde_json::to_value(inline).map_or(true, |value| has_tags(&value)))
}

/// Whether a tag begins in any text or key of a map.
pub(crate) fn map_has_tags(map: &Map<String, Value>) -> bool {
    map.iter().any(|(name, value)| is_tagged(name) || has_tags(value))
}

fn arguments_have_tags(arguments: &Arguments) -> bool {
    arguments.parameters.iter().any(parameter_has_tags) || map_has_tags(&arguments.other)
}

fn parameter_has_tags(parameter: &Parameter) -> bool {
    is_tagged(&parameter.name)
        || parameter.default.as_ref().is_some_and(is_tagged)
        || parameter.value.as_ref().is_some_and(is_tagged)
        || parameter.value_from.as_ref().is_some_and(has_tags)
        || map_has_tags(&parameter.other)
}

#[expect(clippy::ptr_arg, reason = "it is given to iterators over `String`")]
fn is_tagged(text: &String) -> bool {
    text.contains("{{")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unwind_model::spec::Task;

    use super::{has_tags, task_has_tags};

    #[test]
    fn every_part_of_a_task_is_looked_at() {
        for (task, expected) in [
            (json!({"name": "a", "template": "t", "dependencies": ["b"], "withItems": [1]}), false),
            (json!({"name": "a", "template": "{{x}}"}), true),
            (json!({"name": "a", "when": "{{x}} == 1"}), true),
            (json!({"name": "a", "depends": "{{x}}"}), true),
            (json!({"name": "a", "onExit": "{{x}}"}), true),
            (json!({"name": "a", "dependencies": ["{{x}}"]}), true),
            (json!({"name": "a", "arguments": {"parameters": [{"name": "p", "value": "{{x}}"}]}}), true),
            (json!({"name": "a", "arguments": {"parameters": [{"name": "p", "enum": ["{{x}}"]}]}}), true),
            (
                json!({"name": "a", "arguments": {"parameters": [{"name": "p", "valueFrom": {"default": "{{x}}"}}]}}),
                true,
            ),
            (json!({"name": "a", "arguments": {"artifacts": [{"name": "p", "from": "{{x}}"}]}}), true),
            (json!({"name": "a", "withParam": "{{x}}"}), true),
            (json!({"name": "a", "templateRef": {"name": "{{x}}"}}), true),
            (json!({"name": "a", "inline": {"container": {"args": ["{{x}}"]}}}), true),
            (json!({"name": "a", "inline": {"container": {"args": ["x"]}}}), false),
        ] {
            check(&task, expected);
        }
        let hooks = json!({"name": "a", "hooks": {"exit": {"template": "{{x}}"}}});
        assert!(!task_has_tags(&serde_json::from_value(hooks).expect("a task")));
    }

    fn check(value: &Value, expected: bool) {
        let task: Task = serde_json::from_value(value.clone()).expect("a task");
        assert_eq!((task_has_tags(&task), has_tags(value)), (expected, expected), "{value}");
    }
}
