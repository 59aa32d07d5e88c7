//! A run: plan, node table and behaviour. `handle` is the one way anything moves.

use unwind_model::{NodeName, NodePhase, ObjectMeta, Timestamp, WorkflowStatus};

use crate::behaviour::Behaviour;
use crate::diagnostic::Diagnostic;
use crate::event::{Event, Step};
use crate::plan::Plan;

/// An event that does not fit the state of its node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node `{node}` is {from:?} and cannot take `{event}`")]
pub struct IllegalTransition {
    /// Which node.
    pub node: NodeName,
    /// Its phase.
    pub from: NodePhase,
    /// What came.
    pub event: &'static str,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {}

impl Run {
    /// A run that has not begun; the first event must be `Begun`.
    pub fn new(_plan: Plan, _metadata: &ObjectMeta, _behaviour: Behaviour) -> Self {
        unimplemented!()
    }

    /// Applies one event at `now` (ms since the epoch, stamped by the caller, never decreasing).
    pub fn handle(&mut self, _now: Timestamp, _event: Event) -> Result<Step, IllegalTransition> {
        unimplemented!()
    }

    /// Takes up a run from a saved or streamed status, to predict from it.
    pub fn from_status(
        _plan: Plan,
        _metadata: &ObjectMeta,
        _status: &WorkflowStatus,
        _behaviour: Behaviour,
    ) -> (Self, Vec<Diagnostic>) {
        unimplemented!()
    }

    /// The status of the workflow and all its nodes, as Argo writes it but with milliseconds.
    pub fn status(&self) -> WorkflowStatus {
        unimplemented!()
    }

    /// Leaves that were started (or asked to) and have not ended, for taking up processes again.
    pub fn open_leaves(&self) -> Vec<crate::event::LeafStart> {
        unimplemented!()
    }
}
