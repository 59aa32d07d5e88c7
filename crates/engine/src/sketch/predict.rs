//! What will happen from here, by the sketch: UNWIND gives one partial order with a reason for each arrow.

mod drive;
mod not_run;
mod order;

use unwind_model::{Timestamp, ordered};

use crate::predict::{Outcome, Prediction, Way};
use crate::sketch::run::Run;

/// Predicts how `run` goes on: a copy of it is driven to its end by the same interpreter, so a
/// prediction has no rules of its own. Costs as much as the rest of the run.
pub fn predict(run: &Run, way: Way) -> Prediction {
    predict_from(run, way, None)
}

/// Predicts as `predict` does, with the time it is now for the durations in `ends`.
pub fn predict_at(run: &Run, way: Way, now: Timestamp) -> Prediction {
    predict_from(run, way, Some(now))
}

fn predict_from(run: &Run, way: Way, now: Option<Timestamp>) -> Prediction {
    let after = drive::to_the_end(run, way);
    let course = order::course(run, &after, now);
    let outcome = Outcome {
        ends: course.ends,
        hooks: course.hooks,
        arrows: course.arrows,
        will_not_run: not_run::will_not_run(run, &after, way),
        left_unfinished: after
            .table
            .iter()
            .filter(|(_, node)| !node.phase.is_final())
            .map(|(_, node)| node.name.clone())
            .collect(),
        nodes: ordered::map(after.table.iter().map(|(_, node)| (node.name.clone(), node.phase))),
        phase: after.workflow.phase,
        message: after.workflow.message.clone(),
    };
    Prediction { way, behaviour: run.behaviour.name.to_string(), outcomes: vec![outcome] }
}
