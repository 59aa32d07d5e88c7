//! Texts for the reader of YAML and JSON.

use serde_json::Value;
use unwind_model::document;
use unwind_model::yaml::{Limits, Path, load};

use super::{Seeds, forms, mutate};
use crate::numbers::Numbers;

/// More values than this are not written and read again.
const MOST_VALUES: usize = 10_000;

/// In bytes, escapes left room for.
const LONGEST_KEY: usize = 160;

/// A changed file, a made-up text, or one of the forms that are dangerous.
pub fn make(seeds: &Seeds, numbers: &mut Numbers) -> Vec<u8> {
    let seed = |numbers: &mut Numbers| {
        let count = seeds.texts.len();
        seeds.texts.get(numbers.below(count)).map(|text| text.as_bytes().to_vec()).unwrap_or_default()
    };
    let text = match numbers.below(8) {
        0..4 => {
            let (text, other) = (seed(numbers), seed(numbers));
            mutate::bytes(text, &other, numbers)
        }
        4 => forms::yaml(numbers).into_bytes(),
        5 => forms::dangerous(numbers).into_bytes(),
        6 => {
            let (text, other) = (forms::yaml(numbers).into_bytes(), seed(numbers));
            mutate::bytes(text, &other, numbers)
        }
        _ => {
            let text = forms::dangerous(numbers).into_bytes();
            mutate::bytes(text, &seed(numbers), numbers)
        }
    };
    if numbers.one_in(24) { mutate::encode(&text, numbers) } else { text }
}

/// Reads it; what was read and is written as JSON is read again as the same.
pub fn take(input: &[u8]) {
    match document::parse(input) {
        Ok(documents) => {
            for parsed in documents {
                let _ = parsed.position("spec.templates[0].dag.tasks[1]");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty(), "an error says what is wrong"),
    }
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(documents) = load(text, &Limits::default()) else { return };
    for (value, positions) in documents {
        let _ = positions.find(&Path::default());
        if is_writable(&value) {
            let json = value.to_string();
            let again = load(&json, &Limits::default());
            let same = matches!(again.as_deref(), Ok([(read, _)]) if *read == value);
            assert!(same, "JSON is read as it was written: {json}");
        }
    }
}

/// Written out it stays short, and its keys can be read: a key before a `:` has at most 1,024 characters.
/// Source: YAML 1.2.2, 7.4.2.
fn is_writable(value: &Value) -> bool {
    let mut count = 0;
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        count += 1;
        match value {
            Value::Array(list) => waiting.extend(list),
            Value::Object(map) if map.keys().any(|key| key.len() > LONGEST_KEY) => return false,
            Value::Object(map) => waiting.extend(map.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        if count > MOST_VALUES {
            return false;
        }
    }
    true
}
