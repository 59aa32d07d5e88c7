//! Several witnesses of one run: status, messages of a watch, controller logs; merged, and where they disagree.

use std::fmt::Write;

use expect_test::{Expect, expect};
use unwind_engine::rehearse::{Rehearsal, Simulation};
use unwind_engine::trace::{Gathered, Piece, Trace, gather};
use unwind_engine::verdict::{Detail, FindingKind};
use unwind_engine::{Behaviour, Scenario, analyse, judge, lower};
use unwind_model::document::log::Log;
use unwind_model::document::stream::Stream;
use unwind_model::{NodeName, NodePhase, Timestamp, Workflow, WorkflowPhase};

use crate::notation::read;
use crate::table::{BEGIN, happened};

const STOPPED: &str = "Failed Stop
    wf Failed 0 20
    .a Failed 0 15
    .a.leaf Failed 0 10 | workflow shutdown with strategy:  Stop
    .a.leaf.onExit Succeeded 10 15
    .a.onExit Succeeded 15 20
    wf.onExit Succeeded 20 25";

fn saved() -> Workflow {
    happened(read("wf![ a![ leaf! ] ]").workflow, STOPPED)
}

/// The run before it came so far: without some nodes, with others still Running.
fn before(version: u32, without: &[&str], running: &[&str]) -> Workflow {
    let mut workflow = saved();
    workflow.metadata.resource_version = version.to_string();
    let is_one = |names: &[&str], name: &NodeName| names.contains(&name.as_str());
    let nodes = &mut workflow.status.nodes;
    nodes.retain(|_, node| !is_one(without, &node.name));
    for node in nodes.values_mut().filter(|node| is_one(running, &node.name)) {
        node.phase = NodePhase::Running;
        node.finished_at = None;
    }
    if !running.is_empty() {
        workflow.status.phase = WorkflowPhase::Running;
        workflow.status.finished_at = None;
    }
    workflow
}

fn stream(messages: &[Workflow]) -> Stream {
    let mut text = String::new();
    for message in messages {
        let object = serde_json::to_string(message).expect("JSON");
        let _ = writeln!(text, "data: {{\"result\":{{\"type\":\"MODIFIED\",\"object\":{object}}}}}\n");
    }
    Stream::read(&text).expect("a stream")
}

fn log(text: &str) -> Log {
    Log::read(text).expect("a log")
}

/// Kind and node of every finding, with what witnesses say.
fn told(gathered: &Gathered) -> String {
    let (plan, _) = lower(&gathered.workflow);
    let trace = Trace::from_workflow(&plan, &gathered.workflow).with_witnesses(&gathered.witnesses);
    let mut text = String::new();
    for finding in judge(&plan, &trace).findings {
        let _ = write!(text, "{:?} {}", finding.kind, finding.node);
        if let Some(Detail::Says { says }) = &finding.detail {
            let _ = write!(text, ": {}", serde_json::to_string(says).expect("JSON"));
        }
        text.push('\n');
    }
    text
}

fn check(pieces: &[Piece<'_>], expected: &Expect) {
    let told: Vec<String> = gather(pieces).iter().map(told).collect();
    expected.assert_eq(&told.join("---\n"));
}

#[test]
fn a_status_alone_leaves_ties() {
    check(
        &[Piece::Object(&saved())],
        &expect![[r"
            OrderUnknown wf.a.onExit
            OrderUnknown wf.onExit
        "]],
    );
}

#[test]
fn the_order_of_messages_tells_what_seconds_do_not() {
    let outer = ["wf.onExit", "wf.a.onExit"];
    let ended = before(2, &outer, &["wf", "wf.a"]);
    let begun = before(3, &["wf.onExit"], &["wf", "wf.a.onExit"]);
    let messages =
        [before(1, &outer, &["wf", "wf.a", "wf.a.leaf.onExit"]), ended, begun, before(5, &[], &[])];
    // Of the last two hooks one message tells both.
    check(
        &[Piece::Stream(&stream(&messages))],
        &expect![[r"
        OrderUnknown wf.onExit
    "]],
    );
    let early = before(2, &["wf.onExit"], &["wf", "wf.a", "wf.a.leaf.onExit", "wf.a.onExit"]);
    let messages = [early, before(4, &["wf.onExit"], &["wf"]), before(5, &[], &[])];
    check(
        &[Piece::Stream(&stream(&messages))],
        &expect![[r"
        HookOrder wf.a.onExit
    "]],
    );
}

#[test]
fn saved_states_of_several_moments_are_messages_too_in_whatever_order_they_are_named() {
    let states = [
        before(5, &[], &[]),
        before(4, &["wf.onExit"], &["wf"]),
        before(2, &["wf.onExit", "wf.a.onExit"], &["wf", "wf.a"]),
    ];
    let pieces: Vec<Piece<'_>> = states.iter().map(Piece::Object).collect();
    check(&pieces, &expect![[""]]);
}

#[test]
fn a_list_after_a_cut_tells_nothing_anew() {
    let outer = ["wf.onExit", "wf.a.onExit"];
    let first =
        stream(&[before(1, &outer, &["wf", "wf.a", "wf.a.leaf.onExit"]), before(2, &outer, &["wf", "wf.a"])]);
    let second = stream(&[
        before(2, &outer, &["wf", "wf.a"]),
        before(3, &["wf.onExit"], &["wf"]),
        before(4, &[], &[]),
    ]);
    for pieces in [[&first, &second], [&second, &first]] {
        check(&pieces.map(Piece::Stream), &expect![[""]]);
    }
}

/// Lines of v3 about the two hooks; `outer`: milliseconds within the second in which the outer one is made.
fn v3(outer: u32, ended: u32) -> String {
    let id = |name: &str| unwind_model::NodeId::of("wf", &NodeName::from(name)).0;
    let line = |time: &str, text: &str| {
        format!("time=\"2026-03-02T09:00:{time}Z\" level=info msg=\"{text}\" namespace=default workflow=wf\n")
    };
    let mut lines = [
        line("10.050", &format!("Pod node {} initialized Pending", id("wf.a.leaf.onExit"))),
        line(
            &format!("15.{ended:03}"),
            &format!("node {} phase Running -> Succeeded", id("wf.a.leaf.onExit")),
        ),
        line(&format!("15.{outer:03}"), &format!("Pod node {} initialized Pending", id("wf.a.onExit"))),
        line("20.100", &format!("node {} phase Running -> Succeeded", id("wf.a.onExit"))),
        line("20.200", &format!("Pod node {} initialized Pending", id("wf.onExit"))),
    ];
    lines.sort();
    lines.concat()
}

#[test]
fn a_log_tells_milliseconds() {
    let saved = saved();
    check(&[Piece::Object(&saved), Piece::Log(&log(&v3(400, 300)))], &expect![[""]]);
    // The hook was made before the controller knew of the end.
    check(
        &[Piece::Log(&log(&v3(200, 300))), Piece::Object(&saved)],
        &expect![[r"
        HookOrder wf.a.onExit
    "]],
    );
}

#[test]
fn witnesses_that_disagree_are_found() {
    let line = |time: &str, rest: &str| {
        format!(
            "{{\"time\":\"2026-03-02T09:00:{time}Z\",\"level\":\"INFO\",\"workflow\":\"wf\",\"namespace\":\"\",{rest}}}\n"
        )
    };
    let id = |name: &str| unwind_model::NodeId::of("wf", &NodeName::from(name)).0;
    let text = [
        line(
            "05.000",
            &format!("\"msg\":\"node initialized\",\"node\":\"{}\",\"phase\":\"Pending\"", id("wf.a.onExit")),
        ),
        line(
            "06.000",
            &format!("\"msg\":\"node phase changed\",\"node\":\"{}\",\"toPhase\":\"Succeeded\"", id("wf.a")),
        ),
        line("26.000", "\"msg\":\"updated phase\",\"toPhase\":\"Succeeded\""),
    ];
    check(
        &[Piece::Object(&saved()), Piece::Log(&log(&text.concat()))],
        &expect![[r#"
        OrderUnknown wf.a.onExit
        OrderUnknown wf.onExit
        Contradiction wf: [{"source":"status","says":"phase","value":"Failed"},{"source":"log-v4","says":"phase","value":"Succeeded"}]
        Contradiction wf.a: [{"source":"status","says":"phase","value":"Failed"},{"source":"log-v4","says":"phase","value":"Succeeded"}]
        Contradiction wf.a: [{"source":"status","says":"ended","value":"2026-03-02T09:00:15Z"},{"source":"log-v4","says":"ended","value":"2026-03-02T09:00:06Z"}]
        Contradiction wf.a.onExit: [{"source":"status","says":"begun","value":"2026-03-02T09:00:15Z"},{"source":"log-v4","says":"begun","value":"2026-03-02T09:00:05Z"}]
    "#]],
    );
}

#[test]
fn a_log_alone_tells_of_a_run_with_and_without_its_manifest() {
    let mut text = v3(400, 300);
    for (time, name, word) in [("10.000", "wf.a.leaf", "Failed"), ("16.000", "wf.a.leaf.onExit", "Succeeded")]
    {
        let _ = writeln!(
            text,
            "time=\"2026-03-02T09:00:{time}Z\" level=info msg=\"Created pod: {name} (pod)\" namespace=default workflow=wf"
        );
        let _ = writeln!(
            text,
            "time=\"2026-03-02T09:00:{time}Z\" level=info msg=\"Event occurred\" reason=WorkflowNode{word} message=\"{word} node {name}\" namespace=default workflow=wf"
        );
    }
    let log = log(&text);
    let nodes = |pieces: &[Piece<'_>]| {
        let gathered = gather(pieces);
        let nodes = gathered.last().expect("a run").workflow.status.nodes.values();
        let mut nodes: Vec<String> = nodes
            .map(|node| format!("{} {} {}", node.name, node.node_type.as_str(), node.phase.as_str()))
            .collect();
        nodes.sort();
        nodes.join("\n") + "\n"
    };
    let manifest = read("wf![ a![ leaf! ] ]").workflow;
    let expected = expect![[r"
        wf.a.leaf Pod Failed
        wf.a.leaf.onExit Pod Succeeded
        wf.a.onExit Pod Succeeded
        wf.onExit Pod Pending
    "]];
    expected.assert_eq(&nodes(&[Piece::Log(&log), Piece::Object(&manifest)]));
    expected.assert_eq(&nodes(&[Piece::Log(&log)]));
}

/// What our own engine does is in order whatever it is seen through.
#[test]
fn a_run_in_order_is_silent_through_every_witness() {
    for shape in [
        "wf![ l1![ l2![ leaf!@1300 ] ] ]",
        "wf!{ l1!{ leaf!@700 ; next! } }",
        "wf![ a!>b!>c! d!@2900 ]",
        "wf[ box![ a! b!s ] ]",
    ] {
        for steps in [1, 2, 4, 7] {
            let (states, log) = watched(shape, steps);
            let newest = states.last().expect("a state").clone().to_whole_seconds();
            let seen: Vec<Workflow> = states.iter().map(|state| state.clone().to_whole_seconds()).collect();
            let stream = stream(&seen);
            let place = format!("{shape} stopped after {steps}\n{log}");
            let log = Log::read(&log).expect("a log");
            for pieces in [
                vec![Piece::Stream(&stream), Piece::Log(&log)],
                vec![Piece::Object(&newest), Piece::Log(&log)],
                vec![Piece::Stream(&stream), Piece::Object(&newest)],
                vec![Piece::Object(&newest)],
            ] {
                let gathered = gather(&pieces).remove(0);
                let scenario = Scenario { witnesses: gathered.witnesses, ..Scenario::default() };
                let analysis = analyse(&gathered.workflow, &scenario);
                let findings = analysis.judgement.expect("a judgement").findings;
                let has_log = pieces.iter().any(|piece| matches!(piece, Piece::Log(_)));
                let is_silent =
                    findings.iter().all(|found| !has_log && found.kind == FindingKind::OrderUnknown);
                assert!(is_silent, "{place}{findings:?}");
            }
        }
    }
}

/// Every state of a run that is stopped after some events, and the log that a controller would write.
fn watched(shape: &str, steps: usize) -> (Vec<Workflow>, String) {
    let written = read(shape);
    let rehearsal = Rehearsal { begin: BEGIN, leaf_ms: 1700, grace_ms: 300, leaves: written.leaves.clone() };
    let mut simulation = Simulation::new(&written.workflow, rehearsal, Behaviour::UNWIND);
    let mut states: Vec<Workflow> = Vec::new();
    let mut log = String::new();
    let mut see = |simulation: &Simulation| {
        let mut state = simulation.workflow();
        state.metadata.resource_version = (states.len() + 1).to_string();
        let none = Workflow::default();
        lines(states.last().unwrap_or(&none), &state, simulation.now(), &mut log);
        states.push(state);
    };
    see(&simulation);
    for _ in 0..steps {
        simulation.advance();
        see(&simulation);
    }
    simulation.stop();
    see(&simulation);
    while simulation.advance().is_some() {
        see(&simulation);
    }
    (states, log)
}

fn lines(old: &Workflow, new: &Workflow, now: Timestamp, log: &mut String) {
    let mut line = |text: &str| {
        let _ = writeln!(log, "time=\"{now}\" level=info msg=\"{text}\" namespace=default workflow=wf");
    };
    for (id, node) in &new.status.nodes {
        match old.status.nodes.get(id) {
            None => {
                line(&format!("{} node {id} initialized {}", node.node_type.as_str(), node.phase.as_str()));
            }
            Some(known) if known.phase != node.phase => {
                line(&format!("node {id} phase {} -> {}", known.phase.as_str(), node.phase.as_str()));
            }
            Some(_) => {}
        }
    }
    if old.status.phase != new.status.phase {
        line(&format!("Updated phase {} -> {}", old.status.phase.as_str(), new.status.phase.as_str()));
    }
}
