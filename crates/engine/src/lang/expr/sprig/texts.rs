//! Texts. Source: Masterminds/sprig `strings.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lang::expr::builtins::pieces;
use crate::lang::expr::print;
use crate::lang::expr::run::Budget;
use crate::lang::expr::value::{Value, signed};

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value], budget: &mut Budget) -> Option<Result<Value, String>> {
    use Value::{Bool, Int, List, Text};
    let text = |text: String| Ok(Value::text(text));
    Some(match (name, arguments) {
        ("trim", [Text(s)]) => text(s.trim().to_owned()),
        ("trimAll" | "trimall", [Text(set), Text(s)]) => text(s.trim_matches(|c| set.contains(c)).to_owned()),
        ("trimPrefix", [Text(part), Text(s)]) => text(s.strip_prefix(&**part).unwrap_or(s).to_owned()),
        ("trimSuffix", [Text(part), Text(s)]) => text(s.strip_suffix(&**part).unwrap_or(s).to_owned()),
        ("upper", [Text(s)]) => text(s.to_uppercase()),
        ("lower", [Text(s)]) => text(s.to_lowercase()),
        ("nospace", [Text(s)]) => text(s.split_whitespace().collect()),
        ("contains", [Text(part), Text(s)]) => Ok(Bool(s.contains(&**part))),
        ("hasPrefix", [Text(part), Text(s)]) => Ok(Bool(s.starts_with(&**part))),
        ("hasSuffix", [Text(part), Text(s)]) => Ok(Bool(s.ends_with(&**part))),
        ("replace", [Text(from), Text(to), Text(s)]) => {
            let most = if from.is_empty() { s.len() + 1 } else { s.len() / from.len() };
            budget.bytes(s.len() + most * to.len()).map(|()| Value::text(s.replace(&**from, to)))
        }
        ("repeat", [Int(count), Text(s)]) => match usize::try_from(*count) {
            Ok(count) => budget.bytes(s.len().saturating_mul(count)).map(|()| Value::text(s.repeat(count))),
            Err(_) => Err("strings: negative Repeat count".to_owned()),
        },
        ("trunc", [Int(count), Text(s)]) => text(trunc(*count, s)),
        ("substr", [Int(start), Int(end), Text(s)]) => substr(*start, *end, s).map(Value::text),
        ("split", [Text(by), Text(s)]) => Ok(numbered(pieces(s, by, -1, false))),
        ("splitn", [Text(by), Int(count), Text(s)]) => Ok(numbered(pieces(s, by, *count, false))),
        ("splitList", [Text(by), Text(s)]) => Ok(Value::texts(pieces(s, by, -1, false).into_iter())),
        ("join", [Text(by), value]) => {
            let all = strings(value);
            let size = all.iter().map(|text| text.len() + by.len()).sum();
            budget.bytes(size).map(|()| Value::text(all.join(by)))
        }
        ("toString", [value]) => text(print::plain(value)),
        ("toStrings", [value]) => Ok(Value::texts(strings(value).into_iter())),
        ("sortAlpha", [value @ List(_)]) => {
            let mut all = strings(value);
            all.sort();
            Ok(Value::texts(all.into_iter()))
        }
        ("sortAlpha", [value]) => Ok(Value::texts([print::plain(value)].into_iter())),
        ("quote", values) => text(joined(values, |value| crate::lang::go::quote(&print::plain(value)))),
        ("squote", values) => text(joined(values, |value| format!("'{}'", print::plain(value)))),
        ("cat", values) => text(joined(values, print::plain)),
        ("indent" | "nindent", [Int(count), Text(s)]) => indent(name, *count, s, budget),
        ("plural", [Text(one), Text(many), Int(count)]) => {
            text(if *count == 1 { one } else { many }.to_string())
        }
        _ => return None,
    })
}

/// Texts of the items, nil left out; a value that is no list is its own item.
pub(super) fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::List(list) => list.items().iter().filter(|item| !item.is_nil()).map(print::plain).collect(),
        Value::Nil => Vec::new(),
        other => vec![print::plain(other)],
    }
}

fn joined(values: &[Value], show: fn(&Value) -> String) -> String {
    let all: Vec<String> = values.iter().filter(|value| !value.is_nil()).map(show).collect();
    all.join(" ")
}

fn numbered(pieces: Vec<String>) -> Value {
    let entry = |(at, piece): (usize, String)| (Arc::from(format!("_{at}")), Value::text(piece));
    Value::map_of_texts(pieces.into_iter().enumerate().map(entry).collect::<BTreeMap<_, _>>())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn trunc(count: i64, text: &str) -> String {
    let length = signed(text.len());
    if count < 0 && length.saturating_add(count) > 0 {
        return lossy(&text.as_bytes()[(length + count) as usize..]);
    }
    if count >= 0 && length > count {
        return lossy(&text.as_bytes()[..count as usize]);
    }
    text.to_owned()
}

fn substr(start: i64, end: i64, text: &str) -> Result<String, String> {
    let length = signed(text.len());
    let bytes = text.as_bytes();
    let out = |what: String| Err(format!("runtime error: slice bounds out of range {what}"));
    if start < 0 {
        return match usize::try_from(end) {
            Ok(end) if end <= bytes.len() => Ok(lossy(&bytes[..end])),
            Ok(_) => out(format!("[:{end}] with length {length}")),
            Err(_) => out(format!("[:{end}]")),
        };
    }
    let end = if end < 0 || end > length { length } else { end };
    if start > end {
        return out(if end == length && start > length {
            format!("[{start}:{length}]")
        } else {
            format!("[{start}:{end}]")
        });
    }
    Ok(lossy(&bytes[start as usize..end as usize]))
}

fn indent(name: &str, count: i64, text: &str, budget: &mut Budget) -> Result<Value, String> {
    let count = usize::try_from(count).map_err(|_| "strings: negative Repeat count".to_owned())?;
    budget.bytes(count.saturating_mul(text.len() + 1))?;
    let pad = " ".repeat(count);
    let start = if name == "nindent" { "\n" } else { "" };
    Ok(Value::text(format!("{start}{pad}{}", text.replace('\n', &format!("\n{pad}")))))
}
