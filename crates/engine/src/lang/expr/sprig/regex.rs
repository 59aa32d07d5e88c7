//! Regular expressions. Source: Masterminds/sprig `regex.go`, Go `regexp`.

use crate::lang::expr::operators::pattern;
use crate::lang::expr::value::{ListOf, Value};

/// Calls a function; `None` where it is none of these. `must` are the forms that tell their errors.
pub(super) fn call(name: &str, arguments: &[Value], must: bool) -> Option<Result<Value, String>> {
    use Value::{Int, Text};
    if let ("regexQuoteMeta", [Text(text)]) = (name, arguments) {
        return Some(Ok(Value::text(escaped(text))));
    }
    let ([Text(source), Text(text), rest @ ..], true) = (arguments, name.starts_with("regex")) else {
        return None;
    };
    let compiled = match pattern(source) {
        Ok(compiled) => compiled,
        Err(_) if name == "regexMatch" && !must => return Some(Ok(Value::Bool(false))),
        Err(error) if must => return Some(Err(error)),
        Err(error) => return Some(Err(format!("regexp: Compile({}): {error}", backquoted(source)))),
    };
    Some(match (name, rest) {
        ("regexMatch", []) => Ok(Value::Bool(compiled.is_match(text))),
        ("regexFind", []) => Ok(Value::text(compiled.find(text).map_or("", |found| found.as_str()))),
        ("regexFindAll", [Int(count)]) => {
            let all = compiled.find_iter(text).map(|found| found.as_str()).take(limit(*count));
            let all: Vec<&str> = all.collect();
            Ok(if all.is_empty() { Value::no_list(ListOf::Text) } else { Value::texts(all.into_iter()) })
        }
        ("regexReplaceAll", [Text(by)]) => Ok(Value::text(compiled.replace_all(text, &**by).into_owned())),
        ("regexReplaceAllLiteral", [Text(by)]) => {
            Ok(Value::text(compiled.replace_all(text, regex_lite::NoExpand(by)).into_owned()))
        }
        ("regexSplit", [Int(0)]) => Ok(Value::no_list(ListOf::Text)),
        ("regexSplit", [Int(count)]) => {
            let pieces: Vec<&str> = match usize::try_from(*count) {
                Ok(count) => compiled.splitn(text, count).collect(),
                Err(_) => compiled.split(text).collect(),
            };
            Ok(Value::texts(pieces.into_iter()))
        }
        _ => return None,
    })
}

fn limit(count: i64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn backquoted(text: &str) -> String {
    if text.contains('`') || text.chars().any(char::is_control) {
        crate::lang::go::quote(text)
    } else {
        format!("`{text}`")
    }
}
