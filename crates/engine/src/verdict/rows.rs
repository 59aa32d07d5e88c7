//! The rows of the hook-order timeline, with turns and the worst of their verdicts.

use std::collections::BTreeMap;

use unwind_model::{NodeName, NodeType, ordered};

use super::due::{Due, ExitHook};
use super::parts::Missing;
use super::scene::Scene;
use super::{Finding, FindingKind, Found, Holds, JudgedNode, Judgement};
use crate::plan::Role;

/// Puts together what was found.
pub(super) fn judgement(
    scene: &Scene<'_>,
    hooks: &[Option<ExitHook>],
    missing: &[Missing],
    found: Found,
) -> Judgement {
    let Found { mut verdicts, mut findings } = found;
    let mut worst: BTreeMap<&NodeName, Holds> = BTreeMap::new();
    let of_verdicts = verdicts.iter().map(|verdict| (&verdict.node, verdict.holds));
    let of_findings =
        findings.iter().filter_map(|finding| holds_of(finding).map(|holds| (&finding.node, holds)));
    for (node, holds) in of_verdicts.chain(of_findings) {
        let entry = worst.entry(node).or_insert(holds);
        *entry = holds.max(*entry);
    }
    let turns = Turns::new(scene, hooks);
    let mut rows =
        Rows { scene, hooks, turns: &turns, worst: &worst, levels: levels(scene, hooks), done: Vec::new() };
    rows.walk(missing);
    let rows = rows.done;
    let holds = worst.values().copied().max();
    let place = ordered::map(rows.iter().enumerate().map(|(place, row)| (row.node.clone(), place)));
    let place_of = |node: &NodeName| place.get(node).copied().unwrap_or(usize::MAX);
    ordered::sort_by_key(&mut verdicts, |verdict| (place_of(&verdict.node), verdict.rule));
    ordered::sort_by_key(&mut findings, |finding| (rank(finding.kind), place_of(&finding.node)));
    Judgement { rows, verdicts, findings, holds }
}

/// What a finding means for its row. Notes and warnings leave it as it is.
fn holds_of(finding: &Finding) -> Option<Holds> {
    match finding.kind {
        FindingKind::LeftUnfinished
        | FindingKind::EarlyEnd
        | FindingKind::HookMissing
        | FindingKind::HookUnwanted
        | FindingKind::HookOrder
        | FindingKind::MaskedFailure
        | FindingKind::StopIgnored
        | FindingKind::LockHeld
        | FindingKind::Unresolved => Some(Holds::Broken),
        FindingKind::OrderUnknown | FindingKind::Clock | FindingKind::Contradiction => {
            Some(Holds::CannotTell)
        }
        FindingKind::StopUnsafe
        | FindingKind::NoNodes
        | FindingKind::LinkMissing
        | FindingKind::PresetShutdown => None,
    }
}

/// Worst first: what cost a hook, then what hides it, then what is only its echo.
fn rank(kind: FindingKind) -> u8 {
    match kind {
        FindingKind::HookMissing => 0,
        FindingKind::HookOrder => 1,
        FindingKind::LeftUnfinished => 2,
        FindingKind::HookUnwanted => 3,
        FindingKind::StopIgnored | FindingKind::LockHeld => 4,
        FindingKind::MaskedFailure => 5,
        FindingKind::EarlyEnd | FindingKind::Unresolved => 6,
        FindingKind::OrderUnknown => 7,
        FindingKind::Clock | FindingKind::Contradiction => 8,
        FindingKind::StopUnsafe => 9,
        FindingKind::PresetShutdown => 10,
        FindingKind::NoNodes => 11,
        FindingKind::LinkMissing => 12,
    }
}

/// Expected and actual turns of exit hooks.
struct Turns {
    /// `expected[i]`: turn of the exit hook of span `i`, when it is due.
    expected: Vec<Option<u32>>,
    /// `actual[i]`: place by begin of the exit hook that is span `i`, and whether it is shared.
    actual: Vec<Option<(u32, bool)>>,
}

impl Turns {
    fn new(scene: &Scene<'_>, hooks: &[Option<ExitHook>]) -> Self {
        Self { expected: expected(scene, hooks), actual: actual(scene, hooks) }
    }
}

/// 1 + the highest turn of the exit hooks inside the owner.
fn expected(scene: &Scene<'_>, hooks: &[Option<ExitHook>]) -> Vec<Option<u32>> {
    let mut expected = vec![None; scene.spans.len()];
    let mut inside = vec![0_u32; scene.spans.len()];
    for &at in scene.tree.downward.iter().rev() {
        let due = hooks[at].as_ref().map(|hook| hook.due);
        if let Some(Due::Yes | Due::Missing) = due {
            expected[at] = Some(inside[at] + 1);
        }
        if let Some(parent) = scene.tree.parent[at] {
            let own = expected[at].unwrap_or(0).max(inside[at]);
            inside[parent] = inside[parent].max(own);
        }
    }
    expected
}

/// Place by begin among the exit hooks that ran: ties share a number, the next one skips.
fn actual(scene: &Scene<'_>, hooks: &[Option<ExitHook>]) -> Vec<Option<(u32, bool)>> {
    let mut ran: Vec<_> = hooks
        .iter()
        .flatten()
        .filter(|hook| hook.due != Due::BeforeStop)
        .filter_map(|hook| hook.seen)
        .filter(|seen| !scene.was_refused(*seen))
        .filter_map(|seen| scene.spans[seen].begun.map(|begun| (begun, seen)))
        .collect();
    ordered::sort_by(&mut ran, Ord::cmp);
    let mut actual = vec![None; scene.spans.len()];
    let mut place = 1;
    for group in ran.chunk_by(|a, b| a.0 == b.0) {
        let tied = group.len() > 1;
        for (_, seen) in group {
            actual[*seen] = Some((place, tied));
        }
        place += u32::try_from(group.len()).unwrap_or(u32::MAX);
    }
    actual
}

/// `levels[i]`: owners with an exit hook around span `i`.
fn levels(scene: &Scene<'_>, hooks: &[Option<ExitHook>]) -> Vec<u32> {
    let mut levels = vec![0; scene.spans.len()];
    for &at in &scene.tree.downward {
        levels[at] = match (scene.tree.owner[at], scene.tree.parent[at]) {
            (Some(owner), _) => levels[owner],
            (None, Some(parent)) => levels[parent] + u32::from(hooks[parent].is_some()),
            (None, None) => 0,
        };
    }
    levels
}

/// Collects the rows.
struct Rows<'a> {
    scene: &'a Scene<'a>,
    hooks: &'a [Option<ExitHook>],
    turns: &'a Turns,
    worst: &'a BTreeMap<&'a NodeName, Holds>,
    levels: Vec<u32>,
    done: Vec<JudgedNode>,
}

/// What comes next in bracket order.
enum Next<'m> {
    Node(usize),
    Part(&'m Missing),
    Hook(usize),
}

impl Rows<'_> {
    /// Bracket order, with what is missing where it belongs.
    fn walk(&mut self, missing: &[Missing]) {
        let mut by_node: Vec<&Missing> = missing.iter().collect();
        ordered::sort_by_key(&mut by_node, |part| part.at);
        let tree = &self.scene.tree;
        let mut open: Vec<Next<'_>> = tree.roots.iter().rev().map(|at| Next::Node(*at)).collect();
        while let Some(next) = open.pop() {
            match next {
                Next::Node(at) => {
                    self.node(at);
                    open.extend(match tree.exit[at] {
                        Some(hook) => Some(Next::Node(hook)),
                        None => self.hooks[at].as_ref().map(|hook| Next::Hook(hook.owner)),
                    });
                    let after = by_node.partition_point(|part| part.at <= at);
                    let parts = by_node[..after].iter().rev().take_while(|part| part.at == at);
                    open.extend(parts.map(|part| Next::Part(part)));
                    open.extend(tree.named[at].iter().rev().map(|at| Next::Node(*at)));
                    open.extend(tree.insides[at].iter().rev().map(|at| Next::Node(*at)));
                }
                Next::Part(part) => self.part(part),
                Next::Hook(owner) => self.hook_without_node(owner),
            }
        }
    }

    fn node(&mut self, at: usize) {
        let span = &self.scene.spans[at];
        let holds = self.worst.get(&span.node).copied();
        if matches!(span.node_type, NodeType::StepGroup) && holds.is_none_or(|h| h == Holds::Kept) {
            return;
        }
        let is_exit = matches!(span.role, Role::ExitHook | Role::Handler);
        let owner = self.scene.tree.owner[at].filter(|_| is_exit);
        let actual = self.turns.actual[at];
        self.done.push(JudgedNode {
            node: span.node.clone(),
            role: span.role,
            owner: span.owner.clone(),
            level: self.levels[at],
            phase: Some(span.phase),
            expected_turn: owner.and_then(|owner| self.turns.expected[owner]),
            actual_turn: actual.map(|(place, _)| place),
            tied: actual.is_some_and(|(_, tied)| tied),
            holds,
        });
    }

    /// A hook that is due and not there (yet).
    fn hook_without_node(&mut self, owner: usize) {
        let Some(hook) = &self.hooks[owner] else {
            return;
        };
        match hook.due {
            Due::Yes | Due::Missing => {}
            Due::BeforeStop | Due::No => return,
        }
        self.done.push(JudgedNode {
            node: hook.name.clone(),
            role: hook.role,
            owner: Some(self.scene.name(owner).clone()),
            level: self.levels[owner],
            phase: None,
            expected_turn: self.turns.expected[owner],
            actual_turn: None,
            tied: false,
            holds: self.worst.get(&hook.name).copied(),
        });
    }

    fn part(&mut self, part: &Missing) {
        let inside = matches!(part.role, Role::Work);
        let around = u32::from(inside && self.hooks[part.at].is_some());
        self.done.push(JudgedNode {
            node: part.name.clone(),
            role: part.role,
            owner: (!inside).then(|| self.scene.name(part.at).clone()),
            level: self.levels[part.at] + around,
            phase: None,
            expected_turn: None,
            actual_turn: None,
            tied: false,
            holds: self.worst.get(&part.name).copied(),
        });
    }
}
