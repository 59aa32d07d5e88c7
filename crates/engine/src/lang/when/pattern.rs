//! Regular expressions as Go reads them.
//!
//! Go's syntax is checked and told in its words; what `regex-lite` reads otherwise is rewritten for it.
//! Unicode classes (`\p{…}`) are not known here.
//! Source: Go `regexp/syntax`.

use std::rc::Rc;

use regex_lite::{Regex, RegexBuilder};

/// Most groups of a pattern: what a search needs grows with its groups times its length.
const GROUP_LIMIT: usize = 100;

/// Largest pattern once it is compiled, in bytes. Go refuses larger ones, too, though later.
const SIZE_LIMIT: usize = 2 << 20;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    source: Rc<str>,
    regex: Rc<Regex>,
}

impl Pattern {
    /// Compiles a pattern; the error is Go's.
    pub(super) fn compile(source: &str) -> Result<Self, String> {
        Ok(Self { source: source.into(), regex: Rc::new(regex(source)?) })
    }

    /// The pattern as written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Whether it occurs in a text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Compiles a regular expression of Go; the error is Go's.
pub(in crate::lang) fn regex(source: &str) -> Result<Regex, String> {
    let rewritten = rewrite(source).map_err(|error| format!("error parsing regexp: {error}"))?;
    if source.matches('(').count() > GROUP_LIMIT {
        return Err(format!("error parsing regexp: expression too large: `{source}`"));
    }
    let regex = RegexBuilder::new(&rewritten).size_limit(SIZE_LIMIT).build();
    regex.map_err(|error| format!("error parsing regexp: {error}: `{source}`"))
}

fn rewrite(source: &str) -> Result<String, String> {
    let mut rewriter = Rewriter { source, at: 0, out: String::new(), open: 0, repeats: Repeat::Nothing };
    while let Some(character) = rewriter.peek() {
        rewriter.step(character)?;
    }
    if rewriter.open > 0 {
        return Err(format!("missing closing ): `{source}`"));
    }
    Ok(rewriter.out)
}

/// What a repetition here would repeat.
#[derive(Clone, Copy, PartialEq)]
enum Repeat {
    /// There is nothing.
    Nothing,
    /// A character, class or group.
    Something,
    /// A repetition, which begins there.
    Repetition(usize),
}

struct Rewriter<'a> {
    source: &'a str,
    at: usize,
    out: String,
    open: usize,
    repeats: Repeat,
}

impl<'a> Rewriter<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn copy(&mut self, length: usize) {
        self.out.push_str(&self.source[self.at..self.at + length]);
        self.at += length;
    }

    fn step(&mut self, character: char) -> Result<(), String> {
        match character {
            '(' => {
                self.open += 1;
                self.repeats = Repeat::Nothing;
                self.group()
            }
            ')' => {
                if self.open == 0 {
                    return Err(format!("unexpected ): `{}`", self.source));
                }
                self.open -= 1;
                self.repeats = Repeat::Something;
                self.copy(1);
                Ok(())
            }
            '|' => {
                self.repeats = Repeat::Nothing;
                self.copy(1);
                Ok(())
            }
            '[' => {
                self.repeats = Repeat::Something;
                self.class()
            }
            '*' | '+' | '?' => self.repetition(1),
            '{' => {
                if let Some(length) = repeat_length(self.rest())? {
                    return self.repetition(length);
                }
                self.out.push('\\');
                self.repeats = Repeat::Something;
                self.copy(1);
                Ok(())
            }
            '\\' => {
                self.repeats = Repeat::Something;
                self.escape()
            }
            other => {
                self.repeats = Repeat::Something;
                self.copy(other.len_utf8());
                Ok(())
            }
        }
    }

    /// `(` with its flags or name.
    fn group(&mut self) -> Result<(), String> {
        let rest = self.rest();
        let Some(after) = rest.strip_prefix("(?") else {
            self.copy(1);
            return Ok(());
        };
        if after.starts_with("P<") || after.starts_with('<') {
            let Some(end) = after.find('>') else {
                return Err(format!("invalid named capture: `{rest}`"));
            };
            let begin = after.find('<').unwrap_or(0) + 1;
            let name = after.get(begin..end).unwrap_or("");
            if name.is_empty() || !name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric()) {
                return Err(format!("invalid named capture: `(?{}`", &after[..=end]));
            }
            self.copy(2 + end + 1);
            return Ok(());
        }
        let length = after.find(|flag: char| !"imsU-".contains(flag)).unwrap_or(after.len());
        match after[length..].chars().next() {
            Some(':') => self.copy(2 + length + 1),
            Some(')') if length > 0 => {
                // Flags for what follows; no group.
                self.open -= 1;
                self.copy(2 + length + 1);
            }
            Some(other) => {
                let bad = &rest[..2 + length + other.len_utf8()];
                return Err(format!("invalid or unsupported Perl syntax: `{bad}`"));
            }
            None => return Err(format!("missing closing ): `{}`", self.source)),
        }
        Ok(())
    }

    fn repetition(&mut self, length: usize) -> Result<(), String> {
        let begin = self.at;
        let end = begin + length;
        let is_lazy = self.source[end..].starts_with('?');
        let end = if is_lazy { end + 1 } else { end };
        match self.repeats {
            Repeat::Nothing => {
                return Err(format!(
                    "missing argument to repetition operator: `{}`",
                    &self.source[begin..end]
                ));
            }
            Repeat::Repetition(first) => {
                return Err(format!("invalid nested repetition operator: `{}`", &self.source[first..end]));
            }
            Repeat::Something => {}
        }
        self.repeats = Repeat::Repetition(begin);
        self.copy(end - begin);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(next) = self.rest()[1..].chars().next() else {
            return Err("trailing backslash at end of expression: ``".to_owned());
        };
        let rest = self.rest();
        match next {
            'Q' => {
                let literal = &rest[2..];
                let (text, end) = match literal.find("\\E") {
                    Some(at) => (&literal[..at], at + 2),
                    None => (literal, literal.len()),
                };
                self.out.push_str(&regex_lite::escape(text));
                self.at += 2 + end;
            }
            'x' => {
                let length = if rest[2..].starts_with('{') {
                    rest.find('}').map(|at| at + 1)
                } else {
                    rest.get(2..4)
                        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
                        .map(|_| 4)
                };
                let Some(length) = length else {
                    return Err(format!("invalid escape sequence: `{}`", &rest[..2]));
                };
                self.copy(length);
            }
            '0'..='7' => {
                let digits = rest[1..].bytes().take(3).take_while(|byte| (b'0'..b'8').contains(byte)).count();
                if next != '0' && digits < 2 {
                    return Err(format!("invalid escape sequence: `{}`", &rest[..2]));
                }
                let code = u32::from_str_radix(&rest[1..=digits], 8).unwrap_or(0);
                let text = char::from_u32(code).map_or_else(String::new, |character| character.to_string());
                self.out.push_str(&regex_lite::escape(&text));
                self.at += 1 + digits;
            }
            'A' | 'b' | 'B' | 'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'z' | 'a' | 'f' | 'n' | 'r' | 't' | 'v' => {
                self.copy(2);
            }
            _ if next.is_ascii_punctuation() => {
                self.out.push_str(&regex_lite::escape(&next.to_string()));
                self.at += 2;
            }
            _ => return Err(format!("invalid escape sequence: `{}`", &rest[..=next.len_utf8()])),
        }
        Ok(())
    }

    /// `[…]`; brackets and doubled operators in it are plain characters for Go.
    fn class(&mut self) -> Result<(), String> {
        let begin = self.at;
        self.copy(1);
        if self.rest().starts_with('^') {
            self.copy(1);
        }
        let mut is_first = true;
        loop {
            let rest = self.rest();
            let Some(character) = rest.chars().next() else {
                return Err(format!("missing closing ]: `{}`", &self.source[begin..]));
            };
            match character {
                ']' if !is_first => {
                    self.copy(1);
                    return Ok(());
                }
                '[' if rest.starts_with("[:") && rest.contains(":]") => {
                    self.copy(rest.find(":]").unwrap_or(0) + 2);
                }
                '\\' => self.escape()?,
                '[' | ']' | '&' | '~' => {
                    self.out.push('\\');
                    self.copy(1);
                }
                _ => {
                    self.range()?;
                }
            }
            is_first = false;
        }
    }

    /// A character of a class, or a range of them.
    fn range(&mut self) -> Result<(), String> {
        let rest = self.rest();
        let mut characters = rest.chars();
        let (low, dash, high) = (characters.next(), characters.next(), characters.next());
        if let (Some(low), Some('-'), Some(high)) = (low, dash, high)
            && !matches!(high, ']' | '\\' | '[')
            && low != '-'
        {
            let length = low.len_utf8() + 1 + high.len_utf8();
            if high < low {
                return Err(format!("invalid character class range: `{}`", &rest[..length]));
            }
            self.copy(length);
        } else if low == Some('-') {
            self.out.push('\\');
            self.copy(1);
        } else {
            self.copy(low.map_or(0, char::len_utf8));
        }
        Ok(())
    }
}

/// Length of a `{n,m}`; `None` when it is no such thing, and stands for itself.
fn repeat_length(text: &str) -> Result<Option<usize>, String> {
    let Some(end) = text.find('}') else { return Ok(None) };
    let (low, high) = match text[1..end].split_once(',') {
        Some((low, high)) => (low, Some(high)),
        None => (&text[1..end], None),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(low) || high.is_some_and(|high| !high.is_empty() && !is_number(high)) {
        return Ok(None);
    }
    let number = |text: &str| text.parse::<u32>().unwrap_or(u32::MAX);
    let highest = high.filter(|high| !high.is_empty()).map(number);
    let is_good = number(low) <= 1000 && highest.is_none_or(|high| high <= 1000 && high >= number(low));
    if !is_good {
        return Err(format!("invalid repeat count: `{}`", &text[..=end]));
    }
    Ok(Some(end + 1))
}
