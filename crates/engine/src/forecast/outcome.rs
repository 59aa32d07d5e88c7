//! One possible course of a run, and when two are the same.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodePhase, WorkflowPhase};

use super::Way;

/// What will happen, as a set of possible outcomes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// How the run goes on.
    pub way: Way,
    /// One to four, no two the same; the first is the usual one.
    pub outcomes: Vec<Outcome>,
}

/// One possible outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// What leads to it: each list is one way, all of its members together. Empty when it is the only one.
    pub decided_by: Vec<Vec<Decision>>,
    /// Hooks that begin, in the order of their passes.
    pub hooks: Vec<HookBegun>,
    /// Final phase of every node.
    pub nodes: BTreeMap<NodeName, NodePhase>,
    /// Nodes that never become final: their phase is not, or their task result stays open.
    pub unfinished: Vec<NodeName>,
    /// Hooks that are made and whose work never begins.
    pub frozen: Vec<NodeName>,
    /// Phase of the workflow.
    pub phase: WorkflowPhase,
    /// Its message.
    pub message: String,
    /// How it ends.
    pub end: End,
    /// Passes until then.
    pub passes: usize,
}

/// A hook that begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookBegun {
    /// Full name of the hook's node.
    pub node: NodeName,
    /// The pass in which its node is made, counted from 1; two hooks of one pass have no order.
    pub pass: usize,
    /// What inside the owner of an exit hook was not over then.
    pub too_early_for: Vec<NodeName>,
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum End {
    /// The workflow is final and nobody looks at it again.
    Completed,
    /// Nothing moves any more.
    Stuck,
    /// It was looked at no longer.
    GoesOn,
}

/// Something that is open and decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// What runs now is over before the controller looks.
    LeafEndsFirst,
    /// What runs now still runs when the controller looks.
    LeafStillRuns,
    /// What is Pending now runs before the controller looks.
    PodRunsFirst,
    /// What is Pending now is still Pending when the controller looks.
    PodStillPending,
    /// Hooks come up and end between two looks of the controller.
    HooksWithinOnePass,
    /// The controller sees hooks run.
    HooksSeenRunning,
}

/// Adds an outcome that comes of `decisions`, or these to the same one that is there already.
pub(super) fn add(outcomes: &mut Vec<Outcome>, outcome: Outcome, decisions: Vec<Decision>) {
    match outcomes.iter_mut().find(|known| known.is_same(&outcome)) {
        Some(known) => known.decided_by.push(decisions),
        None => outcomes.push(Outcome { decided_by: vec![decisions], ..outcome }),
    }
}

impl Outcome {
    /// Whether two outcomes say the same: the order of the hooks counts, not the number of passes.
    pub fn is_same(&self, other: &Self) -> bool {
        self.order() == other.order()
            && self.nodes == other.nodes
            && self.unfinished == other.unfinished
            && self.phase == other.phase
            && self.end == other.end
    }

    /// Hooks that begin together, in order.
    pub fn order(&self) -> Vec<Vec<&NodeName>> {
        let mut passes: BTreeMap<usize, Vec<&NodeName>> = BTreeMap::new();
        for hook in &self.hooks {
            passes.entry(hook.pass).or_default().push(&hook.node);
        }
        let mut order: Vec<Vec<&NodeName>> = passes.into_values().collect();
        for hooks in &mut order {
            hooks.sort_unstable();
        }
        order
    }
}
