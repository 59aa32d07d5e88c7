//! What follows from what moved: begins, ends, closed boxes, hooks.
//!
//! In: a run and one event. Out: the run moved on, changes and actions. Every decision looks at the
//! present state of the table only, and each moves a node forward, so repeating them ends. An event
//! puts the places it may concern on a list of visits; the list is worked off until it is empty.

mod assess;
mod begin;
mod hooks;
mod leaf;
mod shutdown;
mod slot;
mod steps;
mod workflow;

use std::collections::BTreeSet;
use std::sync::Arc;

use unwind_model::{NodePhase, Shutdown, Timestamp, ordered};

use crate::plan::{Plan, TaskIndex};
use crate::sketch::event::{Action, Change, Event, Step};
use crate::sketch::run::{IllegalTransition, Run};
use crate::sketch::table::{ExitWork, NodeIndex, Place, may_go};

/// Something to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// A task of a DAG or a step of a group, with its hook.
    Slot(NodeIndex, TaskIndex),
    /// A DAG or a group of steps of which every slot is over.
    Members(NodeIndex),
    /// Steps: the next group, or the end.
    Steps(NodeIndex),
    /// The root, the handler, the end.
    Workflow,
}

/// One event being worked off.
pub(crate) struct Reconcile<'run> {
    pub(crate) run: &'run mut Run,
    now: Timestamp,
    step: Step,
    /// Nodes of which something but the phase moved.
    touched: BTreeSet<NodeIndex>,
}

type Decided<T = ()> = Result<T, IllegalTransition>;

impl<'run> Reconcile<'run> {
    pub(crate) fn new(run: &'run mut Run, now: Timestamp) -> Self {
        Self { run, now, step: Step::default(), touched: BTreeSet::new() }
    }

    /// Applies the event itself.
    pub(crate) fn apply(&mut self, event: Event) -> Decided {
        match event {
            Event::Begun => {
                self.begin_workflow();
                Ok(())
            }
            Event::LeafStarted { node } => self.leaf_started(&node),
            Event::LeafEnded { node, end } => self.leaf_ended(&node, &end),
            Event::StopRequested => self.shut_down(Shutdown::Stop),
            Event::TerminateRequested => self.shut_down(Shutdown::Terminate),
            Event::SuspendRequested => {
                self.suspend();
                Ok(())
            }
            Event::ResumeRequested => self.resume(),
            Event::TimerFired { node } => self.timer_fired(&node),
        }
    }

    /// Works off the list of visits. While the workflow is suspended nothing is looked at.
    pub(crate) fn until_quiet(&mut self) -> Decided {
        while !self.run.workflow.suspended {
            let Some(visit) = self.run.visits.pop_front() else {
                break;
            };
            self.run.looked_at += 1;
            match visit {
                Visit::Slot(outer, task) => self.visit_slot(outer, task),
                Visit::Members(node) => self.close_members(node)?,
                Visit::Steps(node) => self.visit_steps(node)?,
                Visit::Workflow => self.visit_workflow(),
            }
        }
        Ok(())
    }

    /// What moved and what is to be done.
    pub(crate) fn into_step(self) -> Step {
        let Self { run, mut step, touched, .. } = self;
        let moved = ordered::set(step.changes.iter().filter_map(|change| match change {
            Change::Node { id, .. } => run.table.find(id),
            Change::Workflow { .. } => None,
        }));
        for index in touched.difference(&moved) {
            let node = run.table.get(*index);
            step.changes.push(Change::Node {
                id: node.id.clone(),
                name: node.name.clone(),
                from: Some(node.phase),
                to: node.phase,
            });
        }
        step
    }

    fn plan(&self) -> Arc<Plan> {
        Arc::clone(&self.run.plan)
    }

    fn act(&mut self, action: Action) {
        self.step.actions.push(action);
    }

    fn visit(&mut self, visit: Visit) {
        self.run.visits.push_back(visit);
    }

    /// Has the place looked at in which this node counts.
    fn visit_place_of(&mut self, index: NodeIndex) {
        let mut place = self.run.table.get(index).place;
        while let Place::ExitHook { owner } = place {
            place = self.run.table.get(owner).place;
        }
        match place {
            Place::Slot { outer, task } => self.visit(Visit::Slot(outer, task)),
            Place::Group { steps, .. } => self.visit(Visit::Steps(steps)),
            Place::Root | Place::Handler | Place::Unforeseen | Place::ExitHook { .. } => {
                self.visit(Visit::Workflow);
            }
        }
    }

    /// Moves a node to another phase.
    fn go(&mut self, index: NodeIndex, to: NodePhase, message: &str) -> Decided {
        let now = self.now;
        let node = self.run.table.get_mut(index);
        let from = node.phase;
        if !may_go(from, to) {
            return Err(IllegalTransition { node: node.name.clone(), from, event: to.as_str() });
        }
        node.phase = to;
        message.clone_into(&mut node.message);
        if to.is_final() {
            node.finished_at = Some(now);
            self.run.unfinished -= 1;
        }
        let node = self.run.table.get(index);
        self.step.changes.push(Change::Node {
            id: node.id.clone(),
            name: node.name.clone(),
            from: Some(from),
            to,
        });
        if to.is_final() {
            if to == NodePhase::Succeeded {
                self.count_done(index);
            }
            self.visit_place_of(index);
        }
        Ok(())
    }

    /// Whether anything of this kind may still begin.
    fn may_begin(&self, exit_work: ExitWork) -> bool {
        match (self.run.workflow.shutdown, exit_work) {
            (None, ExitWork::None | ExitWork::Hook | ExitWork::Handler)
            | (Some(Shutdown::Stop), ExitWork::Hook | ExitWork::Handler) => true,
            (Some(Shutdown::Stop), ExitWork::None)
            | (Some(Shutdown::Terminate), ExitWork::None | ExitWork::Hook | ExitWork::Handler) => false,
        }
    }
}
