//! Where a value does not fit its type.
//!
//! Serde loses the path inside flattened structs, so the place is found by trying: from the whole
//! down, the one entry that makes a skeleton of nothing but its own path fail.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::yaml::{Path, Segment};

/// The path of the smallest part of `value` that does not fit `T`, and its error.
/// All types read here give every field a default, so that a skeleton fails only by its own part.
pub(super) fn locate<T: DeserializeOwned>(
    value: &Value,
    error: serde_json::Error,
) -> (Path, serde_json::Error) {
    let mut path = Path::default();
    let mut here = value;
    let mut error = error;
    loop {
        let worse = entries(here).find_map(|(segment, inside)| {
            path.0.push(segment);
            let found = T::deserialize(&skeleton(&path, inside)).err();
            if found.is_none() {
                path.0.pop();
            }
            found.map(|error| (inside, error))
        });
        match worse {
            Some((inside, found)) => (here, error) = (inside, found),
            None => return (path, error),
        }
    }
}

fn entries(value: &Value) -> Box<dyn Iterator<Item = (Segment, &Value)> + '_> {
    match value {
        Value::Object(map) => Box::new(map.iter().map(|(key, value)| (Segment::Key(key.clone()), value))),
        Value::Array(list) => {
            Box::new(list.iter().enumerate().map(|(index, value)| (Segment::Index(index), value)))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Box::new(std::iter::empty()),
    }
}

/// A document that holds nothing but `value` at `path`.
fn skeleton(path: &Path, value: &Value) -> Value {
    path.0.iter().rev().fold(value.clone(), |inside, segment| match segment {
        Segment::Key(key) => Value::Object(Map::from_iter([(key.clone(), inside)])),
        Segment::Index(_) => Value::Array(vec![inside]),
    })
}

/// What was found and what was expected, from serde's `invalid type: string "x", expected a sequence`.
pub(super) fn describe(error: &serde_json::Error) -> (String, String) {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    if let Some((expected, found)) =
        text.strip_prefix("expected ").and_then(|rest| rest.rsplit_once(", found "))
    {
        return (found.to_owned(), expected.to_owned());
    }
    if let Some((found, known)) =
        text.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        return (found.to_owned(), known.to_owned());
    }
    let Some((found, expected)) = text.split_once(", expected ") else {
        return (text.to_owned(), "a value that fits".to_owned());
    };
    let found = found.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ");
    (plain_words(found), plain_words(expected))
}

/// Serde's words for JSON in the words of its users.
fn plain_words(text: &str) -> String {
    if let Some(quoted) = text.strip_prefix("string \"").and_then(|rest| rest.strip_suffix('"')) {
        return format!("the text `{quoted}`");
    }
    match text {
        "a sequence" | "sequence" => "a list".into(),
        "map" | "a map" => "a map".into(),
        "unit value" | "null" => "nothing".into(),
        "a string" => "a text".into(),
        "a boolean" => "true or false".into(),
        _ if text.starts_with("struct ") => "a map".into(),
        _ => text.to_owned(),
    }
}
