//! Forecasts of small workflows.

use std::collections::BTreeMap;

use serde_json::json;
use unwind_model::{NodeName, Timestamp, Workflow};

use super::{Assumptions, Course, Decision, End, Forecast, Life, Outcome, Way, forecast, ranking};
use crate::behaviour::Behaviour;
use crate::library::Library;
use crate::operate::{PodPhase, PodReport, Run, Seen};

const BEGIN: Timestamp = Timestamp(1_772_442_000_000);

/// Three nested DAGs around a leaf that runs, each with an exit hook.
fn nested() -> Run {
    let task = |name: &str, template: &str| json!({"dag": {"tasks": [{"name": name, "template": template, "hooks": {"exit": {"template": "hook"}}}]}});
    let named = |name: &str, mut template: serde_json::Value| {
        template["name"] = json!(name);
        template
    };
    let container = || json!({"container": {"image": "busybox", "command": ["work"]}});
    let workflow = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "nest", "namespace": "default", "uid": "u", "creationTimestamp": "2026-03-02T09:00:00Z"},
        "spec": {"entrypoint": "t0", "templates": [
            named("t0", task("l1", "t1")),
            named("t1", task("l2", "t2")),
            named("t2", task("leaf", "work")),
            named("work", container()),
            named("hook", container()),
        ]}
    });
    let workflow: Workflow = serde_json::from_value(workflow).expect("a workflow");
    let mut run = Run::new(workflow, Library::default(), Behaviour::argo("v4.1.2"));
    run.pass(BEGIN);
    let node = NodeName("nest.l1.l2.leaf".to_owned());
    let report = PodReport { phase: PodPhase::Running, ..PodReport::pending(BEGIN) };
    run.see(BEGIN, Seen::Pod { node: node.clone(), report });
    run.see(BEGIN, Seen::Result { node, complete: Some(false), outputs: None, progress: None });
    run.pass(BEGIN + 10_000);
    run
}

fn told(way: &Way, assumptions: &Assumptions) -> Forecast {
    forecast(&nested(), BEGIN + 20_000, way, assumptions)
}

fn text(outcome: &Outcome) -> String {
    let order = outcome.order();
    let passes: Vec<String> = order
        .iter()
        .map(|hooks| hooks.iter().map(|hook| hook.as_str()).collect::<Vec<_>>().join("+"))
        .collect();
    let open: Vec<&str> = outcome.unfinished.iter().map(NodeName::as_str).collect();
    format!("{} | {:?} {} | open {}", passes.join(" "), outcome.end, outcome.phase.as_str(), open.join(" "))
}

#[test]
fn stop_loses_hooks_whenever_the_leaf_ends() {
    let forecast = told(&Way::Stop, &Assumptions::default());
    let texts: Vec<String> = forecast.outcomes.iter().map(text).collect();
    assert_eq!(
        texts,
        [
            "nest.l1.l2.onExit | Completed Failed | open nest.l1",
            "nest.l1.l2.leaf.onExit+nest.l1.onExit | Completed Failed | open nest.l1.l2",
        ]
    );
    let first: Vec<bool> = forecast
        .outcomes
        .iter()
        .map(|outcome| outcome.decided_by.iter().flatten().any(|why| *why == Decision::LeafEndsFirst))
        .collect();
    assert_eq!(first, [false, true]);
}

#[test]
fn stop_in_order_has_one_outcome_with_every_hook_inner_first() {
    let forecast = told(&Way::StopInOrder, &Assumptions::default());
    let orders: Vec<String> = forecast
        .outcomes
        .iter()
        .map(|outcome| text(outcome).split(" | ").next().unwrap_or_default().to_owned())
        .collect();
    assert!(
        orders.iter().all(|order| order == "nest.l1.l2.leaf.onExit nest.l1.l2.onExit nest.l1.onExit"),
        "{orders:?}"
    );
    assert!(
        forecast
            .outcomes
            .iter()
            .all(|outcome| outcome.end == End::Completed && outcome.unfinished.is_empty())
    );
}

#[test]
fn going_on_ends_well_and_terminate_runs_no_hook() {
    let forecast = told(&Way::GoOn, &Assumptions::default());
    let texts: Vec<String> = forecast.outcomes.iter().map(text).collect();
    assert_eq!(
        texts,
        ["nest.l1.l2.leaf.onExit nest.l1.l2.onExit nest.l1.onExit | Completed Succeeded | open "]
    );
    let forecast = told(&Way::Terminate, &Assumptions::default());
    assert!(forecast.outcomes.iter().all(|outcome| outcome.hooks.is_empty()));
}

#[test]
fn a_pod_that_never_ends_makes_the_run_hang() {
    let endless = Course { life: Life::Endless, ..Course::default() };
    let pods = BTreeMap::from([(NodeName("nest.l1.l2.leaf".to_owned()), vec![endless])]);
    let assumptions = Assumptions { pods, ..Assumptions::default() };
    let forecast = told(&Way::StopInOrder, &assumptions);
    let texts: Vec<String> = forecast.outcomes.iter().map(text).collect();
    assert_eq!(texts, [" | Stuck Running | open nest nest.l1 nest.l1.l2 nest.l1.l2.leaf"]);
}

#[test]
fn stop_in_order_is_recommended_where_it_keeps_every_hook() {
    let ranking = ranking(&nested(), BEGIN + 20_000, &Assumptions::default());
    assert!(ranking.is_first_recommended, "{ranking:?}");
    let ways: Vec<&Way> = ranking.ways.iter().map(|way| &way.forecast.way).collect();
    assert_eq!(*ways[0], Way::StopInOrder);
    assert_eq!(
        ranking.ways[0].command.join(" "),
        "kubectl patch workflow nest -n default --type merge -p {\"spec\":{\"activeDeadlineSeconds\":0,\"suspend\":false}}"
    );
    let stop = ranking.ways.iter().find(|way| way.forecast.way == Way::Stop).expect("it is listed");
    let lost: Vec<&str> = stop.lost.iter().map(NodeName::as_str).collect();
    assert!(lost.contains(&"nest.l1.onExit") && !stop.unfinished.is_empty(), "{lost:?}");
}

/// A loop of three in a DAG, with an exit hook, whose items run.
fn looped() -> Run {
    let workflow = json!({
        "metadata": {"name": "loop", "namespace": "default"},
        "spec": {"entrypoint": "root", "templates": [
            {"name": "root", "dag": {"tasks": [{"name": "loop", "template": "work", "withItems": ["x", "y", "z"],
                "hooks": {"exit": {"template": "work"}}}]}},
            {"name": "work", "container": {"image": "busybox", "command": ["work"]}},
        ]}
    });
    let workflow: Workflow = serde_json::from_value(workflow).expect("a workflow");
    let mut run = Run::new(workflow, Library::default(), Behaviour::argo("v4.1.2"));
    run.pass(BEGIN);
    for item in ["loop.loop(0:x)", "loop.loop(1:y)", "loop.loop(2:z)"] {
        let node = NodeName::from(item);
        let report = PodReport { phase: PodPhase::Running, ..PodReport::pending(BEGIN) };
        run.see(BEGIN, Seen::Pod { node: node.clone(), report });
        run.see(BEGIN, Seen::Result { node, complete: Some(false), outputs: None, progress: None });
    }
    run.pass(BEGIN + 10_000);
    run
}

#[test]
fn an_item_that_ends_before_the_others_takes_no_hook_from_them() {
    let mut run = looped();
    run.go_on_as(Behaviour::UNWIND);
    let report = PodReport { phase: PodPhase::Succeeded, exit: Some(0), ..PodReport::pending(BEGIN) };
    let what = super::PodMove { report: Some(report), complete: Some(true), ..super::PodMove::default() };
    let told = vec![super::Told { since: super::Since::Now, passes: 1, what }];
    let pods =
        BTreeMap::from([(NodeName::from("loop.loop(0:x)"), vec![Course { told, ..Course::default() }])]);
    let assumptions = Assumptions { pods, ..Assumptions::default() };
    let texts: Vec<String> =
        forecast(&run, BEGIN + 20_000, &Way::Stop, &assumptions).outcomes.iter().map(text).collect();
    let hooks = "loop.loop(0:x).onExit loop.loop(1:y).onExit+loop.loop(2:z).onExit";
    assert_eq!(texts[0], format!("{hooks} | Completed Failed | open "), "{texts:?}");
}

#[test]
fn hooks_of_items_that_end_together_are_due_and_lost() {
    let way = super::weigh(&looped(), BEGIN + 20_000, &Way::StopInOrder, &Assumptions::default());
    let lost: Vec<&str> = way.lost.iter().map(NodeName::as_str).collect();
    assert_eq!(lost, ["loop.loop(1:y).onExit", "loop.loop(2:z).onExit"], "{:?}", way.forecast.outcomes);
}

#[test]
fn named_hooks_of_a_loop_are_its_items_from_the_announced_release_on() {
    let hooks = |release: &str| {
        let workflow = json!({
            "metadata": {"name": "loop", "namespace": "default"},
            "spec": {"entrypoint": "root", "templates": [
                {"name": "root", "dag": {"tasks": [{"name": "loop", "template": "work", "withItems": ["x", "y"],
                    "hooks": {"begun": {"template": "work", "expression": "tasks.loop.status == \"Running\""}}}]}},
                {"name": "work", "container": {"image": "busybox", "command": ["work"]}},
            ]}
        });
        let workflow: Workflow = serde_json::from_value(workflow).expect("a workflow");
        let run = Run::new(workflow, Library::default(), Behaviour::argo(release));
        let forecast = forecast(&run, BEGIN, &Way::GoOn, &Assumptions::default());
        text(&forecast.outcomes[0])
    };
    assert_eq!(hooks("4.1.2"), "loop.loop.hooks.begun | Completed Succeeded | open ");
    let items = "loop.loop(0:x).hooks.begun+loop.loop(1:y).hooks.begun";
    assert_eq!(hooks("4.2.0"), format!("{items} | Completed Succeeded | open "));
}
