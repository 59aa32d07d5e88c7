//! Is a text JSON, and if not, what does Go say.
//! Source: Go `encoding/json/scanner.go`.

use crate::lang::go::quote_inner;

/// Deepest nesting that Go reads.
const DEPTH_LIMIT: usize = 10_000;

/// A text that is no JSON, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It ends too early.
    #[error("unexpected end of JSON input")]
    End,
    /// A character that cannot stand there.
    #[error("invalid character {} {place}", quoted(*byte))]
    Character {
        /// The character, or the first byte of one that is not ASCII.
        byte: u8,
        /// Where it stands.
        place: Place,
    },
    /// Lists and maps in each other, too deep.
    #[error("exceeded max depth")]
    TooDeep,
}

/// What was being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Place {
    /// Something of the text's grammar, in Go's words.
    #[error("{0}")]
    At(&'static str),
    /// A word, and the byte that should have come.
    #[error("in literal {0} (expecting '{1}')")]
    Literal(&'static str, char),
}

/// As Go quotes a single byte.
fn quoted(byte: u8) -> String {
    match byte {
        b'\'' => "'\\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => format!("'{}'", quote_inner(&char::from(byte).to_string())),
    }
}

/// What is open around the place that is read.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    List,
    Key,
    Member,
}

/// Checks that a text is one JSON value.
pub fn check(json: &str) -> Result<(), JsonError> {
    let mut scanner = Scanner { bytes: json.as_bytes(), at: 0, open: Vec::new() };
    scanner.value(None)?;
    loop {
        scanner.spaces();
        let Some(open) = scanner.open.last().copied() else {
            return match scanner.peek() {
                None => Ok(()),
                Some(byte) => Err(at(byte, "after top-level value")),
            };
        };
        let byte = scanner.next()?;
        match (open, byte) {
            (Open::List, b',') => scanner.value(None)?,
            (Open::List, b']') | (Open::Member, b'}') => scanner.close(),
            (Open::Key, b':') => {
                scanner.replace(Open::Member);
                scanner.value(None)?;
            }
            (Open::Member, b',') => {
                scanner.replace(Open::Key);
                scanner.key(None)?;
            }
            (Open::List, _) => return Err(at(byte, "after array element")),
            (Open::Key, _) => return Err(at(byte, "after object key")),
            (Open::Member, _) => return Err(at(byte, "after object key:value pair")),
        }
    }
}

fn at(byte: u8, place: &'static str) -> JsonError {
    JsonError::Character { byte, place: Place::At(place) }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Open>,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, JsonError> {
        let byte = self.peek().ok_or(JsonError::End)?;
        self.at += 1;
        Ok(byte)
    }

    /// The same where a space would be wrong: Go puts one at the end of the text, and complains about it.
    fn next_or_space(&mut self) -> u8 {
        self.next().unwrap_or(b' ')
    }

    fn spaces(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn close(&mut self) {
        self.open.pop();
    }

    fn replace(&mut self, open: Open) {
        self.open.pop();
        self.open.push(open);
    }

    fn begin(&mut self, open: Open) -> Result<(), JsonError> {
        self.open.push(open);
        if self.open.len() > DEPTH_LIMIT { Err(JsonError::TooDeep) } else { Ok(()) }
    }

    /// The begin of a value, or all of it when nothing can stand in it. `end` may stand here as well.
    fn value(&mut self, end: Option<u8>) -> Result<(), JsonError> {
        // A list's first element is a value again: no recursion.
        let mut end = end;
        loop {
            self.spaces();
            let byte = self.next()?;
            match byte {
                _ if Some(byte) == end => {
                    self.close();
                    return Ok(());
                }
                b'[' => {
                    self.begin(Open::List)?;
                    end = Some(b']');
                }
                b'{' => {
                    self.begin(Open::Key)?;
                    return self.key(Some(b'}'));
                }
                b'"' => return self.string(),
                b'-' | b'0'..=b'9' => return self.number(byte),
                b't' => return self.literal("true"),
                b'f' => return self.literal("false"),
                b'n' => return self.literal("null"),
                _ => return Err(at(byte, "looking for beginning of value")),
            }
        }
    }

    fn key(&mut self, end: Option<u8>) -> Result<(), JsonError> {
        self.spaces();
        let byte = self.next()?;
        if Some(byte) == end {
            self.close();
            return Ok(());
        }
        if byte != b'"' {
            return Err(at(byte, "looking for beginning of object key string"));
        }
        self.string()
    }

    fn literal(&mut self, word: &'static str) -> Result<(), JsonError> {
        for expected in word.chars().skip(1) {
            let byte = self.next_or_space();
            if char::from(byte) != expected {
                return Err(JsonError::Character { byte, place: Place::Literal(word, expected) });
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), JsonError> {
        loop {
            let byte = self.next()?;
            match byte {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                0..0x20 => return Err(at(byte, "in string literal")),
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let byte = self.next_or_space();
        match byte {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => Ok(()),
            b'u' => {
                for _ in 0..4 {
                    let digit = self.next_or_space();
                    if !digit.is_ascii_hexdigit() {
                        return Err(at(digit, "in \\u hexadecimal character escape"));
                    }
                }
                Ok(())
            }
            _ => Err(at(byte, "in string escape code")),
        }
    }

    fn number(&mut self, first: u8) -> Result<(), JsonError> {
        let first = if first == b'-' {
            let digit = self.next_or_space();
            if !digit.is_ascii_digit() {
                return Err(at(digit, "in numeric literal"));
            }
            digit
        } else {
            first
        };
        if first != b'0' {
            self.digits();
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            let digit = self.next_or_space();
            if !digit.is_ascii_digit() {
                return Err(at(digit, "after decimal point in numeric literal"));
            }
            self.digits();
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            let digit = self.next_or_space();
            if !digit.is_ascii_digit() {
                return Err(at(digit, "in exponent of numeric literal"));
            }
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn mistakes_are_told_in_the_words_of_go() {
        for (text, expected) in [
            ("{\"a\": [1, -2.5e+3, \"\\u00e9\", null, {}], \"b\": {\"c\": []}}", ""),
            (" \"x\" ", ""),
            ("nothing", "invalid character 'o' in literal null (expecting 'u')"),
            ("two", "invalid character 'w' in literal true (expecting 'r')"),
            ("", "unexpected end of JSON input"),
            ("[1,", "unexpected end of JSON input"),
            ("word", "invalid character 'w' looking for beginning of value"),
            ("'a'", "invalid character '\\'' looking for beginning of value"),
            ("é", "invalid character 'Ã' looking for beginning of value"),
            ("{a}", "invalid character 'a' looking for beginning of object key string"),
            ("{\"a\"}", "invalid character '}' after object key"),
            ("{\"a\":1 2}", "invalid character '2' after object key:value pair"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("1 2", "invalid character '2' after top-level value"),
            ("01", "invalid character '1' after top-level value"),
            ("-a", "invalid character 'a' in numeric literal"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("1e\"", "invalid character '\"' in exponent of numeric literal"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("nul", "invalid character ' ' in literal null (expecting 'l')"),
            ("-", "invalid character ' ' in numeric literal"),
            ("\"a", "unexpected end of JSON input"),
            ("\"\\x\"", "invalid character 'x' in string escape code"),
            ("\"\\u12g\"", "invalid character 'g' in \\u hexadecimal character escape"),
        ] {
            let found = check(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(found, expected, "{text}");
        }
        let deep = "[".repeat(10_001);
        assert_eq!(check(&deep).expect_err("too deep").to_string(), "exceeded max depth");
    }
}
