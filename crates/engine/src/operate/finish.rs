//! The workflow's own phase, and progress.
//! Source: Argo `workflow/controller/operator.go`, `markWorkflowPhase`, `operate`.

use unwind_model::{NodePhase, WorkflowPhase};

use crate::progress::{Entry, is_leaf, sums};

use super::pass::{Pass, RootSeen};
use super::table::At;

impl Pass<'_> {
    /// Moves the workflow to a phase. A final one has to wait for open results and daemons.
    pub(crate) fn mark_workflow(&mut self, phase: WorkflowPhase, message: &str) {
        // The controller panics here, with what it has done so far.
        if self.run.state.phase.is_final() && self.run.state.phase != phase {
            return;
        }
        let has_daemons = self.run.table.iter().any(|(_, node)| node.daemoned);
        if phase.is_final() && (self.has_open_results() || has_daemons) {
            self.end_daemons(None);
            return;
        }
        let now = self.now;
        let state = &mut self.run.state;
        if state.phase != phase {
            state.phase = phase;
            self.updated = true;
        }
        if state.started_at.is_none() && phase != WorkflowPhase::Pending {
            state.started_at = Some(now);
            self.updated = true;
        }
        if state.message != message {
            message.clone_into(&mut state.message);
            self.updated = true;
        }
        if phase == WorkflowPhase::Error
            && let Some(root) = self.run.table.named(&self.run.workflow.metadata.name)
            && self.node(root).phase == NodePhase::Running
        {
            let root = self.run.table.get_mut(root);
            root.phase = NodePhase::Error;
            "Workflow operation error".clone_into(&mut root.message);
            self.updated = true;
        }
        if phase.is_final() {
            self.run.state.finished_at = Some(now);
            self.run.state.completed = true;
            self.updated = true;
        }
    }

    /// The phase of the workflow once its root and handler are over.
    pub(crate) fn end_workflow(&mut self, root: &RootSeen, phase: WorkflowPhase, handler: Option<At>) {
        let message = match self.shutdown() {
            Some(shutdown) if root.is_failed || phase == WorkflowPhase::Failed => {
                format!("Stopped with strategy '{}'", shutdown.as_str())
            }
            Some(_) | None => root.message.clone(),
        };
        let failed_handler = handler.map(|handler| self.node(handler)).filter(|handler| handler.is_failed());
        match (phase, failed_handler) {
            (WorkflowPhase::Succeeded, Some(handler)) => {
                let phase = if handler.phase == NodePhase::Failed {
                    WorkflowPhase::Failed
                } else {
                    WorkflowPhase::Error
                };
                let message = handler.message.clone();
                self.mark_workflow(phase, &message);
            }
            (WorkflowPhase::Succeeded, None) => self.mark_workflow(WorkflowPhase::Succeeded, ""),
            (
                phase @ (WorkflowPhase::Unset
                | WorkflowPhase::Pending
                | WorkflowPhase::Running
                | WorkflowPhase::Failed
                | WorkflowPhase::Error),
                _,
            ) => self.mark_workflow(phase, &message),
        }
    }

    /// Brings the progress of all nodes and of the workflow up to date, unless nobody looks at it.
    pub(crate) fn count_progress(&mut self) {
        if !self.run.counts_progress && !self.run.cluster.reports_progress {
            return;
        }
        let all = self.run.table.all();
        let place: std::collections::BTreeMap<At, usize> = all.iter().copied().zip(0..).collect();
        let entries: Vec<Entry> = all
            .iter()
            .map(|at| {
                let node = self.node(*at);
                Entry {
                    node_type: node.kind,
                    phase: node.phase,
                    progress: if is_leaf(node.kind) { node.rare().progress.clone() } else { String::new() },
                    children: node.children.iter().filter_map(|child| place.get(child).copied()).collect(),
                }
            })
            .collect();
        let sums = sums(&entries);
        for (at, progress) in all.iter().zip(&sums.nodes) {
            let text = progress.as_ref().map(ToString::to_string);
            if let Some(text) = text.filter(|text| self.node(*at).rare().progress != *text) {
                self.run.table.get_mut(*at).rare_mut().progress = text;
            }
        }
        self.run.state.progress = sums.workflow.to_string();
    }
}
