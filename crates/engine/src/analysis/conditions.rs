//! Conditions that no reader of `when` can read.

use unwind_model::Workflow;

use super::effect::tasks;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lang::when;
use crate::substitute::fill_in;

/// Every `when` that cannot be read whatever its references become.
/// Source: Argo `workflow/controller/steps.go`, `shouldExecute`.
pub(super) fn unreadable(workflow: &Workflow) -> Vec<Diagnostic> {
    let found = tasks(&workflow.spec).into_iter().filter_map(|(path, task)| {
        let filled = fill_in(&task.when, &|_| Some("value".to_owned()));
        let code = Code::Invalid { message: when::check(&filled).err()?.to_string() };
        Some(Diagnostic { code, severity: Severity::Error, path: format!("{path}.when"), position: None })
    });
    found.collect()
}
