//! A copy of a run, driven to its end.

use unwind_model::{Timestamp, WorkflowPhase};

use crate::event::Change;
use crate::predict::Way;
use crate::rehearse::{Rehearsal, Simulation};
use crate::run::Run;

/// More events than any plan within its limits needs.
const EVENT_LIMIT: usize = 2_000_000;

/// The run as it will be when nothing comes by itself any more.
pub(super) fn to_the_end(run: &Run, way: Way) -> Run {
    let mut simulation = Simulation::of(run.clone(), rehearsal(run));
    if run.phase().is_final() {
        return simulation.into_run();
    }
    if run.phase() == WorkflowPhase::Unset {
        simulation.begin();
    }
    match way {
        Way::Stop => {
            simulation.stop();
        }
        Way::Terminate => {
            simulation.terminate();
        }
        Way::GoOn => {}
    }
    simulation.settle();
    for _ in 0..EVENT_LIMIT {
        if simulation.advance().is_some() {
            continue;
        }
        // What waits for a resume is taken to get one.
        if simulation.run().phase().is_final()
            || !simulation.resume().iter().any(|moment| moment.changes.iter().any(moves))
        {
            break;
        }
    }
    simulation.into_run()
}

/// Whether it is more than another look at a node.
fn moves(change: &Change) -> bool {
    match change {
        Change::Node { from, to, .. } => *from != Some(*to),
        Change::Workflow { .. } => true,
    }
}

/// Durations do not matter to the order that a prediction tells: one unit each.
fn rehearsal(run: &Run) -> Rehearsal {
    let state = &run.walk.state;
    let times = run.walk.table.iter().flat_map(|(_, node)| [node.started_at, node.finished_at]);
    let times = times.chain([state.started_at, state.finished_at]);
    Rehearsal {
        begin: times.flatten().max().unwrap_or(Timestamp(0)),
        leaf_ms: 2,
        grace_ms: 1,
        ..Rehearsal::default()
    }
}
