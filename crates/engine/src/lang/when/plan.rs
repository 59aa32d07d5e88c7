//! Tokens made into a tree.
//!
//! Operators of one level are kept in a row and read from left to right, so a long row needs no stack.
//! What stands after a complete expression is not looked at, and an operator may lack its right side
//! before a closing parenthesis: both as in govaluate.
//! Source: govaluate `stagePlanner.go`.

use super::token::{Kind, Token, TokenValue};
use super::value::Value;

/// Deepest nesting of parentheses that is read.
const DEPTH_LIMIT: usize = 200;

/// A part of a condition.
#[derive(Debug)]
pub(super) enum Node {
    /// A value.
    Value(Value),
    /// Parentheses.
    Group(Option<Box<Node>>),
    /// `!`, `-`, `~` and what stands behind.
    Prefix(String, Option<Box<Node>>),
    /// Operators of one level with their right sides, after the first operand.
    Row(Level, Option<Box<Node>>, Vec<(String, Option<Node>)>),
    /// Something of a thing with this name, which nobody knows; with arguments.
    Access(String, Option<Box<Node>>),
}

/// Levels of operators, those that bind least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Separator,
    Ternary,
    Or,
    And,
    Comparator,
    Bitwise,
    Shift,
    Additive,
    Multiplicative,
    Exponential,
}

impl Level {
    fn next(self) -> Option<Self> {
        match self {
            Self::Separator => Some(Self::Ternary),
            Self::Ternary => Some(Self::Or),
            Self::Or => Some(Self::And),
            Self::And => Some(Self::Comparator),
            Self::Comparator => Some(Self::Bitwise),
            Self::Bitwise => Some(Self::Shift),
            Self::Shift => Some(Self::Additive),
            Self::Additive => Some(Self::Multiplicative),
            Self::Multiplicative => Some(Self::Exponential),
            Self::Exponential => None,
        }
    }

    fn has(self, token: &Token) -> bool {
        let TokenValue::Text(symbol) = &token.value else { return false };
        let symbol = symbol.as_str();
        match self {
            Self::Separator => token.kind == Kind::Separator,
            Self::Ternary => token.kind == Kind::Ternary,
            Self::Or => token.kind == Kind::LogicalOp && symbol == "||",
            Self::And => token.kind == Kind::LogicalOp && symbol == "&&",
            Self::Comparator => token.kind == Kind::Comparator,
            Self::Bitwise => token.kind == Kind::Modifier && matches!(symbol, "^" | "&" | "|"),
            Self::Shift => token.kind == Kind::Modifier && matches!(symbol, ">>" | "<<"),
            Self::Additive => token.kind == Kind::Modifier && matches!(symbol, "+" | "-"),
            Self::Multiplicative => token.kind == Kind::Modifier && matches!(symbol, "*" | "/" | "%"),
            Self::Exponential => token.kind == Kind::Modifier && symbol == "**",
        }
    }
}

/// The tree of tokens that have been checked.
pub(super) fn plan(tokens: &[Token]) -> Result<Option<Node>, String> {
    Planner { tokens, at: 0, depth: 0 }.level(Level::Separator)
}

struct Planner<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Planner<'_> {
    fn level(&mut self, level: Level) -> Result<Option<Node>, String> {
        let first = self.below(level)?;
        let mut row = Vec::new();
        while let Some(token) = self.tokens.get(self.at).filter(|token| level.has(token)) {
            self.at += 1;
            row.push((token.value.to_string(), self.below(level)?));
        }
        if row.is_empty() {
            return Ok(first);
        }
        Ok(Some(Node::Row(level, first.map(Box::new), row)))
    }

    fn below(&mut self, level: Level) -> Result<Option<Node>, String> {
        match level.next() {
            Some(next) => self.level(next),
            None => self.operand(),
        }
    }

    fn operand(&mut self) -> Result<Option<Node>, String> {
        let Some(token) = self.tokens.get(self.at) else { return Ok(None) };
        self.at += 1;
        let value = match (&token.kind, &token.value) {
            (Kind::Clause, _) => {
                let inner = self.nested()?;
                // Usually the closing parenthesis; govaluate does not look either.
                self.at += 1;
                return Ok(Some(Node::Group(inner)));
            }
            (Kind::ClauseClose, _) => {
                self.at -= 1;
                return Ok(None);
            }
            (Kind::Accessor, TokenValue::Names(names)) => {
                let name = names.first().cloned().unwrap_or_default();
                let has_arguments = self.tokens.get(self.at).is_some_and(|token| token.kind == Kind::Clause);
                let arguments = if has_arguments { self.nested()? } else { None };
                return Ok(Some(Node::Access(name, arguments)));
            }
            (Kind::Prefix, TokenValue::Text(symbol)) => {
                let operand = self.operand()?;
                return Ok(Some(Node::Prefix(symbol.clone(), operand.map(Box::new))));
            }
            // Before words become texts they are never evaluated.
            (Kind::Variable | Kind::String, TokenValue::Text(text)) => Value::Text(text.clone()),
            (Kind::Numeric, TokenValue::Number(number)) => Value::Number(*number),
            (Kind::Boolean, TokenValue::Bool(is_true)) => Value::Bool(*is_true),
            (Kind::Pattern, TokenValue::Pattern(pattern)) => Value::Pattern(pattern.clone()),
            (Kind::Time, TokenValue::Time(moment)) => Value::Number(moment.seconds as f64),
            (kind, value) => {
                return Err(format!("Unable to plan token kind: '{}', value: '{value}'", kind.word()));
            }
        };
        Ok(Some(Node::Value(value)))
    }

    fn nested(&mut self) -> Result<Option<Box<Node>>, String> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(format!("parentheses are nested deeper than {DEPTH_LIMIT} levels"));
        }
        let inner = self.level(Level::Separator)?;
        self.depth -= 1;
        Ok(inner.map(Box::new))
    }
}
