//! The expected unwind order held against a trace, constraint by constraint.
//!
//! In: a plan and a trace. Out: rows with expected and actual turns, a verdict for every checked
//! rule, findings. The rules are those of `cases/README.md`, "The order rule": each check says
//! whether the instants of a trace keep it, it never replays the run.

mod cause;
mod condition;
mod due;
mod endings;
mod manifest;
mod masked;
mod order;
mod parts;
mod phases;
mod rows;
mod scene;
mod shutdown;

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodePhase, Timestamp};

use crate::plan::{Plan, Role};
use crate::trace::{Said, Trace};
use scene::Scene;

pub use cause::{Cause, cause};
pub use phases::{GroupPhase, Phases, phases};

/// What a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// The rule was kept.
    Kept,
    /// The times cannot tell.
    CannotTell,
    /// The rule was broken.
    Broken,
}

/// The rules, in the words of `cases/README.md`, "The order rule".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Stop starts nothing new but exit hooks.
    NothingNewButExitHooks,
    /// A task that began and ended runs its exit hook once.
    ExitHookRunsOnce,
    /// A task that did not run runs no hook.
    NoHookWithoutOwner,
    /// A box ends after everything inside it.
    BoxEndsLast,
    /// Exit hooks run from the inside out, each to its end.
    InsideOut,
    /// A hook begins after its owner has ended.
    AfterOwner,
    /// Other hooks end before the exit hook begins.
    NamedHooksFirst,
    /// Every node reaches a final phase.
    EveryNodeEnds,
    /// The workflow's own handler comes last.
    HandlerLast,
}

/// Kinds of findings, in the words of `cases/README.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// Not in a final phase although the run, or everything inside it, has ended.
    LeftUnfinished,
    /// Reported as ended although something inside it is still running.
    EarlyEnd,
    /// A hook (or a part of it) had to run and has no node.
    HookMissing,
    /// A hook ran though its task did not.
    HookUnwanted,
    /// A hook began before a hook further inside, or its owner, had ended.
    HookOrder,
    /// The times cannot tell which came first.
    OrderUnknown,
    /// Ends before it starts.
    Clock,
    /// Reported as good, but something in it failed and nothing allows that.
    MaskedFailure,
    /// A stop was asked and this did not react.
    StopIgnored,
    /// Looks like clean-up and will not run on a stop.
    StopUnsafe,
    /// The nodes are not in this file.
    NoNodes,
    /// In the file, but nobody's child.
    LinkMissing,
    /// The manifest asks for its own shutdown.
    PresetShutdown,
    /// Has ended, but is still named as holder of a lock.
    LockHeld,
    /// A value still holds a placeholder.
    Unresolved,
    /// Two witnesses do not agree.
    Contradiction,
}

/// What a finding names besides nodes and instants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "detail", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Detail {
    /// The lock that is held, and a node that waits for it.
    Lock {
        /// Its name.
        lock: String,
        /// Who waits.
        waiting: Option<NodeName>,
    },
    /// The field, and the placeholder in it.
    Value {
        /// The field.
        field: String,
        /// The placeholder.
        placeholder: String,
    },
    /// What two witnesses say.
    Says {
        /// Each of them.
        says: [Said; 2],
    },
}

/// An instant that proves a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Witness {
    /// Which node.
    pub node: NodeName,
    /// Which of its instants.
    pub instant: Instant,
    /// When that was; `None` when it never came.
    pub at: Option<Timestamp>,
}

/// An instant of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instant {
    /// It was created.
    Begin,
    /// It ended.
    End,
}

/// One checked constraint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The node it is about.
    pub node: NodeName,
    /// The rule.
    pub rule: Rule,
    /// What it came to.
    pub holds: Holds,
    /// What proves it: for an order, the later node's begin and the earlier node's end.
    pub witnesses: Vec<Witness>,
}

/// Something worth telling about a run or document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// The node it is about (it need not exist).
    pub node: NodeName,
    /// The rule it breaks, when it is one of order.
    pub rule: Option<Rule>,
    /// What proves it.
    pub witnesses: Vec<Witness>,
    /// What else it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}

/// One row of the hook-order timeline: an owner, a leaf or a hook with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedNode {
    /// Full name.
    pub node: NodeName,
    /// What it is.
    pub role: Role,
    /// Whose hook it is.
    pub owner: Option<NodeName>,
    /// Nesting of brackets around it, outermost 0.
    pub level: u32,
    /// Its phase; `None` when it never came to be.
    pub phase: Option<NodePhase>,
    /// Expected turn of an exit hook that is due.
    pub expected_turn: Option<u32>,
    /// Place by begin among the exit hooks that ran: ties share a number, the next one skips.
    pub actual_turn: Option<u32>,
    /// True when another hook shares its actual place.
    pub tied: bool,
    /// The worst of its verdicts; `None` while nothing can be said yet.
    pub holds: Option<Holds>,
}

/// A trace held against the right order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// Rows in bracket order; hooks that had to run and have no node are among them.
    pub rows: Vec<JudgedNode>,
    /// Every checked constraint.
    pub verdicts: Vec<Verdict>,
    /// What is worth telling, worst first.
    pub findings: Vec<Finding>,
    /// The worst of all; `None` while nothing can be said yet.
    pub holds: Option<Holds>,
}

/// Holds a trace against the right order. It knows the plan and the trace only, nothing of the
/// interpreter, so that it can judge the interpreter too. Near linear in the number of nodes.
pub fn judge(plan: &Plan, trace: &Trace) -> Judgement {
    let scene = Scene::new(plan, trace);
    let hooks = due::exit_hooks(&scene);
    let missing = parts::missing(&scene);
    let mut found = Found::default();
    due::check(&scene, &hooks, &mut found);
    order::check(&scene, &mut found);
    endings::check(&scene, &hooks, &mut found);
    shutdown::check(&scene, &mut found);
    masked::check(&scene, &mut found);
    parts::check(&scene, &missing, &mut found);
    manifest::check(&scene, &mut found);
    facts(&scene, &mut found);
    rows::judgement(&scene, &hooks, &missing, found)
}

/// What the object itself says.
fn facts(scene: &Scene<'_>, found: &mut Found) {
    let trace = scene.trace;
    for node in &trace.facts.unlinked {
        found.finding(FindingKind::LinkMissing, node, None, Vec::new());
    }
    if trace.facts.nodes_elsewhere {
        found.finding(FindingKind::NoNodes, &trace.workflow, None, Vec::new());
    }
    for held in &trace.facts.held_locks {
        let ended = scene.spans.iter().position(|span| span.node == held.holder).map(|at| scene.end_of(at));
        let detail = Detail::Lock { lock: held.lock.clone(), waiting: held.waiting.clone() };
        found.finding(FindingKind::LockHeld, &held.holder, None, ended.into_iter().collect());
        found.detail(detail);
    }
    for one in &trace.facts.contradictions {
        found.finding(FindingKind::Contradiction, &one.node, None, Vec::new());
        found.detail(Detail::Says { says: one.says.clone() });
    }
    for open in &trace.facts.open_values {
        let detail = Detail::Value { field: open.field.clone(), placeholder: open.placeholder.clone() };
        found.finding(FindingKind::Unresolved, &open.node, None, Vec::new());
        found.detail(detail);
    }
}

/// What the checks have found so far.
#[derive(Default)]
struct Found {
    verdicts: Vec<Verdict>,
    findings: Vec<Finding>,
}

impl Found {
    fn verdict(&mut self, node: &NodeName, rule: Rule, holds: Holds, witnesses: Vec<Witness>) {
        self.verdicts.push(Verdict { node: node.clone(), rule, holds, witnesses });
    }

    fn finding(&mut self, kind: FindingKind, node: &NodeName, rule: Option<Rule>, witnesses: Vec<Witness>) {
        self.findings.push(Finding { kind, node: node.clone(), rule, witnesses, detail: None });
    }

    /// What the last finding names, too.
    fn detail(&mut self, detail: Detail) {
        if let Some(finding) = self.findings.last_mut() {
            finding.detail = Some(detail);
        }
    }

    /// A broken rule and the finding that says so.
    fn broken(&mut self, kind: FindingKind, node: &NodeName, rule: Rule, witnesses: Vec<Witness>) {
        self.verdict(node, rule, Holds::Broken, witnesses.clone());
        self.finding(kind, node, Some(rule), witnesses);
    }
}
