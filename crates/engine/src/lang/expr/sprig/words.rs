//! Cases and widths of words. Source: Masterminds/goutils, huandu/xstrings `convert.go`.

use crate::lang::expr::run::Budget;
use crate::lang::expr::value::Value;

/// Calls a function; `None` where it is none of these.
pub(super) fn call(name: &str, arguments: &[Value], budget: &mut Budget) -> Option<Result<Value, String>> {
    use Value::{Int, Text};
    Some(match (name, arguments) {
        ("title", [Text(s)]) => Ok(title(s)),
        ("untitle", [Text(s)]) => Ok(untitle(s)),
        ("swapcase", [Text(s)]) => Ok(swapcase(s)),
        ("initials", [Text(s)]) => Ok(s.split_whitespace().filter_map(|word| word.chars().next()).collect()),
        ("snakecase", [Text(s)]) => Ok(connected(s, '_')),
        ("kebabcase", [Text(s)]) => Ok(connected(s, '-')),
        ("camelcase", [Text(s)]) => Ok(camelcase(s)),
        ("abbrev", [Int(width), Text(s)]) => Ok(abbrev(*width, s)),
        ("wrap", [Int(width), Text(s)]) => Ok(wrap(*width, "\n", s, false)),
        ("wrapWith", [Int(width), Text(by), Text(s)]) => {
            budget.bytes(s.len().saturating_mul(by.len() + 1)).map(|()| wrap(*width, by, s, true))
        }
        _ => return None,
    })
    .map(|result: Result<String, String>| result.map(Value::text))
}

/// Every word with an upper first letter. Source: Go `strings.Title`.
fn title(text: &str) -> String {
    cased(text, true, |before| {
        !before.is_alphanumeric() && !matches!(before, '_' | '\'') && before.is_ascii()
    })
}

fn untitle(text: &str) -> String {
    cased(text, false, char::is_whitespace)
}

/// The text with other first letters: those at the start and after what `ends` a word.
fn cased(text: &str, upper: bool, ends: fn(char) -> bool) -> String {
    let mut out = String::new();
    let mut first = true;
    for c in text.chars() {
        match (first, upper) {
            (true, true) => out.extend(c.to_uppercase()),
            (true, false) => out.extend(c.to_lowercase()),
            (false, _) => out.push(c),
        }
        first = ends(c);
    }
    out
}

fn swapcase(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_uppercase() {
            out.extend(c.to_lowercase());
        } else {
            out.extend(c.to_uppercase());
        }
    }
    out
}

/// Words in lower case with `by` between them.
fn connected(text: &str, by: char) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for (at, c) in chars.iter().enumerate() {
        if matches!(c, '_' | '-') || c.is_whitespace() {
            if !out.ends_with(by) || matches!(c, '_' | '-') {
                out.push(by);
            }
            continue;
        }
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let upper_starts = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || before.is_uppercase() && after.is_some_and(|after| after.is_lowercase())
            });
        if upper_starts && !out.ends_with(by) {
            out.push(by);
        }
        out.extend(c.to_lowercase());
    }
    out
}

fn camelcase(text: &str) -> String {
    let mut out = String::new();
    let mut start = true;
    for c in text.chars() {
        if matches!(c, '_' | '-') || c.is_whitespace() {
            start = true;
        } else if start {
            out.extend(c.to_uppercase());
            start = false;
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

fn abbrev(width: i64, text: &str) -> String {
    let Ok(width) = usize::try_from(width) else {
        return text.to_owned();
    };
    let chars: Vec<char> = text.chars().collect();
    if width < 4 || chars.len() <= width {
        return text.to_owned();
    }
    let start: String = chars[..width - 3].iter().collect();
    format!("{start}...")
}

fn wrap(width: i64, by: &str, text: &str, long_words: bool) -> String {
    let width = usize::try_from(width).unwrap_or(1).max(1);
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while chars.len() - at > width {
        if chars[at] == ' ' {
            at += 1;
            continue;
        }
        let space = (at..=at + width).rev().find(|position| chars[*position] == ' ');
        let cut = match space {
            Some(space) => Some((space, space + 1)),
            None if long_words => Some((at + width, at + width)),
            None => (at + width..chars.len())
                .find(|position| chars[*position] == ' ')
                .map(|space| (space, space + 1)),
        };
        let Some((end, next)) = cut else {
            break;
        };
        out.extend(&chars[at..end]);
        out.push_str(by);
        at = next;
    }
    out.extend(&chars[at..]);
    out
}
