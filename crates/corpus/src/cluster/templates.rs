//! Which template a node runs, as JSON: by its name and scope, or written in place in its boundary's.

use std::collections::BTreeMap;

use serde_json::Value;
use unwind_engine::library::Library;
use unwind_engine::rehearse::references;
use unwind_model::{NodeId, NodeStatus, Workflow};

/// The templates of a workflow and of the documents it refers to.
pub struct Templates {
    /// By document and name; the workflow's own have the document `local`.
    by_name: BTreeMap<(String, String), Value>,
    is_suspended: bool,
}

const LOCAL: &str = "local";

impl Templates {
    /// Collects them.
    pub fn new(workflow: &Workflow, library: &Library) -> Self {
        let mut by_name = BTreeMap::new();
        let spec = serde_json::to_value(&workflow.spec).unwrap_or_default();
        take_in(&mut by_name, LOCAL, &spec);
        for reference in references(&spec, library) {
            take_in(&mut by_name, &reference.0, &reference.1);
        }
        Self { by_name, is_suspended: workflow.spec.suspend == Some(true) }
    }

    /// Whether the workflow as a whole still waits for a resume.
    pub fn is_workflow_suspended(&self) -> bool {
        self.is_suspended
    }

    /// The workflow as a whole goes on.
    pub fn workflow_is_resumed(&mut self) {
        self.is_suspended = false;
    }

    /// The template of a node.
    pub fn of(&self, node: &NodeStatus, nodes: &BTreeMap<NodeId, NodeStatus>) -> Option<&Value> {
        if let Some(reference) = &node.template_ref {
            let part = |key: &str| reference[key].as_str().unwrap_or_default().to_owned();
            return self.by_name.get(&(part("name"), part("template")));
        }
        if node.template_name.is_empty() {
            return self.inline(node, nodes);
        }
        let document = match node.template_scope.split_once('/') {
            Some((LOCAL, _)) | None => LOCAL,
            Some((_, document)) => document,
        };
        let found = self.by_name.get(&(document.to_owned(), node.template_name.clone()));
        found.or_else(|| {
            self.by_name
                .iter()
                .find(|((_, name), _)| *name == node.template_name)
                .map(|(_, template)| template)
        })
    }

    /// A template written in place: the task of that name in the boundary's template.
    fn inline(&self, node: &NodeStatus, nodes: &BTreeMap<NodeId, NodeStatus>) -> Option<&Value> {
        let boundary = nodes.get(&node.boundary_id)?;
        let task = node.display_name.split('(').next().unwrap_or_default();
        let template = self.of(boundary, nodes)?;
        let steps = template["steps"].as_array().into_iter().flatten().filter_map(Value::as_array).flatten();
        let tasks = template["dag"]["tasks"].as_array().into_iter().flatten();
        steps.chain(tasks).find(|known| known["name"] == task).map(|known| &known["inline"])
    }
}

fn take_in(by_name: &mut BTreeMap<(String, String), Value>, document: &str, spec: &Value) {
    for template in spec["templates"].as_array().into_iter().flatten() {
        let name = template["name"].as_str().unwrap_or_default();
        by_name.insert((document.to_owned(), name.to_owned()), template.clone());
    }
}
