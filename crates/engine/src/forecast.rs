//! What will happen from here as a controller works: a set of possible outcomes, each found by running it.
//!
//! In: a run in any state, a way to go on, what is known of how its pods go. Out: outcomes, and what decides
//! between them. A forecast has no rules of its own: copies of the run are driven, pass by pass, in a made-up
//! cluster.

mod cluster;
mod course;
mod drive;
mod outcome;
mod ranking;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unwind_model::Timestamp;

use crate::operate::{Run, Seen};

use cluster::Meant;
use course::Guess;
use drive::Driven;

pub use course::{Assumptions, Course, Life, PodMove, Since, Told};
pub use drive::until_running;
pub use outcome::{Decision, End, Forecast, HookBegun, Outcome};
pub use ranking::{IfFails, Ranked, Ranking, going_on, ranking, weigh, when_tasks_fail};

/// How a run goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Way {
    /// A stop is asked now.
    Stop,
    /// A terminate is asked now.
    Terminate,
    /// The deadline becomes zero now, which ends main work and leaves hooks alone.
    StopInOrder,
    /// Nothing is asked.
    GoOn,
    /// A merge patch on the workflow object.
    Patch(Value),
}

impl Way {
    /// What is done to the workflow object, as a merge patch; `None`: nothing.
    pub fn patch(&self) -> Option<Value> {
        match self {
            Self::Stop => Some(json!({"spec": {"shutdown": "Stop"}})),
            Self::Terminate => Some(json!({"spec": {"shutdown": "Terminate"}})),
            // `suspend` makes controllers renew their copy of a spec that comes from a reference.
            Self::StopInOrder => Some(json!({"spec": {"activeDeadlineSeconds": 0, "suspend": false}})),
            Self::GoOn => None,
            Self::Patch(patch) => Some(patch.clone()),
        }
    }

    fn meant(&self) -> Meant {
        match self {
            Self::Stop | Self::StopInOrder => Meant::Main,
            Self::Terminate => Meant::All,
            Self::GoOn => Meant::None,
            Self::Patch(patch) => match patch.pointer("/spec/shutdown").and_then(Value::as_str) {
                Some("Terminate") => Meant::All,
                Some(_) | None => Meant::Main,
            },
        }
    }

    fn seen(&self) -> Option<Seen> {
        match self {
            Self::Stop => Some(Seen::Stop),
            Self::Terminate => Some(Seen::Terminate),
            Self::StopInOrder | Self::Patch(_) => self.patch().map(Seen::Patch),
            Self::GoOn => None,
        }
    }
}

/// The outcomes of a way that is taken just before the pass at `now`. At most four; costs as much as so many
/// runs to the end.
pub fn forecast(run: &Run, now: Timestamp, way: &Way, assumptions: &Assumptions) -> Forecast {
    forecast_with(run, now, way, assumptions, &mut |_, _| {})
}

/// The same; `weigh` sees each outcome with what was guessed for it.
fn forecast_with(
    run: &Run,
    now: Timestamp,
    way: &Way,
    assumptions: &Assumptions,
    weigh: &mut dyn FnMut(Guess, &mut Driven),
) -> Forecast {
    let mut usual = drive::drive(run, now, way, assumptions, Guess::default());
    weigh(Guess::default(), &mut usual);
    let open = usual.open;
    let mut outcomes = Vec::new();
    outcome::add(&mut outcomes, usual.outcome, open.decisions(Guess::default()));
    for guess in open.guesses() {
        let mut driven = drive::drive(run, now, way, assumptions, guess);
        weigh(guess, &mut driven);
        outcome::add(&mut outcomes, driven.outcome, open.decisions(guess));
    }
    match outcomes.as_mut_slice() {
        [only] => only.decided_by.clear(),
        several => outcome::simplify(several),
    }
    Forecast { way: way.clone(), outcomes }
}
