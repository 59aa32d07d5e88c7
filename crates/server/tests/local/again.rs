//! Suspending, resuming and running again what is over, also over restarts of the server.

use std::fs;

use serde_json::{Value, json};
use unwind_engine::again::{NodeValues, RetryOptions};
use unwind_model::{NodePhase, Workflow, WorkflowPhase};
use unwind_server::backend::BackendError;

use crate::bench::{Bench, NAMESPACE, shell, single, until};

fn steps(name: &str, groups: &Value, others: Vec<Value>) -> Value {
    let mut templates = vec![json!({"name": "main", "steps": groups})];
    templates.extend(others);
    json!({"metadata": {"name": name}, "spec": {"entrypoint": "main", "templates": templates}})
}

fn step(name: &str, template: &str) -> Value {
    json!([{"name": name, "template": template}])
}

fn shown<'a>(workflow: &'a Workflow, name: &str) -> &'a unwind_model::NodeStatus {
    let mut nodes = workflow.status.nodes.values();
    nodes.find(|node| node.display_name == name).unwrap_or_else(|| panic!("a node `{name}`"))
}

#[tokio::test]
async fn a_suspended_workflow_begins_nothing_until_it_is_resumed() {
    let bench = Bench::new().await;
    let write = |line: &str| format!("echo '{line} x 1' >> '{}'", bench.journal().display());
    let gate = bench.data().join("gate");
    let first = format!("{}; while [ ! -e '{}' ]; do sleep 0.05; done", write("one"), gate.display());
    let manifest = steps(
        "halting",
        &json!([step("a", "first"), step("b", "second")]),
        vec![shell("first", &first), shell("second", &write("two"))],
    );
    let name = bench.submit(manifest).await;
    bench.until_written("one").await;
    let answer = bench.backend.suspend(NAMESPACE, &name).await.expect("suspended");
    assert_eq!(answer.spec.suspend, Some(true));
    fs::write(&gate, "").expect("writable");
    until("the first step to end", || shown(&bench.get(&name), "a").phase.is_final()).await;
    let bench = bench.restart().await;
    assert_eq!(bench.get(&name).spec.suspend, Some(true));
    assert_eq!(bench.get(&name).status.nodes.values().filter(|node| node.display_name == "b").count(), 0);
    let answer = bench.backend.resume(NAMESPACE, &name).await.expect("resumed");
    assert_eq!(answer.spec.suspend, None);
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded);
    assert_eq!(bench.seen().len(), 2);
    let late = bench.backend.suspend(NAMESPACE, &name).await.expect_err("over").to_string();
    assert_eq!(late, "timed out waiting for the condition: cannot suspend completed workflows");
    assert_eq!(*bench.backend.resume(NAMESPACE, &name).await.expect("as it was"), *over);
}

#[tokio::test]
async fn a_waiting_node_is_given_outputs_resumed_or_failed() {
    let bench = Bench::new().await;
    let wait = json!({"name": "wait", "suspend": {}, "outputs": {"parameters": [
        {"name": "go", "valueFrom": {"supplied": {}}},
    ]}});
    let mut say = shell("say", "echo '{{inputs.parameters.text}}'; exit 3");
    say["inputs"] = json!({"parameters": [{"name": "text"}]});
    let told = json!([{"name": "say", "template": "say", "arguments": {"parameters": [
        {"name": "text", "value": "{{steps.ask.outputs.parameters.go}}"},
    ]}}]);
    let name = bench.submit(steps("asking", &json!([step("ask", "wait"), told]), vec![wait, say])).await;
    until("the wait", || bench.phase_of(&name, "asking[0].ask") == Some(NodePhase::Running)).await;
    let set =
        |selector: &str, values: NodeValues| bench.backend.set(NAMESPACE, &name, selector.to_owned(), values);
    let none =
        set("displayName=nobody", NodeValues { phase: Some(NodePhase::Failed), ..NodeValues::default() });
    let none = none.await.expect_err("no such node").to_string();
    assert!(none.ends_with("no suspend nodes matching nodeFieldSelector: displayName=nobody"), "{none}");
    let unset = bench.backend.resume(NAMESPACE, &name).await.expect_err("not given").to_string();
    assert_eq!(
        unset,
        "timed out waiting for the condition: raw output parameter 'go' has not been set and does not have a \
         default value"
    );
    let values = vec![("go".to_owned(), "yes".to_owned())];
    set("displayName=ask", NodeValues { output_parameters: values, ..NodeValues::default() })
        .await
        .expect("given");
    let go = NodeValues { phase: Some(NodePhase::Succeeded), ..NodeValues::default() };
    set("displayName=ask", go).await.expect("resumed");
    let over = bench.until_over(&name).await;
    assert_eq!(shown(&over, "say").inputs.parameters[0].value.as_deref(), Some("yes"));

    let wait = json!({"name": "wait", "suspend": {}});
    let name = bench.submit(steps("failing", &json!([step("ask", "wait")]), vec![wait])).await;
    until("the wait", || bench.phase_of(&name, "failing[0].ask") == Some(NodePhase::Running)).await;
    let stop =
        NodeValues { phase: Some(NodePhase::Failed), message: "no".to_owned(), ..NodeValues::default() };
    bench.backend.set(NAMESPACE, &name, "displayName=ask".to_owned(), stop).await.expect("failed");
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Failed);
    assert_eq!(shown(&over, "ask").message, "no");
}

#[tokio::test]
async fn a_failed_workflow_goes_on_where_it_failed_with_its_hooks() {
    let bench = Bench::new().await;
    let write = |line: &str| format!("echo '{line} x 1' >> '{}'", bench.journal().display());
    let gate = bench.data().join("gate");
    let second = format!("{}; test -e '{}'", write("second"), gate.display());
    let mut manifest = steps(
        "again",
        &json!([step("a", "first"), step("b", "second")]),
        vec![shell("first", &write("first")), shell("second", &second), shell("end", &write("handler"))],
    );
    manifest["spec"]["onExit"] = json!("end");
    let name = bench.submit(manifest).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Failed);
    fs::write(&gate, "").expect("writable");
    let bench = bench.restart().await;
    let answer = bench.backend.retry(NAMESPACE, &name, RetryOptions::default()).await.expect("goes on");
    assert_eq!(answer.status.phase, WorkflowPhase::Running);
    assert_eq!(answer.metadata.labels["workflows.argoproj.io/completed"], "false");
    let bench = bench.restart().await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded);
    let seen: Vec<_> = bench.seen().into_iter().map(|line| line.what).collect();
    assert_eq!(seen, ["first", "second", "handler", "second", "handler"]);
    let bench = bench.restart().await;
    assert_eq!(*bench.get(&name), *over);
    let refused =
        bench.backend.retry(NAMESPACE, &name, RetryOptions::default()).await.expect_err("succeeded");
    assert_eq!(
        refused.to_string(),
        "To retry a succeeded workflow, set the options restartSuccessful and nodeFieldSelector"
    );
    assert!(matches!(refused, BackendError::Refused { is_bad_request: true, .. }));
    let options = RetryOptions {
        restart_successful: true,
        node_field_selector: "displayName=b".to_owned(),
        ..RetryOptions::default()
    };
    bench.backend.retry(NAMESPACE, &name, options).await.expect("goes on");
    bench.until_over(&name).await;
    assert_eq!(bench.seen().len(), 7);
}

#[tokio::test]
async fn a_resubmitted_workflow_is_a_new_one_and_may_keep_what_was_done() {
    let bench = Bench::new().await;
    let write = |line: &str| format!("echo '{line} x 1' >> '{}'", bench.journal().display());
    let gate = bench.data().join("gate");
    let second = format!("{}; test -e '{}'", write("second"), gate.display());
    let manifest = steps(
        "anew",
        &json!([step("a", "first"), step("b", "second")]),
        vec![shell("first", &write("first")), shell("second", &second)],
    );
    let name = bench.submit(manifest).await;
    bench.until_over(&name).await;
    fs::write(&gate, "").expect("writable");
    for (memoized, expected) in [(true, 3), (false, 5)] {
        let new = bench.backend.resubmit(NAMESPACE, &name, memoized, Vec::new()).await.expect("begun");
        let new = new.metadata.name.clone();
        assert!(new.starts_with("anew-") && new.len() == 10, "{new}");
        let over = bench.until_over(&new).await;
        assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{:?}", over.status);
        assert_eq!(over.metadata.labels["workflows.argoproj.io/resubmitted-from-workflow"], "anew");
        assert_eq!(bench.seen().len(), expected, "{:?}", bench.seen());
    }
    let well = bench.submit(single("well", "true")).await;
    bench.until_over(&well).await;
    let refused =
        bench.backend.resubmit(NAMESPACE, &well, true, Vec::new()).await.expect_err("it ended well");
    assert_eq!(refused.to_string(), "workflow must be Failed/Error to resubmit in memoized mode");
}
