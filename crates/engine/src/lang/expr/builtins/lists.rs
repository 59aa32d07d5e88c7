//! Functions on lists and maps. Source: expr-lang `builtin/builtin.go`.

use std::sync::Arc;

use crate::lang::expr::operators::{self, fetch, identical, int};
use crate::lang::expr::run::{Budget, sorted};
use crate::lang::expr::value::{Keyed, ListOf, Value};

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value], budget: &mut Budget) -> Option<Result<Value, String>> {
    Some(match (name, arguments) {
        ("len", [value]) => len(value),
        ("first", [value]) => Ok(fetch(value, &Value::Int(0)).unwrap_or(Value::Nil)),
        ("last", [value]) => Ok(fetch(value, &Value::Int(-1)).unwrap_or(Value::Nil)),
        ("get", [value, key]) => get(value, key),
        ("take", [value, count]) => take(value, count),
        ("keys", [value]) => {
            pairs(name, value).and_then(|all| Value::list(all.into_iter().map(|(key, _)| key).collect()))
        }
        ("values", [value]) => {
            pairs(name, value).and_then(|all| Value::list(all.into_iter().map(|(_, value)| value).collect()))
        }
        ("toPairs", [value]) => to_pairs(name, value),
        ("fromPairs", [value]) => from_pairs(value),
        ("reverse", [value]) => {
            items("reverse", value).and_then(|all| Value::list(all.iter().rev().cloned().collect()))
        }
        ("uniq", [value]) => uniq(value, budget),
        ("concat", _) => concat(arguments, budget),
        ("flatten", [value]) => items("flatten", value).and_then(|all| {
            let mut flat = Vec::new();
            flatten(all, &mut flat);
            budget.items(flat.len())?;
            Value::list(flat)
        }),
        ("sort", [list, rest @ ..]) => sort(list, rest.first(), budget),
        _ => return None,
    })
}

fn len(value: &Value) -> Result<Value, String> {
    let count = match value {
        Value::Text(text) => text.chars().count(),
        Value::List(list) => list.items().len(),
        Value::Map(map) => map.len(),
        Value::Keyed(keyed) => keyed.entries.len(),
        other => return Err(format!("invalid argument for len (type {})", other.type_name())),
    };
    Ok(Value::count(count))
}

fn items<'a>(verb: &str, value: &'a Value) -> Result<&'a [Value], String> {
    match value {
        Value::List(list) => Ok(list.items()),
        other => Err(format!("cannot {verb} {}", other.kind_name())),
    }
}

fn get(from: &Value, key: &Value) -> Result<Value, String> {
    match from {
        Value::List(_) | Value::Text(_) => {
            int(key)?;
            Ok(fetch(from, key).unwrap_or(Value::Nil))
        }
        Value::Map(map) => Ok(map.get(operators::key(key)?).cloned().unwrap_or(Value::Nil)),
        Value::Keyed(_) => fetch(from, key),
        _ => Ok(Value::Nil),
    }
}

fn take(value: &Value, count: &Value) -> Result<Value, String> {
    let all = items("take from", value)?;
    let Value::Int(count) = count else {
        return Err(format!("cannot take {} elements", count.kind_name()));
    };
    let count =
        usize::try_from(*count).map_err(|_| "reflect.Value.Slice: slice index out of bounds".to_owned())?;
    let of = if let Value::List(list) = value { list.of } else { ListOf::Any };
    Value::list_of(all[..count.min(all.len())].to_vec(), of)
}

fn pairs(name: &str, value: &Value) -> Result<Vec<(Value, Value)>, String> {
    match value {
        Value::Map(map) => Ok(map.entries().map(|(key, value)| (Value::text(key), value.clone())).collect()),
        Value::Keyed(keyed) => Ok(keyed.entries.to_vec()),
        other if name == "toPairs" => Err(format!("cannot transform {} to pairs", other.kind_name())),
        other => Err(format!("cannot get {name} from {}", other.kind_name())),
    }
}

fn to_pairs(name: &str, value: &Value) -> Result<Value, String> {
    let all = pairs(name, value)?
        .into_iter()
        .map(|(key, value)| Value::list_of(vec![key, value], ListOf::Pair))
        .collect::<Result<_, _>>()?;
    Value::list_of(all, ListOf::Pairs)
}

fn from_pairs(value: &Value) -> Result<Value, String> {
    let Value::List(list) = value else {
        return Err(format!("cannot transform {} from pairs", super::print::plain(value)));
    };
    let mut entries: Vec<(Value, Value)> = Vec::new();
    for pair in list.items() {
        let Value::List(pair) = pair else {
            return Err(format!("invalid pair {}", super::print::plain(pair)));
        };
        let [key, value] = pair.items() else {
            return Err(format!("invalid pair length {}", super::print::plain(&Value::List(pair.clone()))));
        };
        match entries.iter_mut().find(|(own, _)| identical(own, key)) {
            Some((_, own)) => *own = value.clone(),
            None => entries.push((key.clone(), value.clone())),
        }
    }
    Ok(Value::Keyed(Keyed { entries: Arc::new(entries), of_lists: false }))
}

fn uniq(value: &Value, budget: &mut Budget) -> Result<Value, String> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items("uniq", value)? {
        (0..=kept.len() / 16).try_for_each(|_| budget.step())?;
        if !kept.iter().any(|own| operators::equal(item, own)) {
            kept.push(item.clone());
        }
    }
    Value::list(kept)
}

fn concat(arguments: &[Value], budget: &mut Budget) -> Result<Value, String> {
    let mut all = Vec::new();
    for value in arguments {
        let own = items("concat", value)?;
        budget.items(own.len())?;
        all.extend(own.iter().cloned());
    }
    Value::list(all)
}

fn flatten(items: &[Value], into: &mut Vec<Value>) {
    for item in items {
        match item {
            Value::List(list) => flatten(list.items(), into),
            other => into.push(other.clone()),
        }
    }
}

fn sort(list: &Value, order: Option<&Value>, budget: &mut Budget) -> Result<Value, String> {
    let descending = match order {
        None => false,
        Some(Value::Text(order)) if &**order == "asc" => false,
        Some(Value::Text(order)) if &**order == "desc" => true,
        Some(Value::Text(order)) => return Err(format!("invalid order {order}, expected asc or desc")),
        Some(other) => {
            return Err(format!("sort order argument must be a string (got {})", other.type_name()));
        }
    };
    let Value::List(list) = list else {
        return Ok(Value::no_list(ListOf::Any));
    };
    let all = list.items();
    budget.items(all.len())?;
    Value::list(sorted(all.iter().map(|item| (item.clone(), item.clone())).collect(), descending)?)
}
