//! One task of a DAG or step of a group: begun, omitted, skipped, and over with its hook.
//! Source: Argo `workflow/controller/dag.go`, `executeDAGTask`; `steps.go`, `executeStepGroup`.

use unwind_model::{NodePhase, NodeType};

use crate::expr;
use crate::names;
use crate::plan::{DagPlan, TaskIndex, TaskPlan, TemplateKind};
use crate::sketch::scope::Scope;
use crate::sketch::table::{Inside, NodeIndex, Place, Slot};

use super::begin::Beginning;
use super::{Reconcile, Visit};

/// What becomes of a task whose turn it is.
enum Turn {
    Begins,
    Ends(NodePhase, String),
}

impl Reconcile<'_> {
    pub(super) fn visit_slot(&mut self, outer: NodeIndex, task: TaskIndex) {
        match self.slot(outer, task) {
            Slot::Waiting => self.begin_slot(outer, task),
            Slot::Working(node) => {
                if self.is_over_with_hook(node) {
                    self.close_slot(outer, task, Slot::Over(node));
                }
            }
            Slot::Over(_) | Slot::NotNeeded | Slot::CutOff => {}
        }
    }

    pub(super) fn slot(&self, outer: NodeIndex, task: TaskIndex) -> Slot {
        match &self.run.table.get(outer).inside {
            Inside::Members(members) => members.slots[task.at()],
            Inside::Nothing | Inside::Program { .. } | Inside::Wait | Inside::Groups(_) => Slot::NotNeeded,
        }
    }

    fn begin_slot(&mut self, outer: NodeIndex, task: TaskIndex) {
        let Inside::Members(members) = &self.run.table.get(outer).inside else {
            return;
        };
        if members.waits[task.at()] > 0 {
            return;
        }
        let exit_work = self.run.table.get(outer).exit_work;
        if !self.may_begin(exit_work) {
            self.cut_off_waiting(outer);
            return;
        }
        let plan = self.plan();
        let Some(planned) = task_of(&plan, self.run, outer, task) else {
            return;
        };
        let beginning = Beginning {
            place: Place::Slot { outer, task },
            name: names::task(&self.run.table.get(outer).name, &planned.name),
            call: &planned.call,
            exit_work,
        };
        match self.turn(outer, planned) {
            Turn::Begins => self.begin(beginning),
            Turn::Ends(phase, message) => {
                self.add_ended(beginning, NodeType::Skipped, phase, message);
            }
        }
    }

    /// Whether a task whose needs are all over begins. Source: `argo-semantics` 2.2, 2.4, 2.5.
    fn turn(&self, outer: NodeIndex, planned: &TaskPlan) -> Turn {
        if !self.depends_hold(outer, planned) {
            let message = "omitted: depends condition not met".to_owned();
            return Turn::Ends(NodePhase::Omitted, message);
        }
        let Some(when) = &planned.when else {
            return Turn::Begins;
        };
        let node = self.run.table.get(outer);
        let boundary = match node.place {
            Place::Group { steps, .. } => steps,
            Place::Root
            | Place::Handler
            | Place::Slot { .. }
            | Place::ExitHook { .. }
            | Place::Unforeseen => outer,
        };
        let scope = Scope { boundary: Some(boundary), exit_work: node.exit_work };
        let when = self.run.fill_in(when, scope);
        match expr::parse(&when).and_then(|condition| condition.holds()) {
            Ok(true) => Turn::Begins,
            Ok(false) => Turn::Ends(NodePhase::Skipped, format!("when '{when}' evaluated false")),
            Err(error) => {
                Turn::Ends(NodePhase::Error, format!("Invalid 'when' expression '{when}': {error}"))
            }
        }
    }

    fn depends_hold(&self, outer: NodeIndex, planned: &TaskPlan) -> bool {
        let (Some(depends), Some(dag)) = (&planned.depends, self.dag_of(outer)) else {
            return true;
        };
        depends.holds(&|task| {
            let phase = match self.slot(outer, task).node() {
                Some(node) => self.run.table.get(node).phase,
                None => NodePhase::Omitted,
            };
            (phase, dag.tasks[task.at()].continue_on)
        })
    }

    /// Marks a slot as no longer open and has those looked at that waited for it.
    pub(super) fn close_slot(&mut self, outer: NodeIndex, task: TaskIndex, slot: Slot) {
        let plan = self.plan();
        let dependants =
            dag_plan(&plan, self.run, outer).map_or(&[][..], |dag| &dag.tasks[task.at()].dependants);
        let Inside::Members(members) = &mut self.run.table.get_mut(outer).inside else {
            return;
        };
        members.slots[task.at()] = slot;
        members.open -= 1;
        let all_closed = members.open == 0;
        let mut ready = Vec::new();
        for dependant in dependants {
            let waits = &mut members.waits[dependant.at()];
            *waits -= 1;
            if *waits == 0 && members.slots[dependant.at()] == Slot::Waiting {
                ready.push(*dependant);
            }
        }
        for dependant in ready {
            self.visit(Visit::Slot(outer, dependant));
        }
        if all_closed {
            self.visit(Visit::Members(outer));
        }
    }
}

/// The plan of a DAG node; `None` for a group of steps.
pub(super) fn dag_plan<'plan>(
    plan: &'plan crate::plan::Plan,
    run: &crate::sketch::run::Run,
    index: NodeIndex,
) -> Option<&'plan DagPlan> {
    match &plan.template(run.table.get(index).template?).kind {
        TemplateKind::Dag(dag) => Some(dag),
        TemplateKind::Steps(_)
        | TemplateKind::Leaf(_)
        | TemplateKind::Suspend(_)
        | TemplateKind::Opaque(_) => None,
    }
}

/// The plan of a task of a DAG or a step of a group.
pub(super) fn task_of<'plan>(
    plan: &'plan crate::plan::Plan,
    run: &crate::sketch::run::Run,
    outer: NodeIndex,
    task: TaskIndex,
) -> Option<&'plan TaskPlan> {
    if let Some(dag) = dag_plan(plan, run, outer) {
        return dag.tasks.get(task.at());
    }
    let Place::Group { steps, at } = run.table.get(outer).place else {
        return None;
    };
    match &plan.template(run.table.get(steps).template?).kind {
        TemplateKind::Steps(steps) => steps.groups.get(at as usize)?.get(task.at()),
        TemplateKind::Dag(_) | TemplateKind::Leaf(_) | TemplateKind::Suspend(_) | TemplateKind::Opaque(_) => {
            None
        }
    }
}
