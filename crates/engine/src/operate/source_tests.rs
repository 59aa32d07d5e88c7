//! Rules of Argo's controller that few workflows show: each with the smallest one that does.

mod names;
mod values;

use serde_json::{Value, json};
use unwind_model::{NodeName, Timestamp, Workflow};

use super::{PodAct, PodPhase, PodReport, Run, Seen};
use crate::behaviour::Behaviour;
use crate::library::Library;
use crate::locks::Applicant;

struct Scene {
    run: Run,
    now: Timestamp,
    acts: Vec<PodAct>,
}

impl Scene {
    fn new(templates: &Value) -> Self {
        let arguments = json!({"parameters": [{"name": "p", "value": "v", "description": "d"}]});
        Self::of("4.1.2", &json!({"templates": templates, "arguments": arguments}), &[])
    }

    /// A spec under a release, and the documents it refers to.
    fn of(release: &str, spec: &Value, needs: &[Value]) -> Self {
        let mut spec = spec.clone();
        spec["entrypoint"] = "main".into();
        let document = json!({"metadata": {"name": "w", "namespace": "default"}, "spec": spec}).to_string();
        let workflow: Workflow = unwind_model::json::read(&document).expect("a workflow");
        let mut library = Library::default();
        for need in needs {
            library.add(need).expect("a document");
        }
        let run = Run::new(workflow, library, Behaviour::argo(release));
        Self { run, now: Timestamp(0), acts: Vec::new() }
    }

    /// The pod of a node has ended well and reported this.
    fn gave(&mut self, node: &str, outputs: &Value) -> &mut Self {
        self.ended(node, true);
        let outputs = Some(serde_json::from_value(outputs.clone()).expect("outputs"));
        let node = NodeName::from(node);
        self.run.see(self.now, Seen::Result { node, complete: Some(true), outputs, progress: None });
        self
    }

    fn runs(&mut self, node: &str, phase: PodPhase) -> &mut Self {
        let report = PodReport { phase, ..PodReport::pending(self.now) };
        self.run.see(self.now, Seen::Pod { node: NodeName::from(node), report });
        self
    }

    fn wait(&mut self, seconds: i64) -> &mut Self {
        self.now = self.now + seconds * 1000;
        self
    }

    fn workflow(&self) -> String {
        let status = self.run.status();
        format!("{} {}", status.phase.as_str(), status.message).trim_end().to_owned()
    }

    fn pass(&mut self) -> &mut Self {
        self.now = self.now + 10_000;
        self.acts = self.run.pass(self.now);
        self
    }

    fn ended(&mut self, node: &str, complete: bool) -> &mut Self {
        let node = NodeName::from(node);
        let report = PodReport { phase: PodPhase::Succeeded, exit: Some(0), ..PodReport::pending(self.now) };
        self.run.see(self.now, Seen::Pod { node: node.clone(), report });
        let complete = Some(complete);
        self.run.see(self.now, Seen::Result { node, complete, outputs: None, progress: None });
        self
    }

    /// Phase and message of a node.
    fn node(&self, name: &str) -> String {
        let status = self.run.status();
        let node = status.nodes.values().find(|node| node.name.as_str() == name).expect("the node");
        format!("{} {}", node.phase.as_str(), node.message).trim_end().to_owned()
    }

    /// Arguments of the pods that the last pass made.
    fn args(&self) -> Vec<String> {
        let mut args = Vec::new();
        for act in &self.acts {
            if let PodAct::Created(created) = act {
                args.push(created.args.join(" "));
            }
        }
        args
    }
}

fn leaf(args: &str) -> Value {
    json!({"name": "leaf", "container": {"image": "x", "command": ["sh"], "args": [args]}})
}

#[test]
fn a_pending_pod_that_is_gone_is_made_again() {
    let mut scene =
        Scene::new(&json!([{"name": "main", "steps": [[{"name": "a", "template": "leaf"}]]}, leaf("")]));
    scene.pass().pass().pass();
    scene.run.see(scene.now, Seen::PodGone { node: "w[0].a".into() });
    scene.pass();
    assert_eq!(scene.node("w[0].a"), "Pending");
    assert_eq!(scene.args().len(), 1);
}

#[test]
fn a_stop_reaches_waiting_nodes_also_while_a_result_is_open() {
    let tasks = json!([{"name": "a", "template": "leaf"}, {"name": "b", "template": "wait"}]);
    let wait = json!({"name": "wait", "suspend": {}});
    let mut scene = Scene::new(&json!([{"name": "main", "dag": {"tasks": tasks}}, leaf(""), wait]));
    scene.pass().ended("w.a", false);
    scene.run.see(scene.now, Seen::Stop);
    scene.pass();
    assert_eq!(scene.node("w.b"), "Failed Stopped with strategy 'Stop'");
}

#[test]
fn names_of_tasks_loops_and_all_parameters() {
    let args = "{{steps.name}}|{{workflow.parameters}}|{{workflow.parameters.json}}";
    let mut scene = Scene::new(&json!([{"name": "main", "steps": [
        [{"name": "a", "template": "leaf", "withItems": [1, 2]}],
        [{"name": "b", "template": "leaf", "when": "'{{steps.a.status}}' == 'Failed'"}],
    ]}, leaf(args)]));
    scene.pass();
    let all = r#"[{"name":"p","value":"v","description":"d"}]"#;
    assert_eq!(scene.args(), [format!("a(0:1)|{all}|{all}"), format!("a(1:2)|{all}|{all}")]);
    scene.ended("w[0].a(0:1)", true).ended("w[0].a(1:2)", true).pass();
    assert_eq!(scene.node("w[1].b"), "Skipped when ''Succeeded' == 'Failed'' evaluated false");
}

#[test]
fn a_name_to_show_has_to_be_one() {
    let mut named = leaf("");
    named["metadata"] = json!({"annotations": {"workflows.argoproj.io/display-name": "a b"}});
    let mut scene =
        Scene::new(&json!([{"name": "main", "dag": {"tasks": [{"name": "a", "template": "leaf"}]}}, named]));
    scene.pass().pass();
    let text = "displayName must match the regex ^[a-zA-Z0-9][a-zA-Z0-9-.]{0,61}[a-zA-Z0-9]$";
    assert_eq!(scene.node("w.a"), format!("Error task 'w.a' errored: {text}"));
}

#[test]
fn a_wait_that_is_over_needs_its_outputs() {
    let outputs = json!({"parameters": [{"name": "o", "valueFrom": {"supplied": {}}}]});
    let wait = json!({"name": "wait", "suspend": {"duration": "5s"}, "outputs": outputs});
    let mut scene =
        Scene::new(&json!([{"name": "main", "dag": {"tasks": [{"name": "a", "template": "wait"}]}}, wait]));
    scene.pass().pass();
    let text = "raw output parameter 'o' has not been set and does not have a default value";
    assert_eq!(scene.node("w.a"), format!("Error task 'w.a' errored: {text}"));
}

#[test]
fn a_terminated_workflow_that_waits_for_its_lock_ends() {
    let wait = json!({"templates": [leaf(""), {"name": "main", "suspend": {}}],
        "synchronization": {"mutexes": [{"name": "door"}]}});
    for (release, expected) in [
        ("3.7.18", "Succeeded"),
        ("4.0.5", "Succeeded"),
        ("4.1.2", "Failed Stopped with strategy 'Terminate'"),
    ] {
        let mut scene = Scene::of(release, &wait, &[]);
        let wanted = serde_json::from_value(wait["synchronization"].clone()).expect("locks");
        let created = Timestamp(0);
        let other = Applicant { namespace: "default", workflow: "x", node: None, priority: 0, created };
        scene.run.locks.acquire(other, &wanted, &Library::default(), &mut None);
        scene.pass();
        assert_eq!(scene.run.status().phase.as_str(), "Pending");
        scene.run.see(scene.now, Seen::Terminate);
        scene.pass().pass();
        assert_eq!(scene.workflow(), expected, "{release}");
    }
}

#[test]
fn an_open_result_of_a_pod_that_is_gone_is_waited_for_two_minutes_on_v3_7_0() {
    let tasks = json!([{"name": "a", "template": "leaf"}, {"name": "b", "template": "leaf"}]);
    let templates = json!([{"name": "main", "dag": {"tasks": tasks}}, leaf("")]);
    let mut scene = Scene::of("3.7.0", &json!({"templates": templates}), &[]);
    scene.pass().ended("w.a", true).runs("w.b", PodPhase::Running).pass();
    let open = Seen::Result { node: "w.a".into(), complete: Some(false), outputs: None, progress: None };
    scene.run.see(scene.now, open);
    scene.run.see(scene.now, Seen::PodGone { node: "w.a".into() });
    scene.pass().ended("w.b", true).wait(80).pass();
    assert_eq!(scene.workflow(), "Running");
    scene.wait(20).pass();
    assert_eq!(scene.workflow(), "Succeeded");
}

#[test]
fn a_timeout_that_cannot_be_read_is_found_at_the_second_look() {
    let mut slow = leaf("");
    slow["timeout"] = "soon".into();
    let tasks = json!([{"name": "a", "template": "leaf"}]);
    let mut scene = Scene::new(&json!([{"name": "main", "dag": {"tasks": tasks}}, slow]));
    scene.pass().runs("w.a", PodPhase::Running).pass();
    let text = "invalid timeout format. time: invalid duration \"soon\"";
    assert_eq!(scene.node("w.a"), format!("Error task 'w.a' errored: {text}"));
}

#[test]
fn pods_of_a_workflow_that_collects_them_at_its_end_stay_till_then() {
    let templates = json!([{"name": "main", "steps": [[{"name": "a", "template": "leaf"}],
        [{"name": "b", "template": "leaf"}]]}, leaf("")]);
    let spec = json!({"templates": templates, "podGC": {"strategy": "OnWorkflowSuccess"}});
    let mut scene = Scene::of("4.1.2", &spec, &[]);
    scene.pass().ended("w[0].a", true).pass();
    let is_cleaned = |act: &PodAct| matches!(act, PodAct::Released { .. } | PodAct::Deleted { .. });
    assert!(!scene.acts.iter().any(is_cleaned));
    scene.ended("w[1].b", true).pass();
    assert_eq!(scene.workflow(), "Succeeded");
    assert_eq!(scene.run.cluster.doomed.len(), 2);
}

/// Source: Argo `workflow/controller/pod/cleanup.go`, `determinePodCleanupAction`.
#[test]
fn pods_that_the_selector_does_not_mean_are_kept() {
    let mut kept = leaf("");
    kept["name"] = "kept".into();
    kept["metadata"] = json!({"labels": {"keep": "yes"}});
    let templates = json!([{"name": "main", "steps": [[{"name": "a", "template": "leaf"},
        {"name": "b", "template": "kept"}], [{"name": "c", "template": "leaf"}]]}, leaf(""), kept]);
    let selector = json!({"matchExpressions": [{"key": "keep", "operator": "DoesNotExist"}]});
    let collection = json!({"strategy": "OnPodCompletion", "labelSelector": selector});
    let mut scene = Scene::of("4.1.2", &json!({"templates": templates, "podGC": collection}), &[]);
    let named = |act: &PodAct| match act {
        PodAct::Released { node } => Some(format!("released {node}")),
        PodAct::Deleted { node } => Some(format!("deleted {node}")),
        _ => None,
    };
    scene.pass().ended("w[0].a", true).ended("w[0].b", true);
    // The one is let go of at once, the other deleted before the next pass.
    for expected in ["released w[0].b", "deleted w[0].a"] {
        let acts: Vec<String> = scene.pass().acts.iter().filter_map(named).collect();
        assert_eq!(acts, [expected]);
    }
}

#[test]
fn an_exit_hook_of_a_target_that_cannot_be_made_is_an_error_where_it_is_run_again() {
    let hook = json!({"exit": {"template": "leaf", "expression": "nobody.knows == 1"}});
    let tasks = json!([{"name": "a", "template": "leaf", "hooks": hook}]);
    let templates = json!([{"name": "main", "dag": {"tasks": tasks}}, leaf("")]);
    for (release, phase) in [("4.0.5", "Error"), ("4.1.2", "Succeeded")] {
        let mut scene = Scene::of(release, &json!({"templates": templates}), &[]);
        scene.pass().ended("w.a", true).pass();
        assert_eq!(scene.run.status().phase.as_str(), phase, "{release}");
    }
}

#[test]
fn a_script_whose_pod_is_gone_is_not_made_again() {
    let script = json!({"name": "leaf", "script": {"image": "x", "command": ["sh"], "source": "s"}});
    for (leaf, made) in [(script, 0), (leaf(""), 1)] {
        let mut scene =
            Scene::new(&json!([{"name": "main", "steps": [[{"name": "a", "template": "leaf"}]]}, leaf]));
        scene.pass().runs("w[0].a", PodPhase::Running);
        scene.now = scene.now + 1000;
        scene.acts = scene.run.pass(scene.now);
        scene.run.see(scene.now, Seen::PodGone { node: "w[0].a".into() });
        scene.acts = scene.run.pass(scene.now);
        let is_made = |act: &&PodAct| matches!(act, PodAct::Created(_));
        assert_eq!(scene.acts.iter().filter(is_made).count(), made);
    }
}

#[test]
fn an_attempt_that_errs_as_it_is_made_is_tried_again_at_once() {
    let outputs = json!({"parameters": [{"name": "o", "valueFrom": {"expression": "nothing.here"}}]});
    let inner = json!({"name": "inner", "outputs": outputs, "dag": {"tasks": [{"name": "x", "template": "leaf",
        "when": "false"}]}, "retryStrategy": {"limit": "2", "retryPolicy": "Always"}});
    let mut scene =
        Scene::new(&json!([{"name": "main", "dag": {"tasks": [{"name": "a", "template": "inner"}]}},
        inner, leaf("")]));
    scene.pass();
    assert_eq!(scene.node("w.a"), "Error No more retries left");
    assert!(scene.node("w.a(2)").starts_with("Error unknown name nothing"));
}

/// Source: Argo `util/errors/errors.go`, `isTransientErr`; `operator.go`, `processNodeRetries`.
#[test]
fn errors_that_pass_by_themselves_are_told_by_their_words() {
    let retried = |strategy: &Value| {
        json!([{"name": "main", "dag": {"tasks": [{"name": "a", "template": "leaf"}]}},
            {"name": "leaf", "retryStrategy": strategy, "container": {"image": "x"}}])
    };
    let transient = json!({"limit": "1", "retryPolicy": "OnTransientError"});
    let slowly = |factor: &str| json!({"limit": "1", "backoff": {"duration": "5", "factor": factor}});
    for (strategy, message, expected) in [
        (&transient, "dial tcp: i/o timeout", "Running"),
        (&transient, "dial tcp: connect: connection refused", "Running"),
        (&transient, "pods is forbidden: exceeded quota", "Failed pods is forbidden: exceeded quota"),
        (&slowly("2"), "", "Running Backoff for 5 seconds"),
        (&slowly("two"), "", "Error task 'w.a' errored: strconv.Atoi: parsing \"two\": invalid syntax"),
    ] {
        let mut scene = Scene::new(&retried(strategy));
        scene.pass();
        let pod_message = (!message.is_empty()).then(|| message.to_owned());
        let report = PodReport {
            phase: PodPhase::Failed,
            exit: Some(1),
            pod_message,
            ..PodReport::pending(scene.now + 9_000)
        };
        scene.run.see(scene.now, Seen::Pod { node: "w.a(0)".into(), report });
        scene.pass();
        assert_eq!(scene.node("w.a"), expected, "{message}");
    }
}

#[test]
fn a_retried_named_hook_is_taken_for_an_attempt_of_its_owner() {
    let retried = |name: &str, program: &str| {
        json!({"name": name, "retryStrategy": {"limit": "2"},
            "container": {"image": "x", "command": ["sh"], "args": [program]}})
    };
    let hook = json!({"run": {"template": "hook", "expression": "tasks.a.status == 'Running'"}});
    let tasks = json!([{"name": "a", "template": "work", "hooks": hook}]);
    let mut scene = Scene::new(
        &json!([{"name": "main", "dag": {"tasks": tasks}}, retried("work", "owner"), retried("hook", "hook")]),
    );
    assert_eq!(scene.pass().args(), ["owner", "hook"]);
    scene.runs("w.a(0)", PodPhase::Running).ended("w.a.hooks.run(0)", true).pass();
    assert_eq!(scene.node("w.a.hooks.run"), "Succeeded");
    // The hook is the last child with the mark, and it has succeeded.
    assert_eq!(scene.node("w.a"), "Succeeded");
    assert_eq!(scene.node("w.a(0)"), "Running");
    assert_eq!(scene.node("w.a(2)"), "Pending");
}

#[test]
fn a_hook_of_the_workflow_that_cannot_be_read_ends_the_walk_of_the_root() {
    let templates = json!([{"name": "main", "steps": [[{"name": "a", "template": "leaf"}]]}, leaf("")]);
    let hooks = json!({"bad": {"template": "leaf", "expression": "nobody.knows == 1"}});
    let mut scene = Scene::of("4.1.2", &json!({"templates": templates, "hooks": hooks}), &[]);
    scene.pass();
    assert!(scene.node("w").starts_with("Error unknown name nobody"));
    assert_eq!(scene.workflow(), "Running");
    let open = Seen::Result { node: "w[0].a".into(), complete: Some(false), outputs: None, progress: None };
    scene.runs("w[0].a", PodPhase::Running);
    scene.run.see(scene.now, open);
    scene.pass();
    assert_eq!(scene.workflow(), "Running");
    scene.ended("w[0].a", true).pass();
    assert!(scene.workflow().starts_with("Error unknown name nobody"));
    assert_eq!(scene.node("w[0]"), "Running");
}
