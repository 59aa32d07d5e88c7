//! `when` conditions as govaluate reads them.
//!
//! In: a condition with all tags filled in. Out: yes or no, or Argo's error text. Words without quotes are
//! texts; a word with a point in it is an access to something that is not there.
//! Source: Argo `workflow/controller/steps.go`, `shouldExecute`; `Knetic/govaluate` as Argo 3.7 and 4.1 use it.

mod date;
mod evaluate;
pub(super) mod pattern;
mod plan;
mod syntax;
mod token;
mod value;

use token::{Kind, Token, TokenValue};
use value::Value;

/// Why a condition has no answer, in Argo's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WhenError {
    /// It cannot be read.
    #[error("Invalid 'when' expression '{when}': {error}{}", hint(error))]
    Invalid {
        /// The condition.
        when: String,
        /// Govaluate's words.
        error: String,
    },
    /// It cannot be read once its words are texts.
    #[error("Failed to parse 'when' expression '{when}': {error}")]
    Unreadable {
        /// The condition.
        when: String,
        /// Govaluate's words.
        error: String,
    },
    /// It does not fit together.
    #[error("Failed to evaluate 'when' expresion '{when}': {error}")]
    Failed {
        /// The condition.
        when: String,
        /// Govaluate's words.
        error: String,
    },
    /// It is no boolean.
    #[error("Expected boolean evaluation for '{when}'. Got {value}")]
    NotBoolean {
        /// The condition.
        when: String,
        /// What it is.
        value: String,
    },
}

fn hint(error: &str) -> &'static str {
    if error.contains("Invalid token") {
        " (hint: try wrapping the affected expression in quotes (\"))"
    } else {
        ""
    }
}

/// Whether a condition holds; an empty one does.
pub fn should_execute(when: &str) -> Result<bool, WhenError> {
    if when.is_empty() {
        return Ok(true);
    }
    let mut tokens = checked_tokens(when)?;
    for token in &mut tokens {
        if token.kind == Kind::Variable {
            token.kind = Kind::String;
        }
    }
    let unreadable = |error| WhenError::Unreadable { when: when.to_owned(), error };
    let plan = read(&mut tokens).map_err(unreadable)?;
    let failed = |error| WhenError::Failed { when: when.to_owned(), error };
    match evaluate::evaluate(plan.as_ref()).map_err(failed)? {
        Value::Bool(holds) => Ok(holds),
        value @ (Value::Nil | Value::Number(_) | Value::Text(_) | Value::List(_) | Value::Pattern(_)) => {
            Err(WhenError::NotBoolean { when: when.to_owned(), value: value.to_string() })
        }
    }
}

/// Whether a condition can be read, whatever it comes to.
pub fn check(when: &str) -> Result<(), WhenError> {
    if when.is_empty() { Ok(()) } else { checked_tokens(when).map(drop) }
}

fn checked_tokens(when: &str) -> Result<Vec<Token>, WhenError> {
    let invalid = |error| WhenError::Invalid { when: when.to_owned(), error };
    let mut tokens = token::tokens(when).map_err(invalid)?;
    read(&mut tokens).map_err(invalid)?;
    Ok(tokens)
}

/// Checks tokens and makes a tree of them.
/// Source: govaluate `NewEvaluableExpressionFromTokens`.
fn read(tokens: &mut [Token]) -> Result<Option<plan::Node>, String> {
    syntax::check(tokens)?;
    compile_patterns(tokens)?;
    plan::plan(tokens)
}

/// Source: govaluate `optimizeTokens`.
fn compile_patterns(tokens: &mut [Token]) -> Result<(), String> {
    for at in 1..tokens.len() {
        let (before, after) = tokens.split_at_mut(at);
        let (operator, text) = (&before[at - 1], &mut after[0]);
        if operator.kind != Kind::Comparator || text.kind != Kind::String {
            continue;
        }
        if let (TokenValue::Text(word), TokenValue::Text(source)) = (&operator.value, &text.value)
            && matches!(word.as_str(), "=~" | "!~")
        {
            text.value = TokenValue::Pattern(pattern::Pattern::compile(source)?);
            text.kind = Kind::Pattern;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
