//! Numbers and booleans in texts.
//! Source: Go `strconv` (`Atoi`, `ParseInt`, `ParseBool`, `FormatFloat`), `encoding/json` (`floatEncoder`),
//! `fmt` (`%v`); Argo `pkg/apis/workflow/v1alpha1/anystring.go`.

use serde_json::Value;

use super::quote::quote;

/// The Go function that reads, as its error names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// `strconv.Atoi`
    Atoi,
    /// `strconv.ParseInt`
    ParseInt,
    /// `strconv.ParseBool`
    ParseBool,
}

/// A text that is not the number or boolean that was wanted, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("strconv.{reader:?}: parsing {}: {}", quote(text), if *is_out_of_range { "value out of range" } else { "invalid syntax" })]
pub struct NumberError {
    /// Who read.
    pub reader: Reader,
    /// What was read.
    pub text: String,
    /// It is a number, but too large or too small.
    pub is_out_of_range: bool,
}

/// A whole number as `strconv.Atoi` reads it.
pub fn atoi(text: &str) -> Result<i64, NumberError> {
    whole(text, Reader::Atoi, 64)
}

/// A whole number of so many bits (1 to 64; 0 stands for 64) as `strconv.ParseInt` with base 10 reads it.
pub fn parse_int(text: &str, bits: u32) -> Result<i64, NumberError> {
    whole(text, Reader::ParseInt, bits)
}

fn whole(text: &str, reader: Reader, bits: u32) -> Result<i64, NumberError> {
    let error = |is_out_of_range| NumberError { reader, text: text.to_owned(), is_out_of_range };
    let (is_negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(error(false));
    }
    let mut number: i128 = 0;
    for byte in digits.bytes() {
        number = (number * 10 + i128::from(byte - b'0')).min(1 << 100);
    }
    let number = if is_negative { -number } else { number };
    let bits = if bits == 0 { 64 } else { bits.min(64) };
    let limit = 1_i128 << (bits - 1);
    if number < -limit || number >= limit {
        return Err(error(true));
    }
    i64::try_from(number).map_err(|_| error(true))
}

/// A boolean as `strconv.ParseBool` reads it.
pub fn parse_bool(text: &str) -> Result<bool, NumberError> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(NumberError { reader: Reader::ParseBool, text: text.to_owned(), is_out_of_range: false }),
    }
}

/// A number as `fmt` prints a `float64` with `%v`.
pub fn float_v(number: f64) -> String {
    match Decimal::of(number) {
        Err(word) => word.to_owned(),
        Ok(decimal) if decimal.exponent < -4 || decimal.exponent >= 6 => decimal.scientific(),
        Ok(decimal) => decimal.plain(),
    }
}

/// A number as `encoding/json` writes a `float64`.
pub fn float_json(number: f64) -> String {
    match Decimal::of(number) {
        Err(_) => "null".to_owned(),
        Ok(decimal) => {
            if number != 0.0 && (number.abs() < 1e-6 || number.abs() >= 1e21) {
                let text = decimal.scientific();
                // One digit of a negative exponent is enough for JSON.
                match text.rfind("e-0") {
                    Some(at) => format!("{}{}", &text[..at + 2], &text[at + 3..]),
                    None => text,
                }
            } else {
                decimal.plain()
            }
        }
    }
}

/// A number as `strconv.FormatFloat(number, 'f', -1, 64)` writes it: never with an exponent.
pub fn float_f(number: f64) -> String {
    match Decimal::of(number) {
        Err(word) => word.to_owned(),
        Ok(decimal) => decimal.plain(),
    }
}

/// The text of a JSON value where Argo takes any plain value for a text; `None` for lists, maps and null.
/// Source: Argo `anystring.go`, `AnyString.UnmarshalJSON`.
pub fn any_string(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is_true) => Some(is_true.to_string()),
        Value::Number(number) => number.as_f64().map(float_f),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The shortest decimal that reads back as the same number.
struct Decimal {
    is_negative: bool,
    /// Digits without zeros at either end; `0` for zero.
    digits: String,
    /// Power of ten of the first digit.
    exponent: i32,
}

impl Decimal {
    fn of(number: f64) -> Result<Self, &'static str> {
        // JSON's writer makes the shortest digits, and the page carries it anyway.
        let Some(json) = serde_json::Number::from_f64(number) else {
            return Err(if number.is_nan() {
                "NaN"
            } else if number > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            });
        };
        let text = json.to_string();
        let body = text.trim_start_matches('-');
        let (mantissa, power) = body.split_once('e').unwrap_or((body, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let power: i32 = power.trim_start_matches('+').parse().unwrap_or(0);
        let all = format!("{whole}{fraction}");
        let zeros = all.len() - all.trim_start_matches('0').len();
        let digits = all.trim_matches('0');
        let is_negative = text.starts_with('-');
        if digits.is_empty() {
            return Ok(Self { is_negative, digits: "0".to_owned(), exponent: 0 });
        }
        let exponent =
            i32::try_from(whole.len()).unwrap_or(0) - 1 - i32::try_from(zeros).unwrap_or(0) + power;
        Ok(Self { is_negative, digits: digits.to_owned(), exponent })
    }

    fn sign(&self) -> &'static str {
        if self.is_negative { "-" } else { "" }
    }

    fn scientific(&self) -> String {
        let (first, rest) = self.digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if self.exponent < 0 { '-' } else { '+' };
        format!("{}{first}{point}{rest}e{sign}{:02}", self.sign(), self.exponent.unsigned_abs())
    }

    fn plain(&self) -> String {
        let sign = self.sign();
        let digits = &self.digits;
        if self.exponent < 0 {
            let zeros = "0".repeat(usize::try_from(-self.exponent - 1).unwrap_or(0));
            return format!("{sign}0.{zeros}{digits}");
        }
        let whole = usize::try_from(self.exponent + 1).unwrap_or(0);
        if digits.len() <= whole {
            return format!("{sign}{digits}{}", "0".repeat(whole - digits.len()));
        }
        format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn floats_look_as_go_prints_them() {
        for (number, v, json, f) in [
            (0.0, "0", "0", "0"),
            (1.0, "1", "1", "1"),
            (1e6, "1e+06", "1000000", "1000000"),
            (123_456_789.5, "1.234567895e+08", "123456789.5", "123456789.5"),
            (1e20, "1e+20", "100000000000000000000", "100000000000000000000"),
            (1e21, "1e+21", "1e+21", "1000000000000000000000"),
            (0.0001, "0.0001", "0.0001", "0.0001"),
            (1e-5, "1e-05", "0.00001", "0.00001"),
            (1e-7, "1e-07", "1e-7", "0.0000001"),
            (-1.5e-10, "-1.5e-10", "-1.5e-10", "-0.00000000015"),
            (100_000.0, "100000", "100000", "100000"),
            (f64::INFINITY, "+Inf", "null", "+Inf"),
        ] {
            assert_eq!([float_v(number), float_json(number), float_f(number)], [v, json, f], "{number}");
        }
    }

    #[test]
    fn what_is_no_number_is_told_in_the_words_of_go() {
        for (text, expected) in [
            ("+5", "5"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("", "strconv.Atoi: parsing \"\": invalid syntax"),
            ("5x", "strconv.Atoi: parsing \"5x\": invalid syntax"),
            ("1_000", "strconv.Atoi: parsing \"1_000\": invalid syntax"),
            ("99999999999999999999", "strconv.Atoi: parsing \"99999999999999999999\": value out of range"),
        ] {
            let found = atoi(text).map_or_else(|error| error.to_string(), |number| number.to_string());
            assert_eq!(found, expected);
        }
        let error = parse_int("2147483648", 32).expect_err("it has 33 bits");
        assert_eq!(error.to_string(), "strconv.ParseInt: parsing \"2147483648\": value out of range");
        assert_eq!(parse_bool("T"), Ok(true));
        let error = parse_bool("yes").expect_err("no boolean for Go");
        assert_eq!(error.to_string(), "strconv.ParseBool: parsing \"yes\": invalid syntax");
    }

    #[test]
    fn any_plain_value_is_a_text() {
        for (value, expected) in
            [(json!(1.0), "1"), (json!(1_000_000), "1000000"), (json!(true), "true"), (json!("x"), "x")]
        {
            assert_eq!(any_string(&value).as_deref(), Some(expected));
        }
        assert_eq!(any_string(&json!(null)), None);
    }
}
