//! What a loop lets a task use.
//! Source: Argo `workflow/validate/validate.go`, `addItemsToScope`; `item.go`, `GetType`.

use serde_json::Value;
use unwind_model::spec::Task;

use super::scope::{ANY_ITEM, Scope};

/// Whether a task is a loop whose outputs are lists.
pub(super) fn is_aggregate(task: &Task) -> bool {
    !items(task).is_empty() || !param(task).is_empty()
}

/// Whether a task is a loop.
pub(super) fn is_loop(task: &Task) -> bool {
    is_aggregate(task) || sequence(task).is_some()
}

/// Adds the names of a loop's item to `scope`.
pub(super) fn add_to(scope: &mut Scope<'_>, task: &Task) -> Result<(), &'static str> {
    let (items, param, sequence) = (items(task), param(task), sequence(task));
    let defined = [!items.is_empty(), !param.is_empty(), sequence.is_some()];
    if defined.into_iter().filter(|is_defined| *is_defined).count() > 1 {
        return Err("only one of withItems, withParam, withSequence can be specified");
    }
    for item in items {
        match item {
            Value::Array(list) => (0..list.len()).for_each(|index| scope.add(format!("item.[{index}]"))),
            Value::Object(map) => map.keys().for_each(|key| scope.add(format!("item.{key}"))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => scope.add("item"),
        }
    }
    if !param.is_empty() {
        scope.add("item");
        scope.add(ANY_ITEM);
    }
    if let Some(sequence) = sequence {
        let has = |name| sequence.get(name).is_some_and(|value| !value.is_null());
        if has("count") && has("end") {
            return Err("only one of count or end can be defined in withSequence");
        }
        scope.add("item");
    }
    Ok(())
}

fn items(task: &Task) -> &[Value] {
    task.other.get("withItems").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn param(task: &Task) -> &str {
    task.other.get("withParam").and_then(Value::as_str).unwrap_or_default()
}

fn sequence(task: &Task) -> Option<&Value> {
    task.other.get("withSequence").filter(|value| !value.is_null())
}
