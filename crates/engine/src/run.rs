//! A run: a workflow walked by `operate`, one event at a time. `handle` is the one way anything moves.
//!
//! In: events, each with its time. Out: what moved, and what the driver must do. It decides nothing about
//! nodes itself: it puts events where the walk finds them, and acts on pods into the driver's words.

mod actions;
mod apply;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unwind_model::{
    NodeId, NodeName, NodePhase, NodeStatus, ObjectMeta, Shutdown, Template, Timestamp, Workflow,
    WorkflowPhase, WorkflowStatus,
};

use crate::behaviour::Behaviour;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::event::{Event, LeafStart, Step};
use crate::library::Library;
use crate::locks::LockUses;
use crate::operate::{self, At, Prepared};

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
    pub(crate) walk: operate::Run,
    /// Leaves that were started, or asked to, and have not ended.
    leaves: BTreeMap<At, Leaf>,
    /// When the time of leaves is up, earliest first; some of them may be over.
    limits: BTreeSet<(Timestamp, At)>,
    /// The timer that was last asked for and has not fired.
    timer: Option<Timestamp>,
    /// Whether `Finished` was said.
    finished: bool,
}

/// A leaf under way.
#[derive(Clone, Debug, PartialEq)]
struct Leaf {
    start: LeafStart,
    told_to_end: bool,
    /// How long it may run once it does.
    limit_ms: Option<i64>,
    /// Its template with everything filled in, where the node's own is not that.
    filled: Option<Arc<Prepared>>,
}

impl Run {
    /// A run that has not begun; the first event must be `Begun`. A workflow without a name is called by the
    /// start of the one it is to get.
    pub fn new(workflow: &Workflow, behaviour: Behaviour) -> Self {
        Self::of(named(workflow), Library::default(), behaviour)
    }

    /// The same with the documents that the workflow refers to.
    #[must_use]
    pub fn with_library(mut self, library: Library) -> Self {
        self.walk.library = library;
        self
    }

    fn of(workflow: Workflow, library: Library, behaviour: Behaviour) -> Self {
        let workflow = Workflow { status: WorkflowStatus::default(), ..workflow };
        Self {
            walk: operate::Run::new(workflow, library, behaviour),
            leaves: BTreeMap::new(),
            limits: BTreeSet::new(),
            timer: None,
            finished: false,
        }
    }

    /// Takes up a run from a saved or streamed status, to predict from it.
    pub fn from_status(
        workflow: &Workflow,
        library: Library,
        behaviour: Behaviour,
    ) -> (Self, Vec<Diagnostic>) {
        let walk = operate::Run::from_status(named(workflow), library, behaviour);
        let run = Self {
            leaves: actions::open_leaves(&walk),
            limits: BTreeSet::new(),
            timer: None,
            finished: walk.is_completed(),
            walk,
        };
        let status = &workflow.status;
        let is_moved = status.nodes.is_empty()
            && !(status.offload_node_status_version.is_empty() && status.compressed_nodes.is_empty());
        let diagnostic = Diagnostic {
            code: Code::NoNodes,
            severity: Severity::Warning,
            path: "status.nodes".to_owned(),
            position: None,
        };
        (run, is_moved.then_some(diagnostic).into_iter().collect())
    }

    /// A run that has not begun, with what another one has done already: a memoized resubmit. No program of
    /// it runs. The first event must be `Begun`.
    pub fn with_done(workflow: &Workflow, library: Library, behaviour: Behaviour) -> Self {
        let (mut run, _) = Self::from_status(workflow, library, behaviour);
        run.walk.cluster.pods.clear();
        run.walk.cluster.results.clear();
        run.leaves.clear();
        run
    }

    /// Applies one event at `now` (ms since the epoch, stamped by the caller, never decreasing).
    /// Nothing has moved when the event is refused.
    pub fn handle(&mut self, now: Timestamp, event: Event) -> Result<Step, IllegalTransition> {
        self.check(&event)?;
        let before = self.outside();
        let is_told = matches!(event, Event::LocksSeen { .. }) && before.phase.is_final();
        let walks = event == Event::Begun || before.phase != WorkflowPhase::Unset && !is_told;
        let mut step = Step::default();
        self.apply(now, event, &mut step)?;
        if walks {
            self.settle_into(now, &mut step);
        }
        self.note_outside(&before, &mut step);
        Ok(step)
    }

    /// Applies events of one instant and walks once, where nobody asks what each of them did by itself. What does
    /// not fit moves nothing.
    pub(crate) fn handle_together(&mut self, now: Timestamp, events: Vec<Event>) -> Step {
        let before = self.outside();
        let mut step = Step::default();
        for event in events {
            if self.check(&event).is_ok() {
                // What is refused moves nothing.
                self.apply(now, event, &mut step).ok();
            }
        }
        self.settle_into(now, &mut step);
        self.note_outside(&before, &mut step);
        step
    }

    /// Looks at everything, without an event: what a run that was taken up has still to do.
    pub(crate) fn settle(&mut self, now: Timestamp) -> Step {
        let before = self.outside();
        let mut step = Step::default();
        self.settle_into(now, &mut step);
        self.note_outside(&before, &mut step);
        step
    }

    /// The workflow object as it is now, its status left out.
    pub fn object(&self) -> &Workflow {
        &self.walk.workflow
    }

    /// The status of the workflow and all its nodes, as Argo writes it but with milliseconds.
    pub fn status(&self) -> WorkflowStatus {
        self.walk.status()
    }

    /// The status without its nodes: phase, message, times, progress.
    pub fn workflow_status(&self) -> WorkflowStatus {
        self.walk.workflow_status()
    }

    /// One node as `status` has it.
    pub fn node_status(&self, id: &NodeId) -> Option<NodeStatus> {
        self.walk.node_status(self.walk.table.with_id(id)?)
    }

    /// The template of a leaf or request that is under way, with inputs and references filled in.
    pub fn filled_template(&self, id: &NodeId) -> Option<&Template> {
        let at = self.walk.table.with_id(id)?;
        let node = self.walk.table.get(at);
        let filled = self.leaves.get(&at).and_then(|leaf| leaf.filled.as_ref());
        let filled = filled.or_else(|| self.walk.cluster.asked.get(&node.name));
        filled.or(node.template.as_ref()).map(|prepared| &prepared.template)
    }

    /// Full name and phase of a node.
    pub fn node(&self, id: &NodeId) -> Option<(&NodeName, NodePhase)> {
        let node = self.walk.table.get(self.walk.table.with_id(id)?);
        node.exists.then_some((&node.name, node.phase))
    }

    /// Id of the node of this full name.
    pub fn id_of(&self, name: &NodeName) -> Option<&NodeId> {
        let at = self.walk.table.named(name.as_str())?;
        Some(&self.walk.table.get(at).id)
    }

    /// Leaves that were started (or asked to) and have not ended, for taking up processes again.
    pub fn open_leaves(&self) -> Vec<LeafStart> {
        self.leaves.values().map(|leaf| leaf.start.clone()).collect()
    }

    /// Those of the open leaves that were told to end.
    pub fn ending_leaves(&self) -> Vec<NodeId> {
        let told = self.leaves.values().filter(|leaf| leaf.told_to_end);
        told.map(|leaf| leaf.start.node.clone()).collect()
    }

    /// What it holds and waits for of locks that it may share with other runs.
    pub fn lock_uses(&self) -> LockUses {
        self.walk.locks.uses_of(&self.walk.lock_key())
    }

    /// What it keeps of memoized templates: data of config maps by their names.
    pub fn caches(&self) -> &BTreeMap<String, BTreeMap<String, String>> {
        self.walk.memo.written()
    }

    /// HTTP and plug-in nodes that wait for an answer (`TaskAnswered`).
    pub fn open_tasks(&self) -> Vec<NodeId> {
        let asked = self.walk.cluster.tasks.names().into_iter();
        let nodes = asked.filter_map(|name| self.walk.table.named(name.as_str()));
        let nodes = nodes.map(|at| self.walk.table.get(at)).filter(|node| !node.phase.is_final());
        nodes.map(|node| node.id.clone()).collect()
    }

    /// When time alone moves something next, as last told by `SetTimer`.
    pub fn open_timer(&self) -> Option<Timestamp> {
        self.timer
    }

    /// The documents that the workflow refers to.
    pub fn library(&self) -> &Library {
        &self.walk.library
    }

    /// The row of behaviours it runs by.
    pub fn behaviour(&self) -> &Behaviour {
        &self.walk.behaviour
    }

    /// Name, labels and so on.
    pub fn metadata(&self) -> &ObjectMeta {
        &self.walk.workflow.metadata
    }

    /// The workflow's name, which is the root node's too.
    pub fn name(&self) -> &str {
        &self.walk.workflow.metadata.name
    }

    /// Phase of the workflow.
    pub fn phase(&self) -> WorkflowPhase {
        self.walk.state.phase
    }

    /// The shutdown that was asked.
    pub fn shutdown(&self) -> Option<Shutdown> {
        self.walk.workflow.spec.shutdown
    }

    /// True while the whole workflow is suspended. A shutdown ends that.
    pub fn is_suspended(&self) -> bool {
        self.walk.is_suspended() && self.shutdown().is_none()
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.walk.table.iter().count()
    }
}

/// The workflow with a name: where it has none, the start of the one it is to get.
fn named(workflow: &Workflow) -> Workflow {
    let mut workflow = workflow.clone();
    let metadata = &mut workflow.metadata;
    if metadata.name.is_empty() {
        metadata.name = metadata.generate_name.trim_end_matches('-').to_owned();
    }
    workflow
}
