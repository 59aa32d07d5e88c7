//! The workflow itself: its begin, its handler, its end.
//! Source: Argo `workflow/controller/operator.go`, `operate`, `markWorkflowPhase`;
//! `argo-semantics` 5.5; design decision 6.

use unwind_model::{NodePhase, Shutdown, WorkflowPhase};

use crate::names;
use crate::sketch::event::{Action, Change};
use crate::sketch::scope::root_name;
use crate::sketch::table::{ExitWork, Node, NodeIndex, Place};

use super::begin::Beginning;
use super::{Reconcile, Visit};

impl Reconcile<'_> {
    pub(super) fn begin_workflow(&mut self) {
        self.run.workflow.started_at = Some(self.now);
        self.run.workflow.began = self.run.workflow.shutdown.is_none();
        self.note_workflow(WorkflowPhase::Running);
        self.visit(Visit::Workflow);
    }

    pub(super) fn visit_workflow(&mut self) {
        if self.run.workflow.phase != WorkflowPhase::Running {
            return;
        }
        let Some(root) = self.run.root else {
            self.begin_root();
            return;
        };
        if !self.is_over(root) {
            return;
        }
        if self.run.handler.is_none() && self.begin_handler() {
            return;
        }
        if self.run.handler.is_some_and(|handler| !self.is_over(handler)) {
            return;
        }
        if self.run.unfinished > 0 {
            return;
        }
        self.end_workflow(root);
    }

    fn begin_root(&mut self) {
        let plan = self.plan();
        let beginning = Beginning {
            place: Place::Root,
            name: root_name(self.run),
            call: &plan.root,
            exit_work: ExitWork::None,
        };
        match self.run.workflow.shutdown {
            None => {
                self.begin(beginning);
            }
            Some(shutdown) => {
                let message = super::leaf::shutdown_text(shutdown, false);
                let node_type = plan.template(plan.root.template).kind.node_type();
                let index = self.add_ended(beginning, node_type, NodePhase::Failed, message);
                self.run.table.get_mut(index).cut = true;
            }
        }
    }

    /// Begins the handler when there is one and it may; the workflow has begun, so it is due even
    /// where nothing of the main work did.
    fn begin_handler(&mut self) -> bool {
        let plan = self.plan();
        let Some(handler) = &plan.handler else {
            return false;
        };
        if !self.run.workflow.began || !self.may_begin(ExitWork::Handler) {
            return false;
        }
        self.begin(Beginning {
            place: Place::Handler,
            name: names::exit_hook(&root_name(self.run)),
            call: &handler.call,
            exit_work: ExitWork::Handler,
        });
        true
    }

    fn end_workflow(&mut self, root: NodeIndex) {
        let root = self.run.table.get(root);
        let handler = self.run.handler.map(|handler| self.run.table.get(handler));
        let (phase, message) = how_it_ends(root, handler, self.run.workflow.shutdown);
        self.run.workflow.message = message;
        self.run.workflow.finished_at = Some(self.now);
        self.note_workflow(phase);
        self.act(Action::Finished);
    }

    /// Moves the workflow to a phase, or says that something else of it moved.
    pub(super) fn note_workflow(&mut self, to: WorkflowPhase) {
        let from = self.run.workflow.phase;
        self.run.workflow.phase = to;
        self.step.changes.push(Change::Workflow { from, to });
    }
}

/// Phase and message of a workflow whose nodes have all ended.
fn how_it_ends(root: &Node, handler: Option<&Node>, shutdown: Option<Shutdown>) -> (WorkflowPhase, String) {
    let phase = match root.phase {
        NodePhase::Failed => WorkflowPhase::Failed,
        NodePhase::Error => WorkflowPhase::Error,
        NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted
        | NodePhase::Pending
        | NodePhase::Running => WorkflowPhase::Succeeded,
    };
    if phase != WorkflowPhase::Succeeded {
        let message = shutdown.map_or_else(
            || root.message.clone(),
            |shutdown| format!("Stopped with strategy '{}'", shutdown.as_str()),
        );
        return (phase, message);
    }
    match handler {
        Some(node) if node.phase == NodePhase::Failed => (WorkflowPhase::Failed, node.message.clone()),
        Some(node) if node.phase == NodePhase::Error => (WorkflowPhase::Error, node.message.clone()),
        Some(_) | None => (WorkflowPhase::Succeeded, String::new()),
    }
}
