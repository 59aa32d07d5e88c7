//! Test kit: a workflow in short notation and a script in, what happened out.
//!
//! A script follows the workflow after a blank: `stop@500`, `terminate@500` ask for a shutdown at
//! that many milliseconds. Leaves take 50 ms (hooks too), a leaf that is told to end 30 ms.

pub mod notation;

use std::fmt::Write;

use expect_test::Expect;
use unwind_engine::rehearse::{Moment, Rehearsal, Simulation};
use unwind_engine::{Behaviour, Change};
use unwind_model::Timestamp;

/// Milliseconds that a leaf takes to end once it is told to.
pub const GRACE_MS: i64 = 30;

/// A simulation of a workflow in short notation, begun at 0.
pub fn simulation(text: &str) -> Simulation {
    let written = notation::read(text);
    let rehearsal =
        Rehearsal { begin: Timestamp(0), leaf_ms: 50, grace_ms: GRACE_MS, leaves: written.leaves };
    Simulation::new(&written.workflow, rehearsal, Behaviour::UNWIND)
}

/// Runs a workflow and its script to the end.
pub fn run(text: &str) -> (Simulation, Vec<Moment>) {
    let end = text.rfind(['[', ']', '{', '}', '!']).map_or(0, |at| at + 1);
    let end = end + text[end..].find(' ').unwrap_or(text.len() - end);
    let (workflow, script) = text.split_at(end);
    let mut simulation = simulation(workflow);
    let mut moments = Vec::new();
    for request in script.split_whitespace() {
        let (what, at) = request.split_once('@').expect("a time after `@`");
        let at = at.parse().expect("milliseconds after `@`");
        moments.extend(simulation.advance_to(Timestamp(at)));
        moments.push(match what {
            "stop" => simulation.stop(),
            "terminate" => simulation.terminate(),
            other => panic!("no such request: {other}"),
        });
    }
    while let Some(moment) = simulation.advance() {
        moments.push(moment);
    }
    (simulation, moments)
}

/// One line a moment and node: time, name, phase. Then the workflow.
pub fn check(text: &str, expected: &Expect) {
    let (simulation, moments) = run(text);
    let root = format!("{}.", simulation.run().name());
    let mut lines = String::new();
    for moment in moments {
        for change in moment.changes {
            let Change::Node { name, from, to, .. } = change else {
                continue;
            };
            if from != Some(to) {
                let name = name.0.strip_prefix(&root).unwrap_or(name.as_str()).to_owned();
                let _ = writeln!(lines, "{:>5}  {name} {}", moment.at.0, to.as_str());
            }
        }
    }
    let status = simulation.run().status();
    let _ = writeln!(lines, "{} {} {}", status.phase.as_str(), status.progress, status.message);
    expected.assert_eq(&lines);
}
