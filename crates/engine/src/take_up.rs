//! A saved or streamed status to a run.

use unwind_model::WorkflowStatus;

use crate::diagnostic::Diagnostic;
use crate::run::Run;

/// Fills an empty run from a status.
pub(crate) fn take_up(_run: &mut Run, _status: &WorkflowStatus) -> Vec<Diagnostic> {
    unimplemented!()
}
