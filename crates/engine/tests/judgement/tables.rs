//! The rules one by one, on the smallest run that shows each.

use expect_test::{Expect, expect};
use unwind_engine::{Trace, judge, lower};
use unwind_model::document::parse_workflow;
use unwind_model::{Timestamp, Workflow};

use crate::notation::read;
use crate::table::{BEGIN, happened};
use crate::told::judgement_text;

/// A workflow in short notation and a table of what happened in, a judgement out.
fn check(workflow: &str, table: &str, expected: &Expect) {
    tell(&happened(read(workflow).workflow, table), None, expected);
}

/// The same with the second in which the stop was asked.
fn check_stopped_at(second: i64, workflow: &str, table: &str, expected: &Expect) {
    let at = Timestamp(BEGIN.0 + second * 1000);
    tell(&happened(read(workflow).workflow, table), Some(at), expected);
}

/// The same with a manifest.
fn check_manifest(manifest: &str, table: &str, expected: &Expect) {
    let (workflow, _) = parse_workflow(manifest.as_bytes()).expect("the test's manifest is a workflow");
    tell(&happened(workflow, table), None, expected);
}

fn tell(workflow: &Workflow, stopped_at: Option<Timestamp>, expected: &Expect) {
    let (plan, _) = lower(workflow);
    let mut trace = Trace::from_workflow(&plan, workflow);
    if let Some(at) = stopped_at {
        trace = trace.with_shutdown_at(at);
    }
    let judgement = judge(&plan, &trace);
    expected.assert_eq(&judgement_text(&judgement));
}

const STOPPED: &str = "|workflow shutdown with strategy:  Stop";

#[test]
fn hooks_from_the_inside_out_are_kept() {
    check(
        "wf![ l1![ l2![ leaf! ] ] ]",
        &format!(
            "Failed Stop
            wf Failed 0 40
            .l1 Failed 0 30
            .l1.l2 Failed 0 20
            .l1.l2.leaf Failed 0 10 {STOPPED}
            .l1.l2.leaf.onExit Succeeded 11 19
            .l1.l2.onExit Succeeded 20 29
            .l1.onExit Succeeded 30 39
            .onExit Succeeded 40 49"
        ),
        &expect![[r"
            wf - - Failed Kept
              wf.l1 - - Failed Kept
                wf.l1.l2 - - Failed Kept
                  wf.l1.l2.leaf - - Failed Kept
                  wf.l1.l2.leaf.onExit 1 1 Succeeded Kept
                wf.l1.l2.onExit 2 2 Succeeded Kept
              wf.l1.onExit 3 3 Succeeded Kept
            wf.onExit 4 4 Succeeded Kept
        "]],
    );
}

#[test]
fn whole_seconds_cannot_tell_what_milliseconds_can() {
    let shape = "wf[ box![ leaf! ] ]";
    let table = |end: &str| {
        format!(
            "Failed Stop
            wf Failed 0 {end}
            .box Failed 0 15
            .box.leaf Failed 0 10 {STOPPED}
            .box.leaf.onExit Succeeded 10 15
            .box.onExit Succeeded 15 20"
        )
    };
    check(
        shape,
        &table("20"),
        &expect![[r"
        wf - - Failed Kept
        wf.box - - Failed Kept
          wf.box.leaf - - Failed Kept
          wf.box.leaf.onExit 1 1 Succeeded Kept
        wf.box.onExit 2 2 Succeeded CannotTell
        OrderUnknown wf.box.onExit (InsideOut); begin of wf.box.onExit 00:15Z; end of wf.box.leaf.onExit 00:15Z
    "]],
    );
    check(
        shape,
        &table("20.1"),
        &expect![[r"
        wf - - Failed Kept
        wf.box - - Failed Kept
          wf.box.leaf - - Failed Kept
          wf.box.leaf.onExit 1 1 Succeeded Kept
        wf.box.onExit 2 2 Succeeded Kept
    "]],
    );
}

#[test]
fn programs_inside_a_hook_tell_where_its_box_cannot() {
    check(
        "wf[ box![ leaf!s ] ]",
        &format!(
            "Failed Stop
            wf Failed 0 60
            .box Failed 0 40
            .box.leaf Failed 0 10 {STOPPED}
            .box.leaf.onExit Succeeded 12 40
            .box.leaf.onExit[0]:StepGroup Succeeded 12 32
            .box.leaf.onExit[0].h1 Succeeded 12 15
            .box.leaf.onExit[0].h1.onExit Succeeded 20 25
            .box.leaf.onExit[1]:StepGroup Succeeded 32 40
            .box.leaf.onExit[1].h2 Succeeded 32 37
            .box.onExit Succeeded 40 50"
        ),
        &expect![[r"
            wf - - Failed Kept
            wf.box - - Failed Kept
              wf.box.leaf - - Failed Kept
              wf.box.leaf.onExit 1 1 Succeeded Kept
              wf.box.leaf.onExit[0].h1 - - Succeeded Kept
              wf.box.leaf.onExit[0].h1.onExit 1 2 Succeeded Kept
              wf.box.leaf.onExit[1].h2 - - Succeeded Kept
            wf.box.onExit 2 3 Succeeded Kept
        "]],
    );
}

#[test]
fn hooks_side_by_side_have_no_order() {
    check(
        "wf![ a! b! ]",
        &format!(
            "Failed Stop
            wf Failed 0 30
            .a Failed 0 10 {STOPPED}
            .b Failed 0 10 {STOPPED}
            .a.onExit Succeeded 12 20
            .b.onExit Succeeded 12 29
            .onExit Succeeded 30 31"
        ),
        &expect![[r"
            wf - - Failed Kept
              wf.a - - Failed Kept
              wf.a.onExit 1 1= Succeeded Kept
              wf.b - - Failed Kept
              wf.b.onExit 1 1= Succeeded Kept
            wf.onExit 2 3 Succeeded Kept
        "]],
    );
}

#[test]
fn hooks_that_ended_before_the_stop_carry_no_number() {
    check_stopped_at(
        30,
        "wf![ a!>b!>c! ]",
        &format!(
            "Running Stop
            wf Running 0
            .a Succeeded 0 10
            .a.onExit Succeeded 11 20
            .b Failed 21 31 {STOPPED}
            .b.onExit Running 32"
        ),
        &expect![[r"
            wf - - Running ?
              wf.a - - Succeeded Kept
              wf.a.onExit - - Succeeded Kept
              wf.b - - Failed Kept
              wf.b.onExit 1 1 Running Kept
            wf.onExit 2 - none ?
        "]],
    );
}

#[test]
fn hooks_to_come_are_not_missing_while_the_run_goes_on() {
    check(
        "wf![ box![ leaf! ] ]",
        "Running Stop
        wf Running 0
        .box Running 0
        .box.leaf Running 0",
        &expect![[r"
            wf - - Running ?
              wf.box - - Running ?
                wf.box.leaf - - Running ?
                wf.box.leaf.onExit 1 - none ?
              wf.box.onExit 2 - none ?
            wf.onExit 3 - none ?
        "]],
    );
}

#[test]
fn after_terminate_no_hook_is_due() {
    check(
        "wf![ box![ a! b! ] ]",
        "Failed Terminate
        wf Failed 0 31
        .box Failed 0 31
        .box.a Succeeded 0 10
        .box.a.onExit Succeeded 11 20
        .box.b Failed 0 30|workflow shutdown with strategy:  Terminate",
        &expect![[r"
            wf - - Failed Kept
              wf.box - - Failed Kept
                wf.box.a - - Succeeded Kept
                wf.box.a.onExit - - Succeeded Kept
                wf.box.b - - Failed Kept
        "]],
    );
}

#[test]
fn handler_beside_an_inner_hook_is_broken() {
    check(
        "wf![ a! ]",
        &format!(
            "Failed Stop
            wf Failed 0 10
            .a Failed 0 10 {STOPPED}
            .a.onExit Succeeded 11 20
            .onExit Succeeded 11 12"
        ),
        &expect![[r"
            wf - - Failed Broken
              wf.a - - Failed Kept
              wf.a.onExit 1 1= Succeeded Kept
            wf.onExit 2 1= Succeeded Broken
            HookOrder wf.onExit (HandlerLast); begin of wf.onExit 00:11Z; end of wf.a.onExit 00:20Z
            EarlyEnd wf (BoxEndsLast); end of wf 00:10Z; end of wf.a.onExit 00:20Z
        "]],
    );
}

#[test]
fn hook_that_begins_before_its_owner_has_ended_is_broken() {
    check(
        "wf[ a! ]",
        "Failed Stop
        wf Failed 0 40
        .a Failed 0 27|main: Error (exit code 143)
        .a.onExit Succeeded 20 37",
        &expect![[r"
            wf - - Failed Kept
            wf.a - - Failed Kept
            wf.a.onExit 1 1 Succeeded Broken
            HookOrder wf.a.onExit (AfterOwner); begin of wf.a.onExit 00:20Z; end of wf.a 00:27Z
        "]],
    );
}

#[test]
fn nothing_new_begins_after_a_stop() {
    check(
        "wf{ a^ ; b ; c }",
        &format!(
            "Failed Stop
            wf:Steps Failed 0 30
            wf[0] Succeeded 0 10
            wf[0].a Failed 0 10 {STOPPED}
            wf[1] Failed 12 20
            wf[1].b Succeeded 12 20
            wf[2] Failed 21 22
            wf[2].c Failed 21 22|workflow shutdown with strategy: Stop"
        ),
        &expect![[r"
            wf - - Failed Kept
            wf[0].a - - Failed Kept
            wf[1].b - - Succeeded Broken
            wf[2].c - - Failed Kept
            StopIgnored wf[1].b (NothingNewButExitHooks); begin of wf[1].b 00:12Z
        "]],
    );
}

#[test]
fn refused_and_omitted_tasks_run_no_hook() {
    check(
        "wf[ a>b!>c! d! ]",
        &format!(
            "Failed Stop
            wf Failed 0 30
            .a Succeeded 0 9
            .b Failed 10 10|workflow shutdown with strategy: Stop
            .b.onExit Succeeded 11 12
            .c:Skipped Omitted 13 13|omitted: depends condition not met
            .c.onExit Succeeded 14 15
            .d Failed 0 10 {STOPPED}
            .d.onExit Succeeded 11 12"
        ),
        &expect![[r"
            wf - - Failed Kept
            wf.a - - Succeeded Kept
            wf.b - - Failed Kept
            wf.b.onExit - 1= Succeeded Broken
            wf.c - - Omitted Kept
            wf.c.onExit - 3 Succeeded Broken
            wf.d - - Failed Kept
            wf.d.onExit 1 1= Succeeded Kept
            HookUnwanted wf.b.onExit (NoHookWithoutOwner); begin of wf.b.onExit 00:11Z
            HookUnwanted wf.c.onExit (NoHookWithoutOwner); begin of wf.c.onExit 00:14Z
        "]],
    );
}

#[test]
fn stopped_run_that_calls_itself_succeeded_masks_a_failure() {
    check(
        "wf{ a^ }",
        &format!(
            "Succeeded Stop
            wf Succeeded 0 10
            wf[0] Succeeded 0 10
            wf[0].a Failed 0 10 {STOPPED}"
        ),
        &expect![[r"
            wf - - Succeeded Kept
            wf[0].a - - Failed Broken
            MaskedFailure wf[0].a; end of wf[0].a 00:10Z; end of wf 00:10Z
        "]],
    );
}

/// What a stop cut of a named hook is no main work, its tries neither.
#[test]
fn a_stopped_run_may_succeed_after_a_hook_that_was_cut() {
    check_manifest(
        "metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - {name: main, steps: [[{name: a, template: leaf, hooks: {seen: {template: again, expression: 'true'}}}]]}
  - {name: leaf, container: {image: i}}
  - {name: again, retryStrategy: {limit: 2}, container: {image: i}}
",
        &format!(
            "Succeeded Stop
            wf Succeeded 0 10
            wf[0] Succeeded 0 10
            wf[0].a Succeeded 0 8
            wf[0].a.hooks.seen:Retry Failed 0 10|Stopped with strategy 'Stop'
            wf[0].a.hooks.seen(0) Failed 0 10 {STOPPED}"
        ),
        &expect![[r"
            wf - - Succeeded Kept
            wf[0].a - - Succeeded Kept
            wf[0].a.hooks.seen - - Failed Kept
            wf[0].a.hooks.seen(0) - - Failed Kept
        "]],
    );
}

#[test]
fn failure_is_masked_unless_the_manifest_allows_it() {
    check(
        "wf[ a>b c^ d>e ]",
        "Succeeded
        wf Succeeded 0 30
        .a Failed 0 10|main: Error (exit code 1)
        .b:Skipped Omitted 10 10
        .c Failed 0 10|main: Error (exit code 1)
        .d Failed 0 10|main: Error (exit code 1)
        .e Succeeded 11 20",
        &expect![[r"
            wf - - Succeeded Kept
            wf.a - - Failed Broken
            wf.b - - Omitted Kept
            wf.c - - Failed Kept
            wf.d - - Failed Kept
            wf.e - - Succeeded Kept
            MaskedFailure wf.a; end of wf.a 00:10Z; end of wf 00:30Z
        "]],
    );
}

#[test]
fn times_that_go_backwards_prove_nothing() {
    check(
        "wf[ box![ leaf! ] ]",
        "Succeeded
        wf Succeeded 0 40
        .box Succeeded 0 20
        .box.leaf Succeeded 0 10
        .box.leaf.onExit Succeeded 15 12
        .box.onExit Succeeded 14 30",
        &expect![[r"
            wf - - Succeeded CannotTell
            wf.box - - Succeeded CannotTell
              wf.box.leaf - - Succeeded Kept
              wf.box.leaf.onExit 1 2 Succeeded CannotTell
            wf.box.onExit 2 1 Succeeded Broken
            HookOrder wf.box.onExit (AfterOwner); begin of wf.box.onExit 00:14Z; end of wf.box 00:20Z
            Clock wf.box.leaf.onExit; end of wf.box.leaf.onExit 00:12Z; begin of wf.box.leaf.onExit 00:15Z
        "]],
    );
}

#[test]
fn every_item_runs_its_own_hook() {
    check_manifest(
        "
metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: visit, template: work, withItems: [a, b, c], onExit: work}
  - {name: work, container: {image: busybox, command: [work]}}
",
        "Succeeded
        wf Succeeded 0 40
        .visit:TaskGroup Succeeded 0 30
        .visit(0:a) Succeeded 0 10
        .visit(0:a).onExit Succeeded 11 20
        .visit(10:c) Succeeded 0 10
        .visit(2:b) Succeeded 0 10
        .visit(2:b).onExit Succeeded 21 29",
        &expect![[r"
            wf - - Succeeded Kept
            wf.visit - - Succeeded Kept
            wf.visit(0:a) - - Succeeded Kept
            wf.visit(0:a).onExit 1 1 Succeeded Kept
            wf.visit(2:b) - - Succeeded Kept
            wf.visit(2:b).onExit 1 2 Succeeded Kept
            wf.visit(10:c) - - Succeeded Kept
            wf.visit(10:c).onExit 1 - none Broken
            HookMissing wf.visit(10:c).onExit (ExitHookRunsOnce); begin of wf.visit(10:c).onExit never; end of wf.visit(10:c) 00:10Z
        "]],
    );
}

#[test]
fn retried_task_runs_its_hook_once_after_the_last_try() {
    check_manifest(
        "
metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: work, onExit: note}
      - {name: b, template: work, onExit: note}
  - {name: work, retryStrategy: {limit: 2}, container: {image: busybox, command: [work]}}
  - {name: note, container: {image: busybox, command: [note]}}
",
        "Failed
        wf Failed 0 40
        .a:Retry Failed 0 30|No more retries left
        .a(0) Failed 0 10
        .a(1) Failed 11 29
        .a.onExit Succeeded 30 39
        .b:Retry Failed 0 20
        .b(0) Failed 0 10
        .b(1) Failed 11 25
        .b.onExit Succeeded 20 39",
        &expect![[r"
            wf - - Failed Kept
            wf.a - - Failed Kept
              wf.a(0) - - Failed Kept
              wf.a(1) - - Failed Kept
            wf.a.onExit 1 2 Succeeded Kept
            wf.b - - Failed Broken
              wf.b(0) - - Failed Kept
              wf.b(1) - - Failed Kept
            wf.b.onExit 1 1 Succeeded Broken
            HookOrder wf.b.onExit (InsideOut); begin of wf.b.onExit 00:20Z; end of wf.b(1) 00:25Z
            EarlyEnd wf.b (BoxEndsLast); end of wf.b 00:20Z; end of wf.b(1) 00:25Z
        "]],
    );
}

const NAMED: &str = r#"
metadata: {name: wf}
spec:
  entrypoint: main
  hooks:
    exit: {template: note}
    told: {template: note, expression: 'workflow.status == "Failed"'}
  templates:
  - name: main
    dag:
      tasks:
      - name: a
        template: work
        hooks:
          exit: {template: note}
          seen: {template: note, expression: 'tasks.a.status == "Running"'}
          bad: {template: note, expression: 'tasks["a"].status == "Failed"'}
  - {name: work, container: {image: busybox, command: [work]}}
  - {name: note, container: {image: busybox, command: [note]}}
"#;

#[test]
fn other_hooks_end_before_the_exit_hook_begins() {
    check_manifest(
        NAMED,
        "Failed
        wf Failed 0 30
        .a Failed 0 10|main: Error (exit code 1)
        .a.hooks.bad Succeeded 12 20
        .a.onExit Succeeded 12 29
        .hooks.told Succeeded 31 40
        .onExit Succeeded 41 50",
        &expect![[r"
            wf - - Failed Kept
              wf.a - - Failed Kept
              wf.a.hooks.bad - - Succeeded Kept
              wf.a.onExit 1 1 Succeeded Broken
            wf.hooks.told - - Succeeded Kept
            wf.onExit 2 2 Succeeded Kept
            HookOrder wf.a.onExit (NamedHooksFirst); begin of wf.a.onExit 00:12Z; end of wf.a.hooks.bad 00:20Z
        "]],
    );
}

#[test]
fn other_hook_whose_condition_held_is_missed_only_without_a_stop() {
    let table = |shutdown: &str| {
        format!(
            "Failed {shutdown}
            wf Failed 0 30
            .a Failed 0 10|main: Error (exit code 1)
            .a.onExit Succeeded 12 20
            .onExit Succeeded 41 50"
        )
    };
    check_manifest(
        NAMED,
        &table(""),
        &expect![[r"
            wf - - Failed Kept
              wf.a - - Failed Kept
              wf.a.hooks.bad - - none Broken
              wf.a.onExit 1 1 Succeeded Kept
            wf.hooks.told - - none Broken
            wf.onExit 2 2 Succeeded Kept
            HookMissing wf.a.hooks.bad; begin of wf.a.hooks.bad never; end of wf.a 00:10Z
            HookMissing wf.hooks.told; begin of wf.hooks.told never; end of wf 00:30Z
        "]],
    );
    check_manifest(
        NAMED,
        &table("Stop"),
        &expect![[r"
        wf - - Failed Kept
          wf.a - - Failed Kept
          wf.a.onExit 1 1 Succeeded Kept
        wf.onExit 2 2 Succeeded Kept
    "]],
    );
}

#[test]
fn manifest_tells_what_a_stop_would_lose() {
    check_manifest(
        NAMED,
        "Stop",
        &expect![[r"
        StopUnsafe wf.a.hooks.bad
        StopUnsafe wf.hooks.told
        PresetShutdown wf
    "]],
    );
}

#[test]
fn stop_that_nothing_reacts_to_is_ignored() {
    check(
        "wf[ a ]",
        "Pending Stop",
        &expect![[r"
        StopIgnored wf
    "]],
    );
    check(
        "wf[ a>b ]",
        "Running Stop suspended
        wf Running 0
        .a Failed 0 10|workflow shutdown with strategy:  Stop",
        &expect![[r"
            wf - - Running Broken
            wf.a - - Failed Kept
            StopIgnored wf
        "]],
    );
}

#[test]
fn box_is_left_when_all_inside_it_has_ended_or_what_is_around_it_has() {
    check(
        "wf[ outer[ a ] inner[ b! ] ]",
        "Running
        wf Running 0
        .outer Running 0
        .outer.a Succeeded 0 10
        .inner Running 0
        .inner.b Succeeded 0 10",
        &expect![[r"
            wf - - Running ?
            wf.outer - - Running Broken
            wf.outer.a - - Succeeded Kept
            wf.inner - - Running ?
            wf.inner.b - - Succeeded Kept
            wf.inner.b.onExit 1 - none ?
            LeftUnfinished wf.outer (EveryNodeEnds); end of wf.outer never
        "]],
    );
    check(
        "wf[ outer![ inner![ a! ] ] ]",
        &format!(
            "Running Stop
            wf Running 0
            .outer Failed 0 12
            .outer.onExit Running 12
            .outer.inner Running 0
            .outer.inner.a Failed 0 12 {STOPPED}
            .outer.inner.a.onExit Pending 12"
        ),
        &expect![[r"
            wf - - Running ?
            wf.outer - - Failed Broken
              wf.outer.inner - - Running Broken
                wf.outer.inner.a - - Failed Kept
                wf.outer.inner.a.onExit 1 1= Pending Kept
              wf.outer.inner.onExit 2 - none Broken
            wf.outer.onExit 3 1= Running Broken
            HookMissing wf.outer.inner.onExit (ExitHookRunsOnce); begin of wf.outer.inner.onExit never; end of wf.outer.inner never
            HookOrder wf.outer.onExit (InsideOut); begin of wf.outer.onExit 00:12Z; end of wf.outer.inner.a.onExit never
            LeftUnfinished wf.outer.inner (EveryNodeEnds); end of wf.outer.inner never
            EarlyEnd wf.outer (BoxEndsLast); end of wf.outer 00:12Z; end of wf.outer.inner.a.onExit never
        "]],
    );
}

#[test]
fn part_of_a_hook_that_never_ran_is_missing() {
    check(
        "wf[ a!d ]",
        &format!(
            "Failed Stop
            wf Failed 0 12
            .a Failed 0 10 {STOPPED}
            .a.onExit Running 12
            .a.onExit.h1 Succeeded 12 20
            .a.onExit.h1.onExit Succeeded 21 25"
        ),
        &expect![[r"
            wf - - Failed Broken
            wf.a - - Failed Kept
            wf.a.onExit 1 1 Running Broken
            wf.a.onExit.h1 - - Succeeded Kept
            wf.a.onExit.h1.onExit 1 2 Succeeded Kept
            wf.a.onExit.h2 - - none Broken
            HookMissing wf.a.onExit.h2; begin of wf.a.onExit.h2 never; begin of wf.a.onExit 00:12Z
            LeftUnfinished wf.a.onExit (EveryNodeEnds); end of wf.a.onExit never
            EarlyEnd wf (BoxEndsLast); end of wf 00:12Z; end of wf.a.onExit.h1.onExit 00:25Z
        "]],
    );
}

#[test]
fn names_that_look_like_hooks_may_be_tasks() {
    check(
        "wf[ onExit hooks[ a ] ]",
        "Succeeded
        wf Succeeded 0 20
        .hooks Succeeded 0 10
        .hooks.a Succeeded 0 10",
        &expect![[r"
            wf - - Succeeded Kept
            wf.hooks - - Succeeded Kept
            wf.hooks.a - - Succeeded Kept
        "]],
    );
}
