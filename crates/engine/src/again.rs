//! Running a workflow again: manual retry and resubmit, and what users do to suspended nodes.
//!
//! In: a workflow with its status, and the time. Out: the workflow as it is to be stored, or Argo's own
//! error text. Nothing here talks to a cluster: pods to delete and new names go through the caller.

mod graph;
mod parameters;
mod pods;
pub mod resubmit;
pub mod retry;
pub mod suspended;

pub use parameters::ParameterError;
pub use pods::OldPod;
pub use resubmit::{ResubmitError, ResubmitOptions, resubmit};
pub use retry::{OldHooks, Retried, RetryError, RetryOptions, retry};
pub(crate) use suspended::take_defaults;
pub use suspended::{NodeValues, SetError, resume_nodes, set_nodes};

/// Label of a workflow that nobody looks at any more.
const COMPLETED: &str = "workflows.argoproj.io/completed";
/// Label with the workflow's phase.
const PHASE: &str = "workflows.argoproj.io/phase";
/// Label with the state of archiving.
const ARCHIVING: &str = "workflows.argoproj.io/workflow-archiving-status";
/// Label with the name of the workflow that was resubmitted.
const RESUBMITTED_FROM: &str = "workflows.argoproj.io/resubmitted-from-workflow";
/// Labels with the user who made the workflow.
const CREATOR: [&str; 3] = [
    "workflows.argoproj.io/creator",
    "workflows.argoproj.io/creator-email",
    "workflows.argoproj.io/creator-preferred-username",
];
