//! JSON as Go reads and writes it: its error texts, the escapes of `<`, `>` and `&`, raw parts.
//! Source: Go `encoding/json` (`scanner.go`, `Compact`, `Marshal`).

mod scan;

use std::fmt::Write as _;

use serde_json::Value;

use super::number::float_json;
pub use scan::{JsonError, check};

/// What a JSON text is, by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool,
    /// A number.
    Number,
    /// A text.
    String,
    /// `[…]`
    List,
    /// `{…}`
    Map,
}

impl Kind {
    /// The kind of a valid JSON text.
    pub fn of(json: &str) -> Self {
        match json.trim_start().as_bytes().first() {
            Some(b'{') => Self::Map,
            Some(b'[') => Self::List,
            Some(b'"') => Self::String,
            Some(b't' | b'f') => Self::Bool,
            Some(b'n') | None => Self::Null,
            Some(_) => Self::Number,
        }
    }

    /// Go's word for it in `cannot unmarshal … into Go value`.
    pub fn go_word(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::String => "string",
            Self::List => "array",
            Self::Map => "object",
        }
    }
}

/// The raw elements of a valid JSON list, without spaces around.
pub fn elements(list: &str) -> Vec<&str> {
    parts(list).into_iter().map(|part| part.trim_matches(SPACES)).collect()
}

/// Keys and raw values of a valid JSON map, sorted by key; of equal keys the last counts.
pub fn members(map: &str) -> std::collections::BTreeMap<String, &str> {
    let pair = |part: &'_ str| -> Option<(String, usize)> {
        let trimmed = part.trim_start_matches(SPACES);
        let end = string_end(trimmed)?;
        let key: String = serde_json::from_str(&trimmed[..end]).ok()?;
        Some((key, part.len() - trimmed.len() + end))
    };
    let mut members = std::collections::BTreeMap::new();
    for part in parts(map) {
        if let Some((key, end)) = pair(part) {
            let value = part[end..].trim_start_matches(SPACES).trim_start_matches(':');
            members.insert(key, value.trim_matches(SPACES));
        }
    }
    members
}

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

/// What stands between the brackets of a list or map, split at its own commas.
fn parts(json: &str) -> Vec<&str> {
    let inner = json.trim_matches(SPACES);
    let inner = inner.get(1..inner.len().saturating_sub(1)).unwrap_or("");
    if inner.trim_matches(SPACES).is_empty() {
        return Vec::new();
    }
    let (mut parts, mut begin, mut depth, mut at) = (Vec::new(), 0, 0_usize, 0);
    while let Some(byte) = inner.as_bytes().get(at) {
        match byte {
            b'"' => at += string_end(&inner[at..]).unwrap_or(1) - 1,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&inner[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    parts.push(&inner[begin..]);
    parts
}

/// Length of the JSON text that begins here, quotes included.
fn string_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// A valid JSON text as `json.Marshal` writes a raw message: no spaces, `<`, `>`, `&` escaped.
pub fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut is_in_string = false;
    let mut is_escaped = false;
    for character in json.chars() {
        if is_in_string {
            if is_escaped {
                is_escaped = false;
            } else {
                match character {
                    '\\' => is_escaped = true,
                    '"' => is_in_string = false,
                    _ => {}
                }
            }
        } else if SPACES.contains(&character) {
            continue;
        } else if character == '"' {
            is_in_string = true;
        }
        push_html(&mut out, character);
    }
    out
}

/// Undoes the escapes of `<`, `>`, `&`.
/// Source: Argo `util/json/fix.go`, `Fix`.
pub fn fix(json: &str) -> String {
    if !json.contains("\\u00") {
        return json.to_owned();
    }
    json.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&")
}

/// Escapes `<`, `>`, `&` and the line separators of a JSON text, as `json.Marshal` does.
pub fn escape_html(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        push_html(&mut out, character);
    }
    out
}

fn push_html(out: &mut String, character: char) {
    match character {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
            write!(out, "\\u{:04x}", u32::from(character)).expect("a string takes everything");
        }
        _ => out.push(character),
    }
}

/// A text as JSON, without the escapes of `<`, `>`, `&`, and without quotes around.
pub fn escape_text(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    json[1..json.len() - 1].to_owned()
}

/// A value as `json.Marshal` writes it when it is made of Go maps: keys sorted, numbers in Go's form,
/// `<`, `>`, `&` escaped.
pub fn encode(value: &Value) -> String {
    write_value(value, true)
}

/// A value as `json.Marshal` writes it when it is a Go struct: keys and numbers as they are.
pub fn encode_in_order(value: &Value) -> String {
    write_value(value, false)
}

enum Todo<'a> {
    Value(&'a Value),
    Text(&'static str),
    Key(&'a str),
}

fn write_value(value: &Value, is_normal: bool) -> String {
    let mut out = String::new();
    let mut todo = vec![Todo::Value(value)];
    while let Some(next) = todo.pop() {
        match next {
            Todo::Text(text) => out.push_str(text),
            Todo::Key(key) => {
                push_text(&mut out, key);
                out.push(':');
            }
            Todo::Value(Value::Null) => out.push_str("null"),
            Todo::Value(Value::Bool(is_true)) => out.push_str(if *is_true { "true" } else { "false" }),
            Todo::Value(Value::Number(number)) => match number.as_f64() {
                Some(float) if is_normal && number.is_f64() => out.push_str(&float_json(float)),
                _ => out.push_str(&number.to_string()),
            },
            Todo::Value(Value::String(text)) => push_text(&mut out, text),
            Todo::Value(Value::Array(list)) => {
                out.push('[');
                todo.push(Todo::Text("]"));
                for (at, element) in list.iter().enumerate().rev() {
                    todo.push(Todo::Value(element));
                    todo.push(Todo::Text(if at == 0 { "" } else { "," }));
                }
            }
            Todo::Value(Value::Object(map)) => {
                out.push('{');
                todo.push(Todo::Text("}"));
                let mut pairs: Vec<_> = map.iter().collect();
                if is_normal {
                    pairs.sort_by(|one, other| one.0.cmp(other.0));
                }
                for (at, (key, value)) in pairs.into_iter().enumerate().rev() {
                    todo.push(Todo::Value(value));
                    todo.push(Todo::Key(key));
                    todo.push(Todo::Text(if at == 0 { "" } else { "," }));
                }
            }
        }
    }
    out
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    out.push_str(&escape_html(&escape_text(text)));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_go_does() {
        let value =
            json!({"b": [1, 2.0, 1e21, null, true], "a": {"x<y>&z": "é\n\u{2028}\""}, "c": {}, "d": []});
        assert_eq!(
            encode(&value),
            r#"{"a":{"x\u003cy\u003e\u0026z":"é\n\u2028\""},"b":[1,2,1e+21,null,true],"c":{},"d":[]}"#
        );
        assert_eq!(compact(" { \"a b\" : [ 1.0 , \"<\\\" \" ] } "), r#"{"a b":[1.0,"\u003c\" "]}"#);
        assert_eq!(fix(r"a\u003cb\u0026\u003e"), "a<b&>");
    }

    #[test]
    fn raw_parts_stay_as_written() {
        assert_eq!(
            elements(r#" [1.0, "a,]" , [2, {"b":3}], {} ] "#),
            ["1.0", "\"a,]\"", "[2, {\"b\":3}]", "{}"]
        );
        assert!(elements("[ ]").is_empty());
        let map = members(r#"{"b" : 1, "a\"" : [1,2], "b":2.50}"#);
        let pairs: Vec<_> = map.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(pairs, ["a\"=[1,2]", "b=2.50"]);
    }

    #[test]
    fn deep_values_need_no_stack() {
        let mut value = json!(1);
        for _ in 0..2_000 {
            value = Value::Array(vec![value]);
        }
        assert_eq!(encode(&value).len(), 4_001);
        let text = "[".repeat(9_999);
        assert_eq!(check(&text).expect_err("it has no end").to_string(), "unexpected end of JSON input");
    }
}
