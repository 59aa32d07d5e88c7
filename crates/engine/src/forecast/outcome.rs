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
    /// What leads to it, as far as it tells it from the others: each list is one way, all of its members together.
    /// Empty when it is the only one.
    pub decided_by: Vec<Vec<Decision>>,
    /// Hooks that begin, in the order of their passes.
    pub hooks: Vec<HookBegun>,
    /// Final phase of every node.
    pub nodes: BTreeMap<NodeName, NodePhase>,
    /// Nodes that never become final: their phase is not, or their task result stays open.
    pub unfinished: Vec<NodeName>,
    /// Hooks that are made and whose work never begins.
    pub frozen: Vec<NodeName>,
    /// Exit hooks that are told to end before they are over.
    pub cut: Vec<NodeName>,
    /// Exit hooks that are due and do not run to their end, where that was weighed.
    pub lost: Vec<NodeName>,
    /// Exit hooks that run and are not due, where that was weighed.
    pub extra: Vec<NodeName>,
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
        Some(known) => {
            known.decided_by.push(decisions);
            unite(&mut known.lost, outcome.lost);
            unite(&mut known.extra, outcome.extra);
            // Both begin the same hooks in the same order.
            for (hook, same) in known.hooks.iter_mut().zip(outcome.hooks) {
                unite(&mut hook.too_early_for, same.too_early_for);
            }
        }
        None => outcomes.push(Outcome { decided_by: vec![decisions], ..outcome }),
    }
}

fn unite(known: &mut Vec<NodeName>, more: Vec<NodeName>) {
    known.extend(more);
    known.sort();
    known.dedup();
}

/// Leaves of what leads to each outcome only what tells it from the others.
pub(super) fn simplify(outcomes: &mut [Outcome]) {
    let all: Vec<Vec<Vec<Decision>>> = outcomes.iter().map(|outcome| outcome.decided_by.clone()).collect();
    for (place, outcome) in outcomes.iter_mut().enumerate() {
        let others =
            || all.iter().enumerate().filter(|(other, _)| *other != place).flat_map(|(_, ways)| ways);
        let is_told = |decisions: &[Decision]| {
            !others().any(|other| decisions.iter().all(|decision| other.contains(decision)))
        };
        let ways = &outcome.decided_by;
        let shared: Vec<Decision> = ways.first().map_or_else(Vec::new, |first| {
            let is_shared = |decision: &&Decision| ways.iter().all(|way| way.contains(decision));
            first.iter().filter(is_shared).copied().collect()
        });
        let least: Vec<Vec<Decision>> =
            if is_told(&shared) { vec![shared] } else { std::mem::take(&mut outcome.decided_by) };
        let mut simple: Vec<Vec<Decision>> = Vec::new();
        for mut decisions in least {
            let mut at = 0;
            while at < decisions.len() {
                let without: Vec<Decision> = decisions
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != at)
                    .map(|(_, it)| *it)
                    .collect();
                if is_told(&without) {
                    decisions = without;
                } else {
                    at += 1;
                }
            }
            if !simple.contains(&decisions) {
                simple.push(decisions);
            }
        }
        outcome.decided_by = simple;
    }
}

impl Outcome {
    /// Whether it ends, and nothing is left, lost or begun too early, as far as that was weighed.
    pub fn is_right(&self) -> bool {
        self.end == End::Completed
            && self.unfinished.is_empty()
            && self.lost.is_empty()
            && self.hooks.iter().all(|hook| hook.too_early_for.is_empty())
    }

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

#[cfg(test)]
mod tests {
    use unwind_model::WorkflowPhase;

    use super::{Decision, End, Outcome, simplify};

    fn outcome(decided_by: &[&[Decision]]) -> Outcome {
        Outcome {
            decided_by: decided_by.iter().map(|way| way.to_vec()).collect(),
            hooks: Vec::new(),
            nodes: std::collections::BTreeMap::new(),
            unfinished: Vec::new(),
            frozen: Vec::new(),
            cut: Vec::new(),
            lost: Vec::new(),
            extra: Vec::new(),
            phase: WorkflowPhase::Failed,
            message: String::new(),
            end: End::Completed,
            passes: 1,
        }
    }

    #[test]
    fn only_what_tells_an_outcome_from_the_others_is_left() {
        use Decision::{HooksSeenRunning, HooksWithinOnePass, LeafEndsFirst, LeafStillRuns, PodRunsFirst};
        let mut outcomes = [
            outcome(&[&[LeafStillRuns, HooksSeenRunning], &[LeafStillRuns, HooksWithinOnePass]]),
            outcome(&[&[LeafEndsFirst, HooksSeenRunning]]),
            outcome(&[&[LeafEndsFirst, HooksWithinOnePass], &[PodRunsFirst]]),
        ];
        simplify(&mut outcomes);
        let left: Vec<_> = outcomes.iter().map(|outcome| outcome.decided_by.clone()).collect();
        let expected = [
            vec![vec![LeafStillRuns]],
            vec![vec![LeafEndsFirst, HooksSeenRunning]],
            vec![vec![LeafEndsFirst, HooksWithinOnePass], vec![PodRunsFirst]],
        ];
        assert_eq!(left, expected);
    }
}
