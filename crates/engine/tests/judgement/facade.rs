//! The façade: documents and scenarios in, everything that is shown out.

use std::fmt::Write;

use expect_test::{Expect, expect};
use unwind_engine::{Analysis, Scenario, analyse};
use unwind_model::{NodeName, Workflow};

use crate::notation::read;
use crate::table::happened;
use crate::told::judgement_text;

fn check(workflow: &Workflow, scenario: &Scenario, expected: &Expect) {
    expected.assert_eq(&tell(&analyse(workflow, scenario)));
}

fn tell(analysis: &Analysis) -> String {
    let mut text = String::new();
    for found in &analysis.diagnostics {
        let code = serde_json::to_string(&found.code).expect("codes can be written");
        let _ = writeln!(text, "{:?} {} {code}", found.severity, found.path);
    }
    if let Some(judgement) = &analysis.judgement {
        text.push_str(&judgement_text(judgement));
    }
    for prediction in &analysis.predictions {
        let outcome = &prediction.outcomes[0];
        let hooks: Vec<String> =
            outcome.hooks.iter().map(|hook| format!("{} {}", hook.turn, hook.node)).collect();
        let _ = writeln!(text, "{:?}: {:?} {hooks:?}", prediction.way, outcome.phase);
    }
    text
}

#[test]
fn run_under_way_is_judged_and_predicted_with_the_same_numbers() {
    let workflow = happened(
        read("wf![ l1![ l2![ leaf! ] ] ]").workflow,
        "Running
        wf Running 0
        .l1 Running 0
        .l1.l2 Running 0
        .l1.l2.leaf Running 0",
    );
    check(
        &workflow,
        &Scenario::default(),
        &expect![[r#"
            wf - - Running ?
              wf.l1 - - Running ?
                wf.l1.l2 - - Running ?
                  wf.l1.l2.leaf - - Running ?
                  wf.l1.l2.leaf.onExit 1 - none ?
                wf.l1.l2.onExit 2 - none ?
              wf.l1.onExit 3 - none ?
            wf.onExit 4 - none ?
            Stop: Failed ["1 wf.l1.l2.leaf.onExit", "2 wf.l1.l2.onExit", "3 wf.l1.onExit", "4 wf.onExit"]
            Terminate: Failed []
        "#]],
    );
}

#[test]
fn manifest_is_rehearsed_with_a_stop() {
    let written = read("wf![ l1![ leaf! next! ] ]");
    let stop_at = |node: &str| Scenario { stop_at: Some(NodeName::from(node)), ..Scenario::default() };
    check(
        &written.workflow,
        &stop_at("wf.l1.leaf"),
        &expect![[r#"
            wf - - Failed Kept
              wf.l1 - - Failed Kept
                wf.l1.leaf - - Failed Kept
                wf.l1.leaf.onExit 1 1 Succeeded Kept
                wf.l1.next - - Failed Kept
              wf.l1.onExit 2 2 Succeeded Kept
            wf.onExit 3 3 Succeeded Kept
            Stop: Failed ["1 wf.l1.leaf.onExit", "2 wf.l1.onExit", "3 wf.onExit"]
            Terminate: Failed []
        "#]],
    );
    check(&written.workflow, &stop_at("wf.l1.never"), &expect![[""]]);
}

#[test]
fn shutdown_is_preset_in_a_manifest_only() {
    let manifest = happened(read("wf[ a ]").workflow, "Stop");
    check(
        &manifest,
        &Scenario::default(),
        &expect![[r#"
        Warning spec.shutdown {"code":"preset-shutdown","strategy":"Stop"}
    "#]],
    );
    let run = happened(
        read("wf[ a ]").workflow,
        "Failed Stop
        wf Failed 0 10
        .a Failed 0 10|workflow shutdown with strategy:  Stop",
    );
    check(
        &run,
        &Scenario::default(),
        &expect![[r"
        wf - - Failed Kept
        wf.a - - Failed Kept
    "]],
    );
}

#[test]
fn nodes_that_are_elsewhere_are_said_to_be() {
    let mut workflow = happened(read("wf[ a! ]").workflow, "Failed Stop");
    workflow.status.offload_node_status_version = "fnv:1".to_owned();
    check(
        &workflow,
        &Scenario::default(),
        &expect![[r#"
        Note status.offloadNodeStatusVersion {"code":"no-nodes"}
    "#]],
    );
}

/// Arithmetic and patterns are read as govaluate reads them; what it cannot read is told with its place.
#[test]
fn conditions_that_cannot_be_read_are_told() {
    let text = r#"
metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: a, template: leaf, when: "{{workflow.name}} =~ '^w' && 5 + 3 == 8"}
      - {name: b, template: leaf, when: "{{workflow.name}} == "}
      - {name: c, template: leaf, when: "(1 == 1"}
  - {name: leaf, container: {image: i, command: [c]}}
"#;
    let (workflow, _) = unwind_model::document::parse_workflow(text.as_bytes()).expect("a workflow");
    let analysis = analyse(&workflow, &Scenario::default());
    let told: Vec<String> =
        analysis.diagnostics.iter().map(|found| format!("{} {:?}", found.path, found.code)).collect();
    expect![[r#"
        spec.templates[0].steps[0][1].when Invalid { message: "Invalid 'when' expression 'value == ': Unexpected end of expression" }
        spec.templates[0].steps[0][2].when Invalid { message: "Invalid 'when' expression '(1 == 1': Unbalanced parenthesis" }"#]].assert_eq(&told.join("\n"));
}

/// Reported and worked out, where they differ.
fn differing(workflow: &Workflow) -> String {
    let phases = analyse(workflow, &Scenario::default()).phases.expect("phases of a run");
    let mut text = String::new();
    if phases.differ() {
        let because = phases.because.as_ref().map_or("", NodeName::as_str);
        let _ = writeln!(text, "{:?} is {:?}: {because}", phases.reported, phases.worked_out);
    }
    for group in phases.groups.iter().filter(|group| group.differs()) {
        let because = group.because.as_ref().map_or("", NodeName::as_str);
        let _ = writeln!(text, "{} {:?} is {:?}: {because}", group.node, group.reported, group.worked_out);
    }
    text
}

#[test]
fn phases_are_worked_out_from_what_is_inside() {
    let shape = || read("wf![ l1![ leaf! next ] ]").workflow;
    let check = |table: &str, expected: &Expect| expected.assert_eq(&differing(&happened(shape(), table)));
    // A failure that nothing allows, reported as good.
    check(
        "Succeeded
        wf Succeeded 0 20
        .l1 Succeeded 0 9
        .l1.leaf Failed 0 5 | main: Error (exit code 1)
        .l1.leaf.onExit Succeeded 5 8
        .l1.next Succeeded 0 6
        .l1.onExit Succeeded 9 15
        wf.onExit Succeeded 20 25",
        &expect![[r"
            Succeeded is Failed: wf.l1.leaf
            wf Succeeded is Failed: wf.l1.leaf
            wf.l1 Succeeded is Failed: wf.l1.leaf
        "]],
    );
    // Everything inside has ended, itself it never did.
    check(
        "Running
        wf Running 0
        .l1 Running 0
        .l1.leaf Succeeded 0 5
        .l1.leaf.onExit Succeeded 5 8
        .l1.next Succeeded 0 6",
        &expect![[r"
            wf.l1 Running is Succeeded: wf.l1.next
        "]],
    );
    // Over, and something in it never ended.
    check(
        "Failed Stop
        wf Failed 0 10
        .l1 Failed 0 5
        .l1.leaf Failed 0 5 | workflow shutdown with strategy:  Stop
        .l1.leaf.onExit Running 5
        .l1.next Succeeded 0 6
        .l1.onExit Succeeded 6 8
        wf.onExit Succeeded 10 15",
        &expect![[r"
            Failed is Running: wf.l1.leaf.onExit
            wf Failed is Running: wf.l1.leaf.onExit
            wf.l1 Failed is Running: wf.l1.leaf.onExit
        "]],
    );
}

#[test]
fn what_a_handler_was_told_stands_beside_how_it_was() {
    let text = r#"{"metadata":{"name":"wf"},"spec":{"entrypoint":"main","onExit":"tell","templates":[
        {"name":"main","dag":{"tasks":[{"name":"grade","template":"work"}]}},
        {"name":"tell","steps":[[{"name":"mail","template":"work","arguments":{"parameters":[
            {"name":"status","value":"ended: {{workflow.status}}"},
            {"name":"failed","value":"{{workflow.failures}}"}]}}]]},
        {"name":"work","container":{"image":"i","command":["c"]}}]},
      "status":{"phase":"Succeeded","startedAt":"2026-03-02T09:00:00Z","finishedAt":"2026-03-02T09:00:30Z","nodes":{
        "wf":{"id":"wf","name":"wf","displayName":"wf","type":"DAG","phase":"Failed","startedAt":"2026-03-02T09:00:00Z","finishedAt":"2026-03-02T09:00:10Z"},
        "wf-1":{"id":"wf-1","name":"wf.grade","displayName":"grade","type":"Pod","phase":"Failed","boundaryID":"wf","startedAt":"2026-03-02T09:00:00Z","finishedAt":"2026-03-02T09:00:10Z"},
        "wf-2":{"id":"wf-2","name":"wf.onExit","displayName":"wf.onExit","type":"Steps","phase":"Succeeded","startedAt":"2026-03-02T09:00:10Z","finishedAt":"2026-03-02T09:00:30Z"},
        "wf-3":{"id":"wf-3","name":"wf.onExit[0]","displayName":"[0]","type":"StepGroup","phase":"Succeeded","boundaryID":"wf-2","startedAt":"2026-03-02T09:00:10Z","finishedAt":"2026-03-02T09:00:30Z"},
        "wf-4":{"id":"wf-4","name":"wf.onExit[0].mail","displayName":"mail","type":"Pod","phase":"Succeeded","boundaryID":"wf-2","startedAt":"2026-03-02T09:00:10Z","finishedAt":"2026-03-02T09:00:30Z",
          "inputs":{"parameters":[{"name":"status","value":"ended: Running"},{"name":"failed","value":"\"[{\\\"displayName\\\":\\\"grade\\\"}]\""}]}}}}}"#;
    let workflow: Workflow = serde_json::from_str(text).expect("a workflow");
    let told = analyse(&workflow, &Scenario::default()).told;
    let lines: Vec<String> =
        told.iter().map(|one| format!("{} {}: {} / {}", one.node, one.tag, one.is_right, one.fact)).collect();
    assert_eq!(
        lines,
        [
            "wf.onExit[0].mail workflow.status: false / Failed",
            "wf.onExit[0].mail workflow.failures: true / grade"
        ]
    );
}

#[test]
fn tasks_that_run_because_another_failed_do_not_run_after_a_stop() {
    let manifest = |depends: &str| -> Workflow {
        let text = r#"{"metadata":{"name":"wf"},"spec":{"entrypoint":"main","templates":[
            {"name":"main","dag":{"tasks":[{"name":"a","template":"work"},{"name":"b","template":"work","depends":"DEPENDS"}]}},
            {"name":"work","container":{"image":"i","command":["c"]}}]}}"#;
        serde_json::from_str(&text.replace("DEPENDS", depends)).expect("a workflow")
    };
    for (depends, is_unsafe) in [
        ("a.Failed", true),
        ("a.Succeeded || a.Failed", true),
        ("a", false),
        ("a.Succeeded || a.Skipped", false),
    ] {
        let judgement = analyse(&manifest(depends), &Scenario::default()).judgement.expect("a judgement");
        let kinds: Vec<_> = judgement.findings.iter().map(|finding| finding.node.as_str()).collect();
        assert_eq!(kinds == ["wf.b"], is_unsafe, "{depends}: {kinds:?}");
    }
}
