//! How pods go: what is known of each, and what is taken for granted of the rest.
//!
//! Times are counted in passes, since a controller sees nothing between two of them.

use std::collections::BTreeMap;

use unwind_model::params::Outputs;
use unwind_model::{NodeName, Timestamp};

use crate::operate::{PodPhase, PodReport};
use crate::rehearse::named_or_whole;

use super::outcome::Decision;

/// What is known beforehand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assumptions {
    /// How the pods of a node go: first the one that is there now, or else the first one to be made.
    pub pods: BTreeMap<NodeName, Vec<Course>>,
    /// How the pods of nodes go of which nothing is said above; what is said of a task counts for each of its items
    /// and tries.
    pub tasks: BTreeMap<NodeName, Course>,
    /// How many passes are looked at; `None`: until nothing moves any more.
    pub passes: Option<usize>,
    /// Whether the agent never answers in this time.
    pub is_agent_silent: bool,
}

impl Assumptions {
    /// What is known of a pod of a node, counted from 0.
    pub(super) fn course(&self, node: &NodeName, life: usize) -> Option<&Course> {
        let told = self.pods.get(node).and_then(|lives| lives.get(life));
        told.or_else(|| named_or_whole(&self.tasks, node))
    }
}

/// How one pod goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// What it becomes when it comes up, where that is not as usual; when that is, is not told.
    pub begin: Option<PodMove>,
    /// What is told of it, in order.
    pub told: Vec<Told>,
    /// How it goes where nothing is told.
    pub life: Life,
    /// For how many passes more than is usual it runs on once it was told to end.
    pub lag: usize,
}

impl Course {
    /// A program that runs for one pass and ends with a code.
    pub fn ending_with(code: i32) -> Self {
        let phase = if code == 0 { PodPhase::Succeeded } else { PodPhase::Failed };
        let report = PodReport { phase, exit: Some(code), ..PodReport::pending(Timestamp::default()) };
        let what = PodMove { report: Some(report), complete: Some(true), ..PodMove::default() };
        Self { told: vec![Told { since: Since::Running, passes: 1, what }], ..Self::default() }
    }

    /// Whether only results come, at known times: what is left of a pod that nobody looks at any more.
    pub(super) fn is_result_only(&self) -> bool {
        self.told.iter().all(|told| told.since == Since::Now && told.what.report.is_none())
    }
}

/// How a pod goes where nothing is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    /// It comes up, runs and ends well, one pass each; told to end, it ends one pass later.
    #[default]
    Usual,
    /// It comes up and runs until it is told to end; it ends one pass later.
    UntilKilled,
    /// It comes up and runs until it is told to end, or longer.
    Endless,
    /// It does not move.
    Still,
}

/// Something that happens to a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// From when it is counted.
    pub since: Since,
    /// The pass that sees it, counted from there.
    pub passes: usize,
    /// What.
    pub what: PodMove,
}

/// An instant in the life of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Since {
    /// The forecast begins.
    Now,
    /// The pod is made.
    Made,
    /// Its containers run.
    Running,
    /// It is told to end for the first time.
    Killed,
    /// It is over.
    Ended,
}

impl Since {
    /// How many there are.
    pub(super) const COUNT: usize = 5;
}

/// A new state of a pod or of its task result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodMove {
    /// The pod; its time is set by the forecast.
    pub report: Option<PodReport>,
    /// Whether the task result is complete from now on.
    pub complete: Option<bool>,
    /// Outputs in the task result.
    pub outputs: Option<Outputs>,
    /// Progress in the task result.
    pub progress: Option<String>,
    /// The pod object is gone.
    pub is_gone: bool,
}

/// What is taken for granted where it is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Guess {
    /// Pods that run now end before the controller looks.
    pub(super) is_first: bool,
    /// Pods that are Pending now run before the controller looks.
    pub(super) is_up: bool,
    /// Pods of hooks come up and end within one pass.
    pub(super) is_short: bool,
}

/// What matters of the guesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// Main work runs of which nobody knows when it ends.
    pub(super) first: bool,
    /// Pods are Pending of which nobody knows when they run.
    pub(super) up: bool,
    /// Pods of hooks are made of which nothing is known.
    pub(super) short: bool,
}

impl Open {
    /// The guesses beside the usual one, at most three.
    pub(super) fn guesses(self) -> Vec<Guess> {
        let usual = Guess::default();
        let mut guesses = Vec::new();
        if self.first {
            guesses.push(Guess { is_first: true, ..usual });
        }
        if self.up {
            guesses.push(Guess { is_up: true, ..usual });
        }
        if self.short {
            guesses.push(Guess { is_short: true, ..usual });
        }
        if self.first && self.short && guesses.len() < 3 {
            guesses.push(Guess { is_first: true, is_short: true, ..usual });
        }
        guesses
    }

    /// What a guess decides.
    pub(super) fn decisions(self, guess: Guess) -> Vec<Decision> {
        let mut decisions = Vec::new();
        if self.first {
            decisions.push(if guess.is_first { Decision::LeafEndsFirst } else { Decision::LeafStillRuns });
        }
        if self.up {
            decisions.push(if guess.is_up { Decision::PodRunsFirst } else { Decision::PodStillPending });
        }
        if self.short {
            let short =
                if guess.is_short { Decision::HooksWithinOnePass } else { Decision::HooksSeenRunning };
            decisions.push(short);
        }
        decisions
    }
}
