//! Reads JSON, with Go's words for what is wrong.

use super::value::Value;
use crate::lang::go::json::{JsonError, check};

/// The value of a JSON document.
pub(super) fn read(text: &str) -> Result<Value, String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) => Value::from_json(&json),
        Err(_) => Err(check(text).err().unwrap_or(JsonError::TooDeep).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn broken_documents_get_the_words_of_go() {
        for (text, expected) in [
            ("", "unexpected end of JSON input"),
            ("{\"a\":", "unexpected end of JSON input"),
            ("nope", "invalid character 'o' in literal null (expecting 'u')"),
            ("hello", "invalid character 'h' looking for beginning of value"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"),
            ("{1:2}", "invalid character '1' looking for beginning of object key string"),
            ("1 2", "invalid character '2' after top-level value"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("'a'", "invalid character '\\'' looking for beginning of value"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
        ] {
            assert_eq!(read(text).err().as_deref(), Some(expected), "{text}");
        }
    }
}
