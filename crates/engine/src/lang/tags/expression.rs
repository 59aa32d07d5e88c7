//! When an expression tag is evaluated, when it stays, and when it is an error.
//! Source: Argo `util/template/expression_template.go`, `expressionReplaceStrict`, `expressionReplaceCore`.

use super::Unresolved;
use crate::lang::go::{json::escape_text, quote};

/// Names that get their value late: an expression that asks for one of them waits for it.
pub const LATE: [&str; 8] = [
    "item",
    "retries",
    "lastRetry.exitCode",
    "lastRetry.status",
    "lastRetry.duration",
    "lastRetry.message",
    "workflow.status",
    "workflow.failures",
];

/// What is known of an expression before it is evaluated.
pub struct Evaluation<'a> {
    /// The expression, as the user wrote it.
    pub expression: &'a str,
    /// The names in it that have no value, or the error of the parser.
    pub missing: Result<Vec<String>, String>,
    /// What becomes of tags without a value.
    pub unresolved: Unresolved<'a>,
    /// Some name stands for a value that is not known yet, as in Argo's validation.
    pub has_placeholders: bool,
}

/// The text of an expression, or `None` when its tag stays. `evaluate` gives the result as text, `None` for
/// nil.
pub fn decide(
    known: &Evaluation<'_>,
    evaluate: &mut dyn FnMut(&str) -> Result<Option<String>, String>,
) -> Result<Option<String>, String> {
    let missing = match &known.missing {
        Ok(missing) => missing,
        Err(_) if known.has_placeholders => return Ok(None),
        Err(error) => return Err(format!("failed to evaluate expression: {error}")),
    };
    if let Some(name) = missing.iter().find(|name| known.unresolved.fails(name)) {
        return Err(format!("failed to evaluate expression: {name} is missing"));
    }
    let may_stay = !missing.is_empty() || known.unresolved == Unresolved::Stays;
    if may_stay && missing.iter().any(|name| LATE.contains(&name.as_str())) {
        return Ok(None);
    }
    match evaluate(known.expression) {
        Ok(Some(text)) => Ok(Some(text)),
        Ok(None) | Err(_) if may_stay || known.has_placeholders => Ok(None),
        Ok(None) => Err(format!("failed to evaluate expression {}", quote(&escape_text(known.expression)))),
        Err(error) => Err(format!("failed to evaluate expression: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `missing` are names; `result` is `=text`, `nil`, or an error.
    fn check(missing: &[&str], unresolved: Unresolved<'_>, result: &str) -> String {
        let known = Evaluation {
            expression: "an \"expression\"",
            missing: Ok(missing.iter().map(|name| (*name).to_owned()).collect()),
            unresolved,
            has_placeholders: false,
        };
        let decided = decide(&known, &mut |_| match result {
            "nil" => Ok(None),
            _ => match result.strip_prefix('=') {
                Some(text) => Ok(Some(text.to_owned())),
                None => Err(result.to_owned()),
            },
        });
        match decided {
            Ok(Some(text)) => format!("={text}"),
            Ok(None) => "stays".to_owned(),
            Err(error) => error,
        }
    }

    #[test]
    fn an_expression_stays_only_where_a_later_pass_may_know_more() {
        let strict = Unresolved::FailsIn(&["tasks", "steps"]);
        for (missing, unresolved, result, expected) in [
            (&[][..], Unresolved::Fails, "=1", "=1"),
            (&[], strict, "nil", "failed to evaluate expression \"an \\\\\\\"expression\\\\\\\"\""),
            (&[], strict, "odd", "failed to evaluate expression: odd"),
            (&[], Unresolved::Stays, "odd", "stays"),
            (&["nobody"], strict, "nil", "stays"),
            (&["nobody"], strict, "=x", "=x"),
            (&["nobody"], Unresolved::Fails, "=x", "failed to evaluate expression: nobody is missing"),
            (&["tasks.a"], strict, "=x", "failed to evaluate expression: tasks.a is missing"),
            (&["item"], strict, "=x", "stays"),
            (&["workflow.status"], Unresolved::Stays, "=x", "stays"),
        ] {
            assert_eq!(check(missing, unresolved, result), expected, "{missing:?} {result}");
        }
    }

    #[test]
    fn an_expression_that_cannot_be_read_never_stays() {
        let known = Evaluation {
            expression: "1 +",
            missing: Err("unexpected token EOF (1:3)".to_owned()),
            unresolved: Unresolved::Stays,
            has_placeholders: false,
        };
        let error = decide(&known, &mut |_| Ok(None)).expect_err("no expression");
        assert_eq!(error, "failed to evaluate expression: unexpected token EOF (1:3)");
    }
}
