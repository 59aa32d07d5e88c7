//! Locks and places that the workflows of one server share, also over a restart.

use std::fs;

use serde_json::{Value, json};
use unwind_engine::again::RetryOptions;
use unwind_model::{NodePhase, Workflow, WorkflowPhase};

use crate::bench::{Bench, NAMESPACE, shell, until};

/// A workflow of one program between two lines in the journal, which waits for a file to be there.
fn guarded(bench: &Bench, name: &str, lock: &Value, of_workflow: bool) -> Value {
    let gate = bench.data().join(format!("gate-{name}"));
    let (journal, gate) = (bench.journal(), gate.display().to_string());
    let write = |what: &str| format!("echo \"{what} {name} $(date +%s%N)\" >> '{}'", journal.display());
    let script =
        format!("{}; while [ ! -e '{gate}' ]; do sleep 0.02; done; {}", write("begin"), write("end"));
    let mut work = shell("work", &script);
    let mut spec = json!({"entrypoint": "main", "onExit": "tidy"});
    let owner = if of_workflow { &mut spec } else { &mut work };
    owner["synchronization"] = lock.clone();
    let main = json!({"name": "main", "steps": [[{"name": "it", "template": "work"}]]});
    spec["templates"] = json!([main, work, shell("tidy", "true")]);
    json!({"metadata": {"name": name}, "spec": spec})
}

fn open(bench: &Bench, name: &str) {
    fs::write(bench.data().join(format!("gate-{name}")), "").expect("writable");
}

fn lines(bench: &Bench) -> Vec<String> {
    bench.seen().into_iter().map(|line| format!("{} {}", line.what, line.name)).collect()
}

fn message(workflow: &Workflow) -> String {
    let waiting = workflow.status.nodes.values().find(|node| node.phase == NodePhase::Pending);
    waiting.map_or_else(|| workflow.status.message.clone(), |node| node.message.clone())
}

#[tokio::test]
async fn a_mutex_holds_between_workflows_and_over_a_restart() {
    for of_workflow in [false, true] {
        let bench = Bench::new().await;
        let lock = json!({"mutexes": [{"name": "door"}]});
        bench.submit(guarded(&bench, "a", &lock, of_workflow)).await;
        bench.until_written("begin a").await;
        bench.submit(guarded(&bench, "b", &lock, of_workflow)).await;
        let text = "Waiting for default/Mutex/door lock. Lock status: 0/1";
        until("the wait of b", || message(&bench.get("b")) == text).await;
        bench.submit(guarded(&bench, "c", &lock, of_workflow)).await;
        until("the wait of c", || message(&bench.get("c")) == text).await;
        let bench = bench.restart().await;
        assert_eq!(message(&bench.get("b")), text);
        assert_eq!(lines(&bench), ["begin a"]);
        open(&bench, "b");
        open(&bench, "a");
        bench.until_written("begin c").await;
        assert_eq!(lines(&bench), ["begin a", "end a", "begin b", "end b", "begin c"]);
        open(&bench, "c");
        for name in ["a", "b", "c"] {
            let over = bench.until_over(name).await;
            assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{}", over.status.message);
            assert!(over.status.other.get("synchronization").is_none(), "{:?}", over.status.other);
        }
    }
}

#[tokio::test]
async fn who_waits_for_a_lock_may_be_stopped_and_lets_others_pass() {
    let bench = Bench::new().await;
    let lock = json!({"mutexes": [{"name": "door"}]});
    for name in ["a", "b", "c"] {
        bench.submit(guarded(&bench, name, &lock, false)).await;
        until("its node", || !bench.get(name).status.nodes.is_empty()).await;
        if name == "a" {
            bench.until_written("begin a").await;
        }
    }
    bench.backend.stop(NAMESPACE, "b").await.expect("stopped");
    assert_eq!(bench.until_over("b").await.status.phase, WorkflowPhase::Failed);
    bench.backend.stop(NAMESPACE, "a").await.expect("stopped");
    bench.until_over("a").await;
    bench.until_written("begin c").await;
    open(&bench, "c");
    assert_eq!(bench.until_over("c").await.status.phase, WorkflowPhase::Succeeded);
    assert_eq!(lines(&bench), ["begin a", "begin c", "end c"]);
}

#[tokio::test]
async fn a_workflow_that_goes_on_waits_for_its_lock_as_before() {
    let bench = Bench::new().await;
    let lock = json!({"mutexes": [{"name": "door"}]});
    bench.submit(guarded(&bench, "a", &lock, false)).await;
    bench.until_written("begin a").await;
    bench.backend.stop(NAMESPACE, "a").await.expect("stopped");
    bench.until_over("a").await;
    bench.submit(guarded(&bench, "b", &lock, false)).await;
    bench.until_written("begin b").await;
    bench.backend.retry(NAMESPACE, "a", RetryOptions::default()).await.expect("goes on");
    let text = "Waiting for default/Mutex/door lock. Lock status: 0/1";
    until("the wait of a", || message(&bench.get("a")) == text).await;
    open(&bench, "a");
    open(&bench, "b");
    for name in ["a", "b"] {
        assert_eq!(bench.until_over(name).await.status.phase, WorkflowPhase::Succeeded);
    }
    assert_eq!(lines(&bench), ["begin a", "begin b", "end b", "begin a", "end a"]);
}

#[tokio::test]
async fn a_semaphore_has_as_many_places_as_its_config_map_says() {
    let limits = json!({"kind": "ConfigMap", "metadata": {"name": "limits"}, "data": {"builds": "2"}});
    let bench = Bench::with(|config| config.resources.push(limits)).await;
    let lock = json!({"semaphores": [{"configMapKeyRef": {"name": "limits", "key": "builds"}}]});
    for name in ["a", "b", "c", "d"] {
        bench.submit(guarded(&bench, name, &lock, false)).await;
        until("its node", || !bench.get(name).status.nodes.is_empty()).await;
    }
    bench.until_written("begin a").await;
    bench.until_written("begin b").await;
    let text = "Waiting for default/ConfigMap/limits/builds lock. Lock status: 0/2";
    until("the wait of d", || message(&bench.get("d")) == text).await;
    let bench = bench.restart().await;
    for name in ["a", "b", "c", "d"] {
        open(&bench, name);
    }
    for name in ["a", "b", "c", "d"] {
        assert_eq!(bench.until_over(name).await.status.phase, WorkflowPhase::Succeeded);
    }
    let mut inside = 0;
    for line in bench.seen() {
        inside += if line.what == "begin" { 1 } else { -1 };
        assert!(inside <= 2, "{:?}", bench.seen());
    }
}

#[tokio::test]
async fn only_so_many_workflows_of_a_namespace_run_at_once() {
    let bench = Bench::with(|config| config.parallelism = Some(1)).await;
    let none = json!({});
    bench.submit(guarded(&bench, "a", &none, false)).await;
    bench.until_written("begin a").await;
    bench.submit(guarded(&bench, "b", &none, false)).await;
    let mut urgent = guarded(&bench, "c", &none, false);
    urgent["spec"]["priority"] = json!(5);
    bench.submit(urgent).await;
    bench.submit(guarded(&bench, "d", &none, false)).await;
    let bench = bench.restart().await;
    assert_eq!(bench.get("b").status.phase, WorkflowPhase::Unset);
    bench.backend.stop(NAMESPACE, "b").await.expect("stopped");
    assert_eq!(bench.until_over("b").await.status.phase, WorkflowPhase::Failed);
    for name in ["a", "c", "d"] {
        open(&bench, name);
    }
    for name in ["a", "c", "d"] {
        assert_eq!(bench.until_over(name).await.status.phase, WorkflowPhase::Succeeded);
    }
    assert_eq!(lines(&bench), ["begin a", "end a", "begin c", "end c", "begin d", "end d"]);
}
