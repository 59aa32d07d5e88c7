//! How Go prints values: `%v`, `%s`, and as JSON.
//!
//! Source: Go `fmt/print.go`, `encoding/json/encode.go`.

use std::fmt::Write;

use super::value::Value;
use crate::lang::go::json::{escape_html, escape_text};
use crate::lang::go::{duration_text, float_json, float_v};

/// The value as `%v` prints it. Texts as they are.
pub(super) fn plain(value: &Value) -> String {
    let mut out = String::new();
    write_plain(value, &mut out, None);
    out
}

/// The value as `%s` prints it: what is no text is marked as a mistake.
pub(super) fn as_text(value: &Value) -> String {
    if matches!(value, Value::Nil) {
        return "%!s(<nil>)".to_owned();
    }
    let mut out = String::new();
    write_plain(value, &mut out, Some("%!s("));
    out
}

fn write_plain(value: &Value, out: &mut String, mark: Option<&str>) {
    let shown = match value {
        Value::Nil => "<nil>".to_owned(),
        Value::Text(text) => text.to_string(),
        Value::List(list) => return write_list(list.items(), out, mark),
        Value::Map(map) => {
            out.push_str("map[");
            for (at, (name, value)) in map.entries().enumerate() {
                out.push_str(if at > 0 { " " } else { "" });
                out.push_str(name);
                out.push(':');
                write_plain(value, out, mark);
            }
            return out.push(']');
        }
        Value::Keyed(keyed) => {
            let mut entries: Vec<&(Value, Value)> = keyed.entries.iter().collect();
            entries.sort_by(|(left, _), (right, _)| by_key(left, right));
            out.push_str("map[");
            for (at, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if at > 0 { " " } else { "" });
                write_plain(key, out, mark);
                out.push(':');
                write_plain(value, out, mark);
            }
            return out.push(']');
        }
        Value::Time(time) => time.to_string(),
        Value::Duration(nanos) => duration_text(*nanos),
        Value::Artifact(name) => format!("{{{name}}}"),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Function(_) => {
            let text = match value {
                Value::Bool(value) => value.to_string(),
                Value::Int(value) => value.to_string(),
                Value::Float(value) => float_v(*value),
                other => other.type_name().to_owned(),
            };
            match mark {
                Some(mark) => format!("{mark}{}={text})", value.type_name()),
                None => text,
            }
        }
    };
    out.push_str(&shown);
}

/// The order in which Go prints the keys of a map. Source: Go `internal/fmtsort`.
fn by_key(left: &Value, right: &Value) -> std::cmp::Ordering {
    match (left, right) {
        (Value::Int(l), Value::Int(r)) => l.cmp(r),
        (Value::Float(l), Value::Float(r)) => l.total_cmp(r),
        (Value::Text(l), Value::Text(r)) => l.cmp(r),
        (Value::Bool(l), Value::Bool(r)) => l.cmp(r),
        (left, right) => left.type_name().cmp(right.type_name()),
    }
}

fn write_list(items: &[Value], out: &mut String, mark: Option<&str>) {
    out.push('[');
    for (at, item) in items.iter().enumerate() {
        out.push_str(if at > 0 { " " } else { "" });
        write_plain(item, out, mark);
    }
    out.push(']');
}

/// The value as Go writes it as JSON: sorted names, `<`, `>` and `&` escaped. `indent` is what
/// `MarshalIndent` puts before each level, empty for one line.
pub(super) fn json(value: &Value, indent: &str) -> Result<String, String> {
    let mut out = String::new();
    write_json(value, &mut out, indent, 0)?;
    Ok(out)
}

fn write_json(value: &Value, out: &mut String, indent: &str, level: usize) -> Result<(), String> {
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Int(value) | Value::Duration(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Float(value) if value.is_finite() => out.push_str(&float_json(*value)),
        Value::Float(value) => return Err(format!("json: unsupported value: {}", float_v(*value))),
        Value::Text(text) => write_json_text(text, out),
        Value::List(list) if list.is_nil => out.push_str("null"),
        Value::List(list) if list.items().is_empty() => out.push_str("[]"),
        Value::List(list) => {
            out.push('[');
            for (at, item) in list.items().iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                new_line(out, indent, level + 1);
                write_json(item, out, indent, level + 1)?;
            }
            new_line(out, indent, level);
            out.push(']');
        }
        Value::Map(map) if map.is_empty() => out.push_str("{}"),
        Value::Map(map) => {
            out.push('{');
            for (at, (name, value)) in map.entries().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                new_line(out, indent, level + 1);
                write_json_text(name, out);
                out.push_str(if indent.is_empty() { ":" } else { ": " });
                write_json(value, out, indent, level + 1)?;
            }
            new_line(out, indent, level);
            out.push('}');
        }
        Value::Time(time) => write_json_text(&time.rfc3339(), out),
        Value::Artifact(name) => {
            out.push_str("{\"name\":");
            write_json_text(name.rsplit('.').next().unwrap_or_default(), out);
            out.push('}');
        }
        Value::Keyed(_) | Value::Function(_) => {
            return Err(format!("json: unsupported type: {}", value.type_name()));
        }
    }
    Ok(())
}

fn new_line(out: &mut String, indent: &str, level: usize) {
    if !indent.is_empty() {
        out.push('\n');
        for _ in 0..level {
            out.push_str(indent);
        }
    }
}

fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    out.push_str(&escape_html(&escape_text(text)));
    out.push('"');
}

impl Value {
    /// The text that Argo puts where an expression tag stood: a text as it is, all else as JSON.
    /// Source: Argo `util/template/expression_template.go`, `expressionReplaceCore`.
    pub fn in_text(&self) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text.to_string()),
            Self::Nil | Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::List(_) | Self::Map(_) => {
                json(self, "")
            }
            Self::Keyed(_) | Self::Function(_) | Self::Artifact(_) | Self::Duration(_) => json(self, ""),
            Self::Time(time) => Ok(time.rfc3339()),
        }
    }

    /// The text that Argo stores as a parameter's value (`%v`).
    /// Source: Argo `pkg/apis/workflow/v1alpha1/anystring.go`, `ParseAnyString`.
    pub fn as_parameter(&self) -> String {
        plain(self)
    }
}
