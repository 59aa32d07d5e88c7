//! The stop preview of the seed, as text.

use expect_test::{Expect, expect};
use unwind_engine::analysis::foreseen;
use unwind_engine::behaviour::{Behaviour, Release};
use unwind_engine::library::Library;
use unwind_engine::predict::{Way, predict};
use unwind_engine::run::Run;

use crate::kit::{self, RUNNING, STOPPING, State, at, seed};
use unwind_present::estimate::Estimates;
use unwind_present::graph::Marks;
use unwind_present::preview::{Keeper, Preview, preview};
use unwind_present::report::preview_text;

fn shown(table: &str, state: &State, way: Way, keeper: &Keeper) -> Preview {
    let study = seed(table, state);
    let (run, _) = Run::from_status(&study.workflow, Library::default(), Behaviour::UNWIND);
    let prediction = predict(&run, way);
    let estimates = Estimates::of(&study).with("sweep", 12_000);
    let shown = preview(&study, &prediction, keeper, &estimates, at(207.0)).expect("a prediction");
    assert_eq!(shown.marks, Marks::of(&prediction));
    shown
}

fn check(way: Way, keeper: &Keeper, expected: &Expect) {
    let shown = shown(kit::TABLE_RUNNING, &RUNNING, way, keeper);
    let brackets: Vec<String> = shown
        .brackets
        .iter()
        .map(|bracket| format!("{}-{} in {}", bracket.from, bracket.to, bracket.level))
        .collect();
    let text = format!(
        "{}\n{}\n\n{}\n[{}] [{}] [{}]\nbrackets: {}\n",
        shown.glyph.name(),
        shown.lead,
        preview_text(&shown),
        shown.confirm,
        shown.dismiss,
        shown.other_way,
        brackets.join(", ")
    );
    expected.assert_eq(&text);
}

#[test]
fn stop_lists_hooks_from_the_inside_out() {
    check(
        Way::Stop,
        &Keeper::OwnEngine,
        &expect![[r#"
            stop
            Stop ends what is running and lets exit hooks run, from the inside out.

            Stop seed-nested-dag
            1 ends at once, 4 run in order, 1 will not run
            This machine’s engine keeps this order.

            Ends at once
              stopped-job  running for 3:25, becomes Failed

            Will run, in this order
            1  stopped-job.onExit      level1 / level2 / stopped-job, about 12 s
            2  level2.onExit           level1 / level2, about 12 s
            3  level1.onExit           level1, about 12 s
            4  seed-nested-dag.onExit  workflow handler, always last, about 12 s

            Will not run
              tell-team (workflow hook, if Failed)  Not an exit hook: after Stop only hooks named exit run

            1 node ends now, then 4 exit hooks run one after the other, about 48 s. The workflow ends Failed, "Stopped with strategy 'Stop'".

            [Stop and run 4 hooks] [Keep running] [Terminate…]
            brackets: 0-0 in 3, 0-1 in 2, 0-2 in 1, 0-3 in 0
        "#]],
    );
}

#[test]
fn stop_on_argo_says_that_the_order_is_not_kept() {
    let keeper = Keeper::Argo { version: Some("v4.1.2".to_owned()), foreseen: None };
    check(
        Way::Stop,
        &keeper,
        &expect![[r#"
            stop
            Stop ends what is running and lets exit hooks run, from the inside out.

            Stop seed-nested-dag
            1 ends at once, 4 run in order, 1 will not run
            Argo v4.1.2 does not keep this order. Nested DAGs end early on Stop there, so hooks start together and some never run.

            Ends at once
              stopped-job  running for 3:25, becomes Failed

            Will run, in this order
            1  stopped-job.onExit      level1 / level2 / stopped-job, about 12 s
            2  level2.onExit           level1 / level2, about 12 s
            3  level1.onExit           level1, about 12 s
            4  seed-nested-dag.onExit  workflow handler, always last, about 12 s

            Will not run
              tell-team (workflow hook, if Failed)  Not an exit hook: after Stop only hooks named exit run

            In this order 4 exit hooks would take 4 turns, about 48 s. On this server some of them may start together or not run.

            [Stop anyway] [Keep running] [Terminate…]
            brackets: 0-0 in 3, 0-1 in 2, 0-2 in 1, 0-3 in 0
        "#]],
    );
}

/// With the release's row run from here on, the callout says what it does and what keeps the order.
#[test]
fn stop_on_a_release_says_what_it_does() {
    let release = Release::parse("v4.1.2").expect("a version");
    let study = seed(kit::TABLE_RUNNING, &RUNNING);
    let foreseen = foreseen(&study.workflow, Library::default(), &release, Way::Stop);
    assert!(foreseen.is_some());
    let keeper = Keeper::Argo { version: Some("v4.1.2".to_owned()), foreseen };
    let shown = shown(kit::TABLE_RUNNING, &RUNNING, Way::Stop, &keeper);
    let callout = shown.callout.expect("a callout");
    expect![[r#"
        Broken: Argo v4.1.2 does not keep this order. Never run: level2.onExit. Begin too early: stopped-job.onExit, level1.onExit, seed-nested-dag.onExit. Never over: level2.
        In this order 4 exit hooks would take 4 turns, about 48 s. On this server some of them may start together or not run."#]].assert_eq(&format!("{:?}: {}\n{}", callout.tone, callout.text.text(), shown.foot));
}

#[test]
fn terminate_says_what_stays() {
    check(
        Way::Terminate,
        &Keeper::OwnEngine,
        &expect![[r#"
            terminate
            Terminate ends what is running, exit hooks too. Nothing cleans up after it.

            Terminate seed-nested-dag
            1 ends at once, 0 run in order, 5 will not run

            Ends at once
              stopped-job  running for 3:25, becomes Failed

            Will not run
              stopped-job.onExit                    Terminate runs no exit hooks
              level2.onExit                         Terminate runs no exit hooks
              level1.onExit                         Terminate runs no exit hooks
              tell-team (workflow hook, if Failed)  Terminate runs no hooks of any kind
              seed-nested-dag.onExit                Terminate runs no exit hooks

            1 node ends now and 4 exit hooks do not run. What they would have removed stays.

            [Terminate, run no hooks] [Keep running] [Stop…]
            brackets: 
        "#]],
    );
}

#[test]
fn terminate_after_stop_cuts_off_what_runs() {
    let shown = shown(kit::TABLE_UNWINDING, &STOPPING, Way::Terminate, &Keeper::OwnEngine);
    expect![[r#"
        Terminate seed-nested-dag
        1 ends at once, 0 run in order, 3 will not run

        Ends at once
          level2.onExit  running for 0 s, becomes Failed

        Will not run
          level1.onExit                         Terminate runs no exit hooks
          tell-team (workflow hook, if Failed)  Terminate runs no hooks of any kind
          seed-nested-dag.onExit                Terminate runs no exit hooks

        1 node ends now and 2 exit hooks do not run. What they would have removed stays.
    "#]]
    .assert_eq(&preview_text(&shown));
}
