//! Documents in, outlines and diagnostics out.

use std::fmt::Write;

use expect_test::{Expect, expect};
use unwind_engine::plan::PlannedNode;
use unwind_engine::rehearse::{Rehearsal, Simulation};
use unwind_engine::{Behaviour, Diagnostic, lower};
use unwind_model::document::parse_workflow;
use unwind_model::{NodeName, Workflow, WorkflowStatus};

fn workflow(text: &str) -> Workflow {
    parse_workflow(text.as_bytes()).expect("the test's manifest is a workflow").0
}

/// One line a node: name, type, role, boundary, what it waits for, condition.
fn check_outline(text: &str, expected: &Expect) {
    let (plan, diagnostics) = lower(&workflow(text));
    let mut lines = String::new();
    for node in plan.outline() {
        let line = format!(
            "{} [{}] {:?} {:?} in {} after {:?} {}",
            node.name,
            node.display_name,
            node.node_type,
            node.role,
            node.boundary.map_or_else(String::new, |name| name.0),
            node.depends_on.iter().map(NodeName::as_str).collect::<Vec<_>>(),
            node.condition.unwrap_or_default(),
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    lines.push_str(&diagnostic_lines(&diagnostics));
    expected.assert_eq(&lines);
}

fn diagnostic_lines(diagnostics: &[Diagnostic]) -> String {
    let mut lines = String::new();
    for found in diagnostics {
        let code = serde_json::to_string(&found.code).expect("codes can be written");
        let _ = writeln!(lines, "{:?} {} {code}", found.severity, found.path);
    }
    lines
}

fn check_diagnostics(text: &str, expected: &Expect) {
    let (plan, diagnostics) = lower(&workflow(text));
    plan.outline();
    expected.assert_eq(&diagnostic_lines(&diagnostics));
}

#[test]
fn outline_has_owners_first_and_hooks_after_their_insides() {
    check_outline(
        "
metadata: {name: wf}
spec:
  entrypoint: main
  onExit: note
  hooks: {told: {template: note, expression: 'workflow.status == \"Failed\"'}}
  templates:
  - name: main
    dag:
      tasks:
      - {name: b, template: inner, dependencies: [a], onExit: note}
      - {name: a, template: leaf, hooks: {exit: {template: inner}}, when: 'x == y'}
  - name: inner
    steps:
    - - {name: one, template: leaf}
      - {name: two, template: leaf, onExit: note}
    - - {name: three, template: leaf}
  - {name: leaf, container: {image: i, command: [work]}}
  - {name: note, script: {image: i, command: [sh], source: echo}}
",
        &expect![[r#"
            wf [wf] DAG Root in  after []
            wf.b [b] Steps Work in wf after ["wf.a"]
            wf.b[0] [[0]] StepGroup Work in wf.b after []
            wf.b[0].one [one] Pod Work in wf.b[0] after []
            wf.b[0].two [two] Pod Work in wf.b[0] after []
            wf.b[0].two.onExit [two.onExit] Pod ExitHook in wf.b[0] after []
            wf.b[1] [[1]] StepGroup Work in wf.b after ["wf.b[0]"]
            wf.b[1].three [three] Pod Work in wf.b[1] after []
            wf.b.onExit [b.onExit] Pod ExitHook in wf after []
            wf.a [a] Pod Work in wf after [] x == y
            wf.a.onExit [a.onExit] Steps ExitHook in wf after []
            wf.a.onExit[0] [[0]] StepGroup Work in wf.a.onExit after []
            wf.a.onExit[0].one [one] Pod Work in wf.a.onExit[0] after []
            wf.a.onExit[0].two [two] Pod Work in wf.a.onExit[0] after []
            wf.a.onExit[0].two.onExit [two.onExit] Pod ExitHook in wf.a.onExit[0] after []
            wf.a.onExit[1] [[1]] StepGroup Work in wf.a.onExit after ["wf.a.onExit[0]"]
            wf.a.onExit[1].three [three] Pod Work in wf.a.onExit[1] after []
            wf.hooks.told [wf.hooks.told] Pod NamedHook in  after [] workflow.status == "Failed"
            wf.onExit [wf.onExit] Pod Handler in  after []
        "#]],
    );
}

#[test]
fn what_is_not_run_is_named_with_its_place() {
    check_diagnostics(
        "
metadata: {name: wf}
spec:
  entrypoint: main
  parallelism: 2
  serviceAccountName: me
  volumes: [{name: v, emptyDir: {}}]
  templates:
  - name: main
    retryStrategy: {limit: 2}
    metadata: {labels: {a: b}}
    dag:
      tasks:
      - {name: a, template: leaf, withItems: [1, 2]}
      - {name: b, templateRef: {name: t, template: x}}
      - {name: c, template: nowhere, depends: 'a &&'}
      - {name: d, template: leaf, depends: 'a.Lost'}
      - {name: e, template: leaf, depends: 'nobody || a'}
      - {name: f, template: leaf, dependencies: [g]}
      - {name: g, template: leaf, dependencies: [f]}
      - {name: g, template: leaf, onExit: nowhere}
      - {name: h, template: web, hooks: {exit: {template: leaf, expression: 'true'}, other: {template: leaf}}}
  - name: leaf
    inputs: {artifacts: [{name: x, path: /x}]}
    container: {image: i, env: [{name: A, valueFrom: {secretKeyRef: {}}}], resources: {}}
  - {name: web, http: {url: 'http://localhost'}, strange: 1}
  - {name: none}
",
        &expect![[r#"
            Error spec.templates[0].dag.tasks[1].templateRef {"code":"unsupported","field":"templateRef"}
            Error spec.templates[0].dag.tasks[2].template {"code":"unknown-template","template":"nowhere"}
            Error spec.templates[0].dag.tasks[7].name {"code":"duplicate-name","name":"g"}
            Error spec.templates[0].dag.tasks[7].onExit {"code":"unknown-template","template":"nowhere"}
            Error spec.templates[0].dag.tasks[8].hooks.other {"code":"missing","field":"expression"}
            Error spec.templates[0].dag.tasks[2].depends {"code":"bad-depends","expected":"expected a word, found the end"}
            Error spec.templates[0].dag.tasks[3].depends {"code":"bad-depends","expected":"Succeeded, Failed, Errored, Skipped, Omitted, Daemoned, AnySucceeded or AllFailed, found `Lost`"}
            Error spec.templates[0].dag.tasks[4].depends {"code":"unknown-task","task":"nobody"}
            Error spec.templates[0].dag.tasks {"code":"dependency-cycle","tasks":["f","g"]}
            Error spec.templates[1].inputs.artifacts {"code":"unsupported","field":"artifacts"}
            Error spec.templates[1].container {"code":"no-command","image":"i"}
            Error spec.templates[1].container.env[0].valueFrom {"code":"unsupported","field":"valueFrom"}
            Warning spec.templates[2].strange {"code":"unsupported","field":"strange"}
            Error spec.templates[2].http {"code":"unsupported","field":"http"}
            Error spec.templates[3] {"code":"missing","field":"container, script, dag, steps or suspend"}
            Warning spec.volumes {"code":"unsupported","field":"volumes"}
        "#]],
    );
}

#[test]
fn recursion_ends_in_one_node_that_stands_for_it() {
    check_outline(
        "
metadata: {generateName: again-}
spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: flip, template: leaf}
    - - {name: more, template: main, when: 'a == b', hooks: {exit: {template: main}}}
  - {name: leaf, container: {image: i, command: [work]}}
",
        &expect![[r#"
            again [again] Steps Root in  after []
            again[0] [[0]] StepGroup Work in again after []
            again[0].flip [flip] Pod Work in again[0] after []
            again[1] [[1]] StepGroup Work in again after ["again[0]"]
            again[1].more [more] Steps Work in again[1] after [] a == b
            again[1].more.onExit [more.onExit] Steps ExitHook in again[1] after []
        "#]],
    );
}

#[test]
fn a_plan_that_doubles_at_every_level_is_cut_short() {
    let mut text = String::from("metadata: {name: wf}\nspec:\n  entrypoint: t0\n  templates:\n");
    for level in 0..60 {
        let next = level + 1;
        let _ = writeln!(
            text,
            "  - {{name: t{level}, dag: {{tasks: [{{name: a, template: t{next}}}, {{name: b, template: t{next}}}]}}}}"
        );
    }
    text.push_str("  - {name: t60, container: {image: i, command: [work]}}\n");
    let (plan, diagnostics) = lower(&workflow(&text));
    assert_eq!(diagnostics, []);
    let nodes = plan.outline().len();
    assert!((50_000..51_000).contains(&nodes), "{nodes}");
}

#[test]
fn values_that_refer_to_nothing_are_named_wherever_they_stand() {
    check_diagnostics(
        "
metadata: {name: wf}
spec:
  entrypoint: main
  arguments: {parameters: [{name: a, value: '{{=1+1}}'}, {name: b, value: '{{inputs.parameters.x}}'}]}
  templates:
  - name: main
    inputs: {parameters: [{name: c, default: '{{inputs.parameters.nope}}'}]}
    container: {image: i, command: [echo, '{{=inputs.parameters.c}}']}
",
        &expect![[r#"
            Error spec.arguments.parameters[1].value {"code":"unresolved","placeholder":"{{inputs.parameters.x}}"}
            Error spec.templates[0].inputs.parameters[0] {"code":"unresolved","placeholder":"{{inputs.parameters.nope}}"}
        "#]],
    );
}

const LOOPS: &str = r"
metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: each, template: box, withItems: [a, b], hooks: {exit: {template: leaf}}}
      - {name: again, template: again, hooks: {exit: {template: leaf}}}
  - name: box
    steps:
    - - {name: one, template: leaf, withItems: [p, q], hooks: {exit: {template: leaf}}}
  - name: again
    retryStrategy: {limit: 2}
    dag:
      tasks:
      - {name: inner, template: leaf}
  - name: leaf
    container: {image: busybox, command: [true]}
";

/// Once items and tries are there, what the plan foresees is what each of them has.
#[test]
fn a_plan_unfolds_with_its_run() {
    let workflow = workflow(LOOPS);
    let (plan, _) = lower(&workflow);
    let names = |outline: Vec<PlannedNode>| -> Vec<String> {
        outline.into_iter().map(|node| node.name.to_string()).collect()
    };
    let before = names(plan.outline_of(&WorkflowStatus::default()));
    assert_eq!(before, names(plan.outline()));
    let mut simulation = Simulation::new(&workflow, Rehearsal::default(), Behaviour::UNWIND);
    let begun = names(plan.outline_of(&simulation.run().status()));
    while simulation.advance().is_some() {}
    let status = simulation.run().status();
    let foreseen = names(plan.outline_of(&status));
    assert_eq!(begun, foreseen);
    let mut there: Vec<String> = status.nodes.values().map(|node| node.name.to_string()).collect();
    let mut sorted = foreseen.clone();
    there.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(sorted, there);
    expect![[r#"
        wf
        wf.each
        wf.each(0:a)
        wf.each(0:a)[0]
        wf.each(0:a)[0].one(0:p)
        wf.each(0:a)[0].one(0:p).onExit
        wf.each(0:a)[0].one(1:q)
        wf.each(0:a)[0].one(1:q).onExit
        wf.each(0:a).onExit
        wf.each(1:b)
        wf.each(1:b)[0]
        wf.each(1:b)[0].one(0:p)
        wf.each(1:b)[0].one(0:p).onExit
        wf.each(1:b)[0].one(1:q)
        wf.each(1:b)[0].one(1:q).onExit
        wf.each(1:b).onExit
        wf.again
        wf.again(0)
        wf.again(0).inner
        wf.again.onExit"#]]
    .assert_eq(&foreseen.join("\n"));
}
