//! The short notation for what happened: a table of nodes to a workflow with a status.
//!
//! First line: phase of the workflow, then `Stop` or `Terminate`, then `suspended`, each where it
//! is so. Then one line a node: its name (`.` stands for the workflow's name and a dot), `:Type`
//! where the plan does not know it, phase, begin and end in seconds (`-` for none, both may be left
//! out), and after `|` its message.

use std::collections::BTreeMap;

use unwind_engine::lower;
use unwind_model::{
    NodeId, NodeName, NodePhase, NodeStatus, NodeType, Shutdown, Timestamp, Workflow, WorkflowPhase,
};

/// 2026-03-02T09:00:00Z.
pub const BEGIN: Timestamp = Timestamp(1_772_442_000_000);

/// Fills the status of a workflow.
pub fn happened(mut workflow: Workflow, table: &str) -> Workflow {
    let mut lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    let head = lines.next().expect("a line for the workflow");
    for word in head.split_whitespace() {
        match word {
            "Stop" => workflow.spec.shutdown = Some(Shutdown::Stop),
            "Terminate" => workflow.spec.shutdown = Some(Shutdown::Terminate),
            "suspended" => workflow.spec.suspend = Some(true),
            phase => workflow.status.phase = word_of::<WorkflowPhase>(phase),
        }
    }
    workflow.status.started_at = Some(BEGIN);
    let types: BTreeMap<NodeName, NodeType> =
        lower(&workflow).0.outline().into_iter().map(|node| (node.name, node.node_type)).collect();
    let root = workflow.metadata.name.clone();
    for line in lines {
        let node = node(&root, &types, line);
        workflow.status.finished_at = workflow.status.finished_at.max(node.finished_at);
        workflow.status.nodes.insert(node.id.clone(), node);
    }
    workflow
}

fn node(root: &str, types: &BTreeMap<NodeName, NodeType>, line: &str) -> NodeStatus {
    let (line, message) = line.split_once('|').unwrap_or((line, ""));
    let mut words = line.split_whitespace();
    let word = words.next().expect("a name");
    let (name, node_type) = match word.rsplit_once(':') {
        Some((name, word)) if word.bytes().all(|b| b.is_ascii_alphabetic()) => (name, Some(word)),
        Some(_) | None => (word, None),
    };
    let name = match name.strip_prefix('.') {
        Some(rest) => NodeName(format!("{root}.{rest}")),
        None => NodeName::from(name),
    };
    let node_type = match node_type {
        Some(word) => word_of::<NodeType>(word),
        None => types.get(&name).copied().unwrap_or_default(),
    };
    NodeStatus {
        id: NodeId::of(root, &name),
        display_name: name.0.clone(),
        name,
        node_type,
        phase: word_of::<NodePhase>(words.next().expect("a phase")),
        started_at: words.next().and_then(seconds),
        finished_at: words.next().and_then(seconds),
        message: message.trim_end().to_owned(),
        ..NodeStatus::default()
    }
}

fn seconds(word: &str) -> Option<Timestamp> {
    let (whole, tenths) = word.split_once('.').unwrap_or((word, "0"));
    let number = |text: &str| text.parse::<i64>().ok();
    Some(Timestamp(BEGIN.0 + number(whole)? * 1000 + number(tenths)? * 100))
}

fn word_of<T: serde::de::DeserializeOwned>(word: &str) -> T {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).expect("one of Argo's words")
}
