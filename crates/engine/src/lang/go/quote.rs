//! Quoted texts.
//! Source: Go `strconv.Quote`, `strconv.IsPrint`.

use std::fmt::Write as _;

/// A text between double quotes, with all escaped that cannot be seen.
pub fn quote(text: &str) -> String {
    format!("\"{}\"", quote_inner(text))
}

/// The same without the quotes around.
pub fn quote_inner(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            _ => push_escaped(&mut quoted, character),
        }
    }
    quoted
}

/// Adds one character that is neither a quote nor a backslash.
pub(super) fn push_escaped(quoted: &mut String, character: char) {
    let code = u32::from(character);
    let written = match character {
        '\u{7}' => write!(quoted, "\\a"),
        '\u{8}' => write!(quoted, "\\b"),
        '\u{c}' => write!(quoted, "\\f"),
        '\n' => write!(quoted, "\\n"),
        '\r' => write!(quoted, "\\r"),
        '\t' => write!(quoted, "\\t"),
        '\u{b}' => write!(quoted, "\\v"),
        _ if is_print(character) => write!(quoted, "{character}"),
        _ if code < 0x20 || code == 0x7f => write!(quoted, "\\x{code:02x}"),
        _ if code < 0x10000 => write!(quoted, "\\u{code:04x}"),
        _ => write!(quoted, "\\U{code:08x}"),
    };
    written.expect("a string takes everything");
}

/// Whether Go takes a character for one that can be seen. Characters that no Unicode version names yet
/// count as such.
pub fn is_print(character: char) -> bool {
    let code = u32::from(character);
    if code < 0x7f {
        return code >= 0x20;
    }
    !HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&code)) && code & 0xfffe != 0xfffe
}

/// Controls, formats, spaces and private characters from U+007F on.
const HIDDEN: [(u32, u32); 31] = [
    (0x7f, 0xa0),
    (0xad, 0xad),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x890, 0x891),
    (0x8e2, 0x8e2),
    (0x1680, 0x1680),
    (0x180e, 0x180e),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x3000, 0x3000),
    (0xd800, 0xf8ff),
    (0xfdd0, 0xfdef),
    (0xfeff, 0xfeff),
    (0xfff0, 0xfffb),
    (0x1_10bd, 0x1_10bd),
    (0x1_10cd, 0x1_10cd),
    (0x1_3430, 0x1_343f),
    (0x1_bca0, 0x1_bca3),
    (0x1_d173, 0x1_d17a),
    (0x4_0000, 0xd_ffff),
    (0xe_0000, 0xe_00ff),
    (0xe_01f0, 0xe_ffff),
    (0xf_0000, 0xf_fffd),
    (0x10_0000, 0x10_fffd),
    (0x323b0, 0x3_ffff),
    (0x2_fa20, 0x2_ffff),
    (0x3_134b, 0x3_134f),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_go_does() {
        for (text, expected) in [
            ("plain é", "\"plain é\""),
            ("a\"b\\c", r#""a\"b\\c""#),
            ("\n\t\u{7}\u{b}\u{1}\u{7f}", r#""\n\t\a\v\x01\x7f""#),
            ("\u{a0}\u{200b}\u{feff}", r#""\u00a0\u200b\ufeff""#),
            ("\u{e0001}🙂", r#""\U000e0001🙂""#),
        ] {
            assert_eq!(quote(text), expected);
        }
    }
}
