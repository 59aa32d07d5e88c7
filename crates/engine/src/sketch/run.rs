//! A run: plan, node table and behaviour. `handle` is the one way anything moves.

use std::collections::VecDeque;
use std::sync::Arc;

use unwind_model::{
    NodeId, NodeName, NodePhase, ObjectMeta, Shutdown, Timestamp, WorkflowPhase, WorkflowStatus,
};

use crate::behaviour::Behaviour;
use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::sketch::event::{Event, LeafStart, Step};
use crate::sketch::reconcile::{Reconcile, Visit};
use crate::sketch::table::{Inside, Leaves, NodeIndex, Table};
use crate::sketch::{project, take_up};

/// An event that does not fit the state of its node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node `{node}` is {from:?} and cannot take `{event}`")]
pub struct IllegalTransition {
    /// Which node.
    pub node: NodeName,
    /// Its phase; `Pending` for a node that is not there.
    pub from: NodePhase,
    /// What came.
    pub event: &'static str,
}

/// A run.
#[derive(Clone, Debug)]
pub struct Run {
    pub(crate) plan: Arc<Plan>,
    pub(crate) behaviour: Behaviour,
    pub(crate) metadata: ObjectMeta,
    pub(crate) table: Table,
    pub(crate) workflow: WorkflowState,
    pub(crate) root: Option<NodeIndex>,
    pub(crate) handler: Option<NodeIndex>,
    /// What is still to be looked at. Empty between events, unless the run is suspended or was
    /// just taken up.
    pub(crate) visits: VecDeque<Visit>,
    /// How many nodes are not final.
    pub(crate) unfinished: usize,
    /// How many nodes were looked at since the beginning.
    pub(crate) looked_at: u64,
}

/// The workflow itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorkflowState {
    pub(crate) phase: WorkflowPhase,
    pub(crate) message: String,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) finished_at: Option<Timestamp>,
    pub(crate) shutdown: Option<Shutdown>,
    pub(crate) suspended: bool,
    /// Whether it began before any shutdown was asked; otherwise its handler does not run.
    pub(crate) began: bool,
    pub(crate) leaves: Leaves,
}

impl Run {
    /// A run that has not begun; the first event must be `Begun`.
    pub fn new(plan: Plan, metadata: &ObjectMeta, behaviour: Behaviour) -> Self {
        let mut metadata = metadata.clone();
        if metadata.name.is_empty() {
            metadata.name.clone_from(&plan.workflow);
        }
        let workflow = WorkflowState {
            shutdown: plan.preset_shutdown,
            suspended: plan.suspended,
            ..WorkflowState::default()
        };
        Self {
            plan: Arc::new(plan),
            behaviour,
            metadata,
            table: Table::default(),
            workflow,
            root: None,
            handler: None,
            visits: VecDeque::new(),
            unfinished: 0,
            looked_at: 0,
        }
    }

    /// Applies one event at `now` (ms since the epoch, stamped by the caller, never decreasing).
    /// Nothing has moved when the event is refused. Looks at the boundary that the event is about,
    /// and at its ancestors where that boundary ends; a shutdown looks at all nodes once.
    pub fn handle(&mut self, now: Timestamp, event: Event) -> Result<Step, IllegalTransition> {
        self.check(&event)?;
        let mut reconcile = Reconcile::new(self, now);
        reconcile.apply(event)?;
        reconcile.until_quiet()?;
        Ok(reconcile.into_step())
    }

    /// Looks at what is still to be looked at, without an event.
    pub(crate) fn settle(&mut self, now: Timestamp) -> Result<Step, IllegalTransition> {
        let mut reconcile = Reconcile::new(self, now);
        reconcile.until_quiet()?;
        Ok(reconcile.into_step())
    }

    /// Counts leaves in everything around a node, as far as it shows them: a leaf shows only
    /// itself. Gives the nodes that show another count now.
    pub(crate) fn count(&mut self, index: NodeIndex, leaves: Leaves) -> Vec<NodeIndex> {
        self.workflow.leaves.done += leaves.done;
        self.workflow.leaves.all += leaves.all;
        let mut moved = Vec::new();
        let mut at = Some(index);
        while let Some(inner) = at {
            at = self.table.counted_in(inner);
            let node = self.table.get_mut(inner);
            if inner == index || !node.inside.is_leaf() {
                node.leaves.done += leaves.done;
                node.leaves.all += leaves.all;
                moved.push(inner);
            }
        }
        moved
    }

    /// Takes up a run from a saved or streamed status, to predict from it.
    pub fn from_status(
        plan: Plan,
        metadata: &ObjectMeta,
        status: &WorkflowStatus,
        behaviour: Behaviour,
    ) -> (Self, Vec<Diagnostic>) {
        let mut run = Self::new(plan, metadata, behaviour);
        let diagnostics = take_up::take_up(&mut run, status);
        (run, diagnostics)
    }

    /// The status of the workflow and all its nodes, as Argo writes it but with milliseconds.
    pub fn status(&self) -> WorkflowStatus {
        project::status(self)
    }

    /// The status without its nodes: phase, message, times, progress.
    pub fn workflow_status(&self) -> WorkflowStatus {
        project::workflow_status(self)
    }

    /// One node as `status` has it.
    pub fn node_status(&self, id: &NodeId) -> Option<unwind_model::NodeStatus> {
        let index = self.table.find(id)?;
        Some(project::node_status(self, index))
    }

    /// Full name and phase of a node.
    pub fn node(&self, id: &NodeId) -> Option<(&NodeName, NodePhase)> {
        let node = self.table.get(self.table.find(id)?);
        Some((&node.name, node.phase))
    }

    /// Id of the node of this full name.
    pub fn id_of(&self, name: &NodeName) -> Option<&NodeId> {
        let index = self.table.named(name)?;
        Some(&self.table.get(index).id)
    }

    /// Leaves that were started (or asked to) and have not ended, for taking up processes again.
    pub fn open_leaves(&self) -> Vec<LeafStart> {
        self.table
            .iter()
            .filter(|(_, node)| is_open_leaf(node))
            .map(|(index, _)| self.leaf_start(index))
            .collect()
    }

    /// Those of the open leaves that were told to end.
    pub fn ending_leaves(&self) -> Vec<NodeId> {
        self.table
            .iter()
            .filter(|(_, node)| is_open_leaf(node) && is_told_to_end(node))
            .map(|(_, node)| node.id.clone())
            .collect()
    }

    /// Waits with a duration that are not over: node, and when it is.
    pub fn open_timers(&self) -> Vec<(NodeId, Timestamp)> {
        self.table
            .iter()
            .filter(|(_, node)| node.inside == Inside::Wait && !node.phase.is_final())
            .filter_map(|(_, node)| {
                let duration_ms = self.wait_ms(node)?;
                Some((node.id.clone(), node.started_at? + duration_ms))
            })
            .collect()
    }

    /// The plan that is run.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The row of behaviours it runs by.
    pub fn behaviour(&self) -> &Behaviour {
        &self.behaviour
    }

    /// Name, labels and so on, as they were given.
    pub fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    /// The workflow's name, which is the root node's too.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// Phase of the workflow.
    pub fn phase(&self) -> WorkflowPhase {
        self.workflow.phase
    }

    /// The strongest shutdown that was asked.
    pub fn shutdown(&self) -> Option<Shutdown> {
        self.workflow.shutdown
    }

    /// True while the whole workflow is suspended.
    pub fn is_suspended(&self) -> bool {
        self.workflow.suspended
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.table.len()
    }

    /// How many times a node was looked at to decide something, since the beginning. For tests of
    /// cost: time cannot be tested, this can.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    fn check(&self, event: &Event) -> Result<(), IllegalTransition> {
        let begun = self.workflow.phase != WorkflowPhase::Unset;
        let over = self.workflow.phase.is_final();
        let fits = match event {
            Event::Begun => !begun,
            Event::StopRequested
            | Event::TerminateRequested
            | Event::SuspendRequested
            | Event::ResumeRequested => !over,
            Event::LeafStarted { .. } | Event::LeafEnded { .. } | Event::TimerFired { .. } => begun,
        };
        if fits {
            return Ok(());
        }
        let root = self.root.map(|root| self.table.get(root));
        Err(IllegalTransition {
            node: NodeName::from(self.name()),
            from: root.map_or(NodePhase::Pending, |node| node.phase),
            event: event.name(),
        })
    }
}

fn is_open_leaf(node: &crate::sketch::table::Node) -> bool {
    matches!(node.inside, Inside::Program { .. }) && !node.phase.is_final()
}

fn is_told_to_end(node: &crate::sketch::table::Node) -> bool {
    node.inside == Inside::Program { told_to_end: true }
}
