//! Lists. Source: Masterminds/sprig `list.go`.

use super::{empty, numbers};
use crate::lang::expr::operators::identical;
use crate::lang::expr::run::Budget;
use crate::lang::expr::value::{List, ListOf, Value};

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value], budget: &mut Budget) -> Option<Result<Value, String>> {
    Some(match (name, arguments) {
        ("list" | "tuple", values) => Value::list(values.to_vec()),
        ("append" | "push", [list, value]) => items("push on", list).and_then(|all| {
            budget.items(all.len() + 1)?;
            Value::list(all.iter().chain([value]).cloned().collect())
        }),
        ("prepend", [list, value]) => items("prepend on", list).and_then(|all| {
            budget.items(all.len() + 1)?;
            Value::list([value].into_iter().chain(all).cloned().collect())
        }),
        ("first", [list]) => {
            items("find first on", list).map(|all| all.first().cloned().unwrap_or(Value::Nil))
        }
        ("last", [list]) => items("find last on", list).map(|all| all.last().cloned().unwrap_or(Value::Nil)),
        ("rest", [list]) => items("find rest on", list).and_then(|all| part(all.get(1..))),
        ("initial", [list]) => items("find initial on", list)
            .and_then(|all| part(all.len().checked_sub(1).map(|end| &all[..end]))),
        ("reverse", [list]) => {
            items("find reverse on", list).and_then(|all| Value::list(all.iter().rev().cloned().collect()))
        }
        ("compact", [list]) => items("compact on", list)
            .and_then(|all| Value::list(all.iter().filter(|item| !empty(item)).cloned().collect())),
        ("uniq", [list]) => items("find uniq on", list).and_then(|all| {
            let mut kept: Vec<Value> = Vec::new();
            for item in all {
                (0..=kept.len() / 16).try_for_each(|_| budget.step())?;
                if !kept.iter().any(|own| identical(own, item)) {
                    kept.push(item.clone());
                }
            }
            Value::list(kept)
        }),
        ("without", [list, omit @ ..]) => items("find without on", list).and_then(|all| {
            let kept = |item: &&Value| !omit.iter().any(|own| identical(own, item));
            Value::list(all.iter().filter(kept).cloned().collect())
        }),
        ("has", [_, Value::Nil]) => Ok(Value::Bool(false)),
        ("has", [needle, list]) => {
            items("find has on", list).map(|all| Value::Bool(all.iter().any(|item| identical(item, needle))))
        }
        ("slice", [list, edges @ ..]) => slice(list, edges),
        ("concat", lists) => concat(lists, budget),
        ("chunk", [Value::Int(size), list]) => chunk(*size, list),
        _ => return None,
    })
}

fn items<'a>(verb: &str, value: &'a Value) -> Result<&'a [Value], String> {
    list(value, |kind| format!("Cannot {verb} type {kind}")).map(List::items)
}

/// The list that a value is; else what is wrong with its kind.
fn list(value: &Value, wrong: impl FnOnce(&str) -> String) -> Result<&List, String> {
    match value {
        Value::List(list) => Ok(list),
        Value::Nil => Err("runtime error: invalid memory address or nil pointer dereference".to_owned()),
        other => Err(wrong(other.kind_name())),
    }
}

fn part(items: Option<&[Value]>) -> Result<Value, String> {
    items.map_or_else(|| Ok(Value::no_list(ListOf::Any)), |items| Value::list(items.to_vec()))
}

fn slice(list: &Value, edges: &[Value]) -> Result<Value, String> {
    let own = self::list(list, |kind| format!("list should be type of slice or array but {kind}"))?;
    let all = own.items();
    if all.is_empty() {
        return Ok(Value::Nil);
    }
    let edge = |at: usize, default: usize| match edges.get(at) {
        Some(value) => usize::try_from(numbers::int(value)).ok().filter(|edge| *edge <= all.len()),
        None => Some(default),
    };
    match (edge(0, 0), edge(1, all.len())) {
        (Some(start), Some(end)) if start <= end => Value::list_of(all[start..end].to_vec(), own.of),
        _ => Err("reflect.Value.Slice: slice index out of bounds".to_owned()),
    }
}

fn concat(lists: &[Value], budget: &mut Budget) -> Result<Value, String> {
    if lists.is_empty() {
        return Ok(Value::no_list(ListOf::Any));
    }
    let mut joined = Vec::new();
    for list in lists {
        let own = self::list(list, |kind| format!("Cannot concat type {kind} as list"))?;
        budget.items(own.items().len())?;
        joined.extend(own.items().iter().cloned());
    }
    Value::list(joined)
}

fn chunk(size: i64, list: &Value) -> Result<Value, String> {
    let own = self::list(list, |kind| format!("Cannot chunk type {kind}"))?;
    let size = usize::try_from(size).ok().filter(|size| *size > 0);
    let size = size.ok_or_else(|| "runtime error: makeslice: len out of range".to_owned())?;
    Value::list_of(
        own.items().chunks(size).map(|part| Value::list(part.to_vec())).collect::<Result<_, _>>()?,
        ListOf::Lists,
    )
}
