//! All ways to end a run side by side: what each leaves, loses, breaks and adds, the best first.
//!
//! What is due is what the rules of UNWIND run from the same state on; there is no other list of it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unwind_model::{NodeName, Timestamp};

use crate::behaviour::Behaviour;
use crate::operate::Run;

use super::drive::EXIT_SUFFIX;
use super::{Assumptions, End, Forecast, Outcome, Way, forecast};

/// The ways to end a run, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ranking {
    /// Best first; equal ones as they are listed: stop in order, stop, terminate.
    pub ways: Vec<Ranked>,
    /// Whether the first one leaves nothing unfinished, loses no hook and keeps the order.
    pub is_first_recommended: bool,
}

/// One way to end a run. Where its outcomes differ, the worst of each counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ranked {
    /// What may come of it.
    pub forecast: Forecast,
    /// The merge patch on the workflow object.
    pub patch: Option<Value>,
    /// The command, word by word.
    pub command: Vec<String>,
    /// Whether the workflow hangs.
    pub hangs: bool,
    /// Nodes that never become final.
    pub unfinished: Vec<NodeName>,
    /// Exit hooks that are due and do not run to their end.
    pub lost: Vec<NodeName>,
    /// Exit hooks that begin before what is inside their owner is over.
    pub too_early: Vec<NodeName>,
    /// Exit hooks that run for tasks that would have come next; they do not cost the recommendation.
    pub extra: Vec<NodeName>,
}

impl Ranked {
    /// Whether nothing is left, lost or broken.
    pub fn is_right(&self) -> bool {
        !self.hangs && self.unfinished.is_empty() && self.lost.is_empty() && self.too_early.is_empty()
    }
}

/// What comes of letting a run go on from just before its pass at `now`. What hangs or is not over under the
/// right order as well (a wait for a person, say) is not held against it.
pub fn going_on(run: &Run, now: Timestamp, assumptions: &Assumptions) -> Ranked {
    let mut right = run.clone();
    right.behaviour = Behaviour::UNWIND;
    right.look_at_all();
    let right = forecast(&right, now, &Way::GoOn, assumptions);
    let due: Vec<Due> = right.outcomes.iter().map(Due::of).collect();
    let mut ranked = ranked(run, now, &Way::GoOn, assumptions, &due);
    let hangs = right.outcomes.iter().any(|outcome| outcome.end != End::Completed);
    ranked.hangs &= !hangs;
    let open: BTreeSet<&NodeName> = right.outcomes.iter().flat_map(|outcome| &outcome.unfinished).collect();
    ranked.unfinished.retain(|node| !open.contains(node));
    ranked
}

/// One way to end a run just before its pass at `now`.
pub fn weigh(run: &Run, now: Timestamp, way: &Way, assumptions: &Assumptions) -> Ranked {
    ranked(run, now, way, assumptions, &due(run, now, assumptions))
}

/// Exit hooks of one outcome in the right order.
struct Due {
    begun: BTreeSet<NodeName>,
    /// Those that end before their time there too, by a time limit of their own.
    cut: BTreeSet<NodeName>,
}

impl Due {
    fn of(outcome: &Outcome) -> Self {
        Self { begun: begun(outcome), cut: outcome.cut.iter().cloned().collect() }
    }
}

/// Exit hooks that a stop in the right order runs.
fn due(run: &Run, now: Timestamp, assumptions: &Assumptions) -> Vec<Due> {
    let mut right = run.clone();
    right.behaviour = Behaviour::UNWIND;
    right.look_at_all();
    let due = forecast(&right, now, &Way::Stop, assumptions);
    due.outcomes.iter().map(Due::of).collect()
}

/// Ranks the ways to end a run just before its pass at `now`.
pub fn ranking(run: &Run, now: Timestamp, assumptions: &Assumptions) -> Ranking {
    let due = due(run, now, assumptions);
    let ways = [Way::StopInOrder, Way::Stop, Way::Terminate];
    let mut ways: Vec<Ranked> = ways.iter().map(|way| ranked(run, now, way, assumptions, &due)).collect();
    ways.sort_by_key(|way| {
        let is_finished = !way.hangs && way.unfinished.is_empty();
        (Reverse(is_finished), way.lost.len(), way.too_early.len(), way.extra.len())
    });
    let is_first_recommended = ways.first().is_some_and(Ranked::is_right);
    Ranking { ways, is_first_recommended }
}

fn ranked(run: &Run, now: Timestamp, way: &Way, assumptions: &Assumptions, due: &[Due]) -> Ranked {
    let forecast = forecast(run, now, way, assumptions);
    let mut unfinished = BTreeSet::new();
    let mut lost = BTreeSet::new();
    let mut too_early = BTreeSet::new();
    let mut extra = BTreeSet::new();
    for outcome in &forecast.outcomes {
        let begun = begun(outcome);
        // What is due depends on what decides, too: the set is taken that fits best.
        let fitting = due.iter().min_by_key(|due| due.begun.symmetric_difference(&begun).count());
        if let Some(due) = fitting {
            lost.extend(due.begun.difference(&begun).cloned());
            extra.extend(begun.difference(&due.begun).cloned());
            lost.extend(outcome.cut.iter().filter(|hook| !due.cut.contains(*hook)).cloned());
        }
        lost.extend(outcome.frozen.iter().filter(|hook| is_exit_hook(hook)).cloned());
        unfinished.extend(outcome.unfinished.iter().cloned());
        let early = outcome.hooks.iter().filter(|hook| !hook.too_early_for.is_empty());
        too_early.extend(early.map(|hook| hook.node.clone()));
    }
    Ranked {
        hangs: forecast.outcomes.iter().any(|outcome| outcome.end != End::Completed),
        patch: way.patch(),
        command: command(run, way),
        forecast,
        unfinished: unfinished.into_iter().collect(),
        lost: lost.into_iter().collect(),
        too_early: too_early.into_iter().collect(),
        extra: extra.into_iter().collect(),
    }
}

/// Exit hooks that begin.
fn begun(outcome: &Outcome) -> BTreeSet<NodeName> {
    outcome.hooks.iter().map(|hook| &hook.node).filter(|hook| is_exit_hook(hook)).cloned().collect()
}

fn is_exit_hook(hook: &NodeName) -> bool {
    hook.as_str().ends_with(EXIT_SUFFIX)
}

/// `argo` has no command for a deadline; the API server has one for every field.
fn command(run: &Run, way: &Way) -> Vec<String> {
    let metadata = &run.workflow.metadata;
    let (name, namespace) = (metadata.name.as_str(), metadata.namespace.as_str());
    let words: Vec<&str> = match way {
        Way::Stop => vec!["argo", "stop", name],
        Way::Terminate => vec!["argo", "terminate", name],
        Way::StopInOrder | Way::Patch(_) => vec!["kubectl", "patch", "workflow", name],
        Way::GoOn => return Vec::new(),
    };
    let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
    if !namespace.is_empty() {
        words.extend(["-n".to_owned(), namespace.to_owned()]);
    }
    if let (Way::StopInOrder | Way::Patch(_), Some(patch)) = (way, way.patch()) {
        words.extend(["--type", "merge", "-p"].map(str::to_owned));
        words.push(patch.to_string());
    }
    words
}
