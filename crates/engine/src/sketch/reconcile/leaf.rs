//! Leaves: programs and waits, how they begin and end.
//! Source: Argo `workflow/controller/operator.go`, `assessNodeStatus`, `inferFailedReason`;
//! `argo-semantics` 1.10, 1.11, 5.2; design decisions 2 and 3.

use unwind_model::params::Outputs;
use unwind_model::{NodeId, NodeName, NodePhase, Shutdown};

use crate::sketch::event::LeafEnd;
use crate::sketch::run::IllegalTransition;
use crate::sketch::table::{Inside, NodeIndex};

use super::{Decided, Reconcile};

impl Reconcile<'_> {
    pub(super) fn leaf_started(&mut self, id: &NodeId) -> Decided {
        let index = self.open_node(id, "leafStarted", is_program)?;
        if self.run.table.get(index).phase != NodePhase::Pending {
            return Err(self.illegal(index, "leafStarted"));
        }
        self.run.table.get_mut(index).began = true;
        self.go(index, NodePhase::Running, "")
    }

    pub(super) fn leaf_ended(&mut self, id: &NodeId, end: &LeafEnd) -> Decided {
        let index = self.open_node(id, "leafEnded", is_program)?;
        let node = self.run.table.get(index);
        let told_to_end = node.inside == Inside::Program { told_to_end: true };
        let was_running = node.phase == NodePhase::Running;
        if let LeafEnd::Exited { code, outputs } = end {
            let mut outputs = outputs.clone().unwrap_or_default();
            outputs.exit_code = Some(code.to_string());
            self.set_outputs(index, outputs);
            if !was_running {
                self.run.table.get_mut(index).began = true;
                self.go(index, NodePhase::Running, "")?;
            }
        }
        match self.run.workflow.shutdown {
            Some(shutdown) if told_to_end => {
                let node = self.run.table.get_mut(index);
                node.cut = true;
                node.began |= was_running || !matches!(end, LeafEnd::NotStarted { .. });
                let message = shutdown_text(shutdown, node.began);
                self.go(index, NodePhase::Failed, &message)
            }
            Some(_) | None => self.leaf_ended_by_itself(index, end),
        }
    }

    fn leaf_ended_by_itself(&mut self, index: NodeIndex, end: &LeafEnd) -> Decided {
        self.run.table.get_mut(index).began = true;
        match end {
            LeafEnd::Exited { code: 0, .. } => self.go(index, NodePhase::Succeeded, ""),
            LeafEnd::Exited { code, .. } => {
                let message = format!("main: Error (exit code {code})");
                self.go(index, NodePhase::Failed, &message)
            }
            LeafEnd::Lost { message } if message.is_empty() => {
                self.go(index, NodePhase::Error, "pod deleted")
            }
            LeafEnd::NotStarted { message } | LeafEnd::Lost { message } => {
                self.go(index, NodePhase::Error, message)
            }
        }
    }

    fn set_outputs(&mut self, index: NodeIndex, outputs: Outputs) {
        self.run.table.get_mut(index).outputs = outputs;
    }

    pub(super) fn timer_fired(&mut self, id: &NodeId) -> Decided {
        let index = self.open_node(id, "timerFired", is_wait)?;
        self.go(index, NodePhase::Succeeded, "")
    }

    /// Suspends the workflow, unless a shutdown was asked.
    pub(super) fn suspend(&mut self) {
        let workflow = &mut self.run.workflow;
        if workflow.shutdown.is_none() && !workflow.suspended {
            workflow.suspended = true;
            let phase = workflow.phase;
            self.note_workflow(phase);
        }
    }

    /// Ends the suspension of the workflow and all waits that are under way.
    pub(super) fn resume(&mut self) -> Decided {
        if self.run.workflow.suspended {
            self.run.workflow.suspended = false;
            let phase = self.run.workflow.phase;
            self.note_workflow(phase);
        }
        for index in self.nodes_where(is_wait) {
            self.go(index, NodePhase::Succeeded, "")?;
        }
        Ok(())
    }

    /// A shutdown of a suspended workflow.
    pub(super) fn end_suspension(&mut self) {
        self.run.workflow.suspended = false;
    }

    /// Nodes that are not final and of one kind, in the order of creation.
    pub(super) fn nodes_where(&mut self, is_wanted: fn(&Inside) -> bool) -> Vec<NodeIndex> {
        self.run.looked_at += self.run.table.len() as u64;
        self.run
            .table
            .iter()
            .filter(|(_, node)| is_wanted(&node.inside) && !node.phase.is_final())
            .map(|(index, _)| index)
            .collect()
    }

    /// The node that an event is about, when it can take it.
    fn open_node(
        &self,
        id: &NodeId,
        event: &'static str,
        is_wanted: fn(&Inside) -> bool,
    ) -> Decided<NodeIndex> {
        let Some(index) = self.run.table.find(id) else {
            return Err(IllegalTransition {
                node: NodeName::from(id.as_str()),
                from: NodePhase::Pending,
                event,
            });
        };
        let node = self.run.table.get(index);
        if node.phase.is_final() || !is_wanted(&node.inside) {
            return Err(self.illegal(index, event));
        }
        Ok(index)
    }

    fn illegal(&self, index: NodeIndex, event: &'static str) -> IllegalTransition {
        let node = self.run.table.get(index);
        IllegalTransition { node: node.name.clone(), from: node.phase, event }
    }
}

/// Argo's texts: two spaces on a pod that there was, one on a pod that was refused.
/// Source: Argo `workflow/controller/exec_control.go`, `applyExecutionControl`;
/// `workflowpod.go`, `createWorkflowPod`.
pub(super) fn shutdown_text(shutdown: Shutdown, began: bool) -> String {
    let spaces = if began { "  " } else { " " };
    format!("workflow shutdown with strategy:{spaces}{}", shutdown.as_str())
}

pub(super) fn is_program(inside: &Inside) -> bool {
    match inside {
        Inside::Program { .. } => true,
        Inside::Nothing | Inside::Wait | Inside::Members(_) | Inside::Groups(_) => false,
    }
}

pub(super) fn is_wait(inside: &Inside) -> bool {
    match inside {
        Inside::Wait => true,
        Inside::Nothing | Inside::Program { .. } | Inside::Members(_) | Inside::Groups(_) => false,
    }
}
