//! Rehearsals from begin to end.

use expect_test::expect;
use unwind_model::{NodeName, Workflow};
use unwind_present::format::Zone;
use unwind_present::report::{find_node, rehearsal_text, rehearse, report_json};

fn seed() -> Workflow {
    let text = include_str!("../fixtures/seed.yaml");
    unwind_model::document::parse_workflow(text.as_bytes()).expect("a workflow").0
}

const LEAF: &str = "seed-nested-dag.level1.level2.stopped-job";

#[test]
fn a_rehearsed_stop_is_told_beforehand_and_kept() {
    let rehearsed = rehearse(&seed(), Some(&NodeName::from(LEAF)));
    expect![[r#"
        Stop seed-nested-dag
        1 ends at once, 4 run in order, 1 will not run
        This machine’s engine keeps this order.

        Ends at once
          stopped-job  running for 0 s, becomes Failed

        Will run, in this order
        1  stopped-job.onExit      level1 / level2 / stopped-job
        2  level2.onExit           level1 / level2
        3  level1.onExit           level1
        4  seed-nested-dag.onExit  workflow handler, always last

        Will not run
          tell-team (workflow hook, if Failed)  Not an exit hook: after Stop only hooks named exit run

        1 node ends now, then 4 exit hooks run one after the other. The workflow ends Failed, "Stopped with strategy 'Stop'".

        Hook order (Stop 00:00:00, Over)
        Expected  Actual  Owner and exit hook         Phase      Times                       Verdict  Why
                          seed-nested-dag             Failed     00:00:00 to 00:00:31, 31 s  Kept     Ended after everything inside it
                            level1                    Failed     00:00:00 to 00:00:21, 21 s  Kept     Ended after level2’s hook
                              level2                  Failed     00:00:00 to 00:00:11, 11 s  Kept     Ended after stopped-job’s hook
                                stopped-job           Failed     00:00:00 to 00:00:01, 1 s   Kept     Ended by the stop
        1         1             ↵ stopped-job.onExit  Succeeded  00:00:01 to 00:00:11, 10 s  Kept     Began after stopped-job had ended, ran once
        2         2           ↵ level2.onExit         Succeeded  00:00:11 to 00:00:21, 10 s  Kept     Began after everything inside level2 had ended
        3         3         ↵ level1.onExit           Succeeded  00:00:21 to 00:00:31, 10 s  Kept     Began after everything inside level1 had ended
        4         4       ↵ seed-nested-dag.onExit    Succeeded  00:00:31 to 00:00:41, 10 s  Kept     The workflow’s own handler came last
        Kept: 8 rules kept, 0 broken

        Stopped at 00:00:00. All 4 exit hooks ran, innermost first, in 41 s. Reported Failed, worked out Failed.
    "#]].assert_eq(&rehearsal_text(&rehearsed, Zone::UTC));
}

#[test]
fn without_a_stop_it_runs_to_its_end() {
    let rehearsed = rehearse(&seed(), None);
    expect![[r#"
        Hook order (Over)
        Expected  Actual  Owner and exit hook         Phase      Times                       Verdict  Why
                          seed-nested-dag             Succeeded  00:00:00 to 00:00:40, 40 s  Kept     Ended after everything inside it
                            level1                    Succeeded  00:00:00 to 00:00:30, 30 s  Kept     Ended after level2’s hook
                              level2                  Succeeded  00:00:00 to 00:00:20, 20 s  Kept     Ended after stopped-job’s hook
                                stopped-job           Succeeded  00:00:00 to 00:00:10, 10 s  Kept     Ended by itself
        1         1             ↵ stopped-job.onExit  Succeeded  00:00:10 to 00:00:20, 10 s  Kept     Began after stopped-job had ended, ran once
        2         2           ↵ level2.onExit         Succeeded  00:00:20 to 00:00:30, 10 s  Kept     Began after everything inside level2 had ended
        3         3         ↵ level1.onExit           Succeeded  00:00:30 to 00:00:40, 10 s  Kept     Began after everything inside level1 had ended
        4         4       ↵ seed-nested-dag.onExit    Succeeded  00:00:40 to 00:00:50, 10 s  Kept     The workflow’s own handler came last
        Kept: 4 exit hooks ran in 4 turns, 0 broken

        Reported Succeeded, worked out Succeeded. All 4 exit hooks kept their order.
    "#]].assert_eq(&rehearsal_text(&rehearsed, Zone::UTC));
}

#[test]
fn the_report_is_the_same_bytes_every_time() {
    let json = || {
        let rehearsed = rehearse(&seed(), Some(&NodeName::from(LEAF)));
        report_json(&rehearsed.report).expect("JSON")
    };
    let first = json();
    assert_eq!(first, json());
    let value: serde_json::Value = serde_json::from_str(&first).expect("JSON");
    let keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    expect!["workflow stopAt way stopped diagnostics prediction moments nodes phase message judgement"]
        .assert_eq(&keys.join(" "));
    assert_eq!(value["judgement"]["holds"], "kept");
    assert_eq!(value["phase"], "Failed");
}

#[test]
fn a_node_is_found_by_its_label() {
    let roster = rehearse(&seed(), None).after.roster;
    assert_eq!(find_node(&roster, "stopped-job"), Ok(NodeName::from(LEAF)));
    let error = find_node(&roster, "stoped-job").expect_err("a wrong name");
    expect!["no node is called `stoped-job`; there are `seed-nested-dag`, `seed-nested-dag.level1`, `seed-nested-dag.level1.level2`, `seed-nested-dag.level1.level2.stopped-job`, `seed-nested-dag.level1.level2.stopped-job.onExit`, `seed-nested-dag.level1.level2.onExit`, `seed-nested-dag.level1.onExit`, `seed-nested-dag.hooks.tell-team`, …"].assert_eq(&error.to_string());
}

/// The hooks that a stop at `leaf` runs, in order, and whether they kept it.
fn hooks_of(manifest: &str, leaf: &str) -> String {
    let workflow = unwind_model::document::parse_workflow(manifest.as_bytes()).expect("a workflow").0;
    let roster = rehearse(&workflow, None).after.roster;
    let node = find_node(&roster, leaf).expect("the leaf");
    let rehearsed = rehearse(&workflow, Some(&node));
    let order = rehearsed.report.prediction.expect("a prediction").outcomes.remove(0).hooks;
    let titles: Vec<String> =
        order.iter().map(|hook| format!("{} {}", hook.turn, roster.label(&hook.node))).collect();
    format!("{} | {:?}", titles.join(", "), rehearsed.report.judgement.holds)
}

#[test]
fn the_seed_in_steps_unwinds_as_the_seed_in_dags() {
    let dag = hooks_of(include_str!("../../../../public/samples/seed-dag.yaml"), "stopped-job");
    let steps = hooks_of(include_str!("../../../../public/samples/seed-steps.yaml"), "stopped-job");
    expect!["1 stopped-job.onExit, 2 level2.onExit, 3 level1.onExit, 4 seed-nested-dag.onExit | Some(Kept)"]
        .assert_eq(&dag);
    expect![
        "1 stopped-job.onExit, 2 level2.onExit, 3 level1.onExit, 4 seed-nested-steps.onExit | Some(Kept)"
    ]
    .assert_eq(&steps);
}
