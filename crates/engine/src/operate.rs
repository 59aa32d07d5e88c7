//! A workflow under a controller: one call of `pass` is one reconcile, decided from what was seen.
//!
//! In: a workflow, the documents it refers to, a row of behaviours, what happened in the cluster. Out:
//! the status after each pass and what is to be done to pods. Everything a pass decides, it decides at
//! one instant; nothing is looked at between passes.
//! Source: Argo `workflow/controller/operator.go`, `operate`.

mod aggregate;
mod by_name;
mod cache;
mod cluster;
mod cut;
mod dag;
mod dag_phase;
mod dag_task;
mod fill;
mod finish;
mod globals;
mod hooks;
mod index;
mod leaf;
mod limits;
#[cfg(test)]
mod limits_tests;
mod links;
mod mention;
mod merge;
mod metadata;
mod nodes;
mod note;
mod open_dag;
mod open_steps;
mod opened;
mod outbound;
mod outputs;
mod pass;
mod pod_labels;
mod pods;
mod requests;
mod results;
mod retry;
mod rings;
mod scope;
#[cfg(test)]
mod source_tests;
mod status;
mod steps;
mod suspend;
mod table;
mod take_up;
mod tasks;
mod template;
mod templates;
mod times;
mod todo;
mod touched;
#[cfg(test)]
mod touched_tests;
mod workflow;

use std::collections::BTreeSet;
use std::sync::Arc;

use unwind_model::params::Outputs;
use unwind_model::spec::WorkflowSpec;
use unwind_model::{NodePhase, NodeStatus, Timestamp, Workflow, WorkflowPhase, WorkflowStatus};

use crate::behaviour::Behaviour;
use crate::library::Library;
use crate::locks::{LockStatus, LockUses, Locks};
use crate::memo::Caches;

pub use cluster::{ContainerState, PodAct, PodCreated, PodPhase, PodReport, Seen};

use cluster::Cluster;
use globals::KnownGlobals;
use table::Table;
pub(crate) use table::{At, Node};
use templates::Templates;
pub(crate) use templates::{Kind, Prepared};
use todo::Todo;

/// A workflow under a controller.
#[derive(Clone, Debug)]
pub struct Run {
    pub(crate) behaviour: Behaviour,
    pub(crate) library: Library,
    /// The object, its status left out.
    pub(crate) workflow: Workflow,
    /// The spec that is run: the object's, without its templates, or that of the template it refers to with the
    /// object's over it.
    pub(crate) spec: Option<Arc<WorkflowSpec>>,
    pub(crate) templates: Templates,
    pub(crate) table: Table,
    pub(crate) cluster: Cluster,
    pub(crate) locks: Locks,
    pub(crate) state: WorkflowState,
    pub(crate) settings: Settings,
    /// Passes that moved something.
    pub(crate) moves: u64,
    /// Outputs of memoized templates.
    pub(crate) memo: Caches,
    /// `workflow.*` names of the last pass.
    pub(crate) globals: Option<KnownGlobals>,
    /// Outputs of everything that gave nothing but the exit code 0.
    pub(crate) ended_well: Arc<Outputs>,
    /// Names that many nodes share.
    texts: BTreeSet<Arc<str>>,
    /// What a walk of what was touched has still to do.
    pub(crate) todo: Todo,
    /// Whether somebody looks at progress: nothing is decided by it, and under the row of a controller it costs a
    /// look at every node in every pass.
    pub(crate) counts_progress: bool,
}

/// Settings of the controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `workflowRestrictions.templateReferencing: Secure`: a spec that differs from the stored copy of what
    /// it refers to is refused in every pass.
    pub must_not_change: bool,
}

/// The workflow's own part of the status.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WorkflowState {
    pub(crate) phase: WorkflowPhase,
    pub(crate) message: String,
    pub(crate) progress: String,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) finished_at: Option<Timestamp>,
    pub(crate) outputs: Option<Outputs>,
    /// `status.synchronization`.
    pub(crate) locks: Option<LockStatus>,
    /// The label that keeps controllers away.
    pub(crate) completed: bool,
}

impl Run {
    /// A workflow that no controller has seen yet.
    pub fn new(workflow: Workflow, library: Library, behaviour: Behaviour) -> Self {
        let locks = Locks::new(behaviour.lock_forms);
        Self {
            behaviour,
            library,
            workflow,
            spec: None,
            templates: Templates::default(),
            table: Table::default(),
            cluster: Cluster::default(),
            locks,
            state: WorkflowState::default(),
            settings: Settings::default(),
            moves: 0,
            memo: Caches::default(),
            globals: None,
            ended_well: Arc::new(Outputs { exit_code: Some("0".to_owned()), ..Outputs::default() }),
            texts: BTreeSet::new(),
            todo: Todo::default(),
            counts_progress: true,
        }
    }

    /// The same under other settings of the controller.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The row it runs by.
    pub fn behaviour(&self) -> &Behaviour {
        &self.behaviour
    }

    /// The documents that its workflow refers to.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The settings of its controller.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Takes in something that happened before the next pass.
    pub fn see(&mut self, now: Timestamp, seen: Seen) {
        requests::see(self, now, seen);
    }

    /// Its name as locks have it.
    pub(crate) fn lock_key(&self) -> String {
        let metadata = &self.workflow.metadata;
        let namespace = if metadata.namespace.is_empty() { "default" } else { &metadata.namespace };
        format!("{namespace}/{}", metadata.name)
    }

    /// Takes in what other runs hold and wait for. Who waits here is looked at again.
    pub(crate) fn share_locks(&mut self, others: LockUses) {
        let own = self.lock_key();
        self.locks.share(&own, others);
        let waiting =
            self.table.iter().filter(|(_, node)| node.rare().waits_for.is_some() && !node.is_fulfilled());
        let waiting: Vec<_> = waiting.map(|(_, node)| node.name.clone()).collect();
        for node in waiting {
            self.todo.hear(node);
        }
    }

    /// One reconcile at `now`: what is to be done to pods, in the order it was decided.
    pub fn pass(&mut self, now: Timestamp) -> Vec<PodAct> {
        pass::pass(self, now)
    }

    /// Has the next pass look at everything, under a row that knows no rhythm. Nothing moves then that was not
    /// about to move, which is how the walk of what was touched is tested.
    pub fn look_at_all(&mut self) {
        self.todo.swept = None;
    }

    /// When time alone will move something; under the row of a controller, when it looks again of itself.
    pub fn next_wake(&self) -> Option<Timestamp> {
        self.todo.next_wake()
    }

    /// Nodes that were made or moved since the last call, in the order of creation; with each the phase it had
    /// then, `None` for one that was not there. Under the row of a controller some may be as they were.
    pub(crate) fn take_moved(&mut self) -> impl Iterator<Item = (&Node, Option<NodePhase>)> {
        let moved = std::mem::take(&mut self.todo.moved);
        let nodes = moved.into_iter().map(|(at, before)| (self.table.get(at), before));
        nodes.filter(|(node, _)| node.exists)
    }

    /// The status as it is stored.
    pub fn status(&self) -> WorkflowStatus {
        status::status(self)
    }

    /// The object as it is stored: what was asked of it is in its spec, and the status keeps what it refers to.
    pub fn object(&self) -> Workflow {
        let mut status = self.status();
        let stored = self.spec.as_ref().filter(|_| self.has_template_ref());
        if let Some(stored) = stored.and_then(|spec| serde_json::to_value(spec.as_ref()).ok()) {
            status.other.insert(workflow::STORED_SPEC.to_owned(), stored);
        }
        Workflow { status, ..self.workflow.clone() }
    }

    /// The status without its nodes.
    pub fn workflow_status(&self) -> WorkflowStatus {
        status::workflow_status(self)
    }

    /// One node as `status` has it.
    pub(crate) fn node_status(&self, at: At) -> Option<NodeStatus> {
        let node = self.table.get(at);
        node.exists.then(|| status::node_status(self, node))
    }

    /// Whether the whole workflow is suspended, be it by the template that it refers to.
    pub fn is_suspended(&self) -> bool {
        let stored = self.spec.as_ref().filter(|_| self.has_template_ref());
        let own = self.workflow.spec.suspend;
        own.or_else(|| stored.and_then(|stored| stored.suspend)) == Some(true)
    }

    /// A text that nodes share.
    pub(crate) fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&new));
        new
    }

    /// Whether the workflow carries the completed label: no pass looks at it again.
    pub fn is_completed(&self) -> bool {
        self.state.completed
    }
}
