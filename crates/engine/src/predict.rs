//! What will happen from here: UNWIND gives one partial order with a reason for each arrow.

mod drive;
mod not_run;
mod order;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodePhase, Timestamp, WorkflowPhase, ordered};

use crate::plan::{Plan, Role, lower};
use crate::run::Run;

/// How the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Way {
    /// A stop is asked now.
    Stop,
    /// A terminate is asked now.
    Terminate,
    /// Nothing is asked.
    GoOn,
}

/// What will happen, as a set of possible outcomes (exactly one for UNWIND).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prediction {
    /// How the run goes on.
    pub way: Way,
    /// Name of the row of behaviours.
    pub behaviour: String,
    /// The possible courses.
    pub outcomes: Vec<Outcome>,
}

/// One possible course.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Leaves that run now and are ended, in table order.
    pub ends: Vec<PredictedEnd>,
    /// Exit hooks that will run, in bracket order (owner's insides, then its own hook).
    pub hooks: Vec<PredictedHook>,
    /// Which hook (or ending leaf) must be over before which hook begins, because of nesting, and
    /// why. Transitively reduced. What follows from dependencies alone is not told here.
    pub arrows: Vec<Arrow>,
    /// What will not run although the plan has it.
    pub will_not_run: Vec<NotRun>,
    /// Nodes that never reach a final phase (Argo rows only).
    pub left_unfinished: Vec<NodeName>,
    /// Final phase of every node that exists or will.
    pub nodes: BTreeMap<NodeName, NodePhase>,
    /// Final phase of the workflow.
    pub phase: WorkflowPhase,
    /// Its message.
    pub message: String,
}

/// A leaf that is ended at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PredictedEnd {
    /// Which.
    pub node: NodeName,
    /// Its phase afterwards.
    pub phase: NodePhase,
    /// Milliseconds since it began, when known.
    pub running_for_ms: Option<i64>,
}

/// An exit hook that will run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PredictedHook {
    /// Full name of the hook's node.
    pub node: NodeName,
    /// Whose hook it is.
    pub owner: NodeName,
    /// `ExitHook` or `Handler`.
    pub role: Role,
    /// Its turn: 1 + the highest turn of the exit hooks inside its owner.
    pub turn: u32,
    /// Template it runs.
    pub template: String,
    /// True when it runs already.
    pub running: bool,
}

/// One arrow of the partial order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Arrow {
    /// What must be over.
    pub before: NodeName,
    /// What may begin then.
    pub after: NodeName,
    /// Why.
    pub reason: ArrowReason,
}

/// Why one thing waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrowReason {
    /// A hook begins after its owner has ended.
    OwnerEnds,
    /// The hook's owner encloses the other hook's owner.
    Encloses,
    /// The workflow's own handler comes last.
    HandlerLast,
}

/// Something that will not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotRun {
    /// Full name it would have.
    pub node: NodeName,
    /// What it is.
    pub role: Role,
    /// Why not.
    pub reason: NotRunReason,
}

/// Why something will not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum NotRunReason {
    /// Not an exit hook: after Stop only hooks named exit run.
    NotAnExitHook {
        /// Its condition.
        condition: Option<String>,
    },
    /// Its owner has not begun.
    OwnerNotBegun {
        /// The owner.
        owner: NodeName,
    },
    /// Main work that has not begun.
    NothingNewBegins,
    /// Terminate runs no hooks of any kind.
    Terminated,
}

/// Predicts how `run` goes on: a copy of it is driven to its end by the same interpreter, so a
/// prediction has no rules of its own. Costs as much as the rest of the run.
pub fn predict(run: &Run, way: Way) -> Prediction {
    predict_from(&lower(run.object()).0, run, way, None)
}

/// Predicts as `predict` does, with the time it is now for the durations in `ends`.
pub fn predict_at(run: &Run, way: Way, now: Timestamp) -> Prediction {
    predict_from(&lower(run.object()).0, run, way, Some(now))
}

/// Predicts as `predict` does where the plan is known already.
pub(crate) fn predict_with(plan: &Plan, run: &Run, way: Way) -> Prediction {
    predict_from(plan, run, way, None)
}

fn predict_from(plan: &Plan, run: &Run, way: Way, now: Option<Timestamp>) -> Prediction {
    let after = drive::to_the_end(run, way);
    let course = order::course(plan, run, &after, now);
    let nodes = || after.walk.table.iter().map(|(_, node)| node);
    let outcome = Outcome {
        ends: course.ends,
        hooks: course.hooks,
        arrows: course.arrows,
        will_not_run: not_run::will_not_run(plan, run, &after, way),
        left_unfinished: nodes()
            .filter(|node| !node.phase.is_final())
            .map(|node| node.name.clone())
            .collect(),
        nodes: ordered::map(nodes().map(|node| (node.name.clone(), node.phase))),
        phase: after.phase(),
        message: after.walk.state.message.clone(),
    };
    Prediction { way, behaviour: run.behaviour().name.to_string(), outcomes: vec![outcome] }
}
