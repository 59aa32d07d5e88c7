//! The rows: which there are, their numbers and bars.

use std::collections::BTreeMap;

use unwind_engine::plan::Role;
use unwind_engine::trace::Span;
use unwind_engine::verdict::Holds;
use unwind_model::{NodePhase, Timestamp};

use super::{BarPiece, PieceKind, Row, RowBracket, Sentences, View};
use crate::format;
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
pub(super) fn row(index: MemberIndex, facts: &LaneFacts, sentences: &Sentences, view: &View) -> Row {
    let study = facts.study;
    let roster = &study.roster;
    let member = roster.member(index);
    let span = sentences.span(&member.name);
    let judged = study.judged(&member.name);
    let state = member.is_hook().then(|| facts.state(index));
    let verdict = shown_verdict(judged.and_then(|row| row.holds), study.look(index));
    let deciding = sentences.deciding(&member.name);
    let witnesses = deciding.map_or_else(Vec::new, |finding| {
        let others = finding.witnesses.iter().map(|witness| &witness.node);
        others.filter(|node| **node != member.name).cloned().collect()
    });
    let is_rail = roster.is_box(index) && !member.is_hook();
    let is_left = facts.left.contains(&member.name);
    let mut row = Row {
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
        sentence: sentences.of(index),
        rule: verdict.and_then(|_| sentences.rule(index)).map(words::verdict::rule),
        witnesses,
        bar_text: String::new(),
    };
    row.bar_text = bar_text(&row, span, study, view);
    row
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

fn bar_text(row: &Row, span: Option<&Span>, study: &Study, view: &View) -> String {
    let Some(span) = span else {
        return match row.state {
            Some(HookState::NeverRan) => "never ran".to_owned(),
            Some(HookState::DidNotRun) => "did not run".to_owned(),
            Some(_) | None => "planned".to_owned(),
        };
    };
    let Some(begun) = span.begun else { return span.phase.as_str().to_owned() };
    let from = view.zone.time(begun);
    let is_bar = row.role != Role::Root && !row.is_rail;
    let labels: Vec<String> = row
        .witnesses
        .iter()
        .filter(|_| row.verdict == Some(Holds::Broken) && is_bar)
        .map(|node| study.roster.label(node))
        .collect();
    let overlaps = match labels[..] {
        [] => String::new(),
        _ => format!(", overlaps {}", format::list(&labels)),
    };
    match span.ended {
        Some(ended) => {
            format!("{from} to {}, {}{overlaps}", view.zone.time(ended), format::duration(ended - begun))
        }
        None if study.is_over() => format!("from {from}, left {}{overlaps}", span.phase.as_str()),
        None => format!(
            "from {from}, {} for {}{overlaps}",
            span.phase.as_str(),
            format::duration(view.now - begun)
        ),
    }
}

/// Adds the slots of what will come and of what had to come: each after the end of what it waits for.
pub(super) fn lay_planned(rows: &mut [Row], facts: &LaneFacts, view: &View) {
    let study = facts.study;
    let roster = &study.roster;
    if !study.is_shut_down() {
        return;
    }
    let mut ends: BTreeMap<MemberIndex, Timestamp> = BTreeMap::new();
    // Rows come inner first where they matter: an exit hook stands after everything inside its owner.
    for row in rows.iter_mut() {
        let index = row.member;
        let estimate = view.estimates.ms(&roster.member(index).template);
        let length = estimate.unwrap_or(UNKNOWN_LENGTH_MS).max(1);
        if let Some(last) = row.pieces.last().copied() {
            let open = last.to.is_none() && last.kind != PieceKind::LeftOpen;
            let is_hook = row.state.is_some();
            if open && is_hook && last.kind == PieceKind::Ran && estimate.is_some() {
                let end = (last.from + length).max(view.now);
                if let Some(piece) = row.pieces.last_mut() {
                    piece.to = Some(view.now);
                }
                row.pieces.push(BarPiece { kind: PieceKind::Planned, from: view.now, to: Some(end) });
                ends.insert(index, end);
            } else {
                ends.insert(index, last.to.unwrap_or(view.now));
            }
            continue;
        }
        let kind = match row.state {
            Some(HookState::NeverRan) => PieceKind::NeverRan,
            Some(HookState::Planned) if !study.is_over() => PieceKind::Planned,
            _ => continue,
        };
        let Some(owner) = roster.member(index).around else { continue };
        let inside = ends.iter().filter(|(other, _)| {
            // A box that waits for this very hook ends after it, not before.
            let is_open = study.look(**other).is_open() && roster.is_box(**other);
            !is_open && roster.encloses(owner, **other)
        });
        let owner_end = ends.get(&owner).filter(|_| !study.look(owner).is_open());
        let shutdown = study.trace.shutdown.and_then(|shutdown| shutdown.at);
        let after = inside.map(|(_, end)| *end).chain(owner_end.copied()).max();
        let Some(mut from) = after.or(shutdown) else { continue };
        if kind == PieceKind::Planned {
            from = from.max(view.now);
            row.label = estimate.map(format::about).unwrap_or_default();
        } else {
            row.label = String::from(words::verdict::NEVER_RAN);
        }
        row.pieces.push(BarPiece { kind, from, to: Some(from + length) });
        ends.insert(index, from + length);
    }
}

/// The brackets, and the level of each row by how many are open beside it.
pub(super) fn brackets(rows: &mut [Row], study: &Study) -> Vec<RowBracket> {
    let place: BTreeMap<MemberIndex, usize> =
        rows.iter().enumerate().map(|(place, row)| (row.member, place)).collect();
    let mut brackets = Vec::new();
    for (closes, row) in rows.iter().enumerate() {
        let owner = study.roster.member(row.member).around;
        let opens = owner.and_then(|owner| place.get(&owner));
        if let (Some(&opens), Some(state), true) = (opens, row.state, row.role != Role::NamedHook) {
            brackets.push(RowBracket { opens, closes, state });
        }
    }
    brackets.sort_by_key(|bracket| (bracket.opens, std::cmp::Reverse(bracket.closes)));
    for (at, row) in rows.iter_mut().enumerate() {
        let around = brackets.iter().filter(|bracket| bracket.opens < at && at < bracket.closes);
        row.level = u32::try_from(around.count()).unwrap_or(u32::MAX);
    }
    brackets
}
