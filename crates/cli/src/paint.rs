//! Colours, where standard output is a terminal and nobody forbids them.
//!
//! Source: <https://no-color.org>: any value of `NO_COLOR` that is not empty forbids them.

use std::io::{IsTerminal, Write};

/// Colours as they are sent to a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colour {
    Red,
    Green,
    Yellow,
    Blue,
    Grey,
}

impl Colour {
    fn code(self) -> &'static str {
        match self {
            Self::Red => "31",
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Blue => "34",
            Self::Grey => "90",
        }
    }
}

/// What is painted wherever it stands.
const MARKS: [(&str, Colour); 9] = [
    ("✔", Colour::Green),
    ("✖", Colour::Red),
    ("⚠", Colour::Red),
    ("●", Colour::Blue),
    ("‖", Colour::Yellow),
    ("◷", Colour::Yellow),
    ("○", Colour::Grey),
    ("·", Colour::Grey),
    ("↵", Colour::Blue),
];

/// What is painted as a word of its own.
const WORDS: [(&str, Colour); 8] = [
    ("error:", Colour::Red),
    ("warning:", Colour::Yellow),
    ("note:", Colour::Blue),
    ("Broken", Colour::Red),
    ("Kept", Colour::Green),
    ("recommended:", Colour::Green),
    ("never", Colour::Red),
    ("early:", Colour::Yellow),
];

/// Prints a text, in colours where they are wanted.
pub fn print(text: &str) {
    let wanted = std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    if wanted { print_plain(&painted(text)) } else { print_plain(text) }
}

/// Prints a text as it is. Nobody has to read all of it: `| head` is no error.
pub fn print_plain(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The text with codes for colours in it.
fn painted(text: &str) -> String {
    text.split_inclusive(' ').flat_map(|part| part.split_inclusive('\n')).map(word).collect()
}

fn word(part: &str) -> String {
    let word = part.trim_end_matches([' ', '\n']);
    let rest = &part[word.len()..];
    let known = MARKS.iter().chain(&WORDS).find(|(known, _)| *known == word);
    match known {
        Some((_, colour)) => format!("\u{1b}[{}m{word}\u{1b}[0m{rest}", colour.code()),
        None => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::painted;

    #[test]
    fn marks_and_words_are_painted_and_nothing_is_lost() {
        let text = "└─ ✔ cap\n   a.yaml:1:2: error: There is\n";
        let shown = painted(text);
        assert_eq!(shown, "└─ \u{1b}[32m✔\u{1b}[0m cap\n   a.yaml:1:2: \u{1b}[31merror:\u{1b}[0m There is\n");
    }
}
