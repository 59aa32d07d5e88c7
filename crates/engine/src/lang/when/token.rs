//! A condition cut into tokens.
//! Source: govaluate `parsing.go`, `TokenKind.go`.

use std::fmt;

use unwind_model::decimal;

use super::date::{self, Moment};
use super::pattern::Pattern;
use super::syntax::may_follow;
use crate::lang::go::float_v;

/// What a token is; `Unknown` stands before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unknown,
    Prefix,
    Numeric,
    Boolean,
    String,
    Pattern,
    Time,
    Variable,
    Separator,
    Accessor,
    Comparator,
    LogicalOp,
    Modifier,
    Clause,
    ClauseClose,
    Ternary,
}

impl Kind {
    /// Govaluate's word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::Prefix => "PREFIX",
            Self::Numeric => "NUMERIC",
            Self::Boolean => "BOOLEAN",
            Self::String => "STRING",
            Self::Pattern => "PATTERN",
            Self::Time => "TIME",
            Self::Variable => "VARIABLE",
            Self::Separator => "SEPARATOR",
            Self::Accessor => "ACCESSOR",
            Self::Comparator => "COMPARATOR",
            Self::LogicalOp => "LOGICALOP",
            Self::Modifier => "MODIFIER",
            Self::Clause => "CLAUSE",
            Self::ClauseClose => "CLAUSE_CLOSE",
            Self::Ternary => "TERNARY",
        }
    }
}

/// What a token holds.
#[derive(Clone, Debug)]
pub(super) enum TokenValue {
    Text(String),
    Number(f64),
    Bool(bool),
    /// A parenthesis.
    Character(char),
    /// The parts of a word with points.
    Names(Vec<String>),
    Time(Moment),
    Pattern(Pattern),
}

/// As Go prints it with `%v`: a parenthesis is a number there.
impl fmt::Display for TokenValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::Number(number) => out.write_str(&float_v(*number)),
            Self::Bool(is_true) => write!(out, "{is_true}"),
            Self::Character(character) => write!(out, "{}", u32::from(*character)),
            Self::Names(names) => write!(out, "[{}]", names.join(" ")),
            Self::Time(moment) => write!(out, "{moment}"),
            Self::Pattern(pattern) => out.write_str(pattern.source()),
        }
    }
}

/// One token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) value: TokenValue,
}

/// All tokens of a condition, with parentheses that are as often closed as opened.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut lexer = Lexer { characters: text.chars().collect(), at: 0 };
    let mut tokens = Vec::new();
    let mut last = Kind::Unknown;
    while let Some(token) = lexer.token(last)? {
        last = token.kind;
        tokens.push(token);
    }
    let count = |kind| tokens.iter().filter(|token: &&Token| token.kind == kind).count();
    if count(Kind::Clause) != count(Kind::ClauseClose) {
        return Err("Unbalanced parenthesis".to_owned());
    }
    Ok(tokens)
}

struct Lexer {
    characters: Vec<char>,
    at: usize,
}

/// What ends a run of characters.
#[derive(Clone, Copy, PartialEq)]
enum Spaces {
    /// A space, once there is something; those before are left out.
    End,
    /// Spaces belong to it.
    Count,
}

impl Lexer {
    fn token(&mut self, last: Kind) -> Result<Option<Token>, String> {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        let Some(first) = self.peek() else { return Ok(None) };
        let (kind, value) = match first {
            _ if is_numeric(first) => (Kind::Numeric, self.number()?),
            ',' => {
                self.at += 1;
                (Kind::Separator, TokenValue::Text(",".to_owned()))
            }
            '[' => {
                self.at += 1;
                let name = self.enclosed(&|character| character != ']', "Unclosed parameter bracket")?;
                (Kind::Variable, TokenValue::Text(name))
            }
            _ if first.is_alphabetic() => self.word()?,
            '\'' | '"' => {
                self.at += 1;
                let text = self.enclosed(&is_not_quote, "Unclosed string literal")?;
                match date::parse(&text) {
                    Some(moment) => (Kind::Time, TokenValue::Time(moment)),
                    None => (Kind::String, TokenValue::Text(text)),
                }
            }
            '(' | ')' => {
                self.at += 1;
                let kind = if first == '(' { Kind::Clause } else { Kind::ClauseClose };
                (kind, TokenValue::Character(first))
            }
            _ => {
                let symbol = self.run(Spaces::End, &is_not_alphanumeric)?.0;
                let kind = symbol_kind(&symbol, last).ok_or_else(|| format!("Invalid token: '{symbol}'"))?;
                (kind, TokenValue::Text(symbol))
            }
        };
        Ok(Some(Token { kind, value }))
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn number(&mut self) -> Result<TokenValue, String> {
        let next = self.characters.get(self.at..self.at + 3);
        if next.is_some_and(|next| next[0] == '0' && next[1] == 'x') {
            self.at += 2;
            let digits = self.run(Spaces::End, &is_hex_digit)?.0;
            let number = u64::from_str_radix(&digits, 16)
                .map_err(|_| format!("Unable to parse hex value '{digits}' to uint64\n"))?;
            return Ok(TokenValue::Number(number as f64));
        }
        let digits = self.run(Spaces::End, &is_numeric)?.0;
        let number = decimal(&digits)
            .ok_or_else(|| format!("Unable to parse numeric value '{digits}' to float64\n"))?;
        Ok(TokenValue::Number(number))
    }

    fn word(&mut self) -> Result<(Kind, TokenValue), String> {
        let word = self.run(Spaces::End, &is_variable_name)?.0;
        if word.find('.').is_some_and(|at| at > 0) {
            if word.ends_with('.') {
                return Err(format!("Hanging accessor on token '{word}'"));
            }
            let names: Vec<String> = word.split('.').map(str::to_owned).collect();
            let is_small = |name: &&String| {
                let first = name.chars().next();
                first.is_some_and(|first| first.to_uppercase().next() != Some(first))
            };
            if let Some(name) = names.iter().skip(1).find(is_small) {
                return Err(format!("Unable to access unexported field '{name}' in token '{word}'"));
            }
            return Ok((Kind::Accessor, TokenValue::Names(names)));
        }
        Ok(match word.as_str() {
            "true" => (Kind::Boolean, TokenValue::Bool(true)),
            "false" => (Kind::Boolean, TokenValue::Bool(false)),
            "in" | "IN" => (Kind::Comparator, TokenValue::Text("in".to_owned())),
            _ => (Kind::Variable, TokenValue::Text(word)),
        })
    }

    /// What stands up to an end mark, which is passed by.
    fn enclosed(&mut self, belongs: &dyn Fn(char) -> bool, unclosed: &str) -> Result<String, String> {
        let (text, is_closed) = self.run(Spaces::Count, belongs)?;
        if !is_closed {
            return Err(unclosed.to_owned());
        }
        self.at += 1;
        Ok(text)
    }

    /// Characters that belong together, and whether something ended them. A backslash takes the next
    /// character whatever it is. The first character is taken by the same rule.
    fn run(&mut self, spaces: Spaces, belongs: &dyn Fn(char) -> bool) -> Result<(String, bool), String> {
        let mut text = String::new();
        while let Some(character) = self.peek() {
            self.at += 1;
            if character == '\\' {
                let escaped = self.peek().ok_or("Unexpected end of expression after a backslash")?;
                text.push(escaped);
                self.at += 1;
                continue;
            }
            if character.is_whitespace() && spaces == Spaces::End {
                if text.is_empty() {
                    continue;
                }
                return Ok((text, true));
            }
            if !belongs(character) {
                self.at -= 1;
                return Ok((text, true));
            }
            text.push(character);
        }
        Ok((text, false))
    }
}

/// Source: govaluate `OperatorSymbol.go`.
fn symbol_kind(symbol: &str, last: Kind) -> Option<Kind> {
    match symbol {
        "-" | "!" | "~" if may_follow(last, Kind::Prefix) => Some(Kind::Prefix),
        "+" | "-" | "*" | "/" | "%" | "**" | "&" | "|" | "^" | ">>" | "<<" => Some(Kind::Modifier),
        "&&" | "||" => Some(Kind::LogicalOp),
        "==" | "!=" | ">" | ">=" | "<" | "<=" | "=~" | "!~" => Some(Kind::Comparator),
        "?" | ":" | "??" => Some(Kind::Ternary),
        _ => None,
    }
}

fn is_digit(character: char) -> bool {
    // Go takes the digits of all scripts for digits, and then fails to read them.
    character.is_ascii_digit() || !character.is_ascii() && character.is_numeric()
}

fn is_numeric(character: char) -> bool {
    is_digit(character) || character == '.'
}

fn is_hex_digit(character: char) -> bool {
    character.is_ascii_hexdigit()
}

fn is_variable_name(character: char) -> bool {
    character.is_alphabetic() || is_digit(character) || character == '_' || character == '.'
}

fn is_not_quote(character: char) -> bool {
    character != '\'' && character != '"'
}

fn is_not_alphanumeric(character: char) -> bool {
    !(is_digit(character)
        || character.is_alphabetic()
        || matches!(character, '(' | ')' | '[' | ']')
        || !is_not_quote(character))
}
