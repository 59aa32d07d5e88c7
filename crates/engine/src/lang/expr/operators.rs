//! What operators do with values. Source: expr-lang `vm/vm.go` and `vm/runtime`.

use super::print;
use super::tree::Binary;
use super::value::{ListOf, Value, signed};
pub(super) use crate::lang::when::pattern::regex as pattern;

/// Go's complaint about a value that is not of the type that is needed.
pub(super) fn not_a(value: &Value, wanted: &str) -> String {
    let has = if matches!(value, Value::Nil) { "nil" } else { value.type_name() };
    format!("interface conversion: interface {{}} is {has}, not {wanted}")
}

pub(super) fn truth(value: &Value) -> Result<bool, String> {
    if let Value::Bool(value) = value { Ok(*value) } else { Err(not_a(value, "bool")) }
}

pub(super) fn text(value: &Value) -> Result<&str, String> {
    if let Value::Text(text) = value { Ok(text) } else { Err(not_a(value, "string")) }
}

pub(super) fn int(value: &Value) -> Result<i64, String> {
    match value {
        Value::Int(value) => Ok(*value),
        Value::Float(value) => Ok(*value as i64),
        other => Err(format!("invalid operation: int({})", other.type_name())),
    }
}

pub(super) fn float(value: &Value) -> Result<f64, String> {
    match value {
        Value::Int(value) => Ok(*value as f64),
        Value::Float(value) => Ok(*value),
        other => Err(format!("invalid operation: float({})", other.type_name())),
    }
}

fn same(left: f64, right: f64) -> bool {
    left.partial_cmp(&right).is_some_and(std::cmp::Ordering::is_eq)
}

/// Whether two values are equal, numbers by their value.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        _ if left.is_nil() && right.is_nil() => true,
        (Value::Int(l), Value::Float(r)) | (Value::Float(r), Value::Int(l)) => same(*l as f64, *r),
        (Value::List(l), Value::List(r)) => {
            let (l, r) = (l.items(), r.items());
            l.len() == r.len() && l.iter().zip(r).all(|(l, r)| equal(l, r))
        }
        _ => identical(left, right),
    }
}

/// Whether two values are the same to the type, as `reflect.DeepEqual` sees it.
pub(super) fn identical(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(l), Value::Bool(r)) => l == r,
        (Value::Int(l), Value::Int(r)) | (Value::Duration(l), Value::Duration(r)) => l == r,
        (Value::Float(l), Value::Float(r)) => same(*l, *r),
        (Value::Text(l), Value::Text(r)) | (Value::Artifact(l), Value::Artifact(r)) => l == r,
        (Value::Time(l), Value::Time(r)) => l == r,
        (Value::List(l), Value::List(r)) => {
            l.of == r.of
                && l.items().len() == r.items().len()
                && l.items().iter().zip(r.items()).all(|(l, r)| identical(l, r))
        }
        (Value::Map(l), Value::Map(r)) => {
            l.len() == r.len()
                && l.entries().zip(r.entries()).all(|((ln, lv), (rn, rv))| ln == rn && identical(lv, rv))
        }
        _ => false,
    }
}

/// The operators that look at both values. `&&`, `||`, `??` and `..` are not among them.
pub(super) fn binary(operator: Binary, left: &Value, right: &Value) -> Result<Value, String> {
    match operator {
        Binary::Equal => Ok(Value::Bool(equal(left, right))),
        Binary::NotEqual => Ok(Value::Bool(!equal(left, right))),
        Binary::Less | Binary::More | Binary::LessOrEqual | Binary::MoreOrEqual => {
            compare(operator, left, right).map(Value::Bool)
        }
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Modulo => {
            arithmetic(operator, left, right)
        }
        Binary::Power => Ok(Value::Float(float(left)?.powf(float(right)?))),
        Binary::In => within(left, right).map(Value::Bool),
        Binary::Matches | Binary::Contains | Binary::StartsWith | Binary::EndsWith => {
            texts(operator, left, right).map(Value::Bool)
        }
        Binary::Or | Binary::And | Binary::Coalesce | Binary::Range => Err("unknown operator".to_owned()),
    }
}

fn texts(operator: Binary, left: &Value, right: &Value) -> Result<bool, String> {
    if left.is_nil() || right.is_nil() {
        return Ok(false);
    }
    if operator == Binary::Matches {
        let pattern = pattern(text(right)?)?;
        return match left {
            Value::Text(text) => Ok(pattern.is_match(text)),
            other => Err(not_a(other, "[]uint8")),
        };
    }
    let (whole, part) = (text(left)?, text(right)?);
    Ok(match operator {
        Binary::StartsWith => whole.starts_with(part),
        Binary::EndsWith => whole.ends_with(part),
        _ => whole.contains(part),
    })
}

fn mismatch(operator: Binary, left: &Value, right: &Value) -> String {
    format!("invalid operation: {} {} {}", left.type_name(), operator.text(), right.type_name())
}

/// Compares two numbers, texts, times or spans.
pub(super) fn compare(operator: Binary, left: &Value, right: &Value) -> Result<bool, String> {
    let order = match (left, right) {
        (Value::Int(l), Value::Int(r)) | (Value::Duration(l), Value::Duration(r)) => Some(l.cmp(r)),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            float(left)?.partial_cmp(&float(right)?)
        }
        (Value::Text(l), Value::Text(r)) => Some(l.as_bytes().cmp(r.as_bytes())),
        (Value::Time(l), Value::Time(r)) => Some(l.cmp(r)),
        _ => return Err(mismatch(operator, left, right)),
    };
    Ok(order.is_some_and(|order| match operator {
        Binary::Less => order.is_lt(),
        Binary::More => order.is_gt(),
        Binary::LessOrEqual => order.is_le(),
        _ => order.is_ge(),
    }))
}

fn arithmetic(operator: Binary, left: &Value, right: &Value) -> Result<Value, String> {
    use Value::{Duration, Float, Int, Text, Time};
    Ok(match (operator, left, right) {
        (Binary::Divide, Int(_) | Float(_), Int(_) | Float(_)) => Float(float(left)? / float(right)?),
        (Binary::Modulo, Int(_), Int(0)) => return Err("runtime error: integer divide by zero".to_owned()),
        (Binary::Modulo, Int(l), Int(r)) => Int(l.wrapping_rem(*r)),
        (Binary::Add, Int(l), Int(r)) => Int(l.wrapping_add(*r)),
        (Binary::Subtract, Int(l), Int(r)) => Int(l.wrapping_sub(*r)),
        (Binary::Multiply, Int(l), Int(r)) => Int(l.wrapping_mul(*r)),
        (Binary::Add, Int(_) | Float(_), Int(_) | Float(_)) => Float(float(left)? + float(right)?),
        (Binary::Subtract, Int(_) | Float(_), Int(_) | Float(_)) => Float(float(left)? - float(right)?),
        (Binary::Multiply, Int(_) | Float(_), Int(_) | Float(_)) => Float(float(left)? * float(right)?),
        (Binary::Add, Text(l), Text(r)) => Value::text(format!("{l}{r}")),
        (Binary::Add, Duration(l), Duration(r)) => Duration(l.wrapping_add(*r)),
        (Binary::Subtract, Duration(l), Duration(r)) => Duration(l.wrapping_sub(*r)),
        (Binary::Multiply, Duration(l), Int(r)) | (Binary::Multiply, Int(l), Duration(r)) => {
            Duration(l.wrapping_mul(*r))
        }
        (Binary::Multiply, Duration(l), Duration(r)) => Duration(l.wrapping_mul(*r)),
        (Binary::Multiply, Duration(l), Float(r)) | (Binary::Multiply, Float(r), Duration(l)) => {
            Duration((*l as f64 * r) as i64)
        }
        (Binary::Add, Time(time), Duration(span)) | (Binary::Add, Duration(span), Time(time)) => {
            Time(time.plus(*span))
        }
        (Binary::Subtract, Time(time), Duration(span)) => Time(time.plus(span.wrapping_neg())),
        (Binary::Subtract, Time(l), Time(r)) => Duration(l.since(*r)),
        _ => return Err(mismatch(operator, left, right)),
    })
}

fn within(needle: &Value, hay: &Value) -> Result<bool, String> {
    match hay {
        Value::Nil => Ok(false),
        Value::List(list) => Ok(list.items().iter().any(|item| equal(item, needle))),
        Value::Map(map) => Ok(map.get(key(needle)?).is_some()),
        Value::Keyed(keyed) => Ok(keyed.entries.iter().any(|(key, _)| identical(key, needle))),
        other => Err(format!("operator \"in\" not defined on {}", other.type_name())),
    }
}

/// A value as the name of a map's entry; nil stands for the empty name.
pub(super) fn key(value: &Value) -> Result<&str, String> {
    match value {
        Value::Text(text) => Ok(text),
        Value::Nil => Ok(""),
        other => Err(format!(
            "reflect.Value.MapIndex: value of type {} is not assignable to type string",
            other.type_name()
        )),
    }
}

/// A member or item.
pub(super) fn fetch(from: &Value, index: &Value) -> Result<Value, String> {
    match from {
        Value::List(list) => position(index, list.items().len()).map(|at| list.items()[at].clone()),
        Value::Text(text) => position(index, text.len()).map(|at| Value::Int(i64::from(text.as_bytes()[at]))),
        Value::Map(map) => {
            let missing = if map.of_texts { Value::text("") } else { Value::Nil };
            Ok(map.get(key(index)?).cloned().unwrap_or(missing))
        }
        Value::Keyed(keyed) => {
            let found = keyed.entries.iter().find(|(key, _)| identical(key, index));
            Ok(found.map_or(Value::Nil, |(_, value)| value.clone()))
        }
        Value::Nil
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Function(_)
        | Value::Artifact(_)
        | Value::Time(_)
        | Value::Duration(_) => {
            Err(format!("cannot fetch {} from {}", print::plain(index), from.type_name()))
        }
    }
}

fn position(index: &Value, length: usize) -> Result<usize, String> {
    let index = int(index)?;
    let index = if index < 0 { index.saturating_add(signed(length)) } else { index };
    usize::try_from(index)
        .ok()
        .filter(|at| *at < length)
        .ok_or_else(|| format!("index out of range: {index} (array length is {length})"))
}

/// Part of a list or text.
pub(super) fn slice(of: &Value, from: &Value, to: &Value) -> Result<Value, String> {
    let length = match of {
        Value::List(list) => list.items().len(),
        Value::Text(text) => text.len(),
        _ => return Err(format!("cannot slice {}", print::plain(from))),
    };
    let edge = |value: &Value| -> Result<usize, String> {
        let at = int(value)?;
        let at = if at < 0 { at.saturating_add(signed(length)).max(0) } else { at };
        Ok((at as usize).min(length))
    };
    let (from, to) = (edge(from)?, edge(to)?);
    let from = from.min(to);
    match of {
        Value::List(list) => {
            let of = if list.of == ListOf::Pair { ListOf::Any } else { list.of };
            Value::list_of(list.items()[from..to].to_vec(), of)
        }
        Value::Text(text) => {
            Ok(Value::text(String::from_utf8_lossy(&text.as_bytes()[from..to]).into_owned()))
        }
        other => Err(format!("cannot slice {}", other.type_name())),
    }
}
