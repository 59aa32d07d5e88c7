//! One outcome: a copy of the run, pass by pass, until it is over or nothing moves any more.

use std::collections::BTreeSet;

use unwind_model::{NodeName, NodePhase, NodeType, Timestamp, ordered};

use crate::operate::{PodAct, Run};

use super::Way;
use super::cluster::Cluster;
use super::course::{Assumptions, Guess, Open};
use super::outcome::{End, HookBegun, Outcome};

/// Time between two passes.
const STEP_MS: i64 = 10_000;

/// What happens in the cluster happens this long before the pass that sees it.
const BEFORE_PASS_MS: i64 = 3_000;

/// After so many passes in which nothing moves, timers are waited for.
const QUIET_PASSES: usize = 3;

/// How long timers are waited for; results that stay open are given up after ten minutes by some releases.
const LONG_STEP_MS: i64 = 1_270_000;

/// More passes than this are not looked at.
const MOST_PASSES: usize = 1_000;

/// End of the name of an exit hook's node. Source: Argo `workflow/common/util.go`, `GenerateOnExitNodeName`.
pub(super) const EXIT_SUFFIX: &str = ".onExit";

/// An outcome, and what was open while it was found.
pub(super) struct Driven {
    pub(super) outcome: Outcome,
    pub(super) open: Open,
    /// Nodes that were made without anything to run: their task or hook could not be.
    pub(super) never: BTreeSet<NodeName>,
    /// Nodes that had a pod.
    pub(super) leaves: Vec<NodeName>,
}

/// Drives a copy of `run` whose next pass is at `now`.
pub(super) fn drive(run: &Run, now: Timestamp, way: &Way, assumptions: &Assumptions, guess: Guess) -> Driven {
    let mut run = run.clone();
    run.counts_progress = false;
    let mut cluster = Cluster::new(&run, way.meant(), assumptions, guess);
    let mut hooks = Hooks::new(&run, &cluster);
    let mut now = now;
    let mut pass = 0;
    let mut quiet = 0;
    let end = loop {
        if run.is_completed() {
            break End::Completed;
        }
        if pass >= assumptions.passes.unwrap_or(MOST_PASSES) {
            break End::GoesOn;
        }
        pass += 1;
        let seen = cluster.move_on(&run, pass, now + -BEFORE_PASS_MS);
        let asked = if pass == 1 { way.seen() } else { None };
        let is_told = !seen.is_empty() || asked.is_some();
        for seen in seen.into_iter().chain(asked) {
            run.see(now + -BEFORE_PASS_MS, seen);
        }
        let before = (!is_told).then(|| (run.table.nodes(), run.state.clone()));
        let acts = run.pass(now);
        hooks.note_cut(&cluster, &acts);
        cluster.perform(&run, pass, &acts);
        hooks.look(&run, &cluster, pass);
        let is_same = before.is_some_and(|(nodes, state)| run.table.is_as(&nodes) && run.state == state);
        let is_quiet = is_same && acts.iter().all(is_kill) && !cluster.is_waiting(pass);
        if !is_quiet {
            quiet = 0;
            now = now + STEP_MS;
            continue;
        }
        quiet += 1;
        if quiet > QUIET_PASSES && !run.is_completed() {
            break End::Stuck;
        }
        now = now + if quiet == QUIET_PASSES { LONG_STEP_MS } else { STEP_MS };
    };
    let never = run.table.iter().filter(|(_, node)| node.exists && node.kind == NodeType::Skipped);
    let never = never.map(|(_, node)| node.name.clone()).collect();
    let leaves = cluster.with_pods();
    Driven { open: cluster.open, outcome: outcome(&run, hooks, end, pass), never, leaves }
}

/// A copy of `run` driven until a node runs, or something in it does, and when its next pass is; `None` where
/// that never comes.
pub fn until_running(
    run: &Run,
    now: Timestamp,
    node: &NodeName,
    assumptions: &Assumptions,
) -> Option<(Run, Timestamp)> {
    let mut run = run.clone();
    let mut cluster = Cluster::new(&run, Way::GoOn.meant(), assumptions, Guess::default());
    let mut now = now;
    for pass in 1..=MOST_PASSES {
        for seen in cluster.move_on(&run, pass, now + -BEFORE_PASS_MS) {
            run.see(now + -BEFORE_PASS_MS, seen);
        }
        let acts = run.pass(now);
        cluster.perform(&run, pass, &acts);
        now = now + STEP_MS;
        let phase = run.table.named(node.as_str()).map(|at| run.table.get(at)).filter(|node| node.exists);
        if phase.is_some_and(|node| node.phase == NodePhase::Running) {
            return Some((run, now));
        }
        if run.is_completed() {
            return None;
        }
    }
    None
}

/// A kill is given again in every pass.
fn is_kill(act: &PodAct) -> bool {
    match act {
        PodAct::Killed { .. } => true,
        PodAct::Created(_)
        | PodAct::CreatedAgent { .. }
        | PodAct::Deleted { .. }
        | PodAct::DeletedAgent
        | PodAct::Released { .. } => false,
    }
}

/// Hooks that have begun.
#[derive(Default)]
struct Hooks {
    /// In the order of their begins, those of one pass by name.
    begun: Vec<HookBegun>,
    /// `known[i]`: whether node `i` of the table is one of them, or began before the forecast.
    known: Vec<bool>,
    /// Exit hooks that were told to end.
    cut: BTreeSet<NodeName>,
}

impl Hooks {
    fn new(run: &Run, cluster: &Cluster<'_>) -> Self {
        let mut hooks = Self::default();
        hooks.look(run, cluster, 0);
        hooks
    }

    /// Pods of exit hooks that are told to end or deleted before they are over.
    fn note_cut(&mut self, cluster: &Cluster<'_>, acts: &[PodAct]) {
        for act in acts {
            let node = match act {
                PodAct::Killed { node } | PodAct::Deleted { node } => node,
                PodAct::Created(_)
                | PodAct::CreatedAgent { .. }
                | PodAct::DeletedAgent
                | PodAct::Released { .. } => continue,
            };
            let hook = node.as_str().rfind(EXIT_SUFFIX).filter(|_| !cluster.is_over(node));
            if let Some(hook) = hook.map(|at| &node.as_str()[..at + EXIT_SUFFIX.len()]) {
                self.cut.insert(NodeName::from(hook));
            }
        }
    }

    fn look(&mut self, run: &Run, cluster: &Cluster<'_>, pass: usize) {
        let mut new = Vec::new();
        for (at, node) in run.table.iter().filter(|(_, node)| node.is_hooked() && !node.is_retried()) {
            let at = at.0 as usize;
            if self.known.len() <= at {
                self.known.resize(at + 1, false);
            }
            if !std::mem::replace(&mut self.known[at], true) {
                new.push(&node.name);
            }
        }
        if pass == 0 || new.is_empty() {
            return;
        }
        new.sort_unstable();
        let open = open_now(run, cluster, pass);
        self.begun.extend(new.into_iter().map(|name| HookBegun {
            node: name.clone(),
            pass,
            too_early_for: open_inside(&open, name),
        }));
    }
}

/// What is not over, with what a pod works for: its names, sorted.
fn open_now<'run>(run: &'run Run, cluster: &'run Cluster<'_>, pass: usize) -> Vec<&'run NodeName> {
    let nodes = run.table.iter().map(|(_, node)| node).filter(|node| !node.is_fulfilled());
    let works = cluster.working(pass).filter(|name| run.table.named(name.as_str()).is_some());
    let mut open: Vec<&NodeName> = nodes.map(|node| &node.name).chain(works).collect();
    open.sort_unstable();
    open.dedup();
    open
}

/// What inside the owner of an exit hook is not over: main work and inner hooks, with their pods. What lies inside
/// begins with the owner's name, so it stands together.
fn open_inside(open: &[&NodeName], hook: &NodeName) -> Vec<NodeName> {
    let Some(owner) = hook.as_str().strip_suffix(EXIT_SUFFIX) else { return Vec::new() };
    let is_inside = |name: &str| {
        let inner = name.strip_prefix(owner);
        inner.is_some_and(|inner| inner.is_empty() || inner.starts_with(['.', '[', '(']))
            && !name.starts_with(hook.as_str())
    };
    let first = open.partition_point(|name| name.as_str() < owner);
    let near = open[first..].iter().take_while(|name| name.as_str().starts_with(owner));
    near.filter(|name| is_inside(name.as_str())).map(|name| (*name).clone()).collect()
}

fn outcome(run: &Run, hooks: Hooks, end: End, passes: usize) -> Outcome {
    let cut = hooks.cut.into_iter().collect();
    let nodes = || run.table.iter().map(|(_, node)| node);
    let mut unfinished: Vec<_> =
        nodes().filter(|node| !node.is_fulfilled()).map(|node| node.name.clone()).collect();
    unfinished.sort();
    let frozen = |node: &&crate::operate::Node| {
        node.is_hooked() && node.phase == NodePhase::Pending && node.kind == NodeType::Pod
    };
    let mut frozen: Vec<_> = nodes().filter(frozen).map(|node| node.name.clone()).collect();
    frozen.sort();
    Outcome {
        decided_by: Vec::new(),
        hooks: hooks.begun,
        nodes: ordered::map(nodes().map(|node| (node.name.clone(), node.phase))),
        unfinished,
        frozen,
        cut,
        lost: Vec::new(),
        extra: Vec::new(),
        phase: run.state.phase,
        message: run.state.message.clone(),
        end,
        passes,
    }
}
