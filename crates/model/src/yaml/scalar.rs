//! What a plain scalar means: go-yaml v2's rules, so that a manifest means what it means to Argo.
//! Source: sigs.k8s.io/yaml `goyaml.v2/resolve.go`, `resolve`; `yaml.go`, `convertToJSONableObject`.

use serde_json::{Number, Value};

use crate::decimal::decimal;

/// The value of an unquoted, untagged scalar. `None`: a number that JSON cannot write.
pub(super) fn resolve(text: &str) -> Option<Value> {
    let value = match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf"
        | "-.Inf" | "-.INF" => return None,
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    };
    Some(value)
}

/// The text that a value has as a key of a map. `None`: not possible as a key.
pub(super) fn key_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The value of a scalar with an explicit core tag (`!!str`, `!!int`, …). `None`: it does not fit.
pub(super) fn tagged(suffix: &str, text: &str) -> Option<Value> {
    match suffix {
        "str" | "binary" | "timestamp" => Some(Value::String(text.to_owned())),
        "null" => Some(Value::Null),
        "bool" => resolve(text).filter(Value::is_boolean),
        "int" => resolve(text).filter(|value| value.is_i64() || value.is_u64()),
        "float" => number(text).or_else(|| decimal(text).and_then(float)),
        _ => resolve(text),
    }
}

fn number(text: &str) -> Option<Value> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return None;
    }
    let plain = text.replace('_', "");
    integer(&plain).or_else(|| decimal(&plain).and_then(float))
}

/// Go's `strconv.ParseInt(text, 0, 64)` and `ParseUint`: `0x`, `0o`, `0b` and a leading 0 for octal.
fn integer(text: &str) -> Option<Value> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, body) = if let Some(hex) = lower.strip_prefix("0x") {
        (16, hex)
    } else if let Some(octal) = lower.strip_prefix("0o") {
        (8, octal)
    } else if let Some(binary) = lower.strip_prefix("0b") {
        (2, binary)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, &lower[1..])
    } else {
        (10, lower.as_str())
    };
    if body.is_empty() || !body.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let size = u64::from_str_radix(body, radix).ok()?;
    if negative {
        return 0i64.checked_sub_unsigned(size).map(Value::from);
    }
    Some(Value::from(size))
}

/// A float as Go writes it to JSON: whole numbers without a fraction.
#[expect(clippy::float_cmp, reason = "a whole number is equal to its truncation exactly")]
fn float(value: f64) -> Option<Value> {
    if value.trunc() == value && value.abs() < 9e15 {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::resolve;

    #[test]
    fn scalars_mean_what_go_yaml_says() {
        for (text, value) in [
            ("yes", json!(true)),
            ("Off", json!(false)),
            ("~", json!(null)),
            ("0755", json!(493)),
            ("0o17", json!(15)),
            ("0x1F", json!(31)),
            ("-0b11", json!(-3)),
            ("1_000", json!(1000)),
            ("089", json!(89)),
            ("1e3", json!(1000)),
            ("1.50", json!(1.5)),
            (".5", json!(0.5)),
            ("1.2.3", json!("1.2.3")),
            ("2026-03-02", json!("2026-03-02")),
            ("12:30", json!("12:30")),
            ("0xZZ", json!("0xZZ")),
            ("-", json!("-")),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("-9223372036854775808", json!(i64::MIN)),
        ] {
            assert_eq!(resolve(text), Some(value), "{text}");
        }
        assert_eq!(resolve(".inf"), None);
    }
}
