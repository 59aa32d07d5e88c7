//! Stop and Terminate. Source: design decisions 2 to 5; `argo-semantics` 5.

use unwind_model::{NodePhase, Shutdown};

use crate::plan::TaskIndex;
use crate::sketch::event::Action;
use crate::sketch::table::{Inside, NodeIndex, Slot};

use super::leaf::{is_program, is_wait};
use super::slot::dag_plan;
use super::{Decided, Reconcile, Visit};

impl Reconcile<'_> {
    /// Ends what must not go on. Looks at every node once.
    pub(super) fn shut_down(&mut self, asked: Shutdown) -> Decided {
        if self.run.workflow.shutdown >= Some(asked) {
            return Ok(());
        }
        self.run.workflow.shutdown = Some(asked);
        let phase = self.run.workflow.phase;
        self.note_workflow(phase);
        self.end_suspension();
        self.end_waits()?;
        self.end_programs();
        for index in self.nodes_where(is_box) {
            self.cut_off_waiting(index);
        }
        self.visit(Visit::Workflow);
        Ok(())
    }

    fn end_waits(&mut self) -> Decided {
        let message = self.stopped_text();
        for index in self.nodes_where(is_wait) {
            if !self.may_begin(self.run.table.get(index).exit_work) {
                self.run.table.get_mut(index).cut = true;
                self.go(index, NodePhase::Failed, &message)?;
            }
        }
        Ok(())
    }

    fn end_programs(&mut self) {
        for index in self.nodes_where(is_program) {
            if self.may_begin(self.run.table.get(index).exit_work) {
                continue;
            }
            let node = self.run.table.get_mut(index);
            if node.inside == (Inside::Program { told_to_end: false }) {
                node.inside = Inside::Program { told_to_end: true };
                let node = node.id.clone();
                self.act(Action::End { node });
            }
        }
    }

    /// Closes every slot of a box that may no longer begin. A task that would have been omitted
    /// anyway is not missing, so it does not make the box Failed.
    pub(super) fn cut_off_waiting(&mut self, index: NodeIndex) {
        let node = self.run.table.get(index);
        if self.may_begin(node.exit_work) {
            return;
        }
        let fates = self.fates(index);
        let Inside::Members(members) = &mut self.run.table.get_mut(index).inside else {
            return;
        };
        for (slot, fate) in members.slots.iter_mut().zip(fates) {
            if *slot == Slot::Waiting {
                *slot = fate;
                members.open -= 1;
            }
        }
        if members.open == 0 {
            self.visit(Visit::Members(index));
        }
    }

    /// `[i]`: what slot `i` becomes if it is still waiting.
    fn fates(&self, index: NodeIndex) -> Vec<Slot> {
        let Inside::Members(members) = &self.run.table.get(index).inside else {
            return Vec::new();
        };
        let mut fates = vec![Slot::CutOff; members.slots.len()];
        let Some(dag) = dag_plan(&self.run.plan, self.run, index) else {
            return fates;
        };
        let mut known: Vec<Option<NodePhase>> = vec![None; members.slots.len()];
        for task in &dag.order {
            known[task.at()] = match members.slots[task.at()] {
                Slot::Working(node) | Slot::Over(node) => {
                    let phase = self.run.table.get(node).phase;
                    phase.is_final().then_some(phase)
                }
                Slot::NotNeeded => Some(NodePhase::Omitted),
                Slot::CutOff => None,
                Slot::Waiting => {
                    let planned = &dag.tasks[task.at()];
                    let decided = planned.needs.iter().all(|need| known[need.at()].is_some());
                    let of = |need: TaskIndex| {
                        let phase = known[need.at()].unwrap_or(NodePhase::Omitted);
                        (phase, dag.tasks[need.at()].continue_on)
                    };
                    let begins = planned.depends.as_ref().is_none_or(|depends| depends.holds(&of));
                    (decided && !begins).then_some(NodePhase::Omitted)
                }
            };
            if known[task.at()].is_some() {
                fates[task.at()] = Slot::NotNeeded;
            }
        }
        fates
    }
}

fn is_box(inside: &Inside) -> bool {
    match inside {
        Inside::Members(_) | Inside::Groups(_) => true,
        Inside::Nothing | Inside::Program { .. } | Inside::Wait => false,
    }
}
