//! Endings of traces, told beforehand: what the controller did after the last stop, terminate or deadline.
//!
//! In: a folder of traces. Each is replayed to just before the last of these; how its pods go is taken from the
//! later lines, and nothing that the controller wrote. Out: for each, whether one of the outcomes is what came.

mod assumed;
mod came;
mod going_on;
mod kept;
pub mod ways;

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Context;
use unwind_engine::forecast::{Outcome, Way, forecast};
use unwind_engine::operate::Run;
use unwind_model::Timestamp;

use crate::panics::{catch, keep_panics};
use crate::traces::recorded::{Asked, Event, Recorded, read};
use crate::traces::{FIRST_PASS, names, start, tell};

pub use going_on::replay as let_go_on;

/// What happens in the cluster happens this long before the pass that sees it (`traces/README.md`).
const BEFORE_PASS_MS: i64 = 3000;

/// What became of one trace.
#[derive(Clone, Debug)]
pub struct Report {
    /// `group/name`.
    pub trace: String,
    /// How well it was told.
    pub result: Told,
}

/// How well an ending was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// One of so many outcomes is what came.
    Covered(usize),
    /// None of so many is; what differs from the nearest one.
    Missed(usize, Vec<String>),
    /// It does not count, and why.
    NotCounted(String),
}

impl Report {
    /// Whether an outcome is what came.
    pub fn passed(&self) -> bool {
        matches!(self.result, Told::Covered(_))
    }
}

/// Where a prediction begins and how far it is held against the trace.
struct Window<'a> {
    recorded: &'a Recorded,
    way: Way,
    /// Index of the first pass that sees the way.
    first: usize,
    /// Index of the pass that sees the next thing that is asked.
    next: Option<usize>,
}

/// Predicts every trace of a folder that ends so, sorted by name.
pub fn replay(folder: &Path) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for (name, file) in names(folder)? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let recorded = read(&text).with_context(|| format!("`{}` is no trace", file.display()))?;
        let told = keep_panics(|| catch(|| tell_ending(&recorded)));
        let told = match told {
            Ok(told) => told?,
            Err(why) => Some(Told::Missed(0, vec![why])),
        };
        reports.extend(told.map(|result| Report { trace: name, result }));
    }
    Ok(reports)
}

/// `None`: nothing of the kind was asked.
fn tell_ending(recorded: &Recorded) -> anyhow::Result<Option<Told>> {
    let Some((first, way)) = last_ending(recorded) else { return Ok(None) };
    if recorded.end.end == "max" {
        return Ok(Some(Told::NotCounted("it was cut off".to_owned())));
    }
    let Some(way) = way else {
        return Ok(Some(Told::NotCounted("its last patch sets no zero deadline".to_owned())));
    };
    let passes = &recorded.passes;
    let next = (first + 1..passes.len()).find(|index| passes[*index].events.iter().any(is_asked));
    tell_window(&Window { recorded, way, first, next })
}

/// `None`: the run is over already.
fn tell_window(window: &Window<'_>) -> anyhow::Result<Option<Told>> {
    let mut run = start(&window.recorded.input, FIRST_PASS)?;
    replay_until(&mut run, window);
    if run.is_completed() {
        return Ok(None);
    }
    let now = FIRST_PASS + window.recorded.passes[window.first].t * 1000;
    let assumptions = assumed::assumptions(window);
    let outcomes = forecast(&run, now, &window.way, &assumptions).outcomes;
    let came = came::Came::of(window);
    let mut nearest: Option<Vec<String>> = None;
    for outcome in &outcomes {
        let differences = came.differences(outcome);
        if nearest.as_ref().is_none_or(|known| differences.len() < known.len()) {
            nearest = Some(differences);
        }
    }
    let nearest = nearest.unwrap_or_else(|| vec!["no outcome".to_owned()]);
    let count = outcomes.len();
    Ok(Some(if nearest.is_empty() { Told::Covered(count) } else { Told::Missed(count, nearest) }))
}

/// Index of the pass that sees the last ending, and the way; `None` for a way that does not count.
fn last_ending(recorded: &Recorded) -> Option<(usize, Option<Way>)> {
    let mut last = None;
    for (index, pass) in recorded.passes.iter().enumerate() {
        for event in &pass.events {
            let Event::Asked(asked) = event else { continue };
            let way = match asked {
                Asked::Stop => Some(Way::Stop),
                Asked::Terminate => Some(Way::Terminate),
                Asked::Deadline0 => {
                    Some(Way::Patch(serde_json::json!({"spec": {"activeDeadlineSeconds": 0}})))
                }
                Asked::Patch { patch } => {
                    let is_zero = patch.pointer("/spec/activeDeadlineSeconds") == Some(&serde_json::json!(0));
                    is_zero.then(|| Way::Patch(patch.clone()))
                }
                Asked::Suspend
                | Asked::Resume { .. }
                | Asked::StopNode { .. }
                | Asked::Task { .. }
                | Asked::Retry => continue,
            };
            last = Some((index, way));
        }
    }
    last
}

/// Whether it is a stop, a terminate, a deadline or a patch.
fn is_ending(event: &Event) -> bool {
    match event {
        Event::Asked(Asked::Stop | Asked::Terminate | Asked::Deadline0 | Asked::Patch { .. }) => true,
        Event::Asked(
            Asked::Suspend
            | Asked::Resume { .. }
            | Asked::StopNode { .. }
            | Asked::Task { .. }
            | Asked::Retry,
        )
        | Event::Pod(_) => false,
    }
}

fn is_asked(event: &Event) -> bool {
    match event {
        Event::Asked(_) => true,
        Event::Pod(_) => false,
    }
}

/// Replays up to the ending; what else was asked before the same pass has been asked already.
fn replay_until(run: &mut Run, window: &Window<'_>) {
    let at = |t: i64| -> Timestamp { FIRST_PASS + t * 1000 };
    for pass in &window.recorded.passes[..window.first] {
        for event in &pass.events {
            tell(run, at(pass.t) + -BEFORE_PASS_MS, event);
        }
        run.pass(at(pass.t));
    }
    let pass = &window.recorded.passes[window.first];
    let ending = pass.events.iter().rposition(is_ending);
    for (place, event) in pass.events.iter().enumerate() {
        if is_asked(event) && Some(place) != ending {
            tell(run, at(pass.t) + -BEFORE_PASS_MS, event);
        }
    }
}

/// One line for each that is not covered or not counted, and the counts.
pub fn lines(reports: &[Report]) -> String {
    let (mut text, covered, counted) = counts("", reports);
    let _ = writeln!(text, "{covered} passed, {} failed", counted - covered);
    text
}

/// The same for runs that go on, in a line of their own.
pub fn going_on_lines(reports: &[Report]) -> String {
    counts("going on: ", reports).0
}

/// The lines, how many are covered, and how many count.
fn counts(what: &str, reports: &[Report]) -> (String, usize, usize) {
    let mut text = String::new();
    let (mut covered, mut exact, mut counted, mut outcomes, mut most) = (0, 0, 0, 0, 0);
    for Report { trace, result } in reports {
        let count = match result {
            Told::Covered(count) => {
                covered += 1;
                exact += usize::from(*count == 1);
                *count
            }
            Told::Missed(count, differences) => {
                let _ = writeln!(text, "missed {trace} ({count} outcomes): {}", differences.join("; "));
                *count
            }
            Told::NotCounted(why) => {
                let _ = writeln!(text, "not counted {trace}: {why}");
                continue;
            }
        };
        counted += 1;
        outcomes += count;
        most = most.max(count);
    }
    let mean = if counted == 0 { 0.0 } else { f64::from(outcomes as u32) / f64::from(counted as u32) };
    let _ = writeln!(
        text,
        "{what}covered {covered}, exact {exact} of {counted}; outcomes: mean {mean:.2}, largest {most}"
    );
    (text, covered, counted)
}

/// Hooks that begin, by pass.
fn order_text(outcome: &Outcome) -> String {
    let word = |hooks: &Vec<&unwind_model::NodeName>| {
        hooks.iter().map(|hook| hook.as_str()).collect::<Vec<_>>().join("+")
    };
    outcome.order().iter().map(word).collect::<Vec<_>>().join(" ")
}
