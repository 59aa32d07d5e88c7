//! Which token may follow which.
//! Source: govaluate `lexerState.go`, `validLexerStates`, `checkExpressionSyntax`.

use super::token::{Kind, Token, TokenValue};

/// Whether a token of kind `next` may stand after one of kind `last`.
pub(super) fn may_follow(last: Kind, next: Kind) -> bool {
    use Kind::{
        Accessor, Boolean, Clause, ClauseClose, Comparator, LogicalOp, Modifier, Numeric, Pattern, Prefix,
        Separator, String, Ternary, Time, Unknown, Variable,
    };
    let valid: &[Kind] = match last {
        Unknown => &[Prefix, Numeric, Boolean, Variable, Pattern, Accessor, String, Time, Clause],
        Clause => &[Prefix, Numeric, Boolean, Variable, Pattern, Accessor, String, Time, Clause, ClauseClose],
        ClauseClose => &[
            Comparator,
            Modifier,
            Numeric,
            Boolean,
            Variable,
            String,
            Pattern,
            Time,
            Clause,
            ClauseClose,
            LogicalOp,
            Ternary,
            Separator,
        ],
        Numeric | Boolean | String | Variable => {
            &[Modifier, Comparator, LogicalOp, ClauseClose, Ternary, Separator]
        }
        Time | Pattern => &[Modifier, Comparator, LogicalOp, ClauseClose, Separator],
        Modifier => &[Prefix, Numeric, Variable, Accessor, String, Boolean, Clause, ClauseClose],
        Comparator => {
            &[Prefix, Numeric, Boolean, Variable, Accessor, String, Time, Clause, ClauseClose, Pattern]
        }
        LogicalOp => &[Prefix, Numeric, Boolean, Variable, Accessor, String, Time, Clause, ClauseClose],
        Prefix => &[Numeric, Boolean, Variable, Accessor, Clause, ClauseClose],
        Ternary => &[Prefix, Numeric, Boolean, String, Time, Variable, Accessor, Clause, Separator],
        Accessor => &[Clause, Modifier, Comparator, LogicalOp, ClauseClose, Ternary, Separator],
        Separator => &[Prefix, Numeric, Boolean, String, Time, Variable, Accessor, Clause],
    };
    valid.contains(&next)
}

fn may_end(last: Kind) -> bool {
    match last {
        Kind::ClauseClose
        | Kind::Numeric
        | Kind::Boolean
        | Kind::String
        | Kind::Time
        | Kind::Pattern
        | Kind::Variable
        | Kind::Accessor => true,
        Kind::Unknown
        | Kind::Clause
        | Kind::Modifier
        | Kind::Comparator
        | Kind::LogicalOp
        | Kind::Prefix
        | Kind::Ternary
        | Kind::Separator => false,
    }
}

/// Checks the order of all tokens.
pub(super) fn check(tokens: &[Token]) -> Result<(), String> {
    let mut last: Option<&Token> = None;
    let kind_of = |token: Option<&Token>| token.map_or(Kind::Unknown, |token| token.kind);
    for token in tokens {
        let kind = kind_of(last);
        if !may_follow(kind, token.kind) {
            if let (Kind::Variable, Kind::Clause, Some(TokenValue::Text(name))) =
                (kind, token.kind, last.map(|last| &last.value))
            {
                return Err(format!("Undefined function {name}"));
            }
            let value = last.map_or_else(|| "<nil>".to_owned(), |last| last.value.to_string());
            return Err(format!(
                "Cannot transition token types from {} [{value}] to {} [{}]",
                kind.word(),
                token.kind.word(),
                token.value
            ));
        }
        last = Some(token);
    }
    if may_end(kind_of(last)) { Ok(()) } else { Err("Unexpected end of expression".to_owned()) }
}
