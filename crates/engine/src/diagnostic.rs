//! What is wrong with a document, as data: kind, place, values. Sentences are made in `unwind-present`.

use serde::{Deserialize, Serialize};
use unwind_model::yaml::Position;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The workflow cannot run.
    Error,
    /// It runs, but not as written.
    Warning,
    /// Worth knowing.
    Note,
}

/// One thing about a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// What it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// JSON path of the value, for example `spec.templates[2].dag.tasks[0].withItems`.
    pub path: String,
    /// Where that stands in the text, when the text is known.
    pub position: Option<Position>,
}

/// What can be said about a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum Code {
    /// A field that this engine does not run.
    Unsupported {
        /// Name of the field.
        field: String,
    },
    /// A template that is named but not there.
    UnknownTemplate {
        /// Its name.
        template: String,
    },
    /// A dependency on a task that is not there.
    UnknownTask {
        /// Its name.
        task: String,
    },
    /// A `depends` that cannot be read.
    BadDepends {
        /// What was expected.
        expected: String,
    },
    /// Tasks that wait for each other.
    DependencyCycle {
        /// The tasks on the cycle.
        tasks: Vec<String>,
    },
    /// Two templates, tasks or parameters of one name.
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A required field that is missing.
    Missing {
        /// Name of the field.
        field: String,
    },
    /// A `{{…}}` reference that resolves to nothing.
    Unresolved {
        /// The reference as written.
        placeholder: String,
    },
    /// A leaf without a command, so nothing can be run locally.
    NoCommand {
        /// The image that would have given the command.
        image: String,
    },
    /// A value that does not fit its field.
    BadValue {
        /// What was expected.
        expected: String,
    },
    /// What the controller's validation says.
    Invalid {
        /// Argo's text.
        message: String,
    },
    /// Something that programs on this machine cannot be given.
    NotHere {
        /// What.
        what: String,
        /// What to do instead.
        next: String,
    },
    /// A manifest that asks for its own shutdown.
    PresetShutdown {
        /// `Stop` or `Terminate`.
        strategy: String,
    },
    /// Something that is written and has no effect where it stands.
    NoEffect {
        /// The document it is written in; empty for this one.
        document: String,
        /// The field.
        field: String,
        /// Why.
        reason: NoEffect,
    },
    /// The nodes are not in the object (moved to a database).
    NoNodes,
    /// A behaviour was asked for a release that has no row of its own.
    NearestRelease {
        /// The release asked for.
        asked: String,
        /// The row taken.
        taken: String,
    },
}

/// Why something has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoEffect {
    /// It belongs to the whole spec, and only a template of it is called.
    /// Source: Argo `workflow/controller/operator.go`, `setExecWorkflow` (#9988).
    CalledByTemplate,
    /// The workflow's own exit hook runs whatever its condition says.
    /// Source: Argo `workflow_types.go`, `GetExitHook` (trace hooks/wf-exit-expr-false).
    HandlerCondition,
}
