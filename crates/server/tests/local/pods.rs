//! Leaves of several programs: container sets, what runs before and beside.

use serde_json::{Value, json};
use unwind_model::{NodePhase, Workflow, WorkflowPhase};
use unwind_server::backend::LogOptions;

use crate::bench::{Bench, NAMESPACE, assert_stopped, shell};
use crate::log;

fn container(name: &str, script: &str, needs: &[&str]) -> Value {
    let mut container = json!({"name": name, "image": "alpine:3", "command": ["sh", "-c"], "args": [script]});
    if !needs.is_empty() {
        container["dependencies"] = json!(needs);
    }
    container
}

fn workflow(name: &str, template: &Value) -> Value {
    json!({"metadata": {"name": name}, "spec": {"entrypoint": "work", "templates": [template]}})
}

fn write(bench: &Bench, line: &str) -> String {
    format!("echo '{line} x 1' >> '{}'", bench.journal().display())
}

fn lines(bench: &Bench) -> Vec<String> {
    bench.seen().into_iter().map(|line| line.what).collect()
}

fn phases(workflow: &Workflow) -> Vec<(String, NodePhase, String)> {
    let nodes = workflow.status.nodes.values();
    let mut phases: Vec<_> =
        nodes.map(|node| (node.display_name.clone(), node.phase, node.message.clone())).collect();
    phases.sort_by(|a, b| a.0.cmp(&b.0));
    phases
}

#[tokio::test]
async fn containers_of_a_set_run_by_their_needs() {
    let bench = Bench::new().await;
    let set = json!({"name": "work", "containerSet": {"containers": [
        container("b", &write(&bench, "b"), &["a"]),
        container("a", &format!("sleep 0.2; {}", write(&bench, "a")), &[]),
        container("main", &format!("{}; echo out", write(&bench, "main")), &["a", "b"]),
    ]}});
    let name = bench.submit(workflow("set", &set)).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{:?}", over.status);
    assert_eq!(lines(&bench), ["a", "b", "main"]);
    assert_eq!(over.status.nodes.len(), 4);
    let logged = log(&bench, &name, LogOptions::default()).await;
    assert!(logged.contains(&"out".to_owned()), "{logged:?}");
}

#[tokio::test]
async fn what_needs_a_container_that_failed_does_not_begin() {
    let bench = Bench::new().await;
    let set = json!({"name": "work", "containerSet": {"containers": [
        container("a", "exit 3", &[]),
        container("main", &write(&bench, "main"), &["a"]),
    ]}});
    let name = bench.submit(workflow("failing", &set)).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Failed);
    let phases = phases(&over);
    let phases: Vec<_> = phases.iter().map(|(name, phase, _)| (name.as_str(), *phase)).collect();
    let failed = NodePhase::Failed;
    assert_eq!(phases, [("a", failed), ("failing", failed), ("main", NodePhase::Error)]);
    assert!(lines(&bench).is_empty());
}

#[tokio::test]
async fn what_comes_before_ends_first_and_what_runs_beside_ends_last() {
    let bench = Bench::new().await;
    let beside = format!(
        "trap \"{}; exit 0\" TERM; {}; while :; do sleep 0.02; done",
        write(&bench, "beside-ends"),
        write(&bench, "beside")
    );
    let mut work = shell("work", &format!("sleep 0.4; {}; echo 7", write(&bench, "main")));
    work["initContainers"] =
        json!([container("first", &format!("sleep 0.2; {}", write(&bench, "first")), &[])]);
    work["sidecars"] = json!([container("beside", &beside, &[])]);
    let mut say =
        shell("say", &format!("echo {{{{inputs.parameters.it}}}} >> '{}.said'", bench.journal().display()));
    say["inputs"] = json!({"parameters": [{"name": "it"}]});
    let it = json!([{"name": "it", "value": "{{steps.work.outputs.result}}"}]);
    let manifest = json!({"metadata": {"name": "around"}, "spec": {"entrypoint": "main", "templates": [
        {"name": "main", "steps": [
            [{"name": "work", "template": "work"}],
            [{"name": "say", "template": "say", "arguments": {"parameters": it}}],
        ]}, work, say,
    ]}});
    let name = bench.submit(manifest).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{:?}", over.status);
    assert_eq!(lines(&bench), ["first", "beside", "main", "beside-ends"]);
    let said = format!("{}.said", bench.journal().display());
    assert_eq!(std::fs::read_to_string(said).expect("written"), "7\n");
}

#[tokio::test]
async fn a_failed_beginning_is_an_error() {
    let bench = Bench::new().await;
    let mut work = shell("work", &write(&bench, "main"));
    work["initContainers"] = json!([container("first", "exit 4", &[])]);
    let name = bench.submit(workflow("unbegun", &work)).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Error);
    assert_eq!(over.status.nodes["unbegun"].message, "init container `first`: Error (exit code 4)");
    assert!(lines(&bench).is_empty());
}

#[tokio::test]
async fn a_stop_ends_all_programs_of_a_set() {
    let bench = Bench::new().await;
    let long = |line: &str| format!("{}; sleep 600", write(&bench, line));
    let mut set = json!({"name": "work", "containerSet": {"containers": [
        container("a", &long("a"), &[]), container("main", &long("main"), &[]),
        container("after", &write(&bench, "after"), &["a"]),
    ]}});
    set["sidecars"] = json!([container("beside", &long("beside"), &[])]);
    let name = bench.submit(workflow("stopped", &set)).await;
    for line in ["a", "main", "beside"] {
        bench.until_written(line).await;
    }
    let bench = bench.restart().await;
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    assert_stopped(&*bench.until_over(&name).await, "Stop");
    assert_eq!(lines(&bench).len(), 3);
}
