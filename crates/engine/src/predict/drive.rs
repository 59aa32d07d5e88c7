//! A copy of a run, driven to its end.

use unwind_model::{Timestamp, WorkflowPhase};

use crate::event::Change;
use crate::predict::Way;
use crate::rehearse::{Rehearsal, Simulation};
use crate::run::Run;

/// More events than any plan within its limits needs.
const EVENT_LIMIT: usize = 2_000_000;

/// The run as it will be when nothing comes by itself any more. What comes at one instant has no order that a
/// prediction tells, so it comes at once: what a stop ends is as many events as there are programs.
pub(super) fn to_the_end(run: &Run, way: Way) -> Run {
    drive(run, way, Simulation::advance_together)
}

/// `advance` lets something happen; `false`: nothing comes by itself.
fn drive(run: &Run, way: Way, advance: fn(&mut Simulation) -> bool) -> Run {
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
        if advance(&mut simulation) {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::PathBuf;

    use unwind_model::document::parse_workflow;
    use unwind_model::{NodeName, NodePhase, Workflow};

    use super::{Simulation, drive, rehearsal};
    use crate::behaviour::Behaviour;
    use crate::predict::Way;
    use crate::rehearse::Rehearsal;
    use crate::run::Run;

    /// The fixtures, and where recordings are there the workflows of some of those.
    fn workflows() -> Vec<Workflow> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let fixtures = ["tests/fixtures/mixed.yaml", "public/samples/seed-dag.yaml"];
        let texts = fixtures.map(|name| fs::read(root.join(name)).expect("a fixture"));
        let parsed = texts.iter().map(|text| parse_workflow(text).expect("a workflow").0);
        let mut workflows: Vec<Workflow> = parsed.collect();
        let groups = fs::read_dir(root.join("../shared/corpus/traces")).into_iter().flatten().flatten();
        let mut groups: Vec<PathBuf> = groups.map(|entry| entry.path()).collect();
        groups.sort();
        for group in groups.iter().filter_map(|group| fs::read_dir(group).ok()) {
            let mut files: Vec<PathBuf> = group.flatten().map(|entry| entry.path()).collect();
            files.sort();
            for file in files.iter().step_by(20) {
                let text = fs::read_to_string(file).expect("a readable trace");
                let first =
                    serde_json::from_str::<serde_json::Value>(text.lines().next().unwrap_or_default());
                let workflow = first.ok().map(|mut line| line["workflow"].take());
                workflows.extend(workflow.and_then(|workflow| serde_json::from_value(workflow).ok()));
            }
        }
        workflows
    }

    fn told(run: &Run) -> (String, BTreeMap<NodeName, (NodePhase, String)>) {
        let nodes = run.walk.table.iter().map(|(_, node)| node);
        let nodes = nodes.map(|node| (node.name.clone(), (node.phase, node.message.clone())));
        (format!("{:?} {}", run.phase(), run.walk.state.message), nodes.collect())
    }

    #[test]
    fn events_that_come_together_lead_where_they_lead_one_by_one() {
        let mut told_of = 0;
        for workflow in workflows() {
            let mut simulation = Simulation::new(&workflow, Rehearsal::default(), Behaviour::UNWIND);
            for event in 0..12 {
                let is_looked_at = event % 5 == 1;
                for way in [Way::Stop, Way::Terminate, Way::GoOn].into_iter().filter(|_| is_looked_at) {
                    let run = simulation.run();
                    assert_eq!(rehearsal(run).leaf_ms, 2);
                    let one_by_one = drive(run, way, |simulation| simulation.advance().is_some());
                    let together = drive(run, way, Simulation::advance_together);
                    let name = run.name();
                    assert_eq!(told(&together), told(&one_by_one), "{name} {way:?} after {event}");
                    told_of += 1;
                }
                if simulation.advance().is_none() {
                    break;
                }
            }
        }
        assert!(told_of >= 12, "{told_of}");
    }
}
