//! The page's small engine: the row UNWIND over a plan, for preview and rehearsal.
//!
//! It knows programs, waits, DAGs, steps and exit hooks; loops, retries, locks and the rest are the walk's
//! (`operate`), which is too large to be sent with the page. What both know they do alike. No server runs it.

pub mod event;
pub mod predict;
mod project;
mod reconcile;
pub mod rehearse;
pub mod run;
mod scope;
mod table;
mod take_up;

use unwind_model::Workflow;

use crate::diagnostic::Diagnostic;
use crate::plan::{Plan, lower_for};

pub use predict::{predict, predict_at};
pub use rehearse::{Rehearsal, RehearsedLeaf, Simulation};
pub use run::{IllegalTransition, Run};

/// Lowers a workflow and tells all that a sketch cannot run.
pub fn lower(workflow: &Workflow) -> (Plan, Vec<Diagnostic>) {
    lower_for(workflow, true)
}
