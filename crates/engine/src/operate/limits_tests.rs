//! Locks and caches of a walk: what waits, what is found, what is given back.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use unwind_model::{NodeName, Timestamp, Workflow};

use super::{PodPhase, PodReport, Run, Seen};
use crate::behaviour::Behaviour;
use crate::library::Library;

struct Scene {
    run: Run,
    now: Timestamp,
    said: String,
}

impl Scene {
    fn new(spec: &Value, release: &str) -> Self {
        let document = json!({"metadata": {"name": "w", "namespace": "default"}, "spec": spec}).to_string();
        let workflow: Workflow = unwind_model::json::read(&document).expect("a workflow");
        let run = Run::new(workflow, Library::default(), Behaviour::argo(release));
        Self { run, now: Timestamp(0), said: String::new() }
    }

    /// One pass, after these pods have ended well.
    fn pass(&mut self, ended: &[&str]) {
        self.now = self.now + 10_000;
        for node in ended {
            let node = NodeName::from(*node);
            let report =
                PodReport { phase: PodPhase::Succeeded, exit: Some(0), ..PodReport::pending(self.now) };
            self.run.see(self.now, Seen::Pod { node: node.clone(), report });
            let outputs = serde_json::from_value(json!({"result": format!("from {node}")})).expect("outputs");
            let result = Seen::Result { node, complete: Some(true), outputs: Some(outputs), progress: None };
            self.run.see(self.now, result);
        }
        self.run.pass(self.now);
        let status = self.run.status();
        writeln!(self.said, "{} {}", status.phase.as_str(), status.message).expect("text");
        for node in status.nodes.values() {
            let other =
                |field: &str| node.other.get(field).map(|value| format!(" {value}")).unwrap_or_default();
            let result = node.outputs.result.as_deref().unwrap_or_default();
            let marks = other("synchronizationStatus") + &other("memoizationStatus");
            let phase = node.phase.as_str();
            writeln!(self.said, "  {} {phase} {}{marks} {result}", node.name, node.message).expect("text");
        }
        if let Some(locks) = status.other.get("synchronization") {
            writeln!(self.said, "  {locks}").expect("text");
        }
    }

    fn check(&self, expected: &Expect) {
        let lines: Vec<&str> = self.said.lines().map(str::trim_end).collect();
        expected.assert_eq(&(lines.join("\n") + "\n"));
    }
}

fn chain(template: &Value) -> Value {
    json!({"entrypoint": "main", "templates": [
        {"name": "main", "dag": {"tasks": [
            {"name": "a", "template": "leaf"},
            {"name": "b", "template": "leaf", "dependencies": ["a"]},
        ]}},
        template,
    ]})
}

#[test]
fn what_one_task_has_made_the_next_one_finds() {
    let memo = json!({"key": "k", "maxAge": "1m", "cache": {"configMap": {"name": "cache"}}});
    let leaf = json!({"name": "leaf", "memoize": memo, "script": {"image": "x", "command": ["sh"], "source": "date"}});
    let mut scene = Scene::new(&chain(&leaf), "4.1.2");
    scene.pass(&[]);
    scene.pass(&["w.a"]);
    scene.check(&expect![[r#"
        Running
          w Running
          w.a Pending  {"hit":false,"key":"k","cacheName":"cache"}
        Succeeded
          w Succeeded
          w.a Succeeded  {"hit":false,"key":"k","cacheName":"cache"} from w.a
          w.b Succeeded  {"hit":true,"key":"k","cacheName":"cache"} from w.a
    "#]]);
}

#[test]
fn a_cache_that_cannot_be_used_is_an_error() {
    let memo = json!({"key": "a b", "cache": {"configMap": {"name": "cache"}}});
    let leaf = json!({"name": "leaf", "memoize": memo, "container": {"image": "x", "command": ["true"]}});
    let mut scene = Scene::new(&chain(&leaf), "4.1.2");
    scene.pass(&[]);
    scene.check(&expect![[r#"
        Error
          w Error
          w.a Error task 'w.a' errored: invalid cache key: a b
          w.b Omitted omitted: depends condition not met
    "#]]);
}

#[test]
fn the_workflow_waits_for_locks_it_cannot_have_and_gives_back_what_it_had() {
    let mut spec = chain(&json!({"name": "leaf", "container": {"image": "x", "command": ["true"]}}));
    spec["synchronization"] = json!({"mutexes": [{"name": "door"}]});
    let mut scene = Scene::new(&spec, "4.1.2");
    scene.pass(&[]);
    scene.pass(&["w.a"]);
    scene.pass(&["w.b"]);
    spec["synchronization"] = json!({"semaphores": [{"configMapKeyRef": {"name": "none", "key": "n"}}]});
    let mut refused = Scene::new(&spec, "4.1.2");
    refused.pass(&[]);
    scene.said += &refused.said;
    scene.check(&expect![[r#"
        Running
          w Running
          w.a Pending
          {"mutex":{"holding":[{"mutex":"default/Mutex/door","holder":"default/w"}]}}
        Running
          w Running
          w.a Succeeded  from w.a
          w.b Pending
          {"mutex":{"holding":[{"mutex":"default/Mutex/door","holder":"default/w"}]}}
        Succeeded
          w Succeeded
          w.a Succeeded  from w.a
          w.b Succeeded  from w.b
        Failed Failed to acquire the synchronization lock. failed to initialize semaphore default/ConfigMap/none/n with limit
    "#]]);
}

#[test]
fn the_single_form_is_a_lock_before_v4_only() {
    let mut spec = chain(&json!({"name": "leaf", "container": {"image": "x", "command": ["true"]}}));
    spec["synchronization"] = json!({"mutex": {"name": "door"}});
    let held = |release: &str| {
        let mut scene = Scene::new(&spec, release);
        scene.pass(&[]);
        scene.run.status().other.contains_key("synchronization")
    };
    assert!(held("3.7.18"));
    assert!(!held("4.1.2"));
}
