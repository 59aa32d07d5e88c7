//! A run as the workflow object that everyone sees, and every step of it as a change.
//!
//! In: the run and which nodes moved. Out: the object with milliseconds, and the watch event that
//! leads to it. Labels and `spec.shutdown` are set here, as Argo's controller and server do.

use std::collections::BTreeSet;
use std::sync::Arc;

use unwind_engine::Run;
use unwind_model::delta::{self, DeltaChange, WorkflowDelta, without_nodes};
use unwind_model::{NodeId, Workflow, WorkflowSpec};

use crate::backend::{WatchEvent, WatchKind};

/// Label with the workflow's phase. Source: Argo `workflow/common/common.go`, `LabelKeyPhase`.
pub const LABEL_PHASE: &str = "workflows.argoproj.io/phase";
/// Label that tells whether it is over. Source: the same, `LabelKeyCompleted`.
pub const LABEL_COMPLETED: &str = "workflows.argoproj.io/completed";

/// One run as its workflow object.
#[derive(Clone, Debug)]
pub struct Projection {
    whole: Arc<Workflow>,
    /// The object without nodes and without the parts of its spec that never move.
    shell: Workflow,
}

impl Projection {
    /// Begins with the workflow as it was submitted.
    pub fn new(workflow: Workflow) -> Self {
        let mut shell = without_nodes(&workflow);
        shell.spec = WorkflowSpec {
            shutdown: workflow.spec.shutdown,
            suspend: workflow.spec.suspend,
            ..WorkflowSpec::default()
        };
        Self { whole: Arc::new(workflow), shell }
    }

    /// The object now.
    pub fn workflow(&self) -> &Arc<Workflow> {
        &self.whole
    }

    /// The event of its first sight.
    pub fn added(&self, version: u64) -> WatchEvent {
        self.event(WatchKind::Added, version, WorkflowDelta::whole(&self.whole))
    }

    /// The event of its removal.
    pub fn deleted(mut self, version: u64) -> WatchEvent {
        let whole = Arc::make_mut(&mut self.whole);
        whole.metadata.resource_version = version.to_string();
        let delta = WorkflowDelta::of(whole, DeltaChange::Deleted);
        self.event(WatchKind::Deleted, version, delta)
    }

    /// Takes in what may have moved anywhere: arguments, nodes that are gone.
    pub fn renew(&mut self, run: &Run, version: u64) -> WatchEvent {
        let mut whole = Workflow { spec: run.object().spec.clone(), ..without_nodes(&self.whole) };
        whole.status = run.status();
        mark(&mut whole);
        whole.metadata.resource_version = version.to_string();
        let difference = delta::diff(&self.whole, &whole);
        *self = Self::new(whole);
        self.event(WatchKind::Modified, version, difference)
    }

    /// Takes in what moved. `None` when nobody can see a difference.
    pub fn advance(&mut self, run: &Run, changed: &BTreeSet<NodeId>, version: u64) -> Option<WatchEvent> {
        let status = run.workflow_status();
        let (shutdown, suspend) = (run.shutdown(), run.object().spec.suspend);
        let mut shell = self.shell.clone();
        shell.spec.shutdown = shutdown;
        shell.spec.suspend = suspend;
        shell.status = status;
        mark(&mut shell);
        let moved: Vec<_> = changed
            .iter()
            .filter_map(|id| {
                let node = run.node_status(id)?;
                let change = delta::node_change(id, self.whole.status.nodes.get(id), &node)?;
                Some((change, node))
            })
            .collect();
        if moved.is_empty() && shell == self.shell {
            return None;
        }
        shell.metadata.resource_version = version.to_string();
        let mut difference = delta::diff(&self.shell, &shell);
        let whole = Arc::make_mut(&mut self.whole);
        whole.metadata.clone_from(&shell.metadata);
        whole.spec.shutdown = shutdown;
        whole.spec.suspend = suspend;
        let kept = std::mem::take(&mut whole.status.nodes);
        whole.status = shell.status.clone();
        whole.status.nodes = kept;
        for (change, node) in moved {
            if let DeltaChange::Changed { nodes, .. } = &mut difference.change {
                whole.status.nodes.insert(change.id.clone(), node);
                nodes.push(change);
            }
        }
        self.shell = shell;
        Some(self.event(WatchKind::Modified, version, difference))
    }

    fn event(&self, kind: WatchKind, version: u64, delta: WorkflowDelta) -> WatchEvent {
        WatchEvent {
            kind,
            resource_version: version,
            workflow: Arc::clone(&self.whole),
            delta: Arc::new(delta),
        }
    }
}

/// Sets the labels that tell of the status.
fn mark(workflow: &mut Workflow) {
    let phase = workflow.status.phase;
    let labels = &mut workflow.metadata.labels;
    labels.insert(LABEL_PHASE.to_owned(), phase.as_str().to_owned());
    labels.insert(LABEL_COMPLETED.to_owned(), phase.is_final().to_string());
}
