//! Tokens of an expression, one at a time, since what the parser has met decides which fault is told.
//!
//! In: the source. Out: tokens with their place. Source: expr-lang `parser/lexer`.

use super::place::Fault;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Identifier,
    Number,
    Text,
    /// `b'…'`, which newer versions read as bytes.
    Bytes,
    Operator,
    Bracket,
    End,
}

/// A piece of the source.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Position of its first character.
    pub(super) at: usize,
}

impl Token {
    pub(super) fn is(&self, kind: Kind, text: &str) -> bool {
        self.kind == kind && self.text == text
    }

    /// As it stands in messages: `Operator("==")`, `EOF`.
    pub(super) fn show(&self) -> String {
        let kind = match self.kind {
            Kind::Identifier => "Identifier",
            Kind::Number => "Number",
            Kind::Text => "String",
            Kind::Bytes => "Bytes",
            Kind::Operator => "Operator",
            Kind::Bracket => "Bracket",
            Kind::End => "EOF",
        };
        if self.text.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}({})", crate::lang::go::quote(&self.text))
        }
    }
}

/// Whether a character may stand in a name after its first.
fn is_word(c: char) -> bool {
    is_letter(c) || c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric())
}

fn is_letter(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

/// Whether a word could be a name, operators like `not` included.
pub(super) fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(is_letter) && text.chars().all(is_word)
}

/// Reads tokens from the source.
pub(super) struct Lexer {
    chars: Vec<char>,
    start: usize,
    end: usize,
    /// Set when the end was read past, as it moves the place of a fault.
    past_end: bool,
    ready: std::collections::VecDeque<Token>,
    fault: Option<Fault>,
    /// Set once the end was given out.
    ended: bool,
    /// Set by an escape that reads well and means nothing; told at the end of its text.
    bad_escape: bool,
}

impl Lexer {
    pub(super) fn new(source: &str) -> Self {
        Self {
            chars: source.chars().collect(),
            start: 0,
            end: 0,
            past_end: false,
            ready: std::collections::VecDeque::new(),
            fault: None,
            ended: false,
            bad_escape: false,
        }
    }

    /// The next token; after the end, a fault without a place. A fault stays for good.
    pub(super) fn next(&mut self) -> Result<Token, Fault> {
        while self.ready.is_empty() && self.fault.is_none() && !self.ended {
            self.step();
        }
        match (&self.fault, self.ready.pop_front()) {
            (None, Some(token)) => Ok(token),
            (Some(fault), _) => Err(fault.clone()),
            (None, None) => Err(Fault::new(self.end, "unexpected end of expression")),
        }
    }

    fn advance(&mut self) -> Option<char> {
        let next = self.chars.get(self.end).copied();
        match next {
            Some(_) => self.end += 1,
            None => self.past_end = true,
        }
        next
    }

    fn back(&mut self) {
        if self.past_end {
            self.past_end = false;
        } else {
            self.end = self.end.saturating_sub(1);
        }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.end).copied()
    }

    fn accept(&mut self, any_of: &str) -> bool {
        let found = self.peek().is_some_and(|c| any_of.contains(c));
        self.end += usize::from(found);
        found
    }

    fn accept_all(&mut self, any_of: &str) {
        while self.accept(any_of) {}
    }

    fn word(&self) -> String {
        self.chars[self.start..self.end].iter().collect()
    }

    fn emit(&mut self, kind: Kind) {
        let text = self.word();
        self.emit_text(kind, text);
    }

    fn emit_text(&mut self, kind: Kind, text: String) {
        self.ready.push_back(Token { kind, text, at: self.start });
        self.start = self.end;
    }

    fn fail(&mut self, text: impl Into<String>) {
        let at = (self.end + usize::from(self.past_end)).saturating_sub(1);
        self.fault.get_or_insert_with(|| Fault::new(at, text));
    }

    fn step(&mut self) {
        let Some(c) = self.advance() else {
            let at = self.end.saturating_sub(1);
            self.ready.push_back(Token { kind: Kind::End, text: String::new(), at });
            self.ended = true;
            return;
        };
        match c {
            _ if c.is_whitespace() => self.start = self.end,
            '\'' | '"' => self.quoted(c, Kind::Text),
            'b' | 'B' if matches!(self.peek(), Some('\'' | '"')) => {
                let quote = self.advance().unwrap_or('"');
                self.quoted(quote, Kind::Bytes);
            }
            '`' => self.raw(),
            '0'..='9' => {
                self.back();
                self.number();
            }
            '?' => {
                self.accept(".?");
                self.emit(Kind::Operator);
            }
            '/' => self.slash(),
            '#' => self.pointer(),
            '|' | ':' => {
                self.accept(if c == '|' { "|" } else { ":" });
                self.emit(Kind::Operator);
            }
            '(' | '[' | '{' | ')' | ']' | '}' => self.emit(Kind::Bracket),
            ',' | ';' | '%' | '+' | '-' | '^' => self.emit(Kind::Operator),
            '&' | '!' | '=' | '*' | '<' | '>' => {
                self.accept("&=*");
                self.emit(Kind::Operator);
            }
            '.' if self.peek().is_some_and(|next| next.is_ascii_digit()) => self.number(),
            '.' => {
                self.accept(".");
                self.emit(Kind::Operator);
            }
            _ if is_word(c) => self.name(),
            _ => self.fail(format!("unrecognized character: U+{:04X} '{c}'", u32::from(c))),
        }
    }

    fn number(&mut self) {
        let mut digits = "0123456789_";
        if self.accept("0") {
            if self.accept("xX") {
                digits = "0123456789abcdefABCDEF_";
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.accept_all(digits);
        let whole = self.end;
        if self.accept(".") {
            if self.peek() == Some('.') {
                self.end = whole;
                return self.emit(Kind::Number);
            }
            self.accept_all(digits);
        }
        if self.accept("eE") {
            self.accept("+-");
            self.accept_all(digits);
        }
        if self.peek().is_some_and(is_word) {
            self.advance();
            let word = crate::lang::go::quote(&self.word());
            return self.fail(format!("bad number syntax: {word}"));
        }
        self.emit(Kind::Number);
    }

    fn words(&mut self) {
        while self.peek().is_some_and(is_word) {
            self.end += 1;
        }
    }

    fn name(&mut self) {
        self.words();
        match self.word().as_str() {
            "not" => self.not(),
            "in" | "or" | "and" | "matches" | "contains" | "startsWith" | "endsWith" | "let" | "if"
            | "else" => {
                self.emit(Kind::Operator);
            }
            _ => self.emit(Kind::Identifier),
        }
    }

    /// `not` takes the operator that may follow it along.
    fn not(&mut self) {
        self.emit(Kind::Operator);
        self.accept_all(" ");
        self.start = self.end;
        self.words();
        match self.word().as_str() {
            "in" | "matches" | "contains" | "startsWith" | "endsWith" => self.emit(Kind::Operator),
            _ => self.end = self.start,
        }
    }

    fn pointer(&mut self) {
        self.accept("#");
        self.emit(Kind::Operator);
        self.words();
        if self.end > self.start {
            self.emit(Kind::Identifier);
        }
    }

    fn slash(&mut self) {
        if self.accept("/") {
            while self.advance().is_some_and(|c| c != '\n') {}
            self.start = self.end;
        } else if self.accept("*") {
            loop {
                match self.advance() {
                    None => return self.fail("unclosed comment"),
                    Some('*') if self.accept("/") => break,
                    Some(_) => {}
                }
            }
            self.start = self.end;
        } else {
            self.emit(Kind::Operator);
        }
    }

    /// Text in backticks: nothing is escaped but a doubled backtick.
    fn raw(&mut self) {
        let mut text = String::new();
        loop {
            match self.advance() {
                None => return self.fail("literal not terminated"),
                Some('`') if self.peek() == Some('`') => {
                    self.end += 1;
                    text.push('`');
                }
                Some('`') => return self.emit_text(Kind::Text, text),
                Some(c) => text.push(c),
            }
        }
    }

    fn quoted(&mut self, quote: char, kind: Kind) {
        let mut text = String::new();
        loop {
            match self.advance() {
                None | Some('\n') => return self.fail("literal not terminated"),
                Some('\\') => match self.escaped(quote) {
                    Some(c) => text.push(c),
                    None => return,
                },
                Some(c) if c == quote => break,
                Some('\r') => text.push('\n'),
                Some(c) => text.push(c),
            }
        }
        if self.bad_escape {
            self.fail("unable to unescape string");
        }
        self.emit_text(kind, text);
    }

    /// What stands after a backslash; `None` after a fault.
    fn escaped(&mut self, quote: char) -> Option<char> {
        match self.advance() {
            Some('a') => Some('\u{7}'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{c}'),
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('v') => Some('\u{b}'),
            Some('\\') => Some('\\'),
            Some(c) if c == quote => Some(c),
            Some(first @ '0'..='7') => {
                self.bad_escape |= first > '3';
                self.back();
                self.digits(8, 3)
            }
            Some('x') => self.digits(16, 2),
            Some('u') if self.peek() == Some('{') => self.braced(),
            Some('u') => self.digits(16, 4),
            Some('U') => self.digits(16, 8),
            Some(_) | None => {
                self.fail("invalid char escape");
                None
            }
        }
    }

    fn digits(&mut self, radix: u32, count: usize) -> Option<char> {
        let mut value = 0u32;
        for _ in 0..count {
            let Some(digit) = self.advance().and_then(|c| c.to_digit(radix)) else {
                self.fail("invalid char escape");
                return None;
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
        }
        Some(self.code(value))
    }

    fn braced(&mut self) -> Option<char> {
        self.advance();
        let (mut value, mut count) = (0, 0);
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)).filter(|_| count < 6) {
            value = value * 16 + digit;
            count += 1;
            self.end += 1;
        }
        if count == 0 || !self.accept("}") {
            self.fail("invalid char escape");
            return None;
        }
        Some(self.code(value))
    }

    fn code(&mut self, value: u32) -> char {
        self.bad_escape |= value > 0x10_ffff;
        char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}
