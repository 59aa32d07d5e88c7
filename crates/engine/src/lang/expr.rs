//! Expressions as expr-lang reads them, with the functions Argo adds.
//!
//! In: a source and the names of its place. Out: a value, or the very text that Argo shows. Nothing
//! here knows a clock, randomness or the world outside. Source: expr-lang v1.17; Argo `util/expr`.

mod argo;
mod base64;
mod builtins;
mod check;
mod environment;
mod fold;
mod identifiers;
mod json;
mod jsonpath;
mod nature;
mod operators;
mod parse;
mod place;
mod print;
mod run;
mod sprig;
mod time;
mod token;
mod tree;
mod value;

#[cfg(test)]
mod tests;

pub use environment::{Environment, environment, environment_for, environment_with};
pub use time::Moment;
pub use value::{List, ListOf, Map, Value};

/// What is wrong with an expression, in the words of expr-lang, with place and snippet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExprError {
    /// It cannot be read, names what is not there, or compares what cannot be compared.
    #[error("{0}")]
    Compile(String),
    /// It failed while it ran.
    #[error("{0}")]
    Run(String),
    /// Argo's own words around one of these, or about a result of the wrong type.
    #[error("{0}")]
    Result(String),
}

/// An expression that has been read.
#[derive(Clone, Debug)]
pub struct Program {
    source: String,
    node: tree::Node,
    /// What runs, or what only a checked expression is told.
    folded: Result<tree::Node, place::Fault>,
}

/// Reads an expression. Names and types are looked at only when it runs, since Argo compiles each
/// expression anew against the values it has.
pub fn compile(source: &str) -> Result<Program, ExprError> {
    match parse::parse(source) {
        Ok(node) => {
            let folded = fold::fold(node.clone());
            Ok(Program { source: source.to_owned(), node, folded })
        }
        Err(fault) => Err(ExprError::Compile(fault.show(source))),
    }
}

impl Program {
    /// Checks and runs the expression. An unknown name at the top is a compile error; an unknown member
    /// of a map is nil.
    pub fn run(&self, environment: &Environment) -> Result<Value, ExprError> {
        let wrong = |fault: place::Fault| ExprError::Compile(fault.show(&self.source));
        check::check(&self.node, &self.source, &environment.root).map_err(wrong)?;
        let node = self.folded.as_ref().map_err(|fault| wrong(fault.clone()))?;
        run::run(node, &environment.root, environment.now)
            .map_err(|fault| ExprError::Run(fault.show(&self.source)))
    }

    /// Dotted paths of names that the expression asks for, see [`Environment::has`]. Those that are only
    /// asked for with a fallback (`??`, `?.`) are left out.
    pub fn identifiers(&self) -> Vec<String> {
        identifiers::identifiers(&self.node)
    }
}

/// Reads and runs an expression.
pub fn evaluate(source: &str, environment: &Environment) -> Result<Value, ExprError> {
    compile(source)?.run(environment)
}

/// Reads and runs an expression that must be true or false.
/// Source: Argo `util/expr/argoexpr/eval.go`, `EvalBool`.
pub fn evaluate_bool(source: &str, environment: &Environment) -> Result<bool, ExprError> {
    match evaluate(source, environment) {
        Ok(Value::Bool(value)) => Ok(value),
        Ok(other) => {
            let shown = print::as_text(&other);
            Err(ExprError::Result(format!("unable to cast expression result '{shown}' to bool")))
        }
        Err(ExprError::Run(text)) => {
            Err(ExprError::Result(format!("unable to evaluate expression '{source}': {text}")))
        }
        Err(error) => Err(error),
    }
}
