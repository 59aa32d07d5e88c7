//! Durations of `@every`.
//! Source: Go `time.ParseDuration`.

/// Units in nanoseconds.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Whole seconds of a duration such as `1h30m` or `-1.5s`, or Go's error text.
pub(super) fn seconds(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text));
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => digits(after),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let name = &after[..end];
        if name.is_empty() {
            return Err(format!("time: missing unit in duration {}", quote(text)));
        }
        let unit = UNITS.iter().find(|(unit, _)| *unit == name).map(|(_, size)| *size);
        let unit =
            unit.ok_or_else(|| format!("time: unknown unit {} in duration {}", quote(name), quote(text)))?;
        let part = nanoseconds(whole, fraction, unit);
        total = part
            .and_then(|part| total.checked_add(part))
            .filter(|total| i64::try_from(*total).is_ok())
            .ok_or_else(invalid)?;
        rest = &after[end..];
    }
    let whole = i64::try_from(total / 1_000_000_000).map_err(|_| invalid())?;
    Ok(if negative { -whole } else { whole })
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()))
}

/// None above what 64 bits hold. A fraction is cut at whole nanoseconds.
fn nanoseconds(whole: &str, fraction: &str, unit: u64) -> Option<u64> {
    let mut sum: u64 = 0;
    for digit in whole.bytes() {
        sum = sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    let mut part = 0;
    let mut scale: u128 = 1;
    for digit in fraction.bytes().take(18) {
        scale *= 10;
        part = part * 10 + u128::from(digit - b'0');
    }
    let part = u64::try_from(u128::from(unit) * part / scale).ok()?;
    sum.checked_mul(unit)?.checked_add(part)
}

/// Source: Go `time/format.go`, `quote`.
fn quote(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..0x80 => char::from(byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    };
    let escaped: String = text.bytes().map(escape).collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_go_does() {
        for (text, expected) in [
            ("1h30m", Ok(5400)),
            ("-1.5h", Ok(-5400)),
            ("+90s", Ok(90)),
            ("0", Ok(0)),
            (".5m", Ok(30)),
            ("1.s", Ok(1)),
            ("1500ms", Ok(1)),
            ("2562047h47m16s", Ok(9_223_372_036)),
            ("", Err("time: invalid duration \"\"")),
            ("-", Err("time: invalid duration \"-\"")),
            (".s", Err("time: invalid duration \".s\"")),
            ("h", Err("time: invalid duration \"h\"")),
            ("10", Err("time: missing unit in duration \"10\"")),
            ("1d", Err("time: unknown unit \"d\" in duration \"1d\"")),
            ("1h 2m", Err("time: unknown unit \"h \" in duration \"1h 2m\"")),
            ("2562048h", Err("time: invalid duration \"2562048h\"")),
            ("99999999999999999999s", Err("time: invalid duration \"99999999999999999999s\"")),
            ("1\u{e9}", Err("time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\"")),
        ] {
            assert_eq!(seconds(text), expected.map_err(str::to_owned), "{text}");
        }
    }
}
