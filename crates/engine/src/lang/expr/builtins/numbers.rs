//! Functions on numbers. Source: expr-lang `builtin/lib.go`.

use crate::lang::expr::operators;
use crate::lang::expr::tree::Binary;
use crate::lang::expr::value::Value;

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    Some(match (name, arguments) {
        ("abs", [Value::Int(value)]) => Ok(Value::Int(value.wrapping_abs())),
        ("abs", [Value::Float(value)]) => Ok(Value::Float(value.abs())),
        ("ceil", [Value::Float(value)]) => Ok(Value::Float(value.ceil())),
        ("floor", [Value::Float(value)]) => Ok(Value::Float(value.floor())),
        ("round", [Value::Float(value)]) => Ok(Value::Float(value.round())),
        ("ceil" | "floor" | "round", [Value::Int(value)]) => Ok(Value::Float(*value as f64)),
        ("abs" | "ceil" | "floor" | "round", [other]) => {
            Err(format!("invalid argument for {name} (type {})", other.type_name()))
        }
        ("int", [value]) => int(value).map(Value::Int),
        ("float", [value]) => float(value).map(Value::Float),
        ("max", _) => extreme(name, Binary::Less, arguments),
        ("min", _) => extreme(name, Binary::More, arguments),
        ("mean", _) => numbers(name, arguments).map(|all| {
            Value::Float(if all.is_empty() { 0.0 } else { all.iter().sum::<f64>() / all.len() as f64 })
        }),
        ("median", _) => numbers(name, arguments).map(|all| Value::Float(median(all))),
        ("bitnot", [value]) => bits(name, value).map(|value| Value::Int(!value)),
        (_, [left, right]) if name.starts_with("bit") => bitwise(name, left, right).map(Value::Int),
        _ => return None,
    })
}

/// A whole number of a value; texts are read.
pub(in crate::lang::expr) fn int(value: &Value) -> Result<i64, String> {
    match value {
        Value::Nil => Err("reflect: call of reflect.Value.Type on zero Value".to_owned()),
        Value::Duration(nanos) => Ok(*nanos),
        Value::Text(text) => text.parse().map_err(|_| format!("invalid operation: int({text})")),
        other => operators::int(other),
    }
}

/// A number of a value; texts are read.
pub(in crate::lang::expr) fn float(value: &Value) -> Result<f64, String> {
    match value {
        Value::Text(text) => {
            text.replace('_', "?").parse().map_err(|_| format!("invalid operation: float({text})"))
        }
        other => operators::float(other),
    }
}

/// The items of lists in lists, one after the other.
fn flat<'a>(name: &str, arguments: &'a [Value], into: &mut Vec<&'a Value>) -> Result<(), String> {
    for value in arguments {
        match value {
            Value::Int(_) | Value::Float(_) => into.push(value),
            Value::List(list) => flat(name, list.items(), into)?,
            other => return Err(format!("invalid argument for {name} (type {})", other.type_name())),
        }
    }
    Ok(())
}

fn extreme(name: &str, worse: Binary, arguments: &[Value]) -> Result<Value, String> {
    if let [single] = arguments
        && !matches!(single, Value::List(_))
    {
        return Ok(single.clone());
    }
    let mut all = Vec::new();
    flat(name, arguments, &mut all)?;
    let mut best: Option<&Value> = None;
    for value in all {
        if best.map_or(Ok(true), |best| operators::compare(worse, best, value))? {
            best = Some(value);
        }
    }
    Ok(best.cloned().unwrap_or(Value::Nil))
}

fn numbers(name: &str, arguments: &[Value]) -> Result<Vec<f64>, String> {
    let mut all = Vec::new();
    flat(name, arguments, &mut all)?;
    all.into_iter().map(operators::float).collect()
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    let half = all.len() / 2;
    match all.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => all[half],
        _ => f64::midpoint(all[half - 1], all[half]),
    }
}

fn bits(name: &str, value: &Value) -> Result<i64, String> {
    match value {
        Value::Int(value) => Ok(*value),
        other => Err(format!("cannot use {} as argument (type int) to call {name}", other.type_name())),
    }
}

fn bitwise(name: &str, left: &Value, right: &Value) -> Result<i64, String> {
    let (left, right) = (bits(name, left)?, bits(name, right)?);
    let shift = || {
        u32::try_from(right)
            .map_err(|_| format!("invalid operation: negative shift count {right} (type int)"))
            .or_else(|text| if right < 0 { Err(text) } else { Ok(u32::MAX) })
    };
    Ok(match name {
        "bitand" => left & right,
        "bitor" => left | right,
        "bitxor" => left ^ right,
        "bitnand" => left & !right,
        "bitshl" => left.checked_shl(shift()?).unwrap_or(0),
        "bitshr" => left.checked_shr(shift()?).unwrap_or(if left < 0 { -1 } else { 0 }),
        _ => left.cast_unsigned().checked_shr(shift()?).unwrap_or(0).cast_signed(),
    })
}
