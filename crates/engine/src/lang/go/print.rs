//! `fmt.Sprintf` of one whole number, as `withSequence.format` is used.
//! Source: Go `fmt` (`doPrintf`, `fmtInteger`, `badVerb`).

use std::fmt::Write as _;

use super::quote::{is_print, push_escaped};

/// Largest width and precision that Go reads.
const WIDTH_LIMIT: usize = 1_000_000;

#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a character of a directive, in any mixture")]
struct Flags {
    plus: bool,
    minus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
}

/// The text that `fmt.Sprintf(format, number)` makes, its complaints included.
pub fn format_integer(format: &str, number: i64) -> String {
    let mut printer = Printer { number, out: String::new(), argument: 0, is_reordered: false };
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        printer.out.push_str(&rest[..at]);
        rest = printer.directive(&rest[at + 1..]);
    }
    printer.out.push_str(rest);
    if !printer.is_reordered && printer.argument == 0 {
        write!(printer.out, "%!(EXTRA int={number})").expect("a string takes everything");
    }
    printer.out
}

struct Printer {
    number: i64,
    out: String,
    /// The argument that is next; there is only number 0.
    argument: usize,
    /// An index such as `[1]` was used.
    is_reordered: bool,
}

impl Printer {
    /// One directive after its `%`; gives what comes after it.
    fn directive<'a>(&mut self, text: &'a str) -> &'a str {
        let mut flags = Flags::default();
        let mut rest = text;
        while let Some(flag) = rest.chars().next() {
            match flag {
                '+' => flags.plus = true,
                '-' => flags.minus = true,
                '#' => flags.sharp = true,
                ' ' => flags.space = true,
                '0' => flags.zero = true,
                _ => break,
            }
            rest = &rest[1..];
        }
        let mut is_index_good = true;
        let mut after_index;
        (after_index, rest) = self.index(rest, &mut is_index_good);
        if let Some(after) = rest.strip_prefix('*') {
            rest = after;
            match self.star() {
                Some(width) => {
                    flags.minus |= width < 0;
                    flags.width = usize::try_from(width.unsigned_abs()).ok();
                }
                None => self.out.push_str("%!(BADWIDTH)"),
            }
            after_index = false;
        } else {
            (flags.width, rest) = digits(rest);
            // `%[1]2d`
            if after_index && flags.width.is_some() {
                is_index_good = false;
            }
        }
        if let Some(after) = rest.strip_prefix('.').filter(|after| !after.is_empty()) {
            if after_index {
                is_index_good = false;
            }
            rest = after;
            (after_index, rest) = self.index(rest, &mut is_index_good);
            if let Some(after) = rest.strip_prefix('*') {
                rest = after;
                match self.star() {
                    Some(precision) if precision >= 0 => flags.precision = usize::try_from(precision).ok(),
                    _ => self.out.push_str("%!(BADPREC)"),
                }
                after_index = false;
            } else {
                let (precision, after) = digits(rest);
                rest = after;
                flags.precision = Some(precision.unwrap_or(0));
            }
        }
        if !after_index {
            (_, rest) = self.index(rest, &mut is_index_good);
        }
        let Some(verb) = rest.chars().next() else {
            self.out.push_str("%!(NOVERB)");
            return rest;
        };
        self.verb(verb, flags, is_index_good);
        &rest[verb.len_utf8()..]
    }

    /// Reads `[n]`, and tells whether there is a number in it.
    fn index<'a>(&mut self, text: &'a str, is_good: &mut bool) -> (bool, &'a str) {
        if !text.starts_with('[') {
            return (false, text);
        }
        self.is_reordered = true;
        let Some(end) = text.find(']').filter(|_| text.len() >= 3) else {
            *is_good = false;
            return (false, &text[1..]);
        };
        let after_brackets = &text[end + 1..];
        match digits(&text[1..end]) {
            (Some(1), "") => {
                self.argument = 0;
                (true, after_brackets)
            }
            (number, rest) => {
                *is_good = false;
                (number.is_some() && rest.is_empty(), after_brackets)
            }
        }
    }

    /// The argument for a `*`.
    fn star(&mut self) -> Option<i64> {
        if self.argument > 0 {
            return None;
        }
        self.argument += 1;
        let is_small = self.number.unsigned_abs() <= WIDTH_LIMIT as u64;
        is_small.then_some(self.number)
    }

    fn verb(&mut self, verb: char, flags: Flags, is_index_good: bool) {
        if verb == '%' {
            self.out.push('%');
        } else if !is_index_good {
            self.complain(verb, "BADINDEX");
        } else if self.argument > 0 {
            self.complain(verb, "MISSING");
        } else {
            self.argument += 1;
            let printed = print(verb, flags, self.number);
            self.out.push_str(&printed);
        }
    }

    fn complain(&mut self, verb: char, what: &str) {
        write!(self.out, "%!{verb}({what})").expect("a string takes everything");
    }
}

/// Digits in front of a text, and what follows. A number that is too large eats all.
fn digits(text: &str) -> (Option<usize>, &str) {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    if end == 0 {
        return (None, text);
    }
    match text[..end].parse::<usize>() {
        Ok(number) if number <= WIDTH_LIMIT => (Some(number), &text[end..]),
        _ => (None, ""),
    }
}

fn print(verb: char, flags: Flags, number: i64) -> String {
    // For these, two flags mean things that numbers have not.
    let flags = if matches!(verb, 'v' | 'w') { Flags { plus: false, sharp: false, ..flags } } else { flags };
    match verb {
        'd' | 'v' => integer(flags, number, 10, "", false),
        'b' => integer(flags, number, 2, "0b", false),
        'o' => integer(flags, number, 8, "0", false),
        'O' => integer(flags, number, 8, "0o", false),
        'x' => integer(flags, number, 16, "0x", false),
        'X' => integer(flags, number, 16, "0X", true),
        'c' => padded(&rune(number).to_string(), flags, false),
        'q' => padded(&quoted(rune(number), flags.plus), flags, false),
        'U' => unicode(flags, number),
        'T' => padded(&"int"[..flags.precision.unwrap_or(3).min(3)], flags, false),
        _ => format!("%!{verb}(int={})", integer(flags, number, 10, "", false)),
    }
}

fn rune(number: i64) -> char {
    u32::try_from(number).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn quoted(character: char, is_ascii_only: bool) -> String {
    let mut text = String::from("'");
    match character {
        '\'' | '\\' => {
            text.push('\\');
            text.push(character);
        }
        _ if is_ascii_only && !character.is_ascii() => {
            let code = u32::from(character);
            let escaped = if code < 0x10000 { format!("\\u{code:04x}") } else { format!("\\U{code:08x}") };
            text.push_str(&escaped);
        }
        _ => push_escaped(&mut text, character),
    }
    text.push('\'');
    text
}

fn unicode(flags: Flags, number: i64) -> String {
    let width = flags.precision.unwrap_or(4).max(4);
    let mut text = format!("U+{:0width$X}", number.cast_unsigned());
    if flags.sharp && u32::try_from(number).ok().and_then(char::from_u32).is_some_and(is_print) {
        write!(text, " '{}'", rune(number)).expect("a string takes everything");
    }
    padded(&text, flags, false)
}

fn integer(flags: Flags, number: i64, base: u64, prefix: &str, is_upper: bool) -> String {
    let sign = match (number < 0, flags.plus, flags.space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    };
    let mut least = 0;
    match (flags.precision, flags.width) {
        // Nothing at all, but as wide as asked.
        (Some(0), _) if number == 0 => return padded("", flags, false),
        (Some(precision), _) => least = precision,
        (None, Some(width)) if flags.zero && !flags.minus => least = width.saturating_sub(sign.len()),
        (None, _) => {}
    }
    let mut digits = Vec::new();
    let mut rest = number.unsigned_abs();
    while rest > 0 || digits.is_empty() {
        let digit = char::from_digit((rest % base) as u32, base as u32).unwrap_or('0');
        digits.push(if is_upper { digit.to_ascii_uppercase() } else { digit });
        rest /= base;
    }
    while digits.len() < least {
        digits.push('0');
    }
    let digits: String = digits.into_iter().rev().collect();
    let prefix = match prefix {
        // `%#o` has one leading zero, and not a second; `%O` has its own in any case.
        "0o" if flags.sharp && !digits.starts_with('0') => "0o0",
        "0o" => "0o",
        _ if !flags.sharp => "",
        "0" if digits.starts_with('0') => "",
        _ => prefix,
    };
    let is_zero_padded = flags.zero && !flags.minus && flags.precision.is_none();
    padded(&format!("{sign}{prefix}{digits}"), flags, is_zero_padded)
}

fn padded(text: &str, flags: Flags, is_zero_padded: bool) -> String {
    let missing = flags.width.unwrap_or(0).saturating_sub(text.chars().count());
    if flags.minus {
        format!("{text}{}", " ".repeat(missing))
    } else if is_zero_padded || flags.zero && flags.precision.is_none() {
        format!("{}{text}", "0".repeat(missing))
    } else {
        format!("{}{text}", " ".repeat(missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_as_go_does() {
        for (format, five, minus) in [
            ("%d", "5", "-42"),
            ("%02X", "05", "-2A"),
            ("host-%03d.local", "host-005.local", "host--42.local"),
            ("100%% %d", "100% 5", "100% -42"),
            ("%+d|", "+5|", "-42|"),
            ("% x", " 5", "-2a"),
            ("%#x", "0x5", "-0x2a"),
            ("%#o", "05", "-052"),
            ("%O|%#[1]O", "0o5|0o05", "-0o52|-0o052"),
            ("%.2T", "in", "in"),
            ("%b", "101", "-101010"),
            ("%5d|", "    5|", "  -42|"),
            ("%-5d|", "5    |", "-42  |"),
            ("%.3d", "005", "-042"),
            ("%5.3d", "  005", " -042"),
            ("%05d", "00005", "-0042"),
            ("%-05d", "5    ", "-42  "),
            ("%08.3d", "     005", "    -042"),
            ("%q", "'\\x05'", "'\u{fffd}'"),
            ("%+q", "'\\x05'", "'\\ufffd'"),
            ("%U", "U+0005", "U+FFFFFFFFFFFFFFD6"),
            ("%v", "5", "-42"),
            ("%+v|%#[1]v", "5|5", "-42|-42"),
            ("%T", "int", "int"),
            ("%[1]d-%[1]x", "5-5", "-42--2a"),
        ] {
            assert_eq!([format_integer(format, 5), format_integer(format, -42)], [five, minus], "{format}");
        }
    }

    #[test]
    fn wrong_formats_complain_as_go_does() {
        for (format, expected) in [
            ("%s", "%!s(int=5)"),
            ("%5s", "%!s(int=    5)"),
            ("%02s", "%!s(int=05)"),
            ("%-10s|", "%!s(int=5         )|"),
            ("%6.2f", "%!f(int=    05)"),
            ("%t", "%!t(int=5)"),
            ("%é", "%!é(int=5)"),
            ("%!", "%!!(int=5)"),
            ("x", "x%!(EXTRA int=5)"),
            ("%", "%!(NOVERB)%!(EXTRA int=5)"),
            ("%0", "%!(NOVERB)%!(EXTRA int=5)"),
            ("%d%", "5%!(NOVERB)"),
            ("%.", "%!.(int=5)"),
            ("%d%d", "5%!d(MISSING)"),
            ("%[2]d", "%!d(BADINDEX)"),
            ("%[d", "%!d(BADINDEX)"),
            ("%[x]d", "%!d(BADINDEX)"),
            ("%[1]", "%!(NOVERB)"),
            ("%[t][2]", "%!(NOVERB)"),
            ("%[]", "%!](BADINDEX)"),
            ("%*d", "%!d(MISSING)"),
            ("%.*d", "%!d(MISSING)"),
            ("%.[1]d", "5"),
            ("%100000000d", "%!(NOVERB)%!(EXTRA int=5)"),
        ] {
            assert_eq!(format_integer(format, 5), expected, "{format}");
        }
        assert_eq!(format_integer("%.*d", -42), "%!(BADPREC)%!d(MISSING)");
        assert_eq!(format_integer("[%.0d]", 0), "[]");
    }
}
