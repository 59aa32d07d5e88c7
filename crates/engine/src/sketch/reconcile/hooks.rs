//! Exit hooks: due when the owner and everything inside it has ended, once.
//! Source: Argo `workflow/controller/exit_handler.go`, `runOnExitNode`; cases "The order rule" 2, 3.

use unwind_model::NodePhase;

use crate::names;
use crate::plan::HookPlan;
use crate::sketch::table::{ExitWork, Inside, Node, NodeIndex, Place};

use super::Reconcile;
use super::begin::Beginning;
use super::slot::task_of;

impl Reconcile<'_> {
    /// Whether a node, everything inside it and its exit hook are over. Begins the hook when it is
    /// due.
    pub(super) fn is_over_with_hook(&mut self, index: NodeIndex) -> bool {
        if !self.is_over(index) {
            return false;
        }
        if let Some(hook) = self.run.table.get(index).exit_hook {
            return self.is_over(hook);
        }
        let plan = self.plan();
        let Place::Slot { outer, task } = self.run.table.get(index).place else {
            return true;
        };
        let hook = task_of(&plan, self.run, outer, task).and_then(|task| task.exit_hook.as_ref());
        match hook {
            Some(hook) if self.is_due(index) => {
                self.begin_hook(index, hook);
                false
            }
            Some(_) | None => true,
        }
    }

    /// Whether a node and everything inside it are over, its own hook aside. Inside a box that was
    /// taken up as ended something may still run.
    pub(super) fn is_over(&self, index: NodeIndex) -> bool {
        let node = self.run.table.get(index);
        node.phase.is_final() && self.is_quiet(node)
    }

    fn is_quiet(&self, node: &Node) -> bool {
        match &node.inside {
            Inside::Nothing | Inside::Program { .. } | Inside::Wait => true,
            Inside::Members(members) => members.open == 0,
            Inside::Groups(groups) => groups.last().is_none_or(|group| self.is_over(*group)),
        }
    }

    fn is_due(&self, owner: NodeIndex) -> bool {
        let node = self.run.table.get(owner);
        node.phase.is_completed() && node.began && self.may_begin(hook_work(node))
    }

    fn begin_hook(&mut self, owner: NodeIndex, hook: &HookPlan) {
        let node = self.run.table.get(owner);
        let beginning = Beginning {
            place: Place::ExitHook { owner },
            name: names::exit_hook(&node.name),
            call: &hook.call,
            exit_work: hook_work(node),
        };
        self.begin(beginning);
    }

    /// Whether the exit hook of this node ended Error.
    pub(super) fn hook_erred(&self, owner: NodeIndex) -> bool {
        let hook = self.run.table.get(owner).exit_hook;
        hook.is_some_and(|hook| self.run.table.get(hook).phase == NodePhase::Error)
    }
}

/// What the exit hook of a node is part of.
fn hook_work(owner: &Node) -> ExitWork {
    match owner.exit_work {
        ExitWork::None | ExitWork::Hook => ExitWork::Hook,
        ExitWork::Handler => ExitWork::Handler,
    }
}
