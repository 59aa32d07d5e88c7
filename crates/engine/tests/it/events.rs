//! Single events on runs: what is taken, what is refused, what comes of it.

use std::collections::BTreeMap;
use std::fmt::Write;

use expect_test::expect;
use unwind_engine::{Event, LeafEnd};
use unwind_model::{NodeId, NodeName};

use crate::kit::driven::driven;

fn not_started(message: &str) -> LeafEnd {
    LeafEnd::NotStarted { message: message.to_owned() }
}

const HOOKED_LEAF: &str = "
  entrypoint: main
  templates:
  - {name: main, dag: {tasks: [{name: a, template: leaf, onExit: leaf}]}}
  - {name: leaf, container: {image: i, command: [work]}}
";

#[test]
fn events_that_do_not_fit_are_refused_and_move_nothing() {
    let mut run = driven(HOOKED_LEAF);
    run.started("wf.a").handle(Event::Begun).handle(Event::Begun);
    run.started("nobody").started("wf").started("wf.a").started("wf.a");
    run.exited("wf.a", 0).exited("wf.a", 0).exited("wf.a.onExit", 0);
    run.handle(Event::StopRequested).handle(Event::ResumeRequested).exited("wf.a", 1);
    run.check(&expect![[r#"
        leafStarted
            refused: node `wf.a` is Pending and cannot take `leafStarted`
        begun
            start wf.a
        begun
            refused: node `wf` is Running and cannot take `begun`
        leafStarted
            refused: node `nobody` is Pending and cannot take `leafStarted`
        leafStarted
            refused: node `wf` is Running and cannot take `leafStarted`
        leafStarted
        leafStarted
            refused: node `wf.a` is Running and cannot take `leafStarted`
        leafEnded
            start wf.a.onExit
        leafEnded
            refused: node `wf.a` is Succeeded and cannot take `leafEnded`
        leafEnded
            finished 
        stopRequested
            refused: node `wf` is Succeeded and cannot take `stopRequested`
        resumeRequested
            refused: node `wf` is Succeeded and cannot take `resumeRequested`
        leafEnded
            refused: node `wf.a` is Succeeded and cannot take `leafEnded`
        wf Succeeded
        wf.a Succeeded
        wf.a.onExit Succeeded
        = Succeeded 2/2
    "#]]);
}

#[test]
fn a_leaf_without_a_process_ends_failed_and_runs_no_hook() {
    let mut run = driven(HOOKED_LEAF);
    run.handle(Event::Begun).handle(Event::StopRequested).ended("wf.a", not_started(""));
    run.check(&expect![[r#"
        begun
            start wf.a
        stopRequested
            end wf.a
        leafEnded
            finished 
        wf Failed
        wf.a Failed workflow shutdown with strategy: Stop
        = Failed 0/1 Stopped with strategy 'Stop'
    "#]]);
}

#[test]
fn a_leaf_whose_process_began_after_the_stop_runs_its_hook() {
    let mut run = driven(HOOKED_LEAF);
    run.handle(Event::Begun).handle(Event::StopRequested).started("wf.a").exited("wf.a", 0);
    run.exited("wf.a.onExit", 0);
    run.check(&expect![[r#"
        begun
            start wf.a
        stopRequested
            end wf.a
        leafStarted
        leafEnded
            start wf.a.onExit
        leafEnded
            finished 
        wf Failed
        wf.a Failed workflow shutdown with strategy:  Stop
        wf.a.onExit Succeeded
        = Failed 1/2 Stopped with strategy 'Stop'
    "#]]);
}

#[test]
fn leaves_that_vanish_or_cannot_start_end_in_error() {
    let mut run = driven(
        "
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: leaf, onExit: leaf}
      - {name: b, template: leaf}
      - {name: c, template: leaf}
  - {name: leaf, container: {image: i, command: [work]}}
",
    );
    run.handle(Event::Begun).ended("wf.a", not_started("no such program: `work`"));
    run.started("wf.b").ended("wf.b", LeafEnd::Lost { message: String::new() });
    run.exited("wf.c", 3).exited("wf.a.onExit", 0);
    run.check(&expect![[r#"
        begun
            start wf.a
            start wf.b
            start wf.c
        leafEnded
            start wf.a.onExit
        leafStarted
        leafEnded
        leafEnded
        leafEnded
            finished 
        wf Error
        wf.a Error no such program: `work`
        wf.a.onExit Succeeded
        wf.b Error pod deleted
        wf.c Failed main: Error (exit code 3)
        = Error 1/4
    "#]]);
}

#[test]
fn a_wait_goes_on_by_timer_resume_or_ends_by_stop() {
    let spec = "
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: wait, onExit: leaf}, {name: b, template: short}], [{name: c, template: wait, onExit: leaf}]]
  - {name: wait, suspend: {}}
  - {name: short, suspend: {duration: 1m30s}}
  - {name: leaf, container: {image: i, command: [work]}}
";
    let mut run = driven(spec);
    run.handle(Event::Begun).fired(90_001);
    run.handle(Event::ResumeRequested).exited("wf[0].a.onExit", 0);
    run.handle(Event::StopRequested).exited("wf[1].c.onExit", 0);
    run.check(&expect![[r#"
        begun
            timer at 90001 ms
        timerFired
        resumeRequested
            start wf[0].a.onExit
        leafEnded
        stopRequested
            start wf[1].c.onExit
        leafEnded
            finished 
        wf Failed child 'wf-2743437592' failed
        wf[0] Succeeded
        wf[0].a Succeeded
        wf[0].a.onExit Succeeded
        wf[0].b Succeeded
        wf[1] Failed child 'wf-2743437592' failed
        wf[1].c Failed Stopped with strategy 'Stop'
        wf[1].c.onExit Succeeded
        = Failed 4/5 Stopped with strategy 'Stop'
    "#]]);
}

#[test]
fn a_suspended_workflow_begins_nothing_until_it_is_resumed() {
    let mut run = driven(HOOKED_LEAF);
    run.handle(Event::Begun).handle(Event::SuspendRequested).exited("wf.a", 0);
    run.handle(Event::ResumeRequested).exited("wf.a.onExit", 0);
    run.check(&expect![[r#"
        begun
            start wf.a
        suspendRequested
        leafEnded
        resumeRequested
            start wf.a.onExit
        leafEnded
            finished 
        wf Succeeded
        wf.a Succeeded
        wf.a.onExit Succeeded
        = Succeeded 2/2
    "#]]);
}

#[test]
fn stop_of_a_workflow_suspended_from_the_start_runs_the_handler_only() {
    let mut run = driven(
        "
  suspend: true
  entrypoint: lamp
  onExit: note
  templates:
  - {name: lamp, container: {image: i, command: [work]}}
  - {name: note, container: {image: i, command: [note]}}
",
    );
    run.handle(Event::Begun).handle(Event::StopRequested).exited("wf.onExit", 0);
    run.check(&expect![[r#"
        begun
        stopRequested
            start wf.onExit
        leafEnded
            finished 
        wf Failed workflow shutdown with strategy: Stop
        wf.onExit Succeeded
        = Failed 1/2 Stopped with strategy 'Stop'
    "#]]);
}

#[test]
fn a_workflow_stopped_before_it_begins_runs_nothing() {
    let mut run = driven(HOOKED_LEAF);
    run.handle(Event::StopRequested).handle(Event::Begun);
    run.check(&expect![[r#"
        stopRequested
        begun
            finished 
        wf Failed
        = Failed 0/0 Stopped with strategy 'Stop'
    "#]]);
}

#[test]
fn an_exit_hook_in_error_makes_the_box_error_after_the_other_hooks() {
    for kind in ["dag: {tasks: [", "steps: [["] {
        let close = if kind.starts_with("dag") { "]}" } else { "]]" };
        let mut run = driven(&format!(
            "
  entrypoint: main
  templates:
  - name: main
    {kind}{{name: a, template: leaf, onExit: leaf}}, {{name: b, template: leaf, onExit: leaf}}{close}
  - {{name: leaf, container: {{image: i, command: [work]}}}}
"
        ));
        let prefix = if kind.starts_with("dag") { "wf" } else { "wf[0]" };
        run.handle(Event::Begun).exited(&format!("{prefix}.a"), 0).exited(&format!("{prefix}.b"), 0);
        run.ended(&format!("{prefix}.a.onExit"), not_started("no such program: `work`"));
        run.exited(&format!("{prefix}.b.onExit"), 5);
        let expected = if kind.starts_with("dag") {
            expect![[r#"
                begun
                    start wf.a
                    start wf.b
                leafEnded
                    start wf.a.onExit
                leafEnded
                    start wf.b.onExit
                leafEnded
                leafEnded
                    finished 
                wf Error hook 'wf.a.onExit' errored: no such program: `work`
                wf.a Succeeded
                wf.a.onExit Error no such program: `work`
                wf.b Succeeded
                wf.b.onExit Failed main: Error (exit code 5)
                = Error 2/4 hook 'wf.a.onExit' errored: no such program: `work`
            "#]]
        } else {
            expect![[r#"
                begun
                    start wf[0].a
                    start wf[0].b
                leafEnded
                    start wf[0].a.onExit
                leafEnded
                    start wf[0].b.onExit
                leafEnded
                leafEnded
                    finished 
                wf Error hook 'wf[0].a.onExit' errored: no such program: `work`
                wf[0] Error hook 'wf[0].a.onExit' errored: no such program: `work`
                wf[0].a Succeeded
                wf[0].a.onExit Error no such program: `work`
                wf[0].b Succeeded
                wf[0].b.onExit Failed main: Error (exit code 5)
                = Error 2/4 hook 'wf[0].a.onExit' errored: no such program: `work`
            "#]]
        };
        run.check(&expected);
    }
}

#[test]
fn a_handler_that_fails_turns_a_good_workflow_failed() {
    let spec = "
  entrypoint: leaf
  onExit: leaf
  templates:
  - {name: leaf, container: {image: i, command: [work]}}
";
    let mut run = driven(spec);
    run.handle(Event::Begun).exited("wf", 0).exited("wf.onExit", 4);
    run.check(&expect![[r#"
        begun
            start wf
        leafEnded
            start wf.onExit
        leafEnded
            finished 
        wf Succeeded
        wf.onExit Failed main: Error (exit code 4)
        = Failed 1/2 main: Error (exit code 4)
    "#]]);
    let mut run = driven(spec);
    run.handle(Event::Begun).exited("wf", 2).exited("wf.onExit", 4);
    run.check(&expect![[r#"
        begun
            start wf
        leafEnded
            start wf.onExit
        leafEnded
            finished 
        wf Failed main: Error (exit code 2)
        wf.onExit Failed main: Error (exit code 4)
        = Failed 0/2 main: Error (exit code 2)
    "#]]);
}

#[test]
fn a_stopped_step_is_not_passed_over_by_continue_on() {
    let mut run = driven(
        "
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: leaf, continueOn: {failed: true}}], [{name: b, template: leaf}]]
  - {name: leaf, container: {image: i, command: [work]}}
",
    );
    run.handle(Event::Begun).started("wf[0].a").handle(Event::StopRequested).exited("wf[0].a", 143);
    run.check(&expect![[r#"
        begun
            start wf[0].a
        leafStarted
        stopRequested
            end wf[0].a
        leafEnded
            finished 
        wf Failed Stopped with strategy 'Stop'
        wf[0] Succeeded
        wf[0].a Failed workflow shutdown with strategy:  Stop
        = Failed 0/1 Stopped with strategy 'Stop'
    "#]]);
}

#[test]
fn references_are_filled_in() {
    let mut run = driven(
        "
  entrypoint: main
  onExit: tell
  arguments: {parameters: [{name: who, value: all}, {name: count, value: 3}]}
  templates:
  - name: main
    inputs: {parameters: [{name: who}]}
    dag:
      tasks:
      - name: a
        template: say
        arguments: {parameters: [{name: text, value: '{{inputs.parameters.who}} {{workflow.parameters.count}}'}]}
        hooks: {exit: {template: say, arguments: {parameters: [{name: text, value: 'a was {{tasks.a.status}}, wf is {{workflow.status}}'}]}}}
  - name: say
    inputs: {parameters: [{name: text}, {name: mark, value: '!'}]}
    container: {image: i, command: [say], args: ['{{inputs.parameters.text}}{{ inputs.parameters.mark }}', '{{other}}'], env: [{name: NS, value: '{{workflow.namespace}}'}]}
  - name: tell
    inputs: {parameters: [{name: who}]}
    script: {image: i, command: [sh], source: 'echo {{inputs.parameters.who}} {{workflow.name}} {{workflow.status}} {{workflow.duration}} {{node.name}}'}
",
    );
    run.handle(Event::Begun).exited("wf.a", 1).exited("wf.a.onExit", 0);
    let mut lines = String::new();
    for start in &run.starts {
        let _ = writeln!(
            lines,
            "{} {:?} {:?} {:?} {:?} on exit: {}",
            start.name,
            start.command,
            start.args,
            start.env,
            start.source.as_deref().unwrap_or_default(),
            start.on_exit
        );
    }
    expect![[r#"
        wf.a ["say"] ["all 3!", "{{other}}"] [("NS", "here")] "" on exit: false
        wf.a.onExit ["say"] ["a was Failed, wf is Running!", "{{other}}"] [("NS", "here")] "" on exit: true
        wf.onExit ["sh"] [] [] "echo all wf Failed 0.002000 wf.onExit" on exit: true
    "#]]
    .assert_eq(&lines);
    assert_eq!(run.run.open_leaves(), run.starts[2..]);
}

#[test]
fn a_template_that_calls_itself_for_ever_ends_in_error() {
    let mut run = driven(
        "
  entrypoint: main
  templates:
  - {name: main, dag: {tasks: [{name: a, template: main}]}}
",
    );
    run.handle(Event::Begun);
    assert_eq!(run.run.node_count(), 100);
    let status = run.run.status();
    assert_eq!((status.phase.as_str(), status.message.as_str()), ("Error", ""));
}

#[test]
fn a_box_without_tasks_is_refused() {
    let mut run = driven(
        "
  entrypoint: main
  templates:
  - {name: main, dag: {tasks: [{name: a, template: no-tasks}, {name: b, template: no-steps}, {name: c, template: no-step}]}}
  - {name: no-tasks, dag: {tasks: []}}
  - {name: no-steps, steps: []}
  - {name: no-step, steps: [[]]}
",
    );
    run.handle(Event::Begun);
    run.check(&expect![[r#"
        begun
            finished 
        = Failed 0/0 invalid spec: templates.main.tasks.a templates.no-tasks must have at least one task
    "#]]);
}

#[test]
fn every_legal_move_between_phases_occurs_and_no_other() {
    let tasks: Vec<_> = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .map(|name| format!("{{name: {name}, template: leaf}}"))
        .collect();
    let mut run = driven(&format!(
        "
  entrypoint: main
  templates:
  - {{name: main, dag: {{tasks: [{}]}}}}
  - {{name: leaf, container: {{image: i, command: [work]}}}}
",
        tasks.join(", ")
    ));
    run.handle(Event::Begun).exited("wf.a", 0).exited("wf.b", 1);
    run.started("wf.c").ended("wf.c", LeafEnd::Lost { message: String::new() });
    run.ended("wf.d", not_started("")).started("wf.e");
    run.handle(Event::StopRequested).exited("wf.e", 0).ended("wf.f", not_started(""));
    let moves: Vec<_> = run.moves.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    assert_eq!(
        moves,
        [
            ("Pending", "Running"),
            ("Pending", "Failed"),
            ("Pending", "Error"),
            ("Running", "Succeeded"),
            ("Running", "Failed"),
            ("Running", "Error"),
        ]
    );
}

#[test]
fn two_nodes_never_share_an_id() {
    // FNV-1a has 32 bits: among some 100,000 names two of one hash are likely.
    let mut seen = BTreeMap::new();
    let (one, two) = (0..)
        .find_map(|at| {
            let id = NodeId::of("wf", &NodeName(format!("wf.t{at}")));
            let hash: u32 = id.as_str()[3..].parse().expect("a hash");
            seen.insert(hash, at).map(|before| (before, at))
        })
        .expect("a collision is found");
    let mut run = driven(&format!(
        "
  entrypoint: main
  templates:
  - {{name: main, dag: {{tasks: [{{name: t{one}, template: leaf}}, {{name: t{two}, template: leaf}}]}}}}
  - {{name: leaf, container: {{image: i, command: [work]}}}}
"
    ));
    run.handle(Event::Begun).exited(&format!("wf.t{one}"), 0).exited(&format!("wf.t{two}"), 0);
    let status = run.run.status();
    assert_eq!(status.nodes.len(), 3);
    assert_eq!(status.phase.as_str(), "Succeeded");
}
