//! Reads JSON, with Go's words for what is wrong. Source: Go `encoding/json/scanner.go`.

use super::value::Value;

/// The value of a JSON document.
pub(super) fn read(text: &str) -> Result<Value, String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) => Value::from_json(&json),
        Err(_) => Err(complaint(text).unwrap_or_else(|| "exceeded max depth".to_owned())),
    }
}

/// What Go finds wrong with a document; `None` where it finds nothing.
fn complaint(text: &str) -> Option<String> {
    let mut scanner = Scanner { rest: text, open: Vec::new() };
    scanner.document().err()
}

const END: &str = "unexpected end of JSON input";

struct Scanner<'a> {
    rest: &'a str,
    /// The closing brackets that are due.
    open: Vec<char>,
}

impl Scanner<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn next(&mut self) -> Result<char, String> {
        let c = self.rest.chars().next().ok_or(END)?;
        self.rest = &self.rest[c.len_utf8()..];
        Ok(c)
    }

    fn document(&mut self) -> Result<(), String> {
        loop {
            self.value()?;
            // What follows a value; another value may follow where a list or map goes on.
            loop {
                self.space();
                let Some(close) = self.open.last().copied() else {
                    return match self.rest.chars().next() {
                        None => Ok(()),
                        Some(c) => Err(wrong(c, "after top-level value")),
                    };
                };
                match (self.next()?, close) {
                    (c, close) if c == close => drop(self.open.pop()),
                    (',', ']') => break,
                    (',', _) => {
                        self.key()?;
                        break;
                    }
                    (c, ']') => return Err(wrong(c, "after array element")),
                    (c, _) => return Err(wrong(c, "after object key:value pair")),
                }
            }
        }
    }

    /// Goes over a value, or into it up to its first own value.
    fn value(&mut self) -> Result<(), String> {
        loop {
            self.space();
            match self.next()? {
                '{' => {
                    self.space();
                    if self.rest.starts_with('}') {
                        self.rest = &self.rest[1..];
                        return Ok(());
                    }
                    self.open.push('}');
                    self.key()?;
                }
                '[' => {
                    self.space();
                    if self.rest.starts_with(']') {
                        self.rest = &self.rest[1..];
                        return Ok(());
                    }
                    self.open.push(']');
                }
                '"' => return self.text(),
                't' => return self.word("true"),
                'f' => return self.word("false"),
                'n' => return self.word("null"),
                c @ ('-' | '0'..='9') => return self.number(c),
                c => return Err(wrong(c, "looking for beginning of value")),
            }
        }
    }

    fn key(&mut self) -> Result<(), String> {
        self.space();
        match self.next()? {
            '"' => self.text()?,
            c => return Err(wrong(c, "looking for beginning of object key string")),
        }
        self.space();
        match self.next()? {
            ':' => Ok(()),
            c => Err(wrong(c, "after object key")),
        }
    }

    fn text(&mut self) -> Result<(), String> {
        loop {
            match self.next()? {
                '"' => return Ok(()),
                '\\' => match self.next()? {
                    'b' | 'f' | 'n' | 'r' | 't' | '\\' | '/' | '"' => {}
                    'u' => {
                        for _ in 0..4 {
                            let c = self.next()?;
                            if !c.is_ascii_hexdigit() {
                                return Err(wrong(c, "in \\u hexadecimal character escape"));
                            }
                        }
                    }
                    c => return Err(wrong(c, "in string escape code")),
                },
                c if c < ' ' => return Err(wrong(c, "in string literal")),
                _ => {}
            }
        }
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        for expected in word.chars().skip(1) {
            let c = self.next()?;
            if c != expected {
                return Err(wrong(c, &format!("in literal {word} (expecting '{expected}')")));
            }
        }
        Ok(())
    }

    fn digits(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
    }

    fn number(&mut self, first: char) -> Result<(), String> {
        let mut first = first;
        if first == '-' {
            first = self.next()?;
            if !first.is_ascii_digit() {
                return Err(wrong(first, "in numeric literal"));
            }
        }
        if first != '0' {
            self.digits();
        }
        if self.rest.starts_with('.') {
            self.next()?;
            self.digit("after decimal point in numeric literal")?;
        }
        if self.rest.starts_with(['e', 'E']) {
            self.next()?;
            if self.rest.starts_with(['+', '-']) {
                self.next()?;
            }
            self.digit("in exponent of numeric literal")?;
        }
        Ok(())
    }

    fn digit(&mut self, place: &str) -> Result<(), String> {
        let c = self.next()?;
        if !c.is_ascii_digit() {
            return Err(wrong(c, place));
        }
        self.digits();
        Ok(())
    }
}

fn wrong(c: char, place: &str) -> String {
    let shown = match c {
        '\'' => "'\\''".to_owned(),
        '"' => "'\"'".to_owned(),
        _ => {
            let quoted = super::print::quoted(c.encode_utf8(&mut [0; 4]));
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    };
    format!("invalid character {shown} {place}")
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn broken_documents_get_the_words_of_go() {
        for (text, expected) in [
            ("", "unexpected end of JSON input"),
            ("{\"a\":", "unexpected end of JSON input"),
            ("nope", "invalid character 'o' in literal null (expecting 'u')"),
            ("hello", "invalid character 'h' looking for beginning of value"),
            ("[1 2]", "invalid character '2' after array element"),
            ("{\"a\" 1}", "invalid character '1' after object key"),
            ("{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"),
            ("{1:2}", "invalid character '1' looking for beginning of object key string"),
            ("1 2", "invalid character '2' after top-level value"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("\"a\nb\"", "invalid character '\\n' in string literal"),
            ("'a'", "invalid character '\\'' looking for beginning of value"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
        ] {
            assert_eq!(read(text).err().as_deref(), Some(expected), "{text}");
        }
    }
}
