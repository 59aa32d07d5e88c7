//! What is foretold: ends, hooks with turns, arrows, what will not run.

use crate::kit::{check_prediction, prediction_lines};
use expect_test::expect;
use unwind_engine::rehearse::{Rehearsal, Simulation};
use unwind_engine::{Behaviour, Way, predict};
use unwind_model::document::parse_workflow;

#[test]
fn stop_of_nested_dags_gives_one_turn_a_level() {
    check_prediction(
        "main![ outer![ inner![ work!@1000 > next! ] ] ] stop@500",
        &expect![[r#"
            ends  main.outer.inner.work Failed after 500 ms
               1  main.outer.inner.work.onExit ExitHook
               2  main.outer.inner.onExit ExitHook
               3  main.outer.onExit ExitHook
               4  main.onExit Handler
               >  main.outer.inner.work > main.outer.inner.work.onExit OwnerEnds
               >  main.outer.inner.work.onExit > main.outer.inner.onExit Encloses
               >  main.outer.inner.onExit > main.outer.onExit Encloses
               >  main.outer.onExit > main.onExit HandlerLast
               x  main.outer.inner.next Work NothingNewBegins
               x  main.outer.inner.next.onExit ExitHook OwnerNotBegun { owner: NodeName("main.outer.inner.next") }
            Failed Stopped with strategy 'Stop'
        "#]],
    );
}

#[test]
fn parallel_hooks_share_a_turn_and_hooks_inside_hooks_count() {
    check_prediction(
        "main![ a![ x!@1000 y!d@1000 ] b@1000 ] stop@500",
        &expect![[r#"
            ends  main.a.x Failed after 500 ms
            ends  main.a.y Failed after 500 ms
            ends  main.b Failed after 500 ms
               1  main.a.x.onExit ExitHook
               1  main.a.y.onExit ExitHook
               1  main.a.y.onExit.h1.onExit ExitHook
               2  main.a.onExit ExitHook
               3  main.onExit Handler
               >  main.a.x > main.a.x.onExit OwnerEnds
               >  main.a.y > main.a.y.onExit OwnerEnds
               >  main.a.x.onExit > main.a.onExit Encloses
               >  main.a.y.onExit > main.a.onExit Encloses
               >  main.a.y.onExit.h1.onExit > main.a.onExit Encloses
               >  main.a.onExit > main.onExit HandlerLast
               >  main.b > main.onExit HandlerLast
            Failed Stopped with strategy 'Stop'
        "#]],
    );
}

#[test]
fn terminate_runs_no_hook() {
    check_prediction(
        "main![ a![ x!@1000 ] b!@10 c@1000 > d! ] terminate@40",
        &expect![[r#"
        ends  main.a.x Failed after 40 ms
        ends  main.b.onExit Failed after 30 ms
        ends  main.c Failed after 40 ms
           x  main.a.x.onExit ExitHook Terminated
           x  main.a.onExit ExitHook Terminated
           x  main.d Work NothingNewBegins
           x  main.d.onExit ExitHook OwnerNotBegun { owner: NodeName("main.d") }
           x  main.onExit Handler Terminated
        Failed Stopped with strategy 'Terminate'
    "#]],
    );
}

#[test]
fn going_on_runs_all_hooks() {
    check_prediction(
        "main![ a![ x!@1000 ] b!@10 c > d! ] goon@40",
        &expect![[r#"
           1  main.a.x.onExit ExitHook
           2  main.a.onExit ExitHook
           1  main.b.onExit ExitHook running
           1  main.d.onExit ExitHook
           3  main.onExit Handler
           >  main.a.x.onExit > main.a.onExit Encloses
           >  main.a.onExit > main.onExit HandlerLast
           >  main.b.onExit > main.onExit HandlerLast
           >  main.d.onExit > main.onExit HandlerLast
        Succeeded 
    "#]],
    );
}

#[test]
fn a_hook_that_runs_is_part_of_the_order() {
    check_prediction(
        "main![ a![ x!@10 ] ] stop@20",
        &expect![[r#"
           1  main.a.x.onExit ExitHook running
           2  main.a.onExit ExitHook
           3  main.onExit Handler
           >  main.a.x.onExit > main.a.onExit Encloses
           >  main.a.onExit > main.onExit HandlerLast
        Succeeded 
    "#]],
    );
}

#[test]
fn a_run_that_is_over_has_nothing_to_foretell() {
    check_prediction(
        "main![ a! ] stop@2000",
        &expect![[r#"
        Succeeded 
    "#]],
    );
}

#[test]
fn stop_of_steps_names_steps_and_not_groups() {
    check_prediction(
        "main!{ a!@1000 b{ x@1000 ; y! } ; c! d ; e } stop@500",
        &expect![[r#"
        ends  main[0].a Failed after 500 ms
        ends  main[0].b[0].x Failed after 500 ms
           1  main[0].a.onExit ExitHook
           2  main.onExit Handler
           >  main[0].a > main[0].a.onExit OwnerEnds
           >  main[0].a.onExit > main.onExit HandlerLast
           >  main[0].b[0].x > main.onExit HandlerLast
           x  main[0].b[1].y Work NothingNewBegins
           x  main[0].b[1].y.onExit ExitHook OwnerNotBegun { owner: NodeName("main[0].b[1].y") }
           x  main[1].c Work NothingNewBegins
           x  main[1].c.onExit ExitHook OwnerNotBegun { owner: NodeName("main[1].c") }
           x  main[1].d Work NothingNewBegins
           x  main[2].e Work NothingNewBegins
        Failed Stopped with strategy 'Stop'
    "#]],
    );
}

#[test]
fn a_hook_in_progress_that_is_a_box_stays_in_the_order() {
    check_prediction(
        "main![ box![ x!d@10 > y! ] ] stop@70",
        &expect![[r#"
           1  main.box.x.onExit ExitHook running
           1  main.box.x.onExit.h1.onExit ExitHook running
           2  main.box.onExit ExitHook
           3  main.onExit Handler
           >  main.box.x.onExit > main.box.onExit Encloses
           >  main.box.x.onExit.h1.onExit > main.box.onExit Encloses
           >  main.box.onExit > main.onExit HandlerLast
           x  main.box.y Work NothingNewBegins
           x  main.box.y.onExit ExitHook OwnerNotBegun { owner: NodeName("main.box.y") }
        Failed Stopped with strategy 'Stop'
    "#]],
    );
}

#[test]
fn named_hooks_end_or_are_told_as_not_running() {
    let text = "
metadata: {name: wf}
spec:
  entrypoint: main
  hooks: {told: {template: leaf, expression: 'workflow.status == \"Failed\"'}}
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: leaf, hooks: {exit: {template: leaf}, late: {template: leaf, expression: 'true'}}}
      - {name: b, template: leaf, dependencies: [a], hooks: {early: {template: leaf, expression: 'true'}}}
  - {name: leaf, container: {image: i, command: [work]}}
";
    let (workflow, _) = parse_workflow(text.as_bytes()).expect("the test's manifest is a workflow");
    let mut simulation = Simulation::new(&workflow, Rehearsal::default(), Behaviour::UNWIND);
    simulation.advance();
    let mut lines = String::new();
    for way in [Way::Stop, Way::Terminate] {
        lines.push_str(&prediction_lines(&predict(simulation.run(), way)));
    }
    expect![[r#"
        ends  wf.a Failed
        ends  wf.a.hooks.late Failed
           1  wf.a.onExit ExitHook
           >  wf.a > wf.a.onExit OwnerEnds
           >  wf.a.hooks.late > wf.a.onExit OwnerEnds
           x  wf.b Work NothingNewBegins
           x  wf.b.hooks.early NamedHook NotAnExitHook { condition: Some("true") }
           x  wf.hooks.told NamedHook NotAnExitHook { condition: Some("workflow.status == \"Failed\"") }
        Failed Stopped with strategy 'Stop'
        ends  wf.a Failed
        ends  wf.a.hooks.late Failed
           x  wf.a.onExit ExitHook Terminated
           x  wf.b Work NothingNewBegins
           x  wf.b.hooks.early NamedHook Terminated
           x  wf.hooks.told NamedHook Terminated
        Failed Stopped with strategy 'Terminate'
    "#]]
    .assert_eq(&lines);
}
