//! Makes texts from rules: `<name>` in an alternative stands for a text of that rule.

mod rules;

use std::fmt::Write as _;

use crate::numbers::Numbers;

use rules::RULES;

/// Longest text.
const LONGEST: usize = 8 << 10;

/// A text of a rule. At most so deep; then only first alternatives are taken.
pub fn text(rule: &str, numbers: &mut Numbers) -> String {
    let mut text = String::new();
    // What is still to be written: the rest of an alternative, and how deep it is.
    let mut waiting: Vec<(&str, usize)> = Vec::new();
    let depth = 1 + numbers.length(24);
    waiting.push((alternative(rule, depth, numbers), depth));
    while let Some((rest, depth)) = waiting.pop() {
        let Some((before, name, after)) = split(rest) else {
            text += rest;
            continue;
        };
        text += before;
        waiting.push((after, depth));
        let deeper = if text.len() > LONGEST { 0 } else { depth.saturating_sub(1) };
        waiting.push((alternative(name, deeper, numbers), deeper));
    }
    if numbers.one_in(200) { repeated(&text, numbers) } else { text }
}

/// The same opening many times over, as for texts that are too deep.
fn repeated(text: &str, numbers: &mut Numbers) -> String {
    let opening = numbers.pick(&[
        "(",
        "!",
        "-",
        "[",
        "{a: ",
        "not ",
        "1 + ",
        "a && ",
        "a ? ",
        "a.",
        "a[",
        "{{",
        "{{=",
        "f(",
        "len(",
        "let a = 1; ",
        "1 | ",
        "a || (",
        "a == ",
        "'",
        "a,",
        "[a",
        "{range .a}",
        "x ?? ",
        "#",
        "{#",
    ]);
    let mut long = opening.repeat(numbers.length(100_000));
    let _ = write!(long, "{text}");
    long
}

fn alternative(rule: &str, depth: usize, numbers: &mut Numbers) -> &'static str {
    let Some((_, alternatives)) = RULES.iter().find(|(name, _)| *name == rule) else { return "" };
    if depth == 0 { alternatives[0] } else { numbers.pick(alternatives) }
}

/// What stands before the next rule, its name, and what comes after it.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    for (at, _) in text.match_indices('<') {
        let inside = &text[at + 1..];
        if let Some(end) = inside.find('>')
            && RULES.iter().any(|(name, _)| *name == &inside[..end])
        {
            return Some((&text[..at], &inside[..end], &inside[end + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{RULES, split};

    #[test]
    fn first_alternatives_end_and_all_rules_are_there() {
        for (name, alternatives) in RULES {
            assert!(split(alternatives[0]).is_none(), "{name} does not end");
        }
    }
}
