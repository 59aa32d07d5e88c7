//! One workflow in short: what its row in the list and its header show beside its progress.

use unwind_engine::verdict::Holds;
use unwind_model::{Shutdown, Timestamp, Workflow};

use crate::capability::{self, Origin};
use crate::format::Zone;
use crate::graph::{Clock, LaneFacts};
use crate::hook_state::HookState;
use crate::phase::{Look, verdict_word};
use crate::study::Study;
use crate::unwinding::Unwinding;
use crate::words;

/// More brackets than this are not drawn in a row; the number stands alone.
const BRACKETS_MAX: usize = 8;

/// Who asked for the workflow.
const CREATOR: &str = "workflows.argoproj.io/creator";

/// The cell of exit hooks in a row of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HooksCell {
    /// One small bracket per turn, the first turn first; none when there are too many.
    pub brackets: Vec<HookState>,
    /// `1 of 4`, a verdict word, or `none`.
    pub text: String,
    /// The verdict, once there is one.
    pub verdict: Option<Holds>,
    /// The hooks run right now.
    pub is_unwinding: bool,
}

/// The exit hooks of a workflow in short.
pub fn hooks_cell(study: &Study) -> HooksCell {
    let facts = LaneFacts::new(study, None);
    let turns = study.turns();
    let highest = turns.values().copied().max().unwrap_or(0);
    if highest == 0 {
        return HooksCell { text: "none".to_owned(), ..HooksCell::default() };
    }
    let worst_of_turn = |turn: u32| {
        let states = turns.iter().filter(|(_, other)| **other == turn);
        states.map(|(hook, _)| facts.state(*hook)).max_by_key(|state| weight(*state))
    };
    let brackets: Vec<HookState> = (1..=highest).filter_map(worst_of_turn).collect();
    let ran =
        turns.keys().filter(|hook| study.node(**hook).is_some_and(|node| node.phase.is_final())).count();
    let verdict = study.judgement.holds.filter(|holds| study.is_over() || *holds == Holds::Broken);
    HooksCell {
        text: verdict
            .map_or_else(|| format!("{ran} of {}", turns.len()), |holds| verdict_word(holds).to_owned()),
        brackets: if brackets.len() > BRACKETS_MAX { Vec::new() } else { brackets },
        verdict,
        is_unwinding: Unwinding::of(study).is_some(),
    }
}

/// Which state of a turn is shown when its hooks differ.
fn weight(state: HookState) -> u8 {
    match state {
        HookState::NeverRan => 9,
        HookState::Broken => 8,
        HookState::CannotTell => 7,
        HookState::Active => 6,
        HookState::Planned => 5,
        HookState::Chosen => 4,
        HookState::Ran => 3,
        HookState::Kept => 2,
        HookState::WillNotRun => 1,
        HookState::DidNotRun => 0,
    }
}

/// The stop button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopButton {
    /// What it does or says.
    pub state: StopState,
    /// Its words.
    pub label: String,
}

/// The states of the stop button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopState {
    /// It opens the preview.
    Enabled,
    /// It is not possible, for this reason.
    Disabled(String),
    /// A shutdown is under way.
    Stopping {
        /// How much of it is done, in per cent.
        done_percent: u32,
        /// Terminate is still possible.
        may_terminate: bool,
    },
}

/// The stop button of a workflow. `is_asked`: a stop was sent and no news of it have come yet.
pub fn stop_button(study: &Study, origin: Origin, zone: Zone, is_asked: bool) -> StopButton {
    let stop = || "Stop…".to_owned();
    let may_terminate = capability::terminate(&study.workflow, origin).is_ok();
    if let Some(unwinding) = Unwinding::of(study).filter(|_| origin != Origin::File) {
        let label = match unwinding.strategy {
            Shutdown::Terminate => words::shutdown::TERMINATING.to_owned(),
            Shutdown::Stop => {
                let turn = (unwinding.of > 0).then_some((unwinding.turn.max(1), unwinding.of));
                words::shutdown::stopping(turn)
            }
        };
        let left = unwinding.running.len() + unwinding.next.len();
        let done = unwinding.due.saturating_sub(left);
        let done_percent = done * 100 / unwinding.due.max(1);
        let done_percent = u32::try_from(done_percent).unwrap_or(100);
        return StopButton { state: StopState::Stopping { done_percent, may_terminate }, label };
    }
    match capability::stop(&study.workflow, origin) {
        Ok(()) if is_asked => StopButton {
            state: StopState::Stopping { done_percent: 0, may_terminate },
            label: words::shutdown::stopping(None),
        },
        Ok(()) => StopButton { state: StopState::Enabled, label: stop() },
        Err(reason) => StopButton { state: StopState::Disabled(reason.text(zone)), label: stop() },
    }
}

/// What a screen reader is told when turns and verdicts move; empty when there is nothing to tell.
pub fn announcement(study: &Study) -> String {
    if study.is_over() {
        let phase = Look::of_workflow(&study.workflow).word();
        let verdict = study.judgement.holds.map(verdict_word).unwrap_or_default();
        return words::live::all_over(phase, &verdict.to_ascii_lowercase());
    }
    let Some(unwinding) = Unwinding::of(study) else { return String::new() };
    match unwinding.running.first() {
        Some(hook) => {
            let label = &study.roster.member(*hook).label;
            words::live::turn_begins(unwinding.turn, unwinding.of, label)
        }
        None => words::shutdown::stopping(None),
    }
}

/// When a workflow began and how long it has been there, for header and row.
pub fn clock(workflow: &Workflow) -> Option<Clock> {
    let status = &workflow.status;
    Some(Clock { begun: status.started_at?, ended: status.finished_at })
}

/// Who asked for a workflow, when that is known.
pub fn asked_by(workflow: &Workflow) -> Option<&str> {
    workflow.metadata.labels.get(CREATOR).map(String::as_str)
}

/// The message of a row: what is wrong, what it waits for, or what the controller says.
pub fn message(study: &Study, now: Timestamp, zone: Zone) -> String {
    let truth = crate::truth::truth_line(study, now, zone);
    match truth.kind {
        crate::truth::TruthKind::Same | crate::truth::TruthKind::Kept => {
            study.roster.message(&study.workflow.status.message)
        }
        crate::truth::TruthKind::Stopping
        | crate::truth::TruthKind::Broken
        | crate::truth::TruthKind::CannotTell
        | crate::truth::TruthKind::Differs
        | crate::truth::TruthKind::Cause => {
            let text = truth.text.text();
            text.strip_suffix('.').unwrap_or(&text).to_owned()
        }
    }
}
