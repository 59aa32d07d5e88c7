//! Functions on texts. Source: expr-lang `builtin/builtin.go`, Go `strings`.

use crate::lang::expr::base64;
use crate::lang::expr::operators::{int, text};
use crate::lang::expr::run::Budget;
use crate::lang::expr::value::{ListOf, Value};

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value], budget: &mut Budget) -> Option<Result<Value, String>> {
    Some(match (name, arguments) {
        ("trim", [value]) => text(value).map(|value| Value::text(value.trim())),
        ("trim", [value, set]) => {
            pair(value, set, |value, set| Value::text(value.trim_matches(|c| set.contains(c))))
        }
        ("trimPrefix", [value]) => {
            text(value).map(|value| Value::text(value.strip_prefix(' ').unwrap_or(value)))
        }
        ("trimPrefix", [value, part]) => {
            pair(value, part, |value, part| Value::text(value.strip_prefix(part).unwrap_or(value)))
        }
        ("trimSuffix", [value]) => {
            text(value).map(|value| Value::text(value.strip_suffix(' ').unwrap_or(value)))
        }
        ("trimSuffix", [value, part]) => {
            pair(value, part, |value, part| Value::text(value.strip_suffix(part).unwrap_or(value)))
        }
        ("upper", [value]) => text(value).map(|value| Value::text(value.to_uppercase())),
        ("lower", [value]) => text(value).map(|value| Value::text(value.to_lowercase())),
        ("split", [value, by, rest @ ..]) => split(value, by, rest.first(), false),
        ("splitAfter", [value, by, rest @ ..]) => split(value, by, rest.first(), true),
        ("replace", [value, from, to, rest @ ..]) => replace(value, from, to, rest.first(), budget),
        ("repeat", [value, count]) => repeat(value, count, budget),
        ("join", [list, rest @ ..]) => join(list, rest.first(), budget),
        ("indexOf", [value, part]) => pair(value, part, |value, part| position(value.find(part))),
        ("lastIndexOf", [value, part]) => pair(value, part, |value, part| position(value.rfind(part))),
        ("hasPrefix", [value, part]) => pair(value, part, |value, part| Value::Bool(value.starts_with(part))),
        ("hasSuffix", [value, part]) => pair(value, part, |value, part| Value::Bool(value.ends_with(part))),
        ("toBase64", [value]) => text(value).map(|value| Value::text(base64::encode(value.as_bytes()))),
        ("fromBase64", [value]) => text(value).and_then(|value| {
            base64::decode(value).map(|bytes| Value::text(String::from_utf8_lossy(&bytes).into_owned()))
        }),
        _ => return None,
    })
}

fn pair(left: &Value, right: &Value, with: impl Fn(&str, &str) -> Value) -> Result<Value, String> {
    Ok(with(text(left)?, text(right)?))
}

fn position(at: Option<usize>) -> Value {
    at.map_or(Value::Int(-1), Value::count)
}

/// Go's `strings.SplitN`: an empty separator splits into characters; `limit` < 0 means all.
pub(in crate::lang::expr) fn pieces(value: &str, by: &str, limit: i64, after: bool) -> Vec<String> {
    let Ok(limit) = usize::try_from(if limit < 0 { i64::MAX } else { limit }) else {
        return Vec::new();
    };
    if limit == 0 {
        return Vec::new();
    }
    if by.is_empty() {
        let mut rest = value.char_indices().skip(limit.saturating_sub(1));
        let cut =
            if limit > 1 || value.is_empty() { rest.next().map_or(value.len(), |(at, _)| at) } else { 0 };
        let mut found: Vec<String> = value[..cut].chars().map(String::from).collect();
        if cut < value.len() {
            found.push(value[cut..].to_owned());
        }
        return found;
    }
    let mut found: Vec<String> = value.splitn(limit, by).map(str::to_owned).collect();
    if after {
        let last = found.len() - 1;
        found[..last].iter_mut().for_each(|piece| piece.push_str(by));
    }
    found
}

fn split(value: &Value, by: &Value, limit: Option<&Value>, after: bool) -> Result<Value, String> {
    let (value, by) = (text(value)?, text(by)?);
    let limit = limit.map_or(Ok(-1), int)?;
    if limit == 0 {
        return Ok(Value::no_list(ListOf::Text));
    }
    Ok(Value::texts(pieces(value, by, limit, after).into_iter()))
}

fn replace(
    value: &Value,
    from: &Value,
    to: &Value,
    count: Option<&Value>,
    budget: &mut Budget,
) -> Result<Value, String> {
    let (value, from, to) = (text(value)?, text(from)?, text(to)?);
    let count = count.map_or(Ok(-1), int)?;
    let most = if from.is_empty() { value.len() + 1 } else { value.len() / from.len() };
    budget.bytes(value.len() + most * to.len())?;
    Ok(Value::text(match usize::try_from(count) {
        Ok(count) => value.replacen(from, to, count),
        Err(_) => value.replace(from, to),
    }))
}

fn repeat(value: &Value, count: &Value, budget: &mut Budget) -> Result<Value, String> {
    let (value, count) = (text(value)?, int(count)?);
    let Ok(times) = usize::try_from(count) else {
        return Err(format!("invalid argument for repeat (expected positive integer, got {count})"));
    };
    if times > 1_000_000 {
        return Err("memory budget exceeded".to_owned());
    }
    budget.items(value.len() * times)?;
    Ok(Value::text(value.repeat(times)))
}

fn join(list: &Value, by: Option<&Value>, budget: &mut Budget) -> Result<Value, String> {
    let by = by.map_or(Ok(""), text)?;
    let Value::List(list) = list else {
        let name = if matches!(list, Value::Nil) { "%!s(<nil>)" } else { list.type_name() };
        return Err(format!("invalid argument for join (type {name})"));
    };
    if matches!(list.of, ListOf::Int | ListOf::Pair | ListOf::Pairs | ListOf::Lists) {
        return Err(format!("invalid argument for join (type {})", Value::List(list.clone()).type_name()));
    }
    let texts = list.items().iter().map(text).collect::<Result<Vec<_>, _>>()?;
    budget.bytes(texts.iter().map(|text| text.len() + by.len()).sum())?;
    Ok(Value::text(texts.join(by)))
}
