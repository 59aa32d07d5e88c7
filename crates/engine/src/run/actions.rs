//! What the walk does to pods, as what the driver must do.

use std::collections::BTreeMap;
use std::sync::Arc;

use unwind_model::{NodeName, Shutdown, Timestamp, WorkflowPhase};

use crate::behaviour::Passes;
use crate::event::{Action, Change, LeafStart, Step};
use crate::operate::{self, At, PodAct, PodCreated, PodPhase};

use super::{Leaf, Run};

/// The workflow's own part before an event.
pub(super) struct Outside {
    pub(super) phase: WorkflowPhase,
    shutdown: Option<Shutdown>,
    is_suspended: bool,
    message: String,
}

impl Run {
    pub(super) fn outside(&self) -> Outside {
        Outside {
            phase: self.phase(),
            shutdown: self.shutdown(),
            is_suspended: self.is_suspended(),
            message: self.walk.state.message.clone(),
        }
    }

    /// Says what of the workflow itself moved, what time will move next, and whether the run is over.
    pub(super) fn note_outside(&mut self, before: &Outside, step: &mut Step) {
        let is_same = before.phase == self.phase()
            && before.shutdown == self.shutdown()
            && before.is_suspended == self.is_suspended()
            && before.message == self.walk.state.message;
        if !is_same {
            step.changes.push(Change::Workflow { from: before.phase, to: self.phase() });
        }
        // Programs that nobody waits for are still ended.
        if self.walk.is_completed() && self.leaves.is_empty() && !self.finished {
            self.finished = true;
            step.actions.push(Action::Finished);
        }
    }

    /// Has the walk look at what was touched, and notes what moved.
    pub(super) fn settle_into(&mut self, now: Timestamp, step: &mut Step) {
        let acts = self.walk.pass(now);
        step.changes.extend(self.walk.take_moved().map(|(node, from)| Change::Node {
            id: node.id.clone(),
            name: node.name.clone(),
            from,
            to: node.phase,
        }));
        for act in acts {
            self.act(act, step);
        }
        self.end_overdue(now, step);
        let overdue = self.first_overdue();
        let next = self.walk.next_wake().into_iter().chain(overdue).min();
        let next = next.filter(|_| !self.walk.is_completed());
        if let Some(at) = next
            && self.timer != Some(at)
        {
            step.actions.push(Action::SetTimer { at });
        }
        self.timer = next;
    }

    /// Whether decisions are made until there is nothing more to decide.
    pub(super) fn keeps_order(&self) -> bool {
        match self.walk.behaviour.passes {
            Passes::UntilQuiet => true,
            Passes::OnePerReconcile => false,
        }
    }

    fn act(&mut self, act: PodAct, step: &mut Step) {
        match act {
            PodAct::Created(created) => self.start(*created, step),
            PodAct::Killed { node } | PodAct::Deleted { node } | PodAct::Released { node } => {
                // A pod is released when its node is over: a program that still runs has to end.
                self.end(&node, step);
            }
            PodAct::CreatedAgent { .. } | PodAct::DeletedAgent => {}
        }
    }

    fn start(&mut self, created: PodCreated, step: &mut Step) {
        let Some(at) = self.walk.table.named(created.node.as_str()) else { return };
        let limit_ms = created.active_deadline_seconds.map(|seconds| seconds.saturating_mul(1000));
        let start = LeafStart {
            node: self.walk.table.get(at).id.clone(),
            name: created.node,
            template: created.template,
            image: created.image,
            command: created.command,
            args: created.args,
            source: created.source,
            env: created.env,
            working_dir: created.working_dir,
            on_exit: created.on_exit,
        };
        step.actions.push(Action::Start(Box::new(start.clone())));
        let filled = created.filled;
        self.leaves.insert(at, Leaf { start, told_to_end: false, limit_ms, filled });
    }

    fn end(&mut self, name: &NodeName, step: &mut Step) {
        let Some(at) = self.walk.table.named(name.as_str()) else { return };
        let Some(leaf) = self.leaves.get_mut(&at).filter(|leaf| !leaf.told_to_end) else { return };
        leaf.told_to_end = true;
        step.actions.push(Action::End { node: leaf.start.node.clone() });
    }

    /// Tells programs to end whose time is up, as a kubelet does.
    fn end_overdue(&mut self, now: Timestamp, step: &mut Step) {
        while let Some((_, at)) = self.limits.first().copied().filter(|(until, _)| *until <= now) {
            self.limits.pop_first();
            let Some(name) = self.leaves.get(&at).map(|leaf| leaf.start.name.clone()) else { continue };
            if let Some(pod) = self.walk.cluster.pods.get_mut(&name) {
                Arc::make_mut(pod).told.get_or_insert_with(|| OVERDUE.to_owned());
            }
            self.end(&name, step);
        }
    }

    /// When the first of the running programs has had its time.
    fn first_overdue(&mut self) -> Option<Timestamp> {
        while let Some((until, at)) = self.limits.first().copied() {
            if self.leaves.get(&at).is_some_and(|leaf| !leaf.told_to_end) {
                return Some(until);
            }
            self.limits.pop_first();
        }
        None
    }
}

/// Source: Kubernetes `pkg/kubelet/active_deadline.go`.
const OVERDUE: &str = "Pod was active on the node longer than the specified deadline";

/// The leaves of a run that was taken up, as far as a status tells.
pub(super) fn open_leaves(walk: &operate::Run) -> BTreeMap<At, Leaf> {
    let mut leaves = BTreeMap::new();
    for (name, pod) in walk.cluster.pods.sorted() {
        let Some(at) = walk.table.named(name.as_str()) else { continue };
        let node = walk.table.get(at);
        let is_over = matches!(pod.report.phase, PodPhase::Succeeded | PodPhase::Failed);
        if is_over {
            continue;
        }
        let start = LeafStart {
            node: node.id.clone(),
            name: name.clone(),
            template: node.template_name.to_string(),
            on_exit: pod.on_exit,
            ..LeafStart::default()
        };
        leaves.insert(at, Leaf { start, told_to_end: false, limit_ms: None, filled: None });
    }
    leaves
}
