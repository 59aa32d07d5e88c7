//! Big objects that a case holds the recipe of.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use unwind_model::document::parse_workflow;
use unwind_model::{NodeId, NodeName, Workflow};

/// A recipe: `status-shape.json`.
#[derive(Deserialize)]
struct Shape {
    make: String,
    phase: String,
    groups: Vec<Group>,
    nodes_in_all: usize,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    phase: String,
    items: Items,
}

#[derive(Deserialize)]
struct Items {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    count: usize,
    phases: BTreeMap<String, usize>,
    #[serde(default)]
    failed: Vec<usize>,
}

/// The workflow of a recipe with the manifest that stands beside it; `None` for a text that is no recipe.
pub(super) fn made(folder: &Path, text: &[u8]) -> anyhow::Result<Option<Workflow>> {
    let Ok(shape) = serde_json::from_slice::<Shape>(text) else { return Ok(None) };
    let manifest = fs::read(folder.join("workflow.yaml")).context("a recipe needs its `workflow.yaml`")?;
    let (mut workflow, _) = parse_workflow(&manifest).context("`workflow.yaml` cannot be read")?;
    let mut nodes = Nodes { root: &shape.make, made: Map::new() };
    nodes.add(&shape.make, "Steps", &shape.phase, None);
    for group in &shape.groups {
        nodes.add(&group.name, &group.kind, &group.phase, Some(&shape.make));
        let mut left = group.items.phases.clone();
        for index in 0..group.items.count {
            let phase =
                if group.items.failed.contains(&index) { "Failed".to_owned() } else { next(&mut left) };
            let name = group.items.name.replace("{i}", &index.to_string());
            nodes.add(&name, &group.items.kind, &phase, Some(&group.name));
        }
    }
    ensure!(nodes.made.len() == shape.nodes_in_all, "the recipe makes {} nodes", nodes.made.len());
    workflow.metadata.name.clone_from(&shape.make);
    let status = json!({"phase": shape.phase, "startedAt": "2026-03-02T09:00:00Z", "nodes": nodes.made});
    workflow.status = serde_json::from_value(status)?;
    Ok(Some(workflow))
}

/// The phase of the next item: what ended well first, what has not begun last.
fn next(left: &mut BTreeMap<String, usize>) -> String {
    for phase in ["Succeeded", "Running", "Pending"] {
        if let Some(number) = left.get_mut(phase).filter(|number| **number > 0) {
            *number -= 1;
            return phase.to_owned();
        }
    }
    "Pending".to_owned()
}

struct Nodes<'a> {
    root: &'a str,
    made: Map<String, Value>,
}

impl Nodes<'_> {
    fn id(&self, name: &str) -> String {
        NodeId::of(self.root, &NodeName::from(name)).0
    }

    fn add(&mut self, name: &str, kind: &str, phase: &str, around: Option<&str>) {
        let id = self.id(name);
        let mut node = json!({
            "id": id, "name": name, "displayName": name.rsplit('.').next(), "type": kind, "phase": phase,
            "startedAt": "2026-03-02T09:00:00Z", "boundaryID": around.map(|_| self.id(self.root)),
        });
        if matches!(phase, "Succeeded" | "Failed") {
            node["finishedAt"] = json!("2026-03-02T09:00:10Z");
        }
        if phase == "Failed" {
            node["message"] = json!("main: Error (exit code 1)");
        }
        if let Some(around) = around {
            let around = self.id(around);
            if let Some(children) = self.made[&around].get_mut("children").and_then(Value::as_array_mut) {
                children.push(json!(id));
            } else {
                self.made[&around]["children"] = json!([id]);
            }
        }
        self.made.insert(id, node);
    }
}
