//! Changes texts at random: cut, doubled, swapped, mixed with others, in other encodings.

use std::ops::Range;

use crate::numbers::Numbers;

/// Longest text that repeating makes.
const LONGEST: usize = 512 << 10;

/// Pieces that readers of texts are known to stumble over.
const PIECES: [&str; 60] = [
    "\t",
    "\r",
    "\r\n",
    "\n",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\0",
    "\u{e000}",
    "\u{fffd}",
    "\u{1f600}",
    "é",
    "e\u{301}",
    " ",
    "  ",
    "'",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\x",
    "`",
    "-",
    "--",
    "---\n",
    "...\n",
    ":",
    ": ",
    "? ",
    "- ",
    ", ",
    "[",
    "]",
    "{",
    "}",
    "{{",
    "}}",
    "{{=",
    "#",
    " #",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "!!binary ",
    "!<",
    "%YAML 1.2\n",
    "|",
    ">-\n",
    "|9\n",
    "@",
    "~",
    "null",
    "0x7fffffffffffffff",
    "-9223372036854775808",
    "1e309",
    ".nan",
    "0o7",
    "1_0",
    "99999999999999999999",
];

/// Changes a text a few times.
pub fn bytes(mut text: Vec<u8>, other: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    for _ in 0..=numbers.length(16) {
        change(&mut text, other, numbers);
    }
    text
}

/// The same for a text of characters.
pub fn text(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let changed = bytes(text.as_bytes().to_vec(), other.as_bytes(), numbers);
    String::from_utf8_lossy(&changed).into_owned()
}

fn change(text: &mut Vec<u8>, other: &[u8], numbers: &mut Numbers) {
    let part = range(text.len(), numbers);
    match numbers.below(13) {
        0 => drop(text.drain(part)),
        1 => {
            let copy = text[part.clone()].to_vec();
            insert(text, part.end, &copy);
        }
        2 => text.truncate(part.start),
        3 => {
            let at = part.start;
            insert(text, at, numbers.pick(&PIECES).as_bytes());
        }
        4 => {
            let piece = numbers.pick(&PIECES).as_bytes();
            text.splice(part, piece.iter().copied());
        }
        5 => {
            if let Some(byte) = text.get_mut(part.start) {
                *byte = numbers.bits() as u8;
            }
        }
        6 => {
            if let Some(byte) = text.get_mut(part.start) {
                *byte ^= 1 << numbers.below(7);
            }
        }
        7 => {
            let piece = other[range(other.len(), numbers)].to_vec();
            insert(text, part.start, &piece);
        }
        8 => repeat(text, part, numbers),
        9 => {
            let piece = numbers.pick(&PIECES).as_bytes();
            let at = part.start;
            insert(text, at, &piece.repeat(numbers.length(2_000)));
        }
        10 => shift_lines(text, numbers),
        11 => {
            let moved = text.drain(part).collect::<Vec<u8>>();
            let at = numbers.below(text.len() + 1);
            insert(text, at, &moved);
        }
        _ => {
            let digits =
                numbers.pick(&["0", "-1", "2147483648", "18446744073709551616", "1e400", "1000000000000"]);
            text.splice(part, digits.bytes());
        }
    }
}

/// Some place and length; mostly short.
fn range(length: usize, numbers: &mut Numbers) -> Range<usize> {
    let start = numbers.below(length + 1);
    start..start + numbers.length(length - start)
}

fn insert(text: &mut Vec<u8>, at: usize, piece: &[u8]) {
    if text.len() + piece.len() <= LONGEST {
        text.splice(at..at, piece.iter().copied());
    }
}

fn repeat(text: &mut Vec<u8>, part: Range<usize>, numbers: &mut Numbers) {
    let most = LONGEST.saturating_sub(text.len()) / part.len().max(1);
    let copy = text[part.clone()].repeat(numbers.length(most.min(20_000)));
    insert(text, part.end, &copy);
}

/// More or less white space at the begin of some lines.
fn shift_lines(text: &mut Vec<u8>, numbers: &mut Numbers) {
    let lines: Vec<usize> =
        text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    if lines.is_empty() {
        return;
    }
    let at = lines[numbers.below(lines.len())];
    match numbers.below(4) {
        0 if text.get(at) == Some(&b' ') => drop(text.remove(at)),
        1 => text.insert(at, b'\t'),
        2 => insert(text, at, &b" ".repeat(numbers.length(300))),
        _ => insert(text, at, b"  "),
    }
}

/// The text in another encoding, or with other ends of lines.
pub fn encode(text: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let wide = |big: bool| {
        let text = String::from_utf8_lossy(text).into_owned();
        let units = std::iter::once(0xfeff).chain(text.encode_utf16().collect::<Vec<u16>>());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect::<Vec<u8>>()
    };
    match numbers.below(5) {
        0 => wide(true),
        1 => wide(false),
        2 => [b"\xef\xbb\xbf".as_slice(), text].concat(),
        3 => String::from_utf8_lossy(text).replace('\n', "\r\n").into_bytes(),
        // Latin-1 in place of UTF-8.
        _ => String::from_utf8_lossy(text).chars().map(|character| character as u32 as u8).collect(),
    }
}
