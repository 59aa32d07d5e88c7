//! Durations, in nanoseconds as Go counts them.
//! Source: Go `time.ParseDuration`, `time.Duration.String`; Argo
//! `pkg/apis/workflow/v1alpha1/utils.go`, `ParseStringToDuration`.

use std::fmt::Write as _;

use super::number::atoi;

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Most nanoseconds of a duration, the sign apart.
const LIMIT: u64 = 1 << 63;

/// Nanoseconds of a duration as Argo reads it: a plain whole number counts seconds.
pub fn parse_string_to_duration(text: &str) -> Result<i64, String> {
    match atoi(text) {
        Ok(seconds) => Ok(seconds.wrapping_mul(1_000_000_000)),
        Err(_) => {
            parse_duration(text).map_err(|error| format!("unable to parse {text} as a duration: {error}"))
        }
    }
}

/// Nanoseconds of a duration such as `1h30m`; the error is Go's.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quoted(text));
    let (is_negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = split_digits(rest);
        let (fraction, after_fraction) = after.strip_prefix('.').map_or(("", after), split_digits);
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let number = number(whole).ok_or_else(invalid)?;
        let unit_end = after_fraction
            .find(|character: char| character == '.' || character.is_ascii_digit())
            .unwrap_or(after_fraction.len());
        let (name, next) = after_fraction.split_at(unit_end);
        if name.is_empty() {
            return Err(format!("time: missing unit in duration {}", quoted(text)));
        }
        let Some((_, unit)) = UNITS.iter().find(|(unit, _)| *unit == name) else {
            return Err(format!("time: unknown unit {} in duration {}", quoted(name), quoted(text)));
        };
        let part = amount(number, fraction, *unit).filter(|part| *part <= LIMIT).ok_or_else(invalid)?;
        sum = sum.checked_add(part).filter(|sum| *sum <= LIMIT).ok_or_else(invalid)?;
        rest = next;
    }
    if is_negative {
        return Ok(0_i64.wrapping_sub_unsigned(sum));
    }
    i64::try_from(sum).map_err(|_| invalid())
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len()))
}

fn number(digits: &str) -> Option<u64> {
    let mut number: u64 = 0;
    for byte in digits.bytes() {
        number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
    }
    Some(number).filter(|number| *number <= LIMIT)
}

/// `whole.fraction` of a unit, rounded down; `None` when it is too much.
fn amount(whole: u64, fraction: &str, unit: u64) -> Option<u64> {
    let mut part = whole.checked_mul(unit)?;
    let mut remainder: u128 = 0;
    let mut scale: u128 = 1;
    // More digits than these are below a nanosecond of an hour.
    for byte in fraction.bytes().take(18) {
        remainder = remainder * 10 + u128::from(byte - b'0');
        scale *= 10;
    }
    part = part.checked_add(u64::try_from(remainder * u128::from(unit) / scale).ok()?)?;
    Some(part)
}

/// As Go's `time` quotes in its errors: all that is not ASCII as bytes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                quoted.push('\\');
                quoted.push(char::from(byte));
            }
            b' '..=b'~' | 0x7f => quoted.push(char::from(byte)),
            _ => write!(quoted, "\\x{byte:02x}").expect("a string takes everything"),
        }
    }
    quoted.push('"');
    quoted
}

/// A duration as Go prints it, such as `1h30m0s`.
pub fn duration_text(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let all = nanoseconds.unsigned_abs();
    if all == 0 {
        return "0s".to_owned();
    }
    for (unit, name) in [(1, "ns"), (1_000, "µs"), (1_000_000, "ms")] {
        if all < unit * 1_000 {
            return format!("{sign}{}{name}", with_fraction(all, unit));
        }
    }
    let seconds = all / 1_000_000_000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let rest = with_fraction(all % 60_000_000_000, 1_000_000_000);
    if hours > 0 {
        format!("{sign}{hours}h{minutes}m{rest}s")
    } else if minutes > 0 {
        format!("{sign}{minutes}m{rest}s")
    } else {
        format!("{sign}{rest}s")
    }
}

/// `all / unit` with as many decimals as it needs.
fn with_fraction(all: u64, unit: u64) -> String {
    let (whole, rest) = (all / unit, all % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_printed_as_go_does() {
        for (text, expected) in [
            ("1h", "1h0m0s"),
            ("-1.5h", "-1h30m0s"),
            ("1h30m", "1h30m0s"),
            ("1.s", "1s"),
            (".5s", "500ms"),
            ("+5m", "5m0s"),
            ("1µs", "1µs"),
            ("1500us", "1.5ms"),
            ("0", "0s"),
            ("-0", "0s"),
            ("9223372036854775807ns", "2562047h47m16.854775807s"),
            ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
            ("0.3333333333333333333h", "19m59.999999999s"),
            ("", "time: invalid duration \"\""),
            ("5", "time: missing unit in duration \"5\""),
            ("1ms2", "time: missing unit in duration \"1ms2\""),
            ("3d", "time: unknown unit \"d\" in duration \"3d\""),
            ("1 h", "time: unknown unit \" h\" in duration \"1 h\""),
            (".s", "time: invalid duration \".s\""),
            ("10000000h", "time: invalid duration \"10000000h\""),
            ("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\""),
            ("99999999999999999999", "time: invalid duration \"99999999999999999999\""),
            ("é", "time: invalid duration \"\\xc3\\xa9\""),
            ("1\"", "time: unknown unit \"\\\"\" in duration \"1\\\"\""),
        ] {
            let found = parse_duration(text).map_or_else(|error| error, duration_text);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn plain_numbers_are_seconds_for_argo() {
        for (text, expected) in [
            ("10", "10s"),
            ("2m", "2m0s"),
            ("a while", "unable to parse a while as a duration: time: invalid duration \"a while\""),
        ] {
            let found = parse_string_to_duration(text).map_or_else(|error| error, duration_text);
            assert_eq!(found, expected);
        }
    }
}
