//! Paths into JSON as the function `jsonpath` of Argo reads them.
//!
//! In: a path such as `$.a[0]['b']`, `$..c`, `$[?(@.d > 1)]` and a document. Out: what it finds, or the
//! library's own words. Source: evilmonkeyinc/jsonpath v0.8.1, with no options.

mod parse;
mod script;
mod split;
mod walk;

use std::cell::Cell;

use super::value::Value;

/// Most parts of a path, and the deepest nesting of a filter.
const PART_LIMIT: usize = 100;
/// Most steps of a search.
const STEP_LIMIT: usize = 1_000_000;

/// A part of a path.
#[derive(Debug)]
enum Part {
    /// `$`
    Root,
    /// `@`
    Current,
    /// `*`
    Wildcard,
    /// `..`
    Recursive,
    /// `length`
    Length,
    Key(String),
    Index(i64),
    Range(Box<[Argument; 3]>),
    Union(Vec<Argument>),
    /// `?(…)`
    Filter(script::Script),
    /// `(…)`
    Script(script::Script),
}

/// An argument of a range or union.
#[derive(Debug)]
enum Argument {
    Nil,
    Int(i64),
    Text(String),
    Script(script::Script),
}

/// What a search has used up.
struct Search {
    steps: Cell<usize>,
}

impl Search {
    fn step(&self) -> Result<(), String> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > STEP_LIMIT { Err("path takes too many steps".to_owned()) } else { Ok(()) }
    }
}

/// What a path finds in a document.
pub(super) fn query(path: &str, document: &Value) -> Result<Value, String> {
    let parts = parts(path, 0).map_err(|text| format!("invalid JSONPath selector '{path}' {text}"))?;
    let search = Search { steps: Cell::new(0) };
    walk::apply(&search, document, document, &parts)
}

fn parts(path: &str, depth: usize) -> Result<Vec<Part>, String> {
    let texts = split::split(path)?;
    if texts.len() > PART_LIMIT || depth > PART_LIMIT {
        return Err("is too long".to_owned());
    }
    texts.iter().map(|text| parse::part(text, depth)).collect()
}
