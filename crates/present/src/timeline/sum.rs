//! The summary above the timeline, and the strip that stands for it while it is closed.

use unwind_engine::trace::{Resolution, Source};
use unwind_engine::verdict::Holds;

use super::{Row, View};
use crate::hook_state::{Chip, HookState};
use crate::study::Study;
use crate::unwinding::Unwinding;
use crate::words::verdict::sum as words;

/// The summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// The verdict over all; none while nothing can be said.
    pub verdict: Option<Holds>,
    /// The counts, or the turn while it unwinds.
    pub text: String,
    /// The precision of the times, or how long it still takes.
    pub note: String,
    /// It unwinds right now.
    pub is_unwinding: bool,
}

/// The hooks of one turn, for the closed strip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTurn {
    /// The number chip.
    pub chip: Chip,
    /// The names of its hooks.
    pub hooks: Vec<String>,
}

/// The turns with the names of their hooks, first turn first.
pub fn planned_turns(study: &Study) -> Vec<PlannedTurn> {
    let mut by_turn: Vec<Vec<String>> = Vec::new();
    let turns = study.turns();
    for index in study.roster.bracket_order() {
        if let Some(turn) = turns.get(&index) {
            let label = study.roster.member(index).label.clone();
            let turn = *turn as usize;
            by_turn.resize(by_turn.len().max(turn + 1), Vec::new());
            by_turn[turn].push(label);
        }
    }
    let is_over = study.is_over();
    let state = match study.judgement.holds {
        Some(holds) if is_over => HookState::of_verdict(Some(holds)),
        _ => HookState::Planned,
    };
    let turn = |(turn, hooks): (usize, Vec<String>)| PlannedTurn {
        chip: Chip { text: turn.to_string(), state, is_tied: false },
        hooks,
    };
    by_turn.into_iter().enumerate().filter(|(_, hooks)| !hooks.is_empty()).map(turn).collect()
}

pub(super) fn sum(rows: &[Row], study: &Study, view: &View) -> Sum {
    let number = |holds: Holds| rows.iter().filter(|row| row.verdict == Some(holds)).count();
    let (broken, unknown, kept) = (number(Holds::Broken), number(Holds::CannotTell), number(Holds::Kept));
    let worst = rows.iter().filter_map(|row| row.verdict).max();
    let has = |source: &Source| study.trace.sources.contains(source);
    let precision = match study.trace.resolution {
        Resolution::Milliseconds => "",
        Resolution::WholeSeconds if has(&Source::LogV3) || has(&Source::LogV4) => words::LOG,
        Resolution::WholeSeconds if has(&Source::Watch) => words::WATCH,
        Resolution::WholeSeconds if view.is_live => words::WHOLE_SECONDS_LIVE,
        Resolution::WholeSeconds => words::WHOLE_SECONDS,
    };
    let turns = study.turns();
    let unwinding = Unwinding::of(study).filter(|unwinding| unwinding.of > 0);
    let is_bad = broken + unknown > 0;
    let counts = |kept_text: String| {
        if is_bad { words::counts(broken, kept, unknown) } else { kept_text }
    };
    if let Some(unwinding) = unwinding {
        let to_go = unwinding.to_go_ms(study, view.estimates, view.now);
        let turn = words::turn(unwinding.turn.max(1), unwinding.of);
        let to_go = to_go.map(words::to_go).unwrap_or_default();
        let verdict = worst.filter(|_| is_bad);
        return if is_bad {
            Sum { verdict, text: counts(String::new()), note: turn, is_unwinding: true }
        } else {
            Sum { verdict, text: turn, note: to_go, is_unwinding: true }
        };
    }
    if turns.is_empty() && !is_bad {
        let has_hooks =
            study.roster.bracket_order().into_iter().any(|index| study.roster.member(index).is_exit_hook());
        let text = if has_hooks { words::NONE_DUE } else { words::NONE }.to_owned();
        return Sum { verdict: None, text, note: String::new(), is_unwinding: false };
    }
    if !study.is_shut_down() {
        let highest = turns.values().copied().max().unwrap_or(0);
        let text = if study.is_over() {
            counts(words::ran(turns.len(), highest, broken))
        } else {
            words::planned(turns.len())
        };
        let verdict = worst.filter(|_| study.is_over());
        let note = if study.is_over() { precision } else { "" };
        return Sum { verdict, text, note: note.to_owned(), is_unwinding: false };
    }
    Sum { verdict: worst, text: counts(words::kept(kept)), note: precision.to_owned(), is_unwinding: false }
}
