//! The walk of what was touched, held against one that looks at everything.

use std::collections::BTreeMap;

use serde_json::json;
use unwind_model::params::Outputs;
use unwind_model::{NodeName, NodePhase, Timestamp, Workflow};

use super::{PodAct, PodPhase, PodReport, Run, Seen};
use crate::behaviour::Behaviour;
use crate::library::Library;

const BEGIN: Timestamp = Timestamp(1_700_000_000_000);

fn workflow(spec: &serde_json::Value) -> Workflow {
    let object = json!({"metadata": {"name": "wf", "namespace": "default"}, "spec": spec});
    serde_json::from_value(object).expect("a workflow")
}

/// Pods that run, each with the exit code it will have.
#[derive(Default)]
struct Pods {
    open: Vec<NodeName>,
    begun: Vec<String>,
}

impl Pods {
    fn perform(&mut self, acts: Vec<PodAct>) {
        for act in acts {
            if let PodAct::Created(created) = act {
                self.begun.push(created.node.0.clone());
                self.open.push(created.node);
            }
        }
    }
}

/// One pass, and then one that looks at everything and must find nothing to do.
fn pass(run: &mut Run, now: Timestamp) -> Vec<PodAct> {
    let acts = run.pass(now);
    let mut whole = run.clone();
    whole.look_at_all();
    assert_eq!(whole.pass(now), [], "a whole walk finds something to do");
    assert_eq!(whole.status(), run.status(), "a whole walk moves something");
    acts
}

fn end(run: &mut Run, node: &NodeName, code: i32, now: Timestamp) {
    run.see(
        now,
        Seen::Result {
            node: node.clone(),
            complete: Some(true),
            outputs: Some(Outputs::default()),
            progress: None,
        },
    );
    let phase = if code == 0 { PodPhase::Succeeded } else { PodPhase::Failed };
    let report = PodReport { phase, exit: Some(code), ..PodReport::pending(now) };
    run.see(now, Seen::Pod { node: node.clone(), report });
}

/// Runs to the end, pods ending in the order of their beginning; `fails` names those that fail. A stop is
/// asked before event `stop_at`. Gives what began, in order.
fn drive(spec: &serde_json::Value, fails: &[&str], stop_at: Option<usize>) -> (Run, Vec<String>) {
    let mut run = Run::new(workflow(spec), Library::default(), Behaviour::UNWIND);
    let mut pods = Pods::default();
    let mut now = BEGIN;
    pods.perform(pass(&mut run, now));
    for event in 0.. {
        assert!(event < 1_000, "no end");
        if run.is_completed() {
            break;
        }
        now = now + 1_000;
        if stop_at == Some(event) {
            run.see(now, Seen::Stop);
        } else {
            let node = pods.open.remove(0);
            end(&mut run, &node, i32::from(fails.contains(&node.as_str())), now);
        }
        pods.perform(pass(&mut run, now));
    }
    (run, pods.begun)
}

fn check(spec: &serde_json::Value, fails: &[&str], begun: &[&str], phase: NodePhase) {
    let (run, order) = drive(spec, fails, None);
    assert_eq!(order, begun);
    let phases: BTreeMap<String, NodePhase> =
        run.status().nodes.values().map(|node| (node.name.0.clone(), node.phase)).collect();
    assert_eq!(phases["wf"], phase, "{phases:?}");
    for stop in 0..order.len() {
        drive(spec, fails, Some(stop));
    }
}

fn leaf(name: &str) -> serde_json::Value {
    json!({"name": name, "container": {"image": "busybox", "command": ["true"]}})
}

#[test]
fn a_dag_begins_what_its_dependencies_let_begin() {
    let spec = json!({"entrypoint": "main", "templates": [leaf("leaf"), {"name": "main", "dag": {"tasks": [
        {"name": "a", "template": "leaf", "hooks": {"exit": {"template": "leaf"}}},
        {"name": "b", "template": "leaf", "depends": "a"},
        {"name": "c", "template": "leaf", "depends": "a.Failed"},
        {"name": "d", "template": "leaf", "depends": "b && c.Omitted"}]}}]});
    check(&spec, &[], &["wf.a", "wf.a.onExit", "wf.b", "wf.d"], NodePhase::Succeeded);
    check(&spec, &["wf.a"], &["wf.a", "wf.a.onExit", "wf.c"], NodePhase::Failed);
}

#[test]
fn steps_and_boxes_follow_each_other() {
    let spec = json!({"entrypoint": "main", "onExit": "leaf", "templates": [leaf("leaf"),
        {"name": "inner", "dag": {"tasks": [{"name": "x", "template": "leaf", "onExit": "leaf"}]}},
        {"name": "main", "steps": [
            [{"name": "a", "template": "inner", "hooks": {"exit": {"template": "leaf"}}}],
            [{"name": "b", "template": "leaf", "withItems": [1, 2]}, {"name": "c", "template": "leaf", "when": "1 == 2"}]]}]});
    check(
        &spec,
        &[],
        &["wf[0].a.x", "wf[0].a.x.onExit", "wf[0].a.onExit", "wf[1].b(0:1)", "wf[1].b(1:2)", "wf.onExit"],
        NodePhase::Succeeded,
    );
}

#[test]
fn a_loop_fills_the_room_there_is() {
    let spec = json!({"entrypoint": "main", "templates": [leaf("leaf"), {"name": "main", "parallelism": 2, "dag": {"tasks": [
        {"name": "a", "template": "leaf", "withSequence": {"count": "4"}, "hooks": {"exit": {"template": "leaf"}}},
        {"name": "b", "template": "leaf", "dependencies": ["a"]}]}}]});
    let (run, begun) = drive(&spec, &[], None);
    assert_eq!(begun.len(), 9);
    assert_eq!(begun[..2], ["wf.a(0:0)", "wf.a(1:1)"]);
    assert_eq!(begun[8], "wf.b");
    assert_eq!(run.status().progress, "9/9");
    for stop in 0..8 {
        drive(&spec, &["wf.a(1:1)"], Some(stop));
    }
}

#[test]
fn the_workflow_s_parallelism_holds_over_all_boxes() {
    let spec = json!({"entrypoint": "main", "parallelism": 1, "templates": [leaf("leaf"),
        {"name": "inner", "dag": {"tasks": [{"name": "x", "template": "leaf"}, {"name": "y", "template": "leaf"}]}},
        {"name": "main", "dag": {"tasks": [{"name": "a", "template": "inner"}, {"name": "b", "template": "inner"}]}}]});
    check(&spec, &[], &["wf.a.x", "wf.a.y", "wf.b.x", "wf.b.y"], NodePhase::Succeeded);
}

#[test]
fn a_lock_goes_to_the_next_who_waits() {
    let locked = json!({"name": "locked", "container": {"image": "busybox", "command": ["true"]},
        "synchronization": {"mutexes": [{"name": "door"}]}});
    let spec = json!({"entrypoint": "main", "templates": [locked, {"name": "main", "dag": {"tasks": [
        {"name": "a", "template": "locked"}, {"name": "b", "template": "locked"}, {"name": "c", "template": "locked"}]}}]});
    check(&spec, &[], &["wf.a", "wf.b", "wf.c"], NodePhase::Succeeded);
}

#[test]
fn time_alone_moves_waits_and_backoffs() {
    let spec = json!({"entrypoint": "main", "templates": [
        {"name": "wait", "suspend": {"duration": "10s"}},
        {"name": "tried", "retryStrategy": {"limit": "2", "backoff": {"duration": "30s"}},
            "container": {"image": "busybox", "command": ["false"]}},
        {"name": "main", "dag": {"tasks": [{"name": "w", "template": "wait"},
            {"name": "t", "template": "tried", "dependencies": ["w"]}]}}]});
    let mut run = Run::new(workflow(&spec), Library::default(), Behaviour::UNWIND);
    assert_eq!(pass(&mut run, BEGIN), []);
    let wake = run.next_wake().expect("a wait ends");
    assert_eq!(wake, BEGIN + 10_000);
    let acts = pass(&mut run, wake);
    assert!(
        matches!(&acts[..], [PodAct::Created(created)] if created.node.as_str() == "wf.t(0)"),
        "{acts:?}"
    );
    let now = wake + 1_000;
    end(&mut run, &NodeName::from("wf.t(0)"), 1, now);
    assert!(pass(&mut run, now).iter().all(|act| matches!(act, PodAct::Released { .. })));
    let again = run.next_wake().expect("a backoff ends");
    assert_eq!(again, now + 30_000);
    let acts = pass(&mut run, again);
    assert!(
        matches!(&acts[..], [PodAct::Created(created)] if created.node.as_str() == "wf.t(1)"),
        "{acts:?}"
    );
}

#[test]
fn nesting_and_chains_of_any_length_end() {
    let depth = 1_000;
    let mut templates = vec![leaf("leaf")];
    for level in 0..depth {
        let inner = if level + 1 == depth { "leaf".to_owned() } else { format!("l{}", level + 1) };
        templates.push(json!({"name": format!("l{level}"), "dag": {"tasks": [
            {"name": "t", "template": inner, "hooks": {"exit": {"template": "leaf"}}}]}}));
    }
    let spec = json!({"entrypoint": "l0", "templates": templates});
    let mut run = Run::new(workflow(&spec), Library::default(), Behaviour::UNWIND);
    let mut pods = Pods::default();
    let mut now = BEGIN;
    pods.perform(run.pass(now));
    while let Some(node) = pods.open.pop() {
        now = now + 1;
        end(&mut run, &node, 0, now);
        pods.perform(run.pass(now));
    }
    assert!(run.is_completed());
    assert_eq!(pods.begun.len(), depth + 1);
    assert_eq!(run.status().progress, format!("{0}/{0}", depth + 1));
}

#[test]
fn what_follows_a_retried_daemon_runs() {
    let spec = json!({"entrypoint": "main", "templates": [leaf("leaf"),
        {"name": "server", "daemon": true, "retryStrategy": {"limit": "10"},
            "container": {"image": "busybox", "command": ["serve"]}},
        {"name": "main", "dag": {"tasks": [
            {"name": "server", "template": "server", "hooks": {"exit": {"template": "leaf"}}},
            {"name": "client", "template": "leaf", "dependencies": ["server"], "withItems": [1, 2]}]}}]});
    let mut run = Run::new(workflow(&spec), Library::default(), Behaviour::UNWIND);
    let mut pods = Pods::default();
    let mut now = BEGIN;
    pods.perform(pass(&mut run, now));
    let server = pods.open.remove(0);
    now = now + 1_000;
    let report = PodReport { phase: PodPhase::Running, ready: Some(true), ..PodReport::pending(now) };
    run.see(now, Seen::Pod { node: server.clone(), report });
    pods.perform(pass(&mut run, now));
    assert_eq!(pods.begun, ["wf.server(0)", "wf.client(0:1)", "wf.client(1:2)"]);
    for node in std::mem::take(&mut pods.open) {
        now = now + 1_000;
        end(&mut run, &node, 0, now);
        pods.perform(pass(&mut run, now));
    }
    end(&mut run, &server, 137, now);
    pods.perform(pass(&mut run, now));
    assert_eq!(pods.begun.last().map(String::as_str), Some("wf.server.onExit"));
    let hook = pods.open.remove(0);
    end(&mut run, &hook, 0, now);
    pass(&mut run, now);
    assert!(run.is_completed(), "{:?}", run.status());
}

#[test]
fn news_of_pods_is_taken_in_while_the_workflow_is_suspended() {
    let spec = json!({"entrypoint": "main", "templates": [leaf("leaf"),
        {"name": "tried", "retryStrategy": {"limit": "1"}, "container": {"image": "busybox", "command": ["true"]}},
        {"name": "main", "dag": {"tasks": [{"name": "a", "template": "leaf"}, {"name": "t", "template": "tried"}]}}]});
    let mut run = Run::new(workflow(&spec), Library::default(), Behaviour::UNWIND);
    pass(&mut run, BEGIN);
    run.see(BEGIN, Seen::Suspend);
    pass(&mut run, BEGIN);
    for node in ["wf.a", "wf.t(0)"] {
        let report = PodReport { phase: PodPhase::Running, ..PodReport::pending(BEGIN) };
        run.see(BEGIN, Seen::Pod { node: NodeName::from(node), report });
        pass(&mut run, BEGIN);
        let at = run.table.named(node).expect("a node");
        assert_eq!(run.table.get(at).phase, NodePhase::Running, "{node}");
    }
    run.see(BEGIN, Seen::Patch(json!({"spec": {"activeDeadlineSeconds": 0, "suspend": false}})));
    let acts = pass(&mut run, BEGIN);
    let killed: Vec<_> = acts.iter().filter(|act| matches!(act, PodAct::Killed { .. })).collect();
    assert_eq!(killed.len(), 2, "{acts:?}");
    assert!(run.table.iter().all(|(_, node)| node.phase == NodePhase::Running), "{:?}", run.status());
}

#[test]
fn a_daemon_that_is_not_ready_ends_with_its_pod() {
    let spec = json!({"entrypoint": "main", "templates": [leaf("leaf"),
        {"name": "server", "daemon": true, "container": {"image": "busybox", "command": ["serve"]}},
        {"name": "main", "dag": {"tasks": [
            {"name": "server", "template": "server", "hooks": {"exit": {"template": "leaf"}}}]}}]});
    let mut run = Run::new(workflow(&spec), Library::default(), Behaviour::UNWIND);
    pass(&mut run, BEGIN);
    let report = PodReport { phase: PodPhase::Running, ready: Some(false), ..PodReport::pending(BEGIN) };
    run.see(BEGIN, Seen::Pod { node: NodeName::from("wf.server"), report });
    pass(&mut run, BEGIN);
    run.see(BEGIN, Seen::Patch(json!({"spec": {"activeDeadlineSeconds": 0}})));
    let acts = pass(&mut run, BEGIN);
    assert_eq!(acts, [PodAct::Killed { node: NodeName::from("wf.server") }]);
    end(&mut run, &NodeName::from("wf.server"), 137, BEGIN);
    let acts = pass(&mut run, BEGIN);
    let hook =
        |act: &PodAct| matches!(act, PodAct::Created(made) if made.node.as_str() == "wf.server.onExit");
    assert!(acts.iter().any(hook), "{acts:?}");
}

#[test]
fn a_set_of_containers_that_is_refused_has_none() {
    let lock = json!({"mutexes": [{"name": "m"}]});
    let set = json!({"containers": [{"name": "one", "image": "x"}, {"name": "two", "image": "x"}]});
    let mut run = Run::new(
        workflow(&json!({"entrypoint": "main", "templates": [
            {"name": "main", "dag": {"tasks": [{"name": "a", "template": "leaf"}, {"name": "b", "template": "set"}]}},
            {"name": "leaf", "container": {"image": "x"}, "synchronization": lock},
            {"name": "set", "containerSet": set, "synchronization": lock},
        ]})),
        Library::default(),
        Behaviour::UNWIND,
    );
    pass(&mut run, BEGIN);
    run.see(BEGIN + 1_000, Seen::Stop);
    pass(&mut run, BEGIN + 1_000);
    end(&mut run, &"wf.a".into(), 143, BEGIN + 2_000);
    pass(&mut run, BEGIN + 2_000);
    let nodes = run.status().nodes;
    let names: Vec<&str> = nodes.values().map(|node| node.name.as_str()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(nodes.values().all(|node| node.phase == NodePhase::Failed), "{nodes:?}");
    assert!(run.is_completed());
}
