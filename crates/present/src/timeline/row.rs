//! The rows: which there are, their numbers and bars.

use std::collections::BTreeMap;

use unwind_engine::plan::Role;
use unwind_engine::trace::Span;
use unwind_engine::verdict::Holds;
use unwind_model::{NodePhase, Timestamp, ordered};

use super::{BarPiece, PieceKind, Row, RowBracket, Sentences, Told, View};
use crate::format::{self, Zone};
use crate::graph::{LaneFacts, hook_glyph};
use crate::hook_state::{Chip, HookState};
use crate::phase::Look;
use crate::roster::MemberIndex;
use crate::study::Study;
use crate::words;

/// Length of a slot when nothing tells how long it would take, in ms.
const UNKNOWN_LENGTH_MS: i64 = 10_000;

/// The members that have a row, in bracket order.
pub(super) fn shown_members(facts: &LaneFacts, shows_all: bool) -> Vec<MemberIndex> {
    let study = facts.study;
    let roster = &study.roster;
    let has_row = |hook: MemberIndex| {
        let is_due = facts.turns.contains_key(&hook) || study.node(hook).is_some();
        roster.member(hook).is_exit_hook() && (is_due || facts.state(hook) == HookState::NeverRan)
    };
    let is_shown = |index: &MemberIndex| {
        let member = roster.member(*index);
        let is_named = facts.found.contains(&member.name);
        let is_owner = roster.hooks(*index).iter().any(|hook| has_row(*hook));
        shows_all || is_named || is_owner || has_row(*index)
    };
    roster.bracket_order().into_iter().filter(is_shown).collect()
}

/// One row.
pub(super) fn row(index: MemberIndex, facts: &LaneFacts, view: &View) -> Row {
    let study = facts.study;
    let roster = &study.roster;
    let member = roster.member(index);
    let span = study.span(&member.name);
    let judged = study.judged(&member.name);
    let state = member.is_hook().then(|| facts.state(index));
    let verdict = shown_verdict(judged.and_then(|row| row.holds), study.look(index));
    let is_rail = roster.is_box(index) && !member.is_hook();
    let is_left = facts.left.contains(&member.name);
    Row {
        node: member.name.clone(),
        id: member.id.clone(),
        member: index,
        role: member.role,
        look: if member.is_hook() { facts.look(index) } else { study.look(index) },
        hook_glyph: member.is_hook().then(|| hook_glyph(member.role)),
        title: member.label.clone(),
        level: 0,
        state,
        expected: facts.turns.get(&index).map(|turn| Chip::expected(*turn)),
        actual: state.and_then(|state| actual(index, state, facts)),
        is_rail,
        pieces: span.map_or_else(Vec::new, |span| pieces(span, is_left, study, view)),
        label: span.map_or_else(String::new, |span| label(span, study)),
        verdict,
    }
}

/// What is told of a row.
pub(super) fn told(row: &Row, sentences: &Sentences, zone: Zone, now: Timestamp) -> Told {
    Told {
        sentence: sentences.of(row.member),
        rule: row.verdict.and_then(|_| sentences.rule(row.member)).map(words::verdict::rule),
        bar: bar_text(row, sentences, zone, now),
    }
}

/// A verdict that is good so far is not shown before its node has ended.
fn shown_verdict(holds: Option<Holds>, look: Look) -> Option<Holds> {
    match holds {
        Some(Holds::Kept) if look.is_open() || look == Look::Planned => None,
        holds => holds,
    }
}

fn actual(index: MemberIndex, state: HookState, facts: &LaneFacts) -> Option<Chip> {
    match state {
        HookState::Planned | HookState::Chosen | HookState::WillNotRun | HookState::DidNotRun => None,
        HookState::NeverRan
        | HookState::Active
        | HookState::Ran
        | HookState::Kept
        | HookState::Broken
        | HookState::CannotTell => facts.chip(index, state),
    }
}

fn pieces(span: &Span, is_left: bool, study: &Study, view: &View) -> Vec<BarPiece> {
    let Some(begun) = span.begun else { return Vec::new() };
    let over = study.trace.over;
    let kind = if span.phase == NodePhase::Pending { PieceKind::Waiting } else { PieceKind::Ran };
    let end = match (span.ended, span.phase.is_final()) {
        (Some(ended), _) => Some(ended.max(begun)),
        (None, true) => Some(begun),
        (None, false) => over.map(|over| over.max(begun)),
    };
    let mut pieces = vec![BarPiece { kind, from: begun, to: end }];
    if is_left && span.ended.is_none() {
        let last = end.unwrap_or(view.now).max(begun);
        pieces[0].to = Some(last);
        pieces.push(BarPiece { kind: PieceKind::LeftOpen, from: last, to: None });
    }
    pieces
}

fn label(span: &Span, study: &Study) -> String {
    let (Some(begun), Some(ended)) = (span.begun, span.ended) else { return String::new() };
    let shutdown = study.trace.shutdown.and_then(|shutdown| shutdown.at.filter(|_| !shutdown.estimated));
    let is_stopped = words::node::tells_of_shutdown(&span.message);
    match shutdown {
        Some(at) if is_stopped && ended >= at => {
            format!("stopped, {} to end", format::duration(ended - at))
        }
        Some(_) | None if is_stopped => "stopped".to_owned(),
        Some(_) | None => format::duration(ended - begun),
    }
}

fn bar_text(row: &Row, sentences: &Sentences, zone: Zone, now: Timestamp) -> String {
    let study = sentences.study;
    let Some(span) = study.span(&row.node) else {
        return match row.state {
            Some(HookState::NeverRan) => "never ran".to_owned(),
            Some(HookState::DidNotRun) => "did not run".to_owned(),
            Some(_) | None => "planned".to_owned(),
        };
    };
    let Some(begun) = span.begun else { return span.phase.as_str().to_owned() };
    let from = zone.time(begun);
    let is_bar = row.role != Role::Root && !row.is_rail;
    let finding = sentences.deciding(&row.node).filter(|_| row.verdict == Some(Holds::Broken) && is_bar);
    let witnesses = finding.into_iter().flat_map(|finding| &finding.witnesses);
    let labels: Vec<String> = witnesses
        .filter(|witness| witness.node != row.node)
        .map(|witness| study.roster.label(&witness.node))
        .collect();
    let overlaps = match labels[..] {
        [] => String::new(),
        _ => format!(", overlaps {}", format::list(&labels)),
    };
    match span.ended {
        Some(ended) => {
            format!("{from} to {}, {}{overlaps}", zone.time(ended), format::duration(ended - begun))
        }
        None if study.is_over() => format!("from {from}, left {}{overlaps}", span.phase.as_str()),
        None => {
            format!("from {from}, {} for {}{overlaps}", span.phase.as_str(), format::duration(now - begun))
        }
    }
}

/// When what lies inside each member has ended or will end, the last of it.
#[derive(Default)]
struct Ends {
    own: BTreeMap<MemberIndex, Timestamp>,
    inside: BTreeMap<MemberIndex, Timestamp>,
}

impl Ends {
    fn note(&mut self, index: MemberIndex, end: Timestamp, study: &Study) {
        self.own.insert(index, end);
        // A box that is open waits for the very hook that is to be placed.
        if study.look(index).is_open() && study.roster.is_box(index) {
            return;
        }
        let mut at = study.roster.member(index).around;
        while let Some(around) = at {
            let last = self.inside.entry(around).or_insert(end);
            *last = end.max(*last);
            at = study.roster.member(around).around;
        }
    }

    /// When the exit hook of `owner` may begin.
    fn after(&self, owner: MemberIndex, study: &Study) -> Option<Timestamp> {
        let owner_end = self.own.get(&owner).filter(|_| !study.look(owner).is_open());
        self.inside.get(&owner).max(owner_end).copied()
    }
}

/// Adds the slots of what will come and of what had to come: each after the end of what it waits for.
pub(super) fn lay_planned(rows: &mut [Row], facts: &LaneFacts, view: &View) {
    let study = facts.study;
    if !study.is_shut_down() {
        return;
    }
    let mut ends = Ends::default();
    // Rows come inner first where it matters: an exit hook stands after everything inside its owner.
    for row in rows.iter_mut() {
        let member = study.roster.member(row.member);
        let estimate = view.estimates.ms(&member.template);
        let length = estimate.unwrap_or(UNKNOWN_LENGTH_MS).max(1);
        if row.pieces.is_empty() {
            let Some(owner) = member.around else { continue };
            let shutdown = study.trace.shutdown.and_then(|shutdown| shutdown.at);
            let Some(from) = ends.after(owner, study).or(shutdown) else { continue };
            if let Some(end) = lay_slot(row, from, length, estimate, study, view) {
                ends.note(row.member, end, study);
            }
        } else {
            let end = lay_rest(row, length, estimate, view);
            ends.note(row.member, end, study);
        }
    }
}

/// The slot of a hook that has no node: where it comes, or where it had to come.
fn lay_slot(
    row: &mut Row,
    from: Timestamp,
    length: i64,
    estimate: Option<i64>,
    study: &Study,
    view: &View,
) -> Option<Timestamp> {
    let (kind, from) = match row.state? {
        HookState::NeverRan => (PieceKind::NeverRan, from),
        HookState::Planned if !study.is_over() => (PieceKind::Planned, from.max(view.now)),
        HookState::Planned
        | HookState::Chosen
        | HookState::WillNotRun
        | HookState::DidNotRun
        | HookState::Active
        | HookState::Ran
        | HookState::Kept
        | HookState::Broken
        | HookState::CannotTell => return None,
    };
    row.label = match kind {
        PieceKind::NeverRan => words::verdict::NEVER_RAN.to_owned(),
        PieceKind::Planned | PieceKind::Waiting | PieceKind::Ran | PieceKind::LeftOpen => {
            estimate.map(format::about).unwrap_or_default()
        }
    };
    row.pieces.push(BarPiece { kind, from, to: Some(from + length) });
    Some(from + length)
}

/// What is left of a hook that runs, by its estimate; tells when the row ends.
fn lay_rest(row: &mut Row, length: i64, estimate: Option<i64>, view: &View) -> Timestamp {
    let Some(last) = row.pieces.last_mut() else { return view.now };
    let is_running = last.to.is_none() && last.kind == PieceKind::Ran;
    if !is_running || row.state.is_none() || estimate.is_none() {
        return last.to.unwrap_or(view.now);
    }
    let end = (last.from + length).max(view.now);
    last.to = Some(view.now);
    row.pieces.push(BarPiece { kind: PieceKind::Planned, from: view.now, to: Some(end) });
    end
}

/// The brackets, and the level of each row by how many are open beside it.
pub(super) fn brackets(rows: &mut [Row], study: &Study) -> Vec<RowBracket> {
    let place = ordered::map(rows.iter().enumerate().map(|(place, row)| (row.member, place)));
    let mut brackets = Vec::new();
    for (closes, row) in rows.iter().enumerate() {
        let owner = study.roster.member(row.member).around;
        let opens = owner.and_then(|owner| place.get(&owner));
        if let (Some(&opens), Some(state), true) = (opens, row.state, row.role != Role::NamedHook) {
            brackets.push(RowBracket { opens, closes, state });
        }
    }
    ordered::sort_by_key(&mut brackets, |bracket| (bracket.opens, std::cmp::Reverse(bracket.closes)));
    // A bracket lies around the rows between the two that it joins.
    let mut steps = vec![0_i64; rows.len() + 1];
    for bracket in &brackets {
        steps[bracket.opens + 1] += 1;
        steps[bracket.closes] -= 1;
    }
    let mut level = 0;
    for (row, step) in rows.iter_mut().zip(&steps) {
        level += step;
        row.level = u32::try_from(level).unwrap_or(0);
    }
    brackets
}
