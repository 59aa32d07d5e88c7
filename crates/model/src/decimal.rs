//! Decimal numbers in texts, read as JSON reads them.
//!
//! The standard library's reader would come on top of JSON's, and it is large: the page is loaded with
//! whatever this crate uses. Numbers of up to 15 digits are exact, longer ones to the last digit but one.

/// The number that `text` is: `^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`.
pub fn decimal(text: &str) -> Option<f64> {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) || whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match exponent {
        None => "0",
        Some(exponent) => {
            let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            if digits.is_empty() || !is_digits(digits) {
                return None;
            }
            exponent
        }
    };
    // JSON wants no zeros in front, and digits on both sides of the point.
    let whole = whole.trim_start_matches('0');
    let number: f64 = serde_json::from_str(&json(whole, fraction, exponent)).ok()?;
    Some(if text.starts_with('-') { -number } else { number })
}

fn json(whole: &str, fraction: &str, exponent: &str) -> String {
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    format!("{whole}.{fraction}e{exponent}")
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_are_read_and_nothing_else() {
        for (text, number) in [
            ("0", 0.0),
            ("089", 89.0),
            ("1.50", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-0.1", -0.1),
            ("+1e3", 1000.0),
            ("12.5E-2", 0.125),
            ("123456789.012345", 123_456_789.012_345),
        ] {
            assert_eq!(decimal(text), Some(number), "{text}");
        }
        for text in ["", ".", "-", "1.2.3", "1e", "e3", "0x1F", "inf", "NaN", "1_000", " 1", "1e400"] {
            assert_eq!(decimal(text), None, "{text}");
        }
    }
}
