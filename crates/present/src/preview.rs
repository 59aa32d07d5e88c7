//! The stop preview as data: what ends, which hooks run in which order, what will not run and why.
//!
//! In: a study and a prediction made from it. Out: texts, rows and the marks of the graph.

use unwind_engine::analysis::Foreseen;
use unwind_engine::plan::Role;
use unwind_engine::predict::{NotRun, NotRunReason, Outcome, PredictedHook, Prediction, Way};
use unwind_model::{NodeName, Timestamp, ordered};

use crate::estimate::{Estimates, all_turns_ms};
use crate::format;
use crate::glyph::Glyph;
use crate::graph::{Clock, Marks, condition_text, hook_glyph};
use crate::hook_state::{Chip, HookState};
use crate::phase::Look;
use crate::remarks;
use crate::rich::Rich;
use crate::study::Study;
use crate::words::shutdown as words;

/// Who will carry the stop out.
#[derive(Clone, Debug, PartialEq)]
pub enum Keeper {
    /// Our own engine, in a server or in the page: what is predicted is what happens.
    OwnEngine,
    /// A release of Argo, of this version when it is known.
    Argo {
        /// For example `v4.1.2`.
        version: Option<String>,
        /// What that release does on the way that is previewed, where it was worked out.
        foreseen: Option<Foreseen>,
    },
}

impl Keeper {
    fn foreseen(&self) -> Option<&Foreseen> {
        match self {
            Self::OwnEngine => None,
            Self::Argo { foreseen, .. } => foreseen.as_ref(),
        }
    }
}

/// The preview of one way to end a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// Stop or Terminate.
    pub way: Way,
    /// Glyph of the head.
    pub glyph: Glyph,
    /// `Stop {workflow}`.
    pub head: String,
    /// What this way does in general.
    pub lead: &'static str,
    /// Its tab.
    pub tab: &'static str,
    /// Ends, run, will not run.
    pub sums: [Sum; 3],
    /// At most one callout.
    pub callout: Option<Callout>,
    /// What ends at once.
    pub ends: Vec<EndLine>,
    /// What will run, in bracket order.
    pub hooks: Vec<HookLine>,
    /// The brackets beside the hooks.
    pub brackets: Vec<ListBracket>,
    /// What is said below the hooks when some share a turn.
    pub hint: Option<&'static str>,
    /// What will not run.
    pub will_not_run: Vec<NotRunLine>,
    /// The sentence above the buttons.
    pub foot: String,
    /// The button that confirms.
    pub confirm: String,
    /// The button that closes.
    pub dismiss: &'static str,
    /// The button that shows the other way.
    pub other_way: &'static str,
    /// What the graph marks while the preview is open.
    pub marks: Marks,
}

/// A number with what it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub number: usize,
    /// Of what.
    pub text: &'static str,
}

/// A remark that stands out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callout {
    /// Its kind.
    pub tone: CalloutTone,
    /// Its glyph.
    pub glyph: Glyph,
    /// What it says.
    pub text: Rich,
}

/// How loud a callout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CalloutTone {
    /// All is well.
    Kept,
    /// It may differ.
    Unsure,
    /// Something is broken.
    Broken,
}

/// A leaf that ends at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndLine {
    /// Which.
    pub node: NodeName,
    /// How it looks now.
    pub look: Look,
    /// Its name.
    pub title: String,
    /// What becomes of it.
    pub text: String,
}

/// An exit hook that will run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookLine {
    /// Which.
    pub node: NodeName,
    /// Its number.
    pub chip: Chip,
    /// Arrow, or arrow with bar for the handler.
    pub glyph: Glyph,
    /// Its name.
    pub title: String,
    /// `any order`, when others share its turn.
    pub note: &'static str,
    /// Where it is: `level1 / level2`.
    pub path: String,
    /// How long it takes, when that can be guessed.
    pub estimate: String,
    /// It runs already.
    pub is_running: bool,
}

/// A bracket beside the list of hooks: it begins at the top of the list or of its first inner hook
/// and closes on a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListBracket {
    /// First row inside the bracket.
    pub from: usize,
    /// The row of the hook it closes on.
    pub to: usize,
    /// How many brackets lie around it.
    pub level: usize,
}

/// Something that will not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRunLine {
    /// Which.
    pub node: NodeName,
    /// Its glyph.
    pub glyph: Glyph,
    /// Its name.
    pub title: String,
    /// What it is, where that is not plain: `workflow hook, if Failed`.
    pub what: String,
    /// Why it will not run.
    pub reason: String,
}

/// Makes the preview of `prediction`'s first outcome. None when nothing was predicted.
pub fn preview(
    study: &Study,
    prediction: &Prediction,
    keeper: &Keeper,
    estimates: &Estimates,
    now: Timestamp,
) -> Option<Preview> {
    let outcome = prediction.outcomes.first()?;
    let way = prediction.way;
    let hooks = hook_lines(study, outcome, estimates);
    let will_not_run = not_run_lines(study, outcome);
    let keeps_order = match keeper {
        Keeper::OwnEngine => true,
        Keeper::Argo { .. } => keeper.foreseen().map_or(outcome.hooks.len() < 2, Foreseen::is_right),
    };
    let ends = outcome.ends.len();
    let exit_hooks_lost = outcome
        .will_not_run
        .iter()
        .filter(|not| is_exit(not.role) && not.reason == NotRunReason::Terminated)
        .count();
    let foot = match way {
        Way::Stop | Way::GoOn => words::foot_stop(&words::Foot {
            ends,
            hooks: outcome.hooks.len(),
            turns: outcome.hooks.iter().map(|hook| hook.turn).max().unwrap_or(0),
            about_ms: whole_ms(outcome, estimates),
            phase: outcome.phase.as_str(),
            message: &outcome.message,
            keeps_order,
        }),
        Way::Terminate => words::foot_terminate(ends, exit_hooks_lost),
    };
    Some(Preview {
        way,
        glyph: match way {
            Way::Stop | Way::GoOn => Glyph::Stop,
            Way::Terminate => Glyph::Terminate,
        },
        head: words::head(way, &study.roster.workflow),
        lead: words::lead(way),
        tab: words::tab(way),
        sums: [
            Sum { number: ends, text: words::sum_ends(ends) },
            Sum { number: hooks.len(), text: words::sum_runs(hooks.len()) },
            Sum { number: will_not_run.len(), text: words::SUM_NOT },
        ],
        callout: callout(study, outcome, way, keeper, now),
        ends: end_lines(study, outcome, now),
        brackets: list_brackets(study, &outcome.hooks),
        hint: has_shared_turns(&outcome.hooks).then_some(words::TURN_HINT),
        hooks,
        will_not_run,
        foot,
        confirm: words::confirm(way, outcome.hooks.len(), keeps_order),
        dismiss: words::DISMISS,
        other_way: words::other_way(way),
        marks: Marks::of(prediction),
    })
}

fn is_exit(role: Role) -> bool {
    match role {
        Role::ExitHook | Role::Handler => true,
        Role::Root | Role::Work | Role::NamedHook => false,
    }
}

fn callout(study: &Study, outcome: &Outcome, way: Way, keeper: &Keeper, now: Timestamp) -> Option<Callout> {
    match way {
        Way::GoOn => None,
        Way::Terminate => {
            let handler = study.roster.indices().find(|&index| {
                study.roster.member(index).role == Role::Handler && study.look(index).is_open()
            })?;
            let begun = study.node(handler).and_then(|node| node.started_at);
            let running = begun.map(|begun| Clock { begun, ended: None }.ms(now));
            Some(Callout {
                tone: CalloutTone::Unsure,
                glyph: Glyph::Warning,
                text: words::callout_handler_running(&study.roster.member(handler).label, running),
            })
        }
        Way::Stop if outcome.hooks.is_empty() => Some(Callout {
            tone: CalloutTone::Unsure,
            glyph: Glyph::Unknown,
            text: words::callout_no_hooks(outcome.ends.len()),
        }),
        Way::Stop => match keeper {
            Keeper::OwnEngine => Some(Callout {
                tone: CalloutTone::Kept,
                glyph: Glyph::Kept,
                text: words::callout_own_engine(),
            }),
            Keeper::Argo { version, foreseen } => match foreseen {
                Some(foreseen) => Some(on_release(study, version.as_deref(), foreseen)),
                None if outcome.hooks.len() < 2 => None,
                None => Some(Callout {
                    tone: CalloutTone::Unsure,
                    glyph: Glyph::Unknown,
                    text: words::callout_argo(version.as_deref()),
                }),
            },
        },
    }
}

/// What the release does with the order, and which way keeps it.
fn on_release(study: &Study, version: Option<&str>, foreseen: &Foreseen) -> Callout {
    if foreseen.is_right() {
        let text = words::callout_argo_keeps(version);
        return Callout { tone: CalloutTone::Kept, glyph: Glyph::Kept, text };
    }
    let label = |name: &NodeName| match study.roster.find(name) {
        Some(index) => study.roster.clear_label(index),
        None => study.roster.label(name),
    };
    let labels = |names: &[NodeName]| names.iter().map(label).collect::<Vec<_>>();
    let text = words::callout_argo_breaks(&words::Breaks {
        version,
        hangs: foreseen.hangs,
        lost: labels(&foreseen.lost),
        too_early: labels(&foreseen.too_early),
        unfinished: labels(&foreseen.unfinished),
        better: foreseen.better.as_deref().map(remarks::shell),
    });
    Callout { tone: CalloutTone::Broken, glyph: Glyph::Broken, text }
}

fn end_lines(study: &Study, outcome: &Outcome, now: Timestamp) -> Vec<EndLine> {
    let running_ms = |end: &unwind_engine::predict::PredictedEnd| {
        let node = study.node(study.roster.find(&end.node)?)?;
        Some((now - node.started_at?).max(0))
    };
    let line = |end: &unwind_engine::predict::PredictedEnd| EndLine {
        node: end.node.clone(),
        look: study.roster.find(&end.node).map_or(Look::Running, |index| study.look(index)),
        title: study
            .roster
            .find(&end.node)
            .map_or_else(|| study.roster.label(&end.node), |index| study.roster.clear_label(index)),
        text: words::end(end.running_for_ms.or_else(|| running_ms(end)), end.phase.as_str()),
    };
    outcome.ends.iter().map(line).collect()
}

fn has_shared_turns(hooks: &[PredictedHook]) -> bool {
    ordered::set(hooks.iter().map(|hook| hook.turn)).len() < hooks.len()
}

fn hook_lines(study: &Study, outcome: &Outcome, estimates: &Estimates) -> Vec<HookLine> {
    let mut in_turn: Vec<usize> = Vec::new();
    for hook in &outcome.hooks {
        let turn = hook.turn as usize;
        in_turn.resize(in_turn.len().max(turn + 1), 0);
        in_turn[turn] += 1;
    }
    let shares = |turn: u32| in_turn.get(turn as usize).is_some_and(|&hooks| hooks > 1);
    let line = |hook: &PredictedHook| {
        let path = match (hook.role, study.roster.find(&hook.node)) {
            (Role::Handler, _) => words::HANDLER_PATH.to_owned(),
            (_, Some(index)) => study.roster.path_text(index),
            (_, None) => study.roster.label(&hook.owner),
        };
        let chip = Chip {
            text: hook.turn.to_string(),
            state: if hook.running { HookState::Active } else { HookState::Chosen },
            is_tied: false,
        };
        HookLine {
            node: hook.node.clone(),
            chip,
            glyph: hook_glyph(hook.role),
            title: study.roster.label(&hook.node),
            note: match hook.role {
                _ if hook.running => words::RUNS_ALREADY,
                _ if shares(hook.turn) => words::ANY_ORDER,
                Role::Root | Role::Work | Role::ExitHook | Role::NamedHook | Role::Handler => "",
            },
            path,
            estimate: estimates.ms(&hook.template).map(format::about).unwrap_or_default(),
            is_running: hook.running,
        }
    };
    outcome.hooks.iter().map(line).collect()
}

/// A hook's bracket reaches over the hooks inside its owner, which stand right above it.
fn list_brackets(study: &Study, hooks: &[PredictedHook]) -> Vec<ListBracket> {
    let roster = &study.roster;
    let mut brackets: Vec<ListBracket> = Vec::with_capacity(hooks.len());
    for (to, hook) in hooks.iter().enumerate() {
        let owner = roster.find(&hook.owner);
        let is_inside = |other: &PredictedHook| match (owner, roster.find(&other.node)) {
            (Some(owner), Some(inner)) => roster.encloses(owner, inner),
            // What does not exist yet, in an item of a loop for example, is known by its name alone.
            _ => hook.role == Role::Handler || other.node.lies_inside(&hook.owner),
        };
        // What lies inside an inner hook's bracket lies inside this one too.
        let mut from = to;
        while from > 0 && is_inside(&hooks[from - 1]) {
            from = brackets[from - 1].from;
        }
        brackets.push(ListBracket { from, to, level: 0 });
    }
    let mut around: Vec<usize> = Vec::new();
    for bracket in brackets.iter_mut().rev() {
        while around.last().is_some_and(|&from| bracket.from < from) {
            around.pop();
        }
        bracket.level = around.len();
        around.push(bracket.from);
    }
    brackets
}

fn not_run_lines(study: &Study, outcome: &Outcome) -> Vec<NotRunLine> {
    let roster = &study.roster;
    let line = |not: &NotRun| {
        let index = roster.find(&not.node);
        let owner = match &not.reason {
            NotRunReason::OwnerNotBegun { owner } => roster.label(owner),
            NotRunReason::NotAnExitHook { .. }
            | NotRunReason::NothingNewBegins
            | NotRunReason::Terminated => String::new(),
        };
        let (glyph, what) = match not.role {
            Role::NamedHook => {
                let around = index.and_then(|index| roster.member(index).around);
                let of =
                    around.map_or("workflow hook".to_owned(), |around| match roster.member(around).role {
                        Role::Root => "workflow hook".to_owned(),
                        Role::Work | Role::ExitHook | Role::NamedHook | Role::Handler => {
                            format!("hook of {}", roster.member(around).label)
                        }
                    });
                let condition = index.and_then(|index| roster.member(index).condition.as_deref());
                let when = condition
                    .map_or_else(String::new, |condition| format!(", {}", condition_text(condition)));
                (Glyph::Named, format!("{of}{when}"))
            }
            Role::ExitHook | Role::Handler => (hook_glyph(not.role), String::new()),
            Role::Root | Role::Work => (Glyph::Planned, String::new()),
        };
        NotRunLine {
            node: not.node.clone(),
            glyph,
            title: roster.label(&not.node),
            what,
            reason: words::not_run(&not.reason, is_exit(not.role), &owner),
        }
    };
    outcome.will_not_run.iter().map(line).collect()
}

/// How long all turns take: each as long as its longest hook. None when one cannot be guessed.
fn whole_ms(outcome: &Outcome, estimates: &Estimates) -> Option<i64> {
    let known = outcome.hooks.iter().map(|hook| Some((hook.turn, estimates.ms(&hook.template)?)));
    let known: Option<Vec<(u32, i64)>> = known.collect();
    Some(all_turns_ms(known?.into_iter()))
}
