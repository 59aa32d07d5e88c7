//! Runs in a cluster that keeps to no rules: what is seen is sensible, or about nodes that cannot have it.
//!
//! An input is a workflow, what it needs, a row of behaviours, and a seed for what happens.

use serde::Deserialize;
use serde_json::{Value, json};
use unwind_engine::again::{NodeValues, OldHooks, RetryOptions};
use unwind_engine::library::Library;
use unwind_engine::operate::{ContainerState, PodPhase, PodReport, Run, Seen};
use unwind_engine::{Behaviour, Event, LeafEnd};
use unwind_model::{NodeId, NodeName, NodePhase, NodeStatus, Timestamp, Workflow, WorkflowStatus};

use super::{Seeds, shown, tree};
use crate::numbers::Numbers;
use crate::traces::recorded::Input;
use crate::traces::{FIRST_PASS, prepare};

/// Releases with rows of their own, and one from nowhere.
const RELEASES: [&str; 9] =
    ["v3.5.0", "v3.7.0", "v3.7.15", "v3.7.16", "v3.7.18", "v4.0.8", "v4.1.0", "v4.1.2", "x"];

/// A run of more nodes is left.
const MOST_NODES: usize = 400;

/// An input as it is written down.
#[derive(Debug, Deserialize)]
struct Course {
    workflow: Value,
    #[serde(default)]
    needs: Vec<Value>,
    /// A release; none for UNWIND.
    argo: Option<String>,
    seed: u64,
    passes: usize,
}

/// The workflow of a recording or example, as it is or changed.
pub fn make(seeds: &Seeds, numbers: &mut Numbers) -> Vec<u8> {
    let count = seeds.inputs.len();
    let empty = json!({"workflow": {}, "needs": []});
    let mut input = seeds.inputs.get(numbers.below(count)).unwrap_or(&empty).clone();
    let other = seeds.inputs.get(numbers.below(count)).unwrap_or(&empty);
    if !numbers.one_in(3) {
        tree::change(&mut input["workflow"], other, numbers);
        if numbers.one_in(4) {
            tree::change(&mut input["needs"], other, numbers);
        }
    }
    if numbers.one_in(2) {
        input["argo"] = json!(numbers.pick(&RELEASES));
    }
    input["seed"] = json!(numbers.bits());
    input["passes"] = json!(1 + numbers.length(60));
    input.to_string().into_bytes()
}

/// Plays it; played again it gives the same.
pub fn take(input: &[u8]) {
    let Ok(course) = serde_json::from_slice::<Course>(input) else { return };
    let (Some(first), Some(second)) = (play(&course), play(&course)) else { return };
    assert!(first == second, "the same events give the same status");
    handle(&course);
}

/// Tells a run that is driven by events of what it may not have asked for: it refuses that, and goes on. Now and
/// then it is taken up from its status, and shown.
fn handle(course: &Course) {
    let Some((workflow, library)) = prepared(course) else { return };
    let behaviour = behaviour(course);
    let mut run = unwind_engine::Run::new(&workflow, behaviour.clone()).with_library(library.clone());
    let mut numbers = Numbers::new(course.seed);
    let mut now = FIRST_PASS;
    for number in 0..course.passes * 4 {
        let status = run.status();
        if status.nodes.len() > MOST_NODES {
            return;
        }
        let event = if number == 0 && !numbers.one_in(20) {
            Event::Begun
        } else {
            event(&run, &status, &mut numbers)
        };
        if let Err(refused) = run.handle(now, event) {
            assert!(!refused.to_string().is_empty(), "a refusal says why");
            assert!(run.status() == status, "nothing has moved when an event is refused");
        }
        now = now + 1_000;
        if numbers.one_in(40) {
            let object = Workflow { status: run.status(), ..run.object().clone() };
            shown::show(&object, now);
            (run, _) = unwind_engine::Run::from_status(&object, library.clone(), behaviour.clone());
        }
    }
    shown::show(&Workflow { status: run.status(), ..run.object().clone() }, now);
}

fn event(run: &unwind_engine::Run, status: &WorkflowStatus, numbers: &mut Numbers) -> Event {
    let open: Vec<NodeId> = run.open_leaves().into_iter().map(|leaf| leaf.node).collect();
    let all: Vec<NodeId> = status.nodes.keys().cloned().collect();
    let chosen = |nodes: &[NodeId], numbers: &mut Numbers| {
        let node = nodes.get(numbers.below(nodes.len())).cloned();
        node.unwrap_or_else(|| NodeId("nobody".to_owned()))
    };
    let nodes: Vec<&NodeStatus> = status.nodes.values().collect();
    match numbers.below(12) {
        0 => Event::Patched { patch: patch(&nodes, numbers) },
        1 => Event::NodesSet { selector: selector(numbers), values: values(numbers) },
        2 | 3 => {
            let asked = run.open_tasks();
            let node = chosen(if asked.is_empty() { &all } else { &asked }, numbers);
            Event::TaskAnswered { node, answer: answer(numbers) }
        }
        4 if status.phase.is_final() || numbers.one_in(10) => {
            Event::RetryRequested { options: retry_options(numbers) }
        }
        _ => {
            let node = chosen(if open.is_empty() || numbers.one_in(8) { &all } else { &open }, numbers);
            leaf_event(node, numbers)
        }
    }
}

fn values(numbers: &mut Numbers) -> NodeValues {
    let phases = [None, Some(NodePhase::Succeeded), Some(NodePhase::Failed), Some(NodePhase::Pending)];
    let given = vec![(numbers.pick(&["", "p", "message", "approve"]).to_owned(), "x".to_owned())];
    NodeValues {
        phase: phases[numbers.below(phases.len())],
        message: numbers.pick(&["", "enough"]).to_owned(),
        output_parameters: if numbers.one_in(2) { given } else { Vec::new() },
    }
}

fn answer(numbers: &mut Numbers) -> Value {
    match numbers.below(6) {
        0 => tree::odd(numbers),
        1 => {
            json!({"phase": tree::odd(numbers), "outputs": tree::odd(numbers), "progress": tree::odd(numbers)})
        }
        2 => json!({"phase": "Running", "message": "soon", "progress": "1/3"}),
        3 => json!({"phase": "Failed", "message": "no"}),
        _ => {
            json!({"phase": "Succeeded", "outputs": {"result": "[1,2]", "parameters": [{"name": "p", "value": "1"}]}})
        }
    }
}

fn retry_options(numbers: &mut Numbers) -> RetryOptions {
    let parameters = [Vec::new(), vec!["a=b".to_owned()], vec!["=".to_owned()], vec!["oops".to_owned()]];
    RetryOptions {
        restart_successful: numbers.one_in(2),
        node_field_selector: selector(numbers),
        parameters: parameters[numbers.below(parameters.len())].clone(),
        hooks: if numbers.one_in(2) { OldHooks::Stay } else { OldHooks::RunAgain },
    }
}

fn leaf_event(node: NodeId, numbers: &mut Numbers) -> Event {
    let outputs = || {
        serde_json::from_value(json!({"result": "[1,2]", "parameters": [{"name": "p", "value": "1"}]})).ok()
    };
    match numbers.below(32) {
        0 => Event::Begun,
        1 => Event::StopRequested,
        2 => Event::TerminateRequested,
        3 => Event::SuspendRequested,
        4 | 5 => Event::ResumeRequested,
        6..9 => Event::TimerFired { node: Some(node) },
        9 => Event::LeafEnded { node, end: LeafEnd::Lost { message: "gone".to_owned() } },
        10 => Event::LeafEnded { node, end: LeafEnd::NotStarted { message: String::new() } },
        11 => Event::LeafEnded { node, end: LeafEnd::Exited { code: i32::MIN, outputs: outputs() } },
        12..15 => Event::LeafEnded { node, end: LeafEnd::Exited { code: 1, outputs: None } },
        15..24 => Event::LeafEnded { node, end: LeafEnd::Exited { code: 0, outputs: outputs() } },
        _ => Event::LeafStarted { node },
    }
}

fn prepared(course: &Course) -> Option<(Workflow, Library)> {
    let input = Input {
        group: String::new(),
        name: String::new(),
        argo: course.argo.clone().unwrap_or_default(),
        workflow: course.workflow.clone(),
        needs: course.needs.clone(),
        controller: None,
    };
    prepare(&input, FIRST_PASS).ok()
}

fn behaviour(course: &Course) -> Behaviour {
    course.argo.as_deref().map_or(Behaviour::UNWIND, Behaviour::argo)
}

fn play(course: &Course) -> Option<Value> {
    let (workflow, library) = prepared(course)?;
    let mut run = Run::new(workflow, library, behaviour(course));
    let mut numbers = Numbers::new(course.seed);
    let is_sensible = numbers.one_in(2);
    let mut now = FIRST_PASS;
    for _ in 0..course.passes {
        let status = run.status();
        let nodes: Vec<&NodeStatus> = status.nodes.values().collect();
        if nodes.len() > MOST_NODES {
            break;
        }
        for _ in 0..numbers.length(nodes.len().clamp(2, 32)) {
            let seen = if is_sensible && !numbers.one_in(12) {
                usual(&nodes, now, &mut numbers)
            } else {
                anything(&nodes, now, &mut numbers)
            };
            run.see(now, seen);
        }
        run.pass(now);
        now = now + later(&mut numbers);
    }
    Some(serde_json::to_value(run.status()).expect("a status is written as JSON"))
}

/// Time to the next pass in milliseconds; senseless now and then.
fn later(numbers: &mut Numbers) -> i64 {
    match numbers.below(40) {
        0 => -3_600_000,
        1 => 1 << 40,
        2 => 0,
        3 => 999,
        4..8 => 3_600_000,
        _ => 10_000,
    }
}

fn node(nodes: &[&NodeStatus], numbers: &mut Numbers) -> NodeName {
    if nodes.is_empty() || numbers.one_in(40) {
        return NodeName(numbers.pick(&["", "nobody", "a.b(0:x).c", "x[0]", "x.onExit"]).to_owned());
    }
    nodes[numbers.below(nodes.len())].name.clone()
}

/// A pod moves, or somebody asks for something.
fn usual(nodes: &[&NodeStatus], now: Timestamp, numbers: &mut Numbers) -> Seen {
    let open: Vec<&NodeStatus> = nodes.iter().filter(|node| !node.phase.is_final()).copied().collect();
    let name = node(&open, numbers);
    match numbers.below(24) {
        0 => Seen::Stop,
        1 => Seen::Terminate,
        2 => Seen::Resume { selector: None },
        3 => Seen::Task { node: name, task: json!({"phase": "Succeeded", "outputs": {"result": "{}"}}) },
        4 => Seen::PodGone { node: name },
        5..9 => Seen::Result {
            node: name,
            complete: Some(true),
            outputs: serde_json::from_value(json!({"result": "[1,2]", "exitCode": "0"})).ok(),
            progress: Some("1/2".to_owned()),
        },
        _ => {
            let phase = phase(numbers);
            let code = i32::from(phase == PodPhase::Failed);
            let is_over = matches!(phase, PodPhase::Succeeded | PodPhase::Failed);
            Seen::Pod {
                node: name,
                report: PodReport { phase, exit: is_over.then_some(code), ..PodReport::pending(now) },
            }
        }
    }
}

fn phase(numbers: &mut Numbers) -> PodPhase {
    [PodPhase::Pending, PodPhase::Running, PodPhase::Succeeded, PodPhase::Succeeded, PodPhase::Failed]
        [numbers.below(5)]
}

/// Something about any node, with anything in it.
fn anything(nodes: &[&NodeStatus], now: Timestamp, numbers: &mut Numbers) -> Seen {
    let name = node(nodes, numbers);
    match numbers.below(12) {
        0 => Seen::Suspend,
        1 => Seen::Retry,
        2 => Seen::Resume { selector: Some(selector(numbers)) },
        3 => Seen::StopNode { selector: selector(numbers), message: "enough".to_owned() },
        4 => Seen::Task { node: name, task: tree::odd(numbers) },
        5 => Seen::Task {
            node: name,
            task: json!({"phase": tree::odd(numbers), "outputs": {"parameters": tree::odd(numbers)}}),
        },
        6 | 7 => Seen::Patch(patch(nodes, numbers)),
        8 => Seen::Result {
            node: name,
            complete: [None, Some(false), Some(true)][numbers.below(3)],
            outputs: serde_json::from_value(
                json!({"result": tree::odd(numbers), "parameters": [{"name": "p"}]}),
            )
            .ok(),
            progress: Some(numbers.pick(&["", "9/0", "-1/-1", "x", "9223372036854775807/1"]).to_owned()),
        },
        9 => Seen::PodGone { node: name },
        _ => Seen::Pod { node: name, report: report(now, numbers) },
    }
}

fn selector(numbers: &mut Numbers) -> String {
    numbers.pick(&["", "phase=Running", "displayName=a", "a", "name!=x", "a=b\\"]).to_owned()
}

fn report(now: Timestamp, numbers: &mut Numbers) -> PodReport {
    let code = |numbers: &mut Numbers| {
        [None, Some(0), Some(1), Some(143), Some(i32::MIN), Some(i32::MAX)][numbers.below(6)]
    };
    let text = |numbers: &mut Numbers| {
        [None, Some(String::new()), Some("OOMKilled (exit code 1)".to_owned())][numbers.below(3)].clone()
    };
    let state = [
        ContainerState::Waiting,
        ContainerState::Running,
        ContainerState::Ended(1),
        ContainerState::Ended(0),
    ][numbers.below(4)];
    PodReport {
        phase: phase(numbers),
        exit: code(numbers),
        reason: text(numbers),
        message: text(numbers),
        aux: code(numbers),
        pod_message: text(numbers),
        containers: vec![("main".to_owned(), state)],
        main_ended: numbers.one_in(3),
        ready: [None, Some(false), Some(true)][numbers.below(3)],
        ip: text(numbers),
        host: text(numbers),
        at: if numbers.one_in(5) { Timestamp(numbers.bits().cast_signed() >> 8) } else { now },
    }
}

fn patch(nodes: &[&NodeStatus], numbers: &mut Numbers) -> Value {
    let id = nodes.get(numbers.below(nodes.len())).map(|node| node.id.0.clone()).unwrap_or_default();
    match numbers.below(7) {
        0 => json!({"spec": {"activeDeadlineSeconds": 0}}),
        1 => json!({"spec": {"suspend": tree::odd(numbers)}}),
        2 => json!({"spec": {"templates": tree::odd(numbers)}}),
        3 => json!({"spec": {"shutdown": numbers.pick(&["Stop", "Terminate", ""])}}),
        4 => json!({"status": {"nodes": {id: {"phase": tree::odd(numbers), "outputs": tree::odd(numbers)}}}}),
        5 => json!({"status": {"storedWorkflowTemplateSpec": tree::odd(numbers)}}),
        _ => tree::odd(numbers),
    }
}
