//! Rules of Argo's controller that few workflows show: each with the smallest one that does.

use serde_json::{Value, json};
use unwind_model::{NodeName, Timestamp, Workflow};

use super::{PodAct, PodPhase, PodReport, Run, Seen};
use crate::behaviour::Behaviour;
use crate::library::Library;

struct Scene {
    run: Run,
    now: Timestamp,
    acts: Vec<PodAct>,
}

impl Scene {
    fn new(templates: &Value) -> Self {
        let spec = json!({"entrypoint": "main", "templates": templates,
            "arguments": {"parameters": [{"name": "p", "value": "v", "description": "d"}]}});
        let document = json!({"metadata": {"name": "w", "namespace": "default"}, "spec": spec}).to_string();
        let workflow: Workflow = unwind_model::json::read(&document).expect("a workflow");
        let run = Run::new(workflow, Library::default(), Behaviour::argo("4.1.2"));
        Self { run, now: Timestamp(0), acts: Vec::new() }
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
