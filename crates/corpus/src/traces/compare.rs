//! One difference at a time between two values of JSON.
//!
//! In: what was recorded and what the engine gave. Out: the places where they differ, in a fixed order.

use serde_json::Value;

/// A place where two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Path inside the value, `outputs.parameters[0].value`.
    pub path: String,
    /// What was recorded; `None` when there is nothing.
    pub expected: Option<Value>,
    /// What the engine gave; `None` when there is nothing.
    pub got: Option<Value>,
}

/// All places where two values differ: fields of objects and items of lists of objects one by one, the rest
/// as a whole.
pub fn differences(path: &str, expected: Option<&Value>, got: Option<&Value>) -> Vec<Place> {
    let mut places = Vec::new();
    collect(path, expected, got, &mut places);
    places
}

fn collect(path: &str, expected: Option<&Value>, got: Option<&Value>, places: &mut Vec<Place>) {
    if expected == got {
        return;
    }
    match (expected, got) {
        (Some(Value::Object(expected)), Some(Value::Object(got))) => {
            let only_got = got.keys().filter(|key| !expected.contains_key(*key));
            let mut keys: Vec<&String> = expected.keys().chain(only_got).collect();
            keys.sort_unstable();
            for key in keys {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(&inner, expected.get(key), got.get(key), places);
            }
        }
        (Some(Value::Array(expected)), Some(Value::Array(got)))
            if expected.len() == got.len() && expected.iter().chain(got).all(Value::is_object) =>
        {
            for (index, (expected, got)) in expected.iter().zip(got).enumerate() {
                collect(&format!("{path}[{index}]"), Some(expected), Some(got), places);
            }
        }
        (expected, got) => {
            places.push(Place { path: path.to_owned(), expected: expected.cloned(), got: got.cloned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::differences;

    #[test]
    fn fields_differ_one_by_one_and_lists_as_a_whole() {
        let expected = json!({"a": {"b": 1, "c": 2}, "list": ["x"], "same": 1, "items": [{"n": 1}]});
        let got = json!({"a": {"b": 1, "d": 2}, "list": ["x", "y"], "same": 1, "items": [{"n": 2}]});
        let text: Vec<String> = differences("", Some(&expected), Some(&got))
            .iter()
            .map(|place| {
                let word = |value: &Option<serde_json::Value>| {
                    value.as_ref().map_or("none".to_owned(), ToString::to_string)
                };
                format!("{} {} {}", place.path, word(&place.expected), word(&place.got))
            })
            .collect();
        assert_eq!(text, ["a.c 2 none", "a.d none 2", "items[0].n 1 2", r#"list ["x"] ["x","y"]"#]);
    }
}
