//! Test kit: a workflow in short notation and a script in, what happened out.
//!
//! A script follows the workflow after a blank: `stop@500`, `terminate@500` ask for a shutdown at
//! that many milliseconds. Leaves take 50 ms (hooks too), a leaf that is told to end 30 ms.

pub mod driven;
pub mod notation;

use std::fmt::Write;

use expect_test::Expect;
use unwind_engine::rehearse::{Moment, Rehearsal, Simulation};
use unwind_engine::{Behaviour, Change, Prediction, Way, predict_at};
use unwind_model::{NodePhase, Timestamp};

/// Milliseconds that a leaf takes to end once it is told to.
pub const GRACE_MS: i64 = 30;

/// A simulation of a workflow in short notation, begun at 0.
pub fn simulation(text: &str) -> Simulation {
    let written = notation::read(text);
    let rehearsal =
        Rehearsal { begin: Timestamp(0), leaf_ms: 50, grace_ms: GRACE_MS, leaves: written.leaves };
    Simulation::new(&written.workflow, rehearsal, Behaviour::UNWIND)
}

/// Workflow and script: requests with their times.
fn split(text: &str) -> (&str, Vec<(&str, Timestamp)>) {
    let end = text.rfind([']', '}', '!']).map_or(0, |at| at + 1);
    let end = end + text[end..].find(' ').unwrap_or(text.len() - end);
    let (workflow, script) = text.split_at(end);
    let requests = script.split_whitespace().map(|request| {
        let (what, at) = request.split_once('@').expect("a time after `@`");
        (what, Timestamp(at.parse().expect("milliseconds after `@`")))
    });
    (workflow, requests.collect())
}

/// Runs a workflow and its script to the end.
pub fn run(text: &str) -> (Simulation, Vec<Moment>) {
    let (workflow, requests) = split(text);
    let mut simulation = simulation(workflow);
    let mut moments = Vec::new();
    for (what, at) in requests {
        moments.extend(simulation.advance_to(at));
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

/// One line: exit hooks with begin and end in the order they began, then the workflow.
pub fn hook_line(text: &str) -> String {
    let (simulation, _) = run(text);
    let status = simulation.run().status();
    let mut hooks: Vec<_> = status.nodes.values().filter(|node| node.is_hooked()).collect();
    hooks.sort_by_key(|node| (node.started_at, node.name.clone()));
    let mut line = String::new();
    for hook in hooks {
        let time = |time: Option<Timestamp>| time.map_or_else(|| "?".to_owned(), |at| at.0.to_string());
        let failed = if hook.phase == NodePhase::Succeeded { "" } else { hook.phase.as_str() };
        let name = hook.name.0.trim_start_matches("main").trim_start_matches('.');
        let _ = write!(line, "{name} {}-{}{failed}, ", time(hook.started_at), time(hook.finished_at));
    }
    let _ = write!(line, "{} {}", status.phase.as_str(), status.message);
    line.trim_end().to_owned()
}

/// What is foretold at the moment of the last request of the script (`stop`, `terminate` or `goon`);
/// requests before it are made.
pub fn check_prediction(text: &str, expected: &Expect) {
    let (workflow, requests) = split(text);
    let mut simulation = simulation(workflow);
    let (last, before) = requests.split_last().expect("a request");
    for (what, at) in before {
        simulation.advance_to(*at);
        match *what {
            "stop" => simulation.stop(),
            "terminate" => simulation.terminate(),
            other => panic!("no such request: {other}"),
        };
    }
    simulation.advance_to(last.1);
    let way = match last.0 {
        "stop" => Way::Stop,
        "terminate" => Way::Terminate,
        "goon" => Way::GoOn,
        other => panic!("no such request: {other}"),
    };
    let prediction = predict_at(simulation.run(), way, simulation.now());
    expected.assert_eq(&prediction_lines(&prediction));
}

/// What a prediction tells, line by line.
pub fn prediction_lines(prediction: &Prediction) -> String {
    let mut lines = String::new();
    for outcome in &prediction.outcomes {
        for end in &outcome.ends {
            let ms = end.running_for_ms.map_or_else(String::new, |ms| format!(" after {ms} ms"));
            let _ = writeln!(lines, "ends  {} {}{ms}", end.node, end.phase.as_str());
        }
        for hook in &outcome.hooks {
            let running = if hook.running { " running" } else { "" };
            let role = format!("{:?}", hook.role);
            let _ = writeln!(lines, "{:>4}  {} {role}{running}", hook.turn, hook.node);
        }
        for arrow in &outcome.arrows {
            let reason = format!("{:?}", arrow.reason);
            let _ = writeln!(lines, "   >  {} > {} {reason}", arrow.before, arrow.after);
        }
        for not_run in &outcome.will_not_run {
            let _ = writeln!(lines, "   x  {} {:?} {:?}", not_run.node, not_run.role, not_run.reason);
        }
        for left in &outcome.left_unfinished {
            let _ = writeln!(lines, "left  {left}");
        }
        let _ = writeln!(lines, "{} {}", outcome.phase.as_str(), outcome.message);
    }
    lines
}
