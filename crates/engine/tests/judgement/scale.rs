//! Cost: near linear in the nodes, whatever the shape.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unwind_engine::{Plan, Trace, judge, lower};
use unwind_model::{NodeStatus, Timestamp, Workflow};

/// A run in which every node that the plan foresees has ended, in the order of the outline.
fn over(workflow: Workflow) -> (Plan, Workflow) {
    let (plan, _) = lower(&workflow);
    let mut workflow = workflow;
    for (second, node) in (0..).zip(plan.outline()) {
        let id = unwind_model::NodeId::of(&workflow.metadata.name, &node.name);
        let begun = Timestamp(second * 1000);
        workflow.status.nodes.insert(
            id.clone(),
            NodeStatus {
                id,
                display_name: node.display_name,
                name: node.name,
                node_type: node.node_type,
                phase: unwind_model::NodePhase::Failed,
                started_at: Some(begun),
                finished_at: Some(begun),
                ..NodeStatus::default()
            },
        );
    }
    workflow.status.phase = unwind_model::WorkflowPhase::Failed;
    workflow.spec.shutdown = Some(unwind_model::Shutdown::Stop);
    (plan, workflow)
}

/// Time that this thread has had a processor, where the system tells (Linux), else the time of day:
/// what else the machine does counts little.
fn spent() -> Duration {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| BEGIN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn cost((plan, workflow): &(Plan, Workflow)) -> Duration {
    let begin = spent();
    let judgement = judge(plan, &Trace::from_workflow(plan, workflow));
    assert!(judgement.rows.len() >= workflow.status.nodes.len() / 2, "rows are there");
    spent().saturating_sub(begin)
}

/// Compares a run with one ten times as large, each the shortest of several goes: a quadratic cost
/// would be a hundredfold.
fn check(shape: impl Fn(usize) -> Workflow) {
    let (small, large) = (over(shape(500)), over(shape(5000)));
    let nodes = large.1.status.nodes.len();
    assert!(nodes >= 10_000, "{nodes} nodes are too few to tell");
    let (of_small, of_large): (Vec<_>, Vec<_>) = (0..7).map(|_| (cost(&small), cost(&large))).unzip();
    let shortest = |goes: Vec<Duration>| goes.into_iter().min().unwrap_or_default().as_secs_f64();
    let ratio = shortest(of_large) / shortest(of_small);
    assert!(ratio < 40.0, "ten times the nodes cost {ratio:.0} times as much");
}

/// A leaf, a hook template and `templates`, as a workflow.
fn workflow(templates: Vec<Value>) -> Workflow {
    let mut all = templates;
    for name in ["leaf", "hook"] {
        all.push(json!({"name": name, "container": {"image": "busybox", "command": ["work"]}}));
    }
    let object = json!({"metadata": {"name": "wf"},
        "spec": {"entrypoint": "main", "onExit": "hook", "templates": all}});
    serde_json::from_value(object).expect("a workflow")
}

fn task(name: &str, template: &str) -> Value {
    json!({"name": name, "template": template, "onExit": "hook"})
}

#[test]
fn wide_runs_cost_in_proportion() {
    check(|tasks| {
        let tasks: Vec<Value> = (0..tasks).map(|at| task(&format!("t{at}"), "leaf")).collect();
        workflow(vec![json!({"name": "main", "dag": {"tasks": tasks}})])
    });
}

#[test]
fn nested_runs_cost_in_proportion() {
    const DEPTH: usize = 40;
    check(|tasks| {
        let boxes: Vec<Value> = (0..tasks / DEPTH).map(|at| task(&format!("b{at}"), "d0")).collect();
        let mut templates = vec![json!({"name": "main", "dag": {"tasks": boxes}})];
        for depth in 0..DEPTH {
            let inner = if depth + 1 == DEPTH { "leaf".to_owned() } else { format!("d{}", depth + 1) };
            templates.push(json!({"name": format!("d{depth}"), "dag": {"tasks": [task("d", &inner)]}}));
        }
        workflow(templates)
    });
}

#[test]
fn chains_of_groups_cost_in_proportion() {
    check(|tasks| {
        let groups: Vec<Value> = (0..tasks).map(|at| json!([task(&format!("t{at}"), "leaf")])).collect();
        workflow(vec![json!({"name": "main", "steps": groups})])
    });
}
