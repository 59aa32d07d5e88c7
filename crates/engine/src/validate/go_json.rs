//! Values as the JSON text that Go would write of them.
//!
//! Argo looks for tags in the JSON of a whole template or task: the first one that cannot be resolved is
//! the first in that text, and one that is not closed goes on to the next `}}` in it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::shape::{Field, Shape, TEMPLATE, When};
use crate::lang::go::json::encode_in_order;

/// A value in Go's order of fields.
fn ordered(value: Value, shape: Shape) -> Value {
    match (shape, value) {
        (Shape::Struct(fields), Value::Object(map)) => Value::Object(ordered_struct(map, fields)),
        (Shape::Map(inner), Value::Object(map)) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().map(|(key, value)| (key, ordered(value, *inner))).collect())
        }
        (Shape::List(inner), Value::Array(list)) => {
            Value::Array(list.into_iter().map(|value| ordered(value, *inner)).collect())
        }
        (Shape::Template, value) => ordered(value, TEMPLATE),
        (Shape::Any | Shape::Struct(_) | Shape::Map(_) | Shape::List(_), value) => value,
    }
}

fn ordered_struct(mut map: Map<String, Value>, fields: &[Field]) -> Map<String, Value> {
    let mut out = Map::new();
    for field in fields {
        let value = map.shift_remove(field.name).filter(|value| !is_empty(value, field));
        match (value, field.when) {
            (Some(value), _) => {
                out.insert(field.name.to_owned(), ordered(value, field.shape));
            }
            (None, When::Filled | When::Set) => {}
            (None, When::Text) => {
                out.insert(field.name.to_owned(), Value::String(String::new()));
            }
            (None, When::Object) => {
                out.insert(field.name.to_owned(), ordered(Value::Object(Map::new()), field.shape));
            }
            (None, When::List) => {
                out.insert(field.name.to_owned(), Value::Null);
            }
        }
    }
    out.extend(map.into_iter().filter(|(_, value)| !value.is_null()));
    out
}

/// Whether Go would leave it out. Empty objects are mostly pointers that are set.
fn is_empty(value: &Value, field: &Field) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty() && field.when != When::Set,
        Value::Array(list) => list.is_empty() && field.when != When::List,
        Value::Object(map) => map.is_empty() && matches!(field.shape, Shape::Map(_)),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The text that Go would write of `value`.
pub(super) fn text_of<T: Serialize>(value: &T, shape: Shape) -> Result<String, serde_json::Error> {
    Ok(encode_in_order(&ordered(serde_json::to_value(value)?, shape)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::shape::TASK;
    use super::{TEMPLATE, text_of};

    #[test]
    fn fields_have_the_order_of_go() {
        let task = json!({
            "arguments": {"parameters": [{"value": "", "name": "in"}]},
            "when": "1 < 2", "template": "t", "name": "a", "dependencies": [],
        });
        assert_eq!(
            text_of(&task, TASK).expect("writes"),
            r#"{"name":"a","template":"t","arguments":{"parameters":[{"name":"in","value":""}]},"when":"1 \u003c 2"}"#
        );
    }

    #[test]
    fn structs_that_are_no_pointers_are_always_there() {
        let template = json!({"container": {"image": "busybox"}, "name": "work", "nodeSelector": null});
        assert_eq!(
            text_of(&template, TEMPLATE).expect("writes"),
            r#"{"name":"work","inputs":{},"outputs":{},"metadata":{},"container":{"name":"","image":"busybox","resources":{}}}"#
        );
    }
}
