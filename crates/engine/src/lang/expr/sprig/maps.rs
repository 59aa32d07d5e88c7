//! Maps. `set` and `unset` give a changed copy: Go's change the map itself, which nothing else sees
//! within one expression but a second use of the same variable. Source: Masterminds/sprig `dict.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::empty;
use crate::lang::expr::operators::not_a;
use crate::lang::expr::print;
use crate::lang::expr::value::{Map, Value};

type Entries = BTreeMap<Arc<str>, Value>;

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    use Value::Text;
    Some(match (name, arguments) {
        ("dict", values) => Value::map(
            values
                .chunks(2)
                .map(|pair| {
                    let value = pair.get(1).cloned().unwrap_or_else(|| Value::text(""));
                    (Arc::from(print::plain(&pair[0])), value)
                })
                .collect(),
        ),
        ("get", [Value::Map(map), Text(key)]) => Ok(map.get(key).cloned().unwrap_or_else(|| Value::text(""))),
        ("hasKey", [Value::Map(map), Text(key)]) => Ok(Value::Bool(map.get(key).is_some())),
        ("set", [Value::Map(map), Text(key), value]) => {
            let mut entries = entries(map);
            entries.insert(key.clone(), value.clone());
            Value::map(entries)
        }
        ("unset", [Value::Map(map), Text(key)]) => {
            let mut entries = entries(map);
            entries.remove(key);
            Value::map(entries)
        }
        ("pluck", [Text(key), maps @ ..]) => {
            let found =
                |value: &Value| if let Value::Map(map) = value { map.get(key).cloned() } else { None };
            Value::list(maps.iter().filter_map(found).collect())
        }
        ("keys", maps) => Ok(Value::texts(maps.iter().flat_map(|value| match value {
            Value::Map(map) => map.entries().map(|(key, _)| key.to_owned()).collect::<Vec<_>>(),
            _ => Vec::new(),
        }))),
        ("values", [Value::Map(map)]) => Value::list(map.entries().map(|(_, value)| value.clone()).collect()),
        ("pick" | "omit", [Value::Map(map), keys @ ..]) => {
            let listed = |key: &str| keys.iter().any(|own| matches!(own, Text(own) if &**own == key));
            let mut entries = entries(map);
            entries.retain(|key, _| listed(key) == (name == "pick"));
            Value::map(entries)
        }
        ("merge" | "mergeOverwrite", [Value::Map(map), others @ ..]) => {
            let mut merged = Ok(map.clone());
            for other in others {
                if let (Ok(own), Value::Map(other)) = (&merged, other) {
                    merged = merge(own, other, name == "mergeOverwrite");
                }
            }
            merged.map(Value::Map)
        }
        ("dig", values) => dig(values),
        _ => return None,
    })
}

fn entries(map: &Map) -> Entries {
    map.entries().map(|(key, value)| (Arc::from(key), value.clone())).collect()
}

/// Puts what is missing or empty in `into` from `from`; with `over`, whatever is not empty there.
fn merge(into: &Map, from: &Map, over: bool) -> Result<Map, String> {
    let mut merged = entries(into);
    for (key, value) in from.entries() {
        let taken = match (merged.get(key), value) {
            (Some(Value::Map(own)), Value::Map(other)) => Value::Map(merge(own, other, over)?),
            (Some(own), _) if !empty(own) && (!over || empty(value)) => continue,
            _ => value.clone(),
        };
        merged.insert(Arc::from(key), taken);
    }
    match Value::map(merged)? {
        Value::Map(map) => Ok(map),
        _ => Err("recursion depth exceeded".to_owned()),
    }
}

fn dig(values: &[Value]) -> Result<Value, String> {
    let [keys @ .., default, from] = values else {
        return Err("dig needs at least three arguments".to_owned());
    };
    if keys.is_empty() {
        return Err("dig needs at least three arguments".to_owned());
    }
    let mut at = from.clone();
    for key in keys {
        let Value::Map(map) = &at else {
            return Err(not_a(&at, "map[string]interface {}"));
        };
        let Value::Text(key) = key else {
            return Err(not_a(key, "string"));
        };
        match map.get(key) {
            Some(value) => at = value.clone(),
            None => return Ok(default.clone()),
        }
    }
    Ok(at)
}
