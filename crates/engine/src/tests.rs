//! Names, ids, pod names and progress held against the recorded runs of the real controller.
//!
//! Passes without a word where the recordings are not there.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use unwind_model::{NodeId, NodeName, NodePhase, NodeType};

use crate::names;
use crate::podname::{self, PodNames};
use crate::progress::{self, Entry};

/// The lines of every trace, with the trace's name.
fn each_trace(check: &mut dyn FnMut(&str, &[Value])) {
    let corpora = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folders =
        ["traces", "traces-kfp"].into_iter().filter_map(|name| fs::read_dir(corpora.join(name)).ok());
    for group in folders.flatten().flatten().filter(|entry| entry.path().is_dir()) {
        for file in fs::read_dir(group.path()).expect("a readable group").flatten() {
            let text = fs::read_to_string(file.path()).expect("a readable trace");
            let lines: Vec<Value> =
                text.lines().map(|line| serde_json::from_str(line).expect("lines of JSON")).collect();
            check(&file.path().display().to_string(), &lines);
        }
    }
}

fn workflow_name(lines: &[Value]) -> &str {
    lines[0]["workflow"]["metadata"]["name"].as_str().expect("a named workflow")
}

fn changed_nodes(line: &Value) -> impl Iterator<Item = (&String, &Value)> {
    line["nodes"].as_object().into_iter().flatten()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[test]
fn ids_and_display_names_are_the_recorded_ones() {
    each_trace(&mut |trace, lines| {
        let workflow = workflow_name(lines);
        let mut ids: BTreeMap<String, NodeName> = BTreeMap::new();
        for (name, node) in lines.iter().flat_map(changed_nodes).filter(|(_, node)| !node.is_null()) {
            let name = NodeName::from(name.as_str());
            assert_eq!(NodeId::of(workflow, &name).as_str(), text(node, "id"), "{trace}");
            ids.insert(text(node, "id").to_owned(), name.clone());
            let boundary = ids.get(text(node, "boundaryID"));
            // A container of a container set is displayed by its own name.
            if boundary.is_some() || text(node, "boundaryID").is_empty() {
                assert_eq!(names::display(&name, boundary), text(node, "displayName"), "{trace} {name}");
            }
        }
    });
}

#[test]
fn pod_names_are_the_recorded_ones() {
    each_trace(&mut |trace, lines| {
        let workflow = workflow_name(lines);
        let mut templates: BTreeMap<&str, &str> = BTreeMap::new();
        for line in lines {
            for (name, node) in changed_nodes(line) {
                let reference = text(&node["templateRef"], "template");
                let template = if reference.is_empty() { text(node, "templateName") } else { reference };
                templates.insert(name, template);
            }
            for pod in line["pods"]["created"].as_array().into_iter().flatten() {
                if let Some(agent) = pod["agent"].as_str() {
                    assert_eq!(podname::agent(workflow), agent, "{trace}");
                    continue;
                }
                let node = text(pod, "node");
                let template = templates.get(node).copied().unwrap_or_default();
                let name = PodNames::V2.name(workflow, &NodeName::from(node), template);
                assert_eq!(name, text(pod, "pod"), "{trace} {node}");
            }
        }
    });
}

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    T::deserialize(value).expect("a word of Argo")
}

fn entry(node: &Value, places: &BTreeMap<&str, usize>) -> Entry {
    let children = node["children"].as_array().into_iter().flatten();
    let node_type: NodeType = read(&node["type"]);
    Entry {
        node_type,
        phase: read::<NodePhase>(&node["phase"]),
        progress: if progress::is_leaf(node_type) {
            text(node, "progress").to_owned()
        } else {
            String::new()
        },
        children: children.filter_map(|id| places.get(id.as_str()?).copied()).collect(),
    }
}

#[test]
fn progress_is_the_recorded_one_after_every_pass() {
    each_trace(&mut |trace, lines| {
        let mut nodes: BTreeMap<&str, &Value> = BTreeMap::new();
        for line in lines.iter().filter(|line| line["n"].is_u64()) {
            for (name, node) in changed_nodes(line) {
                if node.is_null() {
                    nodes.remove(name.as_str())
                } else {
                    nodes.insert(name, node)
                };
            }
            let places: BTreeMap<&str, usize> =
                nodes.values().enumerate().map(|(at, node)| (text(node, "id"), at)).collect();
            let entries: Vec<Entry> = nodes.values().map(|node| entry(node, &places)).collect();
            let sums = progress::sums(&entries);
            for ((name, node), sum) in nodes.iter().zip(&sums.nodes) {
                let sum = sum.map(|sum| sum.to_string()).unwrap_or_default();
                assert_eq!(sum, text(node, "progress"), "{trace} pass {} {name}", line["n"]);
            }
            assert_eq!(sums.workflow.to_string(), text(&line["wf"], "progress"), "{trace} {}", line["n"]);
        }
    });
}
