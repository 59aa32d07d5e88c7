//! Numbers. Source: Masterminds/sprig `numeric.go`, spf13/cast `caste.go`.

use crate::lang::expr::print;
use crate::lang::expr::run::Budget;
use crate::lang::expr::value::{ListOf, Value};

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value], budget: &mut Budget) -> Option<Result<Value, String>> {
    use Value::{Float, Int, Text};
    Some(match (name, arguments) {
        ("atoi", [Text(s)]) => Ok(Int(s.parse().unwrap_or(0))),
        ("int" | "int64", [value]) => Ok(Int(int(value))),
        ("float64", [value]) => Ok(Float(float(value))),
        ("toDecimal", [value]) => Ok(Int(i64::from_str_radix(&print::plain(value), 8).unwrap_or(0))),
        ("add", values) => Ok(Int(values.iter().map(int).fold(0, i64::wrapping_add))),
        ("add1", [value]) => Ok(Int(int(value).wrapping_add(1))),
        ("sub", [left, right]) => Ok(Int(int(left).wrapping_sub(int(right)))),
        ("mul", [first, rest @ ..]) => Ok(Int(rest.iter().map(int).fold(int(first), i64::wrapping_mul))),
        ("div" | "mod", [left, right]) => {
            let (left, right) = (int(left), int(right));
            match right {
                0 => Err("runtime error: integer divide by zero".to_owned()),
                _ if name == "div" => Ok(Int(left.wrapping_div(right))),
                _ => Ok(Int(left.wrapping_rem(right))),
            }
        }
        ("max" | "biggest", values) => Ok(Int(values.iter().map(int).max().unwrap_or(0))),
        ("min", values) => Ok(Int(values.iter().map(int).min().unwrap_or(0))),
        ("maxf", [first, rest @ ..]) => Ok(Float(rest.iter().map(float).fold(float(first), f64::max))),
        ("minf", [first, rest @ ..]) => Ok(Float(rest.iter().map(float).fold(float(first), f64::min))),
        ("add1f", [value]) => Ok(Float(decimal(float(value), 1.0, |l, r| l + r))),
        ("addf", values) => Ok(Float(fold(0.0, values, |l, r| l + r))),
        ("subf", [first, rest @ ..]) => Ok(Float(fold(float(first), rest, |l, r| l - r))),
        ("mulf", [first, rest @ ..]) => Ok(Float(fold(float(first), rest, |l, r| l * r))),
        ("divf", [_, rest @ ..]) if rest.iter().any(|value| float(value) == 0.0) => {
            Err("decimal division by 0".to_owned())
        }
        ("divf", [first, rest @ ..]) => Ok(Float(fold(float(first), rest, |l, r| l / r))),
        ("ceil", [value]) => Ok(Float(float(value).ceil())),
        ("floor", [value]) => Ok(Float(float(value).floor())),
        ("round", [value, Int(places), rest @ ..]) => {
            let on = rest.first().map_or(0.5, float);
            let power = 10f64.powf(*places as f64);
            let digit = power * float(value);
            let rounded = if digit.fract() >= on { digit.ceil() } else { digit.floor() };
            Ok(Float(rounded / power))
        }
        ("until", [Int(count)]) => steps(0, *count, if *count < 0 { -1 } else { 1 }, budget)
            .and_then(|all| Value::list_of(all, ListOf::Int)),
        ("untilStep", [Int(start), Int(end), Int(by)]) => {
            steps(*start, *end, *by, budget).and_then(|all| Value::list_of(all, ListOf::Int))
        }
        ("seq", values) => seq(values, budget).map(Value::text),
        _ => return None,
    })
}

/// A whole number of a value, 0 where there is none.
pub(super) fn int(value: &Value) -> i64 {
    match value {
        Value::Int(value) | Value::Duration(value) => *value,
        Value::Float(value) => *value as i64,
        Value::Bool(value) => i64::from(*value),
        Value::Text(text) => parse_int(text),
        _ => 0,
    }
}

/// Go's `ParseInt` with the base by the prefix, decimals that are all zero cut off.
fn parse_int(text: &str) -> i64 {
    let text = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    };
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some(start) if start.starts_with('0') => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    if digits.starts_with(['+', '-']) {
        return 0;
    }
    i64::from_str_radix(&format!("{sign}{}", digits.replace('_', "")), radix).unwrap_or(0)
}

/// A number of a value, 0 where there is none.
pub(super) fn float(value: &Value) -> f64 {
    match value {
        Value::Float(value) => *value,
        Value::Text(text) => text.parse().unwrap_or(0.0),
        other => int(other) as f64,
    }
}

fn fold(first: f64, rest: &[Value], with: fn(f64, f64) -> f64) -> f64 {
    rest.iter().map(float).fold(first, |l, r| decimal(l, r, with))
}

/// Works as with decimals: the result is rounded to the digits that a double holds for sure.
fn decimal(left: f64, right: f64, with: fn(f64, f64) -> f64) -> f64 {
    // A decimal has no negative zero.
    let exact = with(left, right) + 0.0;
    format!("{exact:.15e}").parse().map_or(exact, |near: f64| {
        let short: f64 = format!("{exact:.14e}").parse().unwrap_or(near);
        if (short - exact).abs() <= exact.abs() * 4.0 * f64::EPSILON { short } else { exact }
    })
}

fn steps(start: i64, end: i64, by: i64, budget: &mut Budget) -> Result<Vec<Value>, String> {
    let up = start <= end;
    if (up && by <= 0) || (!up && by >= 0) {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    let mut at = start;
    while if up { at < end } else { at > end } {
        budget.items(1)?;
        all.push(Value::Int(at));
        at = at.saturating_add(by);
    }
    Ok(all)
}

fn seq(values: &[Value], budget: &mut Budget) -> Result<String, String> {
    let values: Vec<i64> = values.iter().map(int).collect();
    let (start, end, step) = match values[..] {
        [end] => (1, end, if end < 1 { -1 } else { 1 }),
        [start, end] => (start, end, if end < start { -1 } else { 1 }),
        [start, step, end] if end < start && step > 0 => return Ok(String::new()),
        [start, step, end] => (start, end, step),
        _ => return Ok(String::new()),
    };
    let beyond = if end < start { -1 } else { 1 };
    let all = steps(start, end.saturating_add(beyond), step, budget)?;
    Ok(all.iter().map(print::plain).collect::<Vec<_>>().join(" "))
}
