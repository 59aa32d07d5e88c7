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
