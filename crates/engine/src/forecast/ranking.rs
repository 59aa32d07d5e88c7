//! All ways to end a run side by side: what each leaves, loses, breaks and adds, the best first.
//!
//! What is due is what the rules of UNWIND run from the same state on; there is no other list of it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unwind_model::{NodeName, Timestamp};

use crate::behaviour::Behaviour;
use crate::operate::Run;

use super::course::Guess;
use super::drive::{Driven, EXIT_SUFFIX, drive};
use super::{Assumptions, Course, End, Forecast, Outcome, Way, forecast_with};

/// The ways to end a run, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ranking {
    /// Best first: nothing left unfinished, then no hook lost, then the order kept, then fewest extra hooks, a
    /// terminate last; equal ones as they are listed: stop in order, stop, terminate.
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
    /// Whether nothing is left, lost or broken.
    pub is_recommended: bool,
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
    let mut right = Right::new(run, now, Way::GoOn, assumptions);
    let mut ranked = ranked(run, &Way::GoOn, &mut right);
    let hangs = right.known.values().any(|due| due.hangs);
    ranked.hangs &= !hangs;
    let open: BTreeSet<&NodeName> = right.known.values().flat_map(|due| &due.open).collect();
    ranked.unfinished.retain(|node| !open.contains(node));
    ranked.is_recommended = ranked.is_right();
    ranked
}

/// More tasks than this are not made to fail one by one.
const MOST_FAILURES: usize = 50;

/// Nor are they when that many programs would end in all runs together.
const MOST_PROGRAMS: usize = 20_000;

/// A task whose programs fail, and what comes of letting the run go on then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IfFails {
    /// Full name of the task, without the marks of an item or a try.
    pub task: NodeName,
    /// What comes of it.
    pub goes_on: Ranked,
}

/// What goes wrong only when a task fails, where there are not too many tasks: each one that has a program fails in
/// turn. `well`: what comes of it when none does.
pub fn when_tasks_fail(run: &Run, now: Timestamp, well: &Ranked) -> Vec<IfFails> {
    let assumptions = Assumptions::default();
    let driven = drive(run, now, &Way::GoOn, &assumptions, Guess::default());
    let mut tasks: Vec<NodeName> = driven.leaves.iter().map(task_of).collect();
    tasks.sort();
    tasks.dedup();
    if tasks.len() > MOST_FAILURES || tasks.len() * driven.leaves.len() > MOST_PROGRAMS {
        return Vec::new();
    }
    let mut found = Vec::new();
    for task in tasks {
        let assumptions = Assumptions {
            tasks: BTreeMap::from([(task.clone(), Course::ending_with(1))]),
            ..Assumptions::default()
        };
        let mut goes_on = going_on(run, now, &assumptions);
        goes_on.lost.retain(|hook| !well.lost.contains(hook));
        goes_on.too_early.retain(|hook| !well.too_early.contains(hook));
        goes_on.unfinished.retain(|node| !well.unfinished.contains(node));
        goes_on.hangs &= !well.hangs;
        goes_on.is_recommended = goes_on.is_right();
        if !goes_on.is_right() {
            found.push(IfFails { task, goes_on });
        }
    }
    found
}

/// The task that a node is an item or a try of.
fn task_of(node: &NodeName) -> NodeName {
    let mut name = node.as_str();
    while let Some(at) = name.strip_suffix(')').and_then(|name| name.rfind('(')) {
        name = &name[..at];
    }
    NodeName::from(name)
}

/// One way to end a run just before its pass at `now`.
pub fn weigh(run: &Run, now: Timestamp, way: &Way, assumptions: &Assumptions) -> Ranked {
    ranked(run, way, &mut Right::new(run, now, Way::Stop, assumptions))
}

/// Ranks the ways to end a run just before its pass at `now`.
pub fn ranking(run: &Run, now: Timestamp, assumptions: &Assumptions) -> Ranking {
    let mut right = Right::new(run, now, Way::Stop, assumptions);
    let ways = [Way::StopInOrder, Way::Stop, Way::Terminate];
    let mut ways: Vec<Ranked> = ways.iter().map(|way| ranked(run, way, &mut right)).collect();
    ways.sort_by_key(|way| {
        let is_finished = !way.hangs && way.unfinished.is_empty();
        // An extra hook costs nothing against a way that would end it by force.
        let is_forced = way.forecast.way == Way::Terminate;
        (Reverse(is_finished), way.lost.len(), way.too_early.len(), is_forced, way.extra.len())
    });
    let is_first_recommended = ways.first().is_some_and(Ranked::is_right);
    Ranking { ways, is_first_recommended }
}

/// The same run in the right order.
struct Right<'a> {
    run: Run,
    now: Timestamp,
    way: Way,
    assumptions: &'a Assumptions,
    /// What is due, by what was guessed.
    known: BTreeMap<Guess, Due>,
}

/// What the right order does.
struct Due {
    /// Exit hooks that begin and can.
    begun: BTreeSet<NodeName>,
    /// Those that end before their time there too, by a time limit of their own.
    cut: BTreeSet<NodeName>,
    hangs: bool,
    open: BTreeSet<NodeName>,
}

impl<'a> Right<'a> {
    fn new(run: &Run, now: Timestamp, way: Way, assumptions: &'a Assumptions) -> Self {
        let mut run = run.clone();
        run.go_on_as(Behaviour::UNWIND);
        Self { run, now, way, assumptions, known: BTreeMap::new() }
    }

    fn due(&mut self, guess: Guess) -> &Due {
        let Self { run, now, way, assumptions, known } = self;
        known.entry(guess).or_insert_with(|| {
            let Driven { outcome, never, .. } = drive(run, *now, way, assumptions, guess);
            Due {
                begun: begun(&outcome, way).into_iter().filter(|hook| !never.contains(hook)).collect(),
                cut: outcome.cut.into_iter().collect(),
                hangs: outcome.end != End::Completed,
                open: outcome.unfinished.into_iter().collect(),
            }
        })
    }
}

fn ranked(run: &Run, way: &Way, right: &mut Right<'_>) -> Ranked {
    let (now, assumptions) = (right.now, right.assumptions);
    let forecast = forecast_with(run, now, way, assumptions, &mut |guess, driven| {
        compare(driven, way, right.due(guess));
    });
    let all = |of: &dyn Fn(&Outcome) -> Vec<NodeName>| -> Vec<NodeName> {
        let nodes: BTreeSet<NodeName> = forecast.outcomes.iter().flat_map(of).collect();
        nodes.into_iter().collect()
    };
    let mut ranked = Ranked {
        hangs: forecast.outcomes.iter().any(|outcome| outcome.end != End::Completed),
        patch: way.patch(),
        command: command(run, way),
        unfinished: all(&|outcome| outcome.unfinished.clone()),
        lost: all(&|outcome| outcome.lost.clone()),
        too_early: all(&|outcome| {
            let early = outcome.hooks.iter().filter(|hook| !hook.too_early_for.is_empty());
            early.map(|hook| hook.node.clone()).collect()
        }),
        extra: all(&|outcome| outcome.extra.clone()),
        forecast,
        is_recommended: false,
    };
    ranked.is_recommended = ranked.is_right();
    ranked
}

/// Writes down what an outcome loses and adds. What could not be made needs no hook.
fn compare(driven: &mut Driven, way: &Way, due: &Due) {
    let Driven { outcome, never, .. } = driven;
    let begun = begun(outcome, way);
    let is_needed = |hook: &&NodeName| {
        let hook = hook.as_str();
        let owner = hook.strip_suffix(EXIT_SUFFIX).or_else(|| Some(hook.rsplit_once(".hooks.")?.0));
        let owner = owner.unwrap_or_default();
        !never.contains(&NodeName::from(owner))
    };
    let mut lost: BTreeSet<NodeName> = due.begun.difference(&begun).filter(is_needed).cloned().collect();
    lost.extend(outcome.cut.iter().filter(|hook| !due.cut.contains(*hook)).cloned());
    lost.extend(outcome.frozen.iter().filter(|hook| is_exit_hook(hook)).cloned());
    outcome.lost = lost.into_iter().collect();
    outcome.extra = begun.difference(&due.begun).filter(|hook| !never.contains(*hook)).cloned().collect();
}

/// Exit hooks that begin. What is let go on begins others as well; what is ended does not.
fn begun(outcome: &Outcome, way: &Way) -> BTreeSet<NodeName> {
    let hooks = outcome.hooks.iter().map(|hook| &hook.node);
    hooks.filter(|hook| *way == Way::GoOn || is_exit_hook(hook)).cloned().collect()
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
