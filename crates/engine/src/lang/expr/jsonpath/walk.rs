//! Follows a path into a document. Source: evilmonkeyinc/jsonpath `token/*.go`, `Apply`.

use super::script::Script;
use super::{Argument, Part, Search};
use crate::lang::expr::operators;
use crate::lang::expr::value::Value;

const LIST: &str = "[array slice]";
const MAP: &str = "[map]";
const EITHER: &str = "[array map slice]";

/// What the parts find, from `current` on; `root` is where scripts start at `$`.
pub(super) fn apply(search: &Search, root: &Value, current: &Value, parts: &[Part]) -> Result<Value, String> {
    search.step()?;
    let Some((part, next)) = parts.split_first() else {
        return Ok(current.clone());
    };
    match part {
        Part::Root => apply(search, root, root, next),
        Part::Current => apply(search, root, current, next),
        Part::Wildcard => {
            let items = children(current).ok_or_else(|| target("wildcard", EITHER, current))?;
            each(search, root, &items, next)
        }
        Part::Recursive => {
            let mut found = Vec::new();
            recurse(search, root, current, next, &mut found)?;
            Value::list(found)
        }
        Part::Length => {
            let length = length(current)?;
            apply(search, root, &length, next)
        }
        Part::Key(key) => {
            let value = member(current, key)?;
            apply(search, root, &value, next)
        }
        Part::Index(at) => {
            let value = item(current, *at)?;
            apply(search, root, &value, next)
        }
        Part::Range(edges) => {
            let items = range(search, root, current, edges)?;
            together(search, root, items, next)
        }
        Part::Union(arguments) => {
            let items = union(search, root, current, arguments)?;
            together(search, root, items, next)
        }
        Part::Filter(script) => filter(search, root, current, script, next),
        Part::Script(script) => {
            let value = match scripted(search, root, current, script)? {
                Value::Text(key) => member(current, &key)?,
                Value::Nil => {
                    return Err("unexpected expression result. expected [int string] got [nil]".to_owned());
                }
                other => {
                    let kind = other.kind_name();
                    let wrong =
                        || format!("unexpected expression result. expected [int string] got [{kind}]");
                    item(current, whole(&other).ok_or_else(wrong)?)?
                }
            };
            apply(search, root, &value, next)
        }
    }
}

fn target(kind: &str, expected: &str, got: &Value) -> String {
    let got = if got.is_nil() { "nil" } else { got.kind_name() };
    format!("{kind}: invalid token target. expected {expected} got [{got}]")
}

/// The items of a list or the values of a map.
fn children(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(list) => Some(list.items().to_vec()),
        Value::Map(map) => Some(map.entries().map(|(_, value)| value.clone()).collect()),
        _ => None,
    }
}

/// Follows the rest from each item; what fails or is nil is left out.
fn each(search: &Search, root: &Value, items: &[Value], next: &[Part]) -> Result<Value, String> {
    let mut found = Vec::new();
    for item in items {
        search.step()?;
        if next.is_empty() {
            found.push(item.clone());
            continue;
        }
        match apply(search, root, item, next) {
            Ok(value) if !value.is_nil() => found.push(value),
            Ok(_) | Err(_) => {}
        }
    }
    Value::list(found)
}

/// Follows the rest from each item, an index from their list.
fn together(search: &Search, root: &Value, items: Vec<Value>, next: &[Part]) -> Result<Value, String> {
    match next.first() {
        None => Value::list(items),
        Some(Part::Index(_)) => apply(search, root, &Value::list(items)?, next),
        Some(_) => each(search, root, &items, next),
    }
}

fn recurse(
    search: &Search,
    root: &Value,
    current: &Value,
    next: &[Part],
    found: &mut Vec<Value>,
) -> Result<(), String> {
    search.step()?;
    if current.is_nil() {
        return Ok(());
    }
    match apply(search, root, current, next) {
        Ok(Value::List(list)) if !next.is_empty() => {
            for _ in list.items() {
                search.step()?;
            }
            found.extend(list.items().iter().cloned());
        }
        Ok(Value::Nil) | Err(_) => {}
        Ok(value) => found.push(value),
    }
    for child in children(current).unwrap_or_default() {
        recurse(search, root, &child, next, found)?;
    }
    Ok(())
}

fn length(value: &Value) -> Result<Value, String> {
    match value {
        Value::List(list) => Ok(Value::count(list.items().len())),
        Value::Text(text) => Ok(Value::count(text.len())),
        Value::Map(map) => Ok(map.get("length").cloned().unwrap_or_else(|| Value::count(map.len()))),
        other => Err(target("length", "[array map slice string]", other)),
    }
}

fn member(value: &Value, key: &str) -> Result<Value, String> {
    match value {
        Value::Map(map) => {
            map.get(key).cloned().ok_or_else(|| format!("key: invalid token key '{key}' not found"))
        }
        other => Err(target("key", MAP, other)),
    }
}

fn item(value: &Value, at: i64) -> Result<Value, String> {
    let Value::List(list) = value else {
        return Err(target("index", LIST, value));
    };
    let items = list.items();
    position(at, items.len())
        .map(|at| items[at].clone())
        .ok_or_else(|| "index: invalid token out of range".to_owned())
}

fn position(at: i64, length: usize) -> Option<usize> {
    let at = if at < 0 { at.checked_add_unsigned(length as u64)? } else { at };
    usize::try_from(at).ok().filter(|at| *at < length)
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Float(value) if value.fract() == 0.0 => Some(*value as i64),
        _ => None,
    }
}

fn scripted(search: &Search, root: &Value, current: &Value, script: &Script) -> Result<Value, String> {
    script.value(search, root, current).map_err(|text| {
        if text.starts_with("invalid expression") { text } else { format!("invalid expression. {text}") }
    })
}

fn range_edge(
    search: &Search,
    root: &Value,
    current: &Value,
    argument: &Argument,
) -> Result<Option<i64>, String> {
    match argument {
        Argument::Nil => Ok(None),
        Argument::Int(at) => Ok(Some(*at)),
        Argument::Text(_) => Err("range: invalid token argument. expected [int] got [string]".to_owned()),
        Argument::Script(script) => {
            let value = scripted(search, root, current, script)
                .map_err(|text| format!("range: invalid token {text}"))?;
            let kind = if value.is_nil() { "nil" } else { value.kind_name() };
            let wrong =
                || format!("range: invalid token unexpected expression result. expected [int] got [{kind}]");
            whole(&value).map(Some).ok_or_else(wrong)
        }
    }
}

fn range(
    search: &Search,
    root: &Value,
    current: &Value,
    [from, to, step]: &[Argument; 3],
) -> Result<Vec<Value>, String> {
    let Value::List(list) = current else {
        return Err(target("range", LIST, current));
    };
    let items = list.items();
    let length = operators::int(&Value::count(items.len()))?;
    let clamp = |at: i64| if at < 0 { at.saturating_add(length).max(0) } else { at.min(length) };
    let from = clamp(range_edge(search, root, current, from)?.unwrap_or(0));
    let to = range_edge(search, root, current, to)?.map_or(length, clamp);
    let step = range_edge(search, root, current, step)?.unwrap_or(1);
    if step == 0 {
        return Err("range: invalid token out of range".to_owned());
    }
    let width = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
    let (from, to) = (from as usize, to as usize);
    let part = items.get(from..to).unwrap_or_default();
    Ok(if step > 0 {
        part.iter().step_by(width).cloned().collect()
    } else {
        part.iter().rev().step_by(width).cloned().collect()
    })
}

fn union(
    search: &Search,
    root: &Value,
    current: &Value,
    arguments: &[Argument],
) -> Result<Vec<Value>, String> {
    let (mut keys, mut indices) = (Vec::new(), Vec::new());
    for argument in arguments {
        let value = match argument {
            Argument::Nil => Value::Nil,
            Argument::Int(at) => Value::Int(*at),
            Argument::Text(key) => Value::text(key.as_str()),
            Argument::Script(script) => scripted(search, root, current, script)
                .map_err(|text| format!("union: invalid token {text}"))?,
        };
        let wrong = |expected: &str, got: &str| {
            Err(format!("union: invalid token argument. expected [{expected}] got [{got}]"))
        };
        match (value, whole) {
            (Value::Text(key), _) if indices.is_empty() => keys.push(key),
            (Value::Text(_), _) => return wrong("int", "string"),
            (Value::Nil, _) => return wrong("int string", "nil"),
            (other, whole) => match whole(&other) {
                Some(at) if keys.is_empty() => indices.push(at),
                Some(_) => return wrong("string", "int"),
                None => return wrong("int string", other.kind_name()),
            },
        }
    }
    match current {
        Value::Map(map) if !keys.is_empty() => {
            Ok(keys.iter().filter_map(|key| map.get(key).cloned()).collect())
        }
        other if !keys.is_empty() => Err(target("union", MAP, other)),
        Value::List(list) => {
            let items = list.items();
            Ok(indices
                .iter()
                .filter_map(|at| position(*at, items.len()).map(|at| items[at].clone()))
                .collect())
        }
        other => Err(target("union", LIST, other)),
    }
}

fn filter(
    search: &Search,
    root: &Value,
    current: &Value,
    script: &Script,
    next: &[Part],
) -> Result<Value, String> {
    if script.is_empty() {
        return Err("invalid expression. is empty".to_owned());
    }
    let items = children(current).ok_or_else(|| target("filter", EITHER, current))?;
    let mut kept = Vec::new();
    for item in items {
        search.step()?;
        if script.value(search, root, &item).is_ok_and(|value| includes(&value)) {
            kept.push(item);
        }
    }
    match next.first() {
        None => Value::list(kept),
        Some(Part::Index(_)) => apply(search, current, &Value::list(kept)?, next),
        Some(_) => each(search, root, &kept, next),
    }
}

fn includes(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        Value::List(list) => !list.items().is_empty(),
        Value::Map(map) => !map.is_empty(),
        Value::Text(text) => !matches!(&**text, "" | "''" | "\"\""),
        Value::Int(value) => *value != 0,
        Value::Float(value) => *value != 0.0,
        _ => false,
    }
}
