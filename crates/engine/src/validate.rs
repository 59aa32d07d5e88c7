//! Validation of a workflow in the words of the controller, with the place in the document.
//!
//! In: a document and what it may refer to. Out: nothing, or the first thing that Argo's validation
//! finds, in its order of checks. What Argo leaves to a random order of maps is taken in the order of the
//! document. It must never decide what to do about it.
//! Source of every rule below: Argo `workflow/validate/validate.go` of v4.1 and what it calls.

mod arguments;
mod artifact;
mod container_set;
mod dag;
mod dependencies;
mod document;
mod go_json;
mod items;
mod leaf;
mod metrics;
mod names;
mod outputs;
mod resolve;
mod scope;
mod shape;
mod steps;
mod template;
#[cfg(test)]
mod tests;
mod workflow;

use std::fmt;

use unwind_model::Workflow;

use self::workflow::Subject;
use crate::library::Library;

pub use document::validate_document;
pub(crate) use resolve::not_found;

/// For what a document is validated.
/// Source: Argo `workflow/validate/validate.go`, `Opts`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent options, as in Argo's `Opts`")]
pub struct ValidateOptions {
    /// It is only looked at: workflow arguments need no values, and a missing `workflowTemplateRef` is an
    /// error (the controller sees that one before it validates).
    pub lint: bool,
    /// No entrypoint is needed.
    pub ignore_entrypoint: bool,
    /// It is a `WorkflowTemplate` or `ClusterWorkflowTemplate`: arguments come later.
    pub workflow_template: bool,
    /// It is about to be run: workflow arguments need values even in a `WorkflowTemplate`.
    pub submit: bool,
    /// The embedded engine runs it: `hooks.exit` may use the failures like `onExit`, which Argo refuses (#13245).
    pub own_engine: bool,
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Invalid {
    /// Argo's text, without the `invalid spec: ` that the controller puts before it.
    pub message: String,
    /// Where, as a path in the document: `spec.templates[1].dag.tasks[0]`. What is wrong in another
    /// document is at the place that refers to it.
    pub path: String,
}

impl Invalid {
    fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { message: message.into(), path: path.into() }
    }

    /// The same with something said before it.
    fn within(self, before: impl fmt::Display) -> Self {
        Self { message: format!("{before} {}", self.message), path: self.path }
    }
}

/// The first thing that Argo finds wrong with a workflow.
/// Source: Argo `workflow/validate/validate.go`, `Workflow`.
pub fn validate(workflow: &Workflow, library: &Library, options: ValidateOptions) -> Result<(), Invalid> {
    let may_lack_reference = !options.lint;
    workflow::validate(&Subject { workflow, library, options, spec_path: "spec", may_lack_reference })
}
