//! A `depends` as Argo reads it: names found in its text, wherever they stand, and the text that is
//! evaluated once the names are over.
//! Source: Argo `workflow/common/ancestry.go`, `GetTaskDependencies`, `expandDependency`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use crate::lang::expr;
use crate::plan::ContinueOn;

/// A name in the text of a `depends`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// Where it stands, its result included.
    pub range: Range<usize>,
    /// The name of the task.
    pub task: &'a str,
    /// The result that is asked for; a bare name stands for several.
    pub result: Option<&'a str>,
}

/// All that looks like a name of a task. What looks like a result begins with a capital letter and has only
/// letters.
pub fn names(depends: &str) -> Vec<Named<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = depends[at..].find(|c: char| c.is_ascii_alphanumeric()) {
        let begin = at + begin;
        let rest = &depends[begin..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        let result = rest[length..].strip_prefix('.').map(|after| {
            let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
            &after[..end]
        });
        let result =
            result.filter(|result| result.len() > 1 && result.starts_with(|c: char| c.is_ascii_uppercase()));
        let end = begin + length + result.map_or(0, |result| result.len() + 1);
        found.push(Named { range: begin..end, task: &rest[..length], result });
        at = end;
    }
    found
}

/// The text that Argo evaluates: bare names written out, and `_` for `-`. `continue_on` tells of a task by
/// its name.
pub fn logic(depends: &str, continue_on: &dyn Fn(&str) -> ContinueOn) -> String {
    let mut text = String::new();
    let mut end = 0;
    for named in names(depends) {
        text.push_str(&depends[end..named.range.start]);
        end = named.range.end;
        match named.result {
            Some(_) => text.push_str(&depends[named.range]),
            None => push_bare(&mut text, named.task, continue_on(named.task)),
        }
    }
    text.push_str(&depends[end..]);
    text.replace('-', "_")
}

fn push_bare(text: &mut String, task: &str, continue_on: ContinueOn) {
    write!(text, "({task}.Succeeded || {task}.Skipped || {task}.Daemoned")
        .expect("a string takes everything");
    if continue_on.error {
        write!(text, " || {task}.Errored").expect("a string takes everything");
    }
    if continue_on.failed {
        write!(text, " || {task}.Failed").expect("a string takes everything");
    }
    text.push(')');
}

/// What Argo says once the named tasks are over, when the text cannot be evaluated. `None` when it can,
/// whatever its value.
/// Source: Argo `workflow/controller/dag.go`, `evaluateDependsLogic`.
pub fn failure(depends: &str, continue_on: &dyn Fn(&str) -> ContinueOn) -> Option<String> {
    let logic = logic(depends, continue_on);
    let results: Vec<String> = names(depends)
        .iter()
        .flat_map(|named| RESULTS.map(|result| format!("{}.{result}", named.task.replace('-', "_"))))
        .collect();
    let results: Vec<_> = results.iter().map(|name| (name.as_str(), expr::Value::Bool(false))).collect();
    let environment = expr::environment_with(&BTreeMap::new(), &results);
    let error = expr::evaluate_bool(&logic, &environment).err()?;
    Some(format!("unable to evaluate expression '{logic}': {error}"))
}

/// Results of a task.
const RESULTS: [&str; 8] =
    ["Succeeded", "Failed", "Errored", "Skipped", "Omitted", "Daemoned", "AnySucceeded", "AllFailed"];
