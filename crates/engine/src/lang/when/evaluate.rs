//! The value of a condition.
//! Source: govaluate `EvaluableExpression.go` (`evaluateStage`), `evaluationStage.go`.

use std::cmp::Ordering;

use super::pattern::Pattern;
use super::plan::{Level, Node};
use super::value::Value;

/// The value of a tree; nothing is nil.
pub(super) fn evaluate(node: Option<&Node>) -> Result<Value, String> {
    let Some(node) = node else { return Ok(Value::Nil) };
    match node {
        Node::Value(value) => Ok(value.clone()),
        Node::Group(inner) => evaluate(inner.as_deref()),
        Node::Prefix(symbol, operand) => prefix(symbol, &evaluate(operand.as_deref())?),
        Node::Access(name, arguments) => {
            evaluate(arguments.as_deref())?;
            Err(format!("No parameter '{name}' found."))
        }
        Node::Row(level, first, row) => {
            let mut left = evaluate(first.as_deref())?;
            for (symbol, right) in row {
                left = operate(*level, symbol, left, right.as_ref())?;
            }
            Ok(left)
        }
    }
}

fn prefix(symbol: &str, operand: &Value) -> Result<Value, String> {
    match (symbol, operand) {
        ("!", Value::Bool(is_true)) => Ok(Value::Bool(!is_true)),
        ("-", Value::Number(number)) => Ok(Value::Number(-number)),
        ("~", Value::Number(number)) => Ok(Value::Number(!integer(*number) as f64)),
        _ => Err(format!("Value '{operand}' cannot be used with the prefix '{symbol}'")),
    }
}

fn operate(level: Level, symbol: &str, left: Value, right: Option<&Node>) -> Result<Value, String> {
    match (level, symbol, &left) {
        // The left side decides alone.
        (Level::And, _, Value::Bool(false)) => return Ok(Value::Bool(false)),
        (Level::Or, _, Value::Bool(true)) => return Ok(Value::Bool(true)),
        (Level::Ternary, "?", Value::Bool(false)) => return Ok(Value::Nil),
        (Level::Ternary, "?", _) | (_, _, Value::Nil) => {}
        (Level::Ternary, _, _) => return Ok(left),
        _ => {}
    }
    let right = evaluate(right)?;
    match level {
        Level::Separator => Ok(separate(left, right)),
        Level::Ternary => match (symbol, &left) {
            ("?", Value::Bool(_)) | (":" | "??", _) => Ok(right),
            _ => Err(format!(
                "Value '{left}' cannot be used with the ternary operator '{symbol}', it is not a bool"
            )),
        },
        Level::Or | Level::And => logical(symbol, &left, &right),
        Level::Comparator => compare(symbol, &left, &right),
        Level::Bitwise | Level::Shift | Level::Additive | Level::Multiplicative | Level::Exponential => {
            modify(symbol, &left, &right)
        }
    }
}

fn separate(left: Value, right: Value) -> Value {
    match left {
        Value::List(mut list) => {
            list.push(right);
            Value::List(list)
        }
        other @ (Value::Nil | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Pattern(_)) => {
            Value::List(vec![other, right])
        }
    }
}

/// Both sides matter here: a left side that decides alone has been dealt with.
fn logical(symbol: &str, left: &Value, right: &Value) -> Result<Value, String> {
    match (left, right) {
        (Value::Bool(_), Value::Bool(right)) => Ok(Value::Bool(*right)),
        (Value::Bool(_), other) | (other, _) => Err(format!(
            "Value '{other}' cannot be used with the logical operator '{symbol}', it is not a bool"
        )),
    }
}

fn compare(symbol: &str, left: &Value, right: &Value) -> Result<Value, String> {
    let error = |value: &Value| {
        Err(format!("Value '{value}' cannot be used with the comparator '{symbol}', it is not a number"))
    };
    let holds = match symbol {
        "==" => left.is_equal(right),
        "!=" => !left.is_equal(right),
        "in" => match right {
            Value::List(list) => list.iter().any(|value| left.is_equal(value)),
            other => return error(other),
        },
        "=~" | "!~" => {
            let Value::Text(text) = left else { return error(left) };
            let is_match = match right {
                Value::Pattern(pattern) => pattern.is_match(text),
                Value::Text(source) => Pattern::compile(source)
                    .map_err(|error| format!("Unable to compile regexp pattern '{source}': {error}"))?
                    .is_match(text),
                other => return error(other),
            };
            is_match == (symbol == "=~")
        }
        _ => {
            let ordering = match (left, right) {
                (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
                (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
                _ => return error(left),
            };
            match symbol {
                "<" => ordering == Some(Ordering::Less),
                "<=" => ordering.is_some_and(Ordering::is_le),
                ">" => ordering == Some(Ordering::Greater),
                _ => ordering.is_some_and(Ordering::is_ge),
            }
        }
    };
    Ok(Value::Bool(holds))
}

fn modify(symbol: &str, left: &Value, right: &Value) -> Result<Value, String> {
    let (one, other) = match (left, right) {
        (Value::Number(left), Value::Number(right)) => (*left, *right),
        (Value::Text(_), _) | (_, Value::Text(_)) if symbol == "+" => {
            return Ok(Value::Text(format!("{left}{right}")));
        }
        // A sum has one check for both sides, which names the left one.
        (Value::Number(_), wrong) if symbol != "+" => return not_a_number(wrong, symbol),
        (wrong, _) => return not_a_number(wrong, symbol),
    };
    Ok(Value::Number(match symbol {
        "+" => one + other,
        "-" => one - other,
        "*" => one * other,
        "/" => one / other,
        "%" => one % other,
        "**" => one.powf(other),
        "&" => (integer(one) & integer(other)) as f64,
        "|" => (integer(one) | integer(other)) as f64,
        "^" => (integer(one) ^ integer(other)) as f64,
        "<<" => shift(one, other, u64::checked_shl),
        _ => shift(one, other, u64::checked_shr),
    }))
}

fn not_a_number(value: &Value, symbol: &str) -> Result<Value, String> {
    Err(format!("Value '{value}' cannot be used with the modifier '{symbol}', it is not a number"))
}

/// 2 to the power of 63.
const MIDDLE: f64 = 9_223_372_036_854_775_808.0;

/// As Go converts on the usual machines: what does not fit becomes the smallest.
fn integer(number: f64) -> i64 {
    if (-MIDDLE..MIDDLE).contains(&number) { number as i64 } else { i64::MIN }
}

fn shift(number: f64, by: f64, operation: fn(u64, u32) -> Option<u64>) -> f64 {
    let by = u32::try_from(unsigned(by)).ok();
    by.and_then(|by| operation(unsigned(number), by)).unwrap_or(0) as f64
}

/// As Go converts on the usual machines: what does not fit becomes the middle.
fn unsigned(number: f64) -> u64 {
    if number < MIDDLE {
        integer(number).cast_unsigned()
    } else if number < 2.0 * MIDDLE {
        number as u64
    } else {
        1 << 63
    }
}
