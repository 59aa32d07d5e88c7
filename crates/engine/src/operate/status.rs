//! Table to status, as the controller stores it.
//! Source: Argo `workflow_types.go`, `WorkflowStatus`, `NodeStatus`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use unwind_model::params::Outputs;
use unwind_model::spec::WorkflowSpec;
use unwind_model::{NodeId, NodeStatus, Workflow, WorkflowStatus, ordered};

use crate::behaviour::Passes;
use crate::progress::is_leaf;

use super::Run;
use super::table::{At, Node, Table};
use super::templates::Prepared;
use super::todo::Todo;
use super::workflow::STORED_SPEC;

/// The status of the workflow and all its nodes.
pub(crate) fn status(run: &Run) -> WorkflowStatus {
    let mut status = workflow_status(run);
    status.nodes = ordered::map(run.table.iter().map(|(_, node)| (node.id.clone(), node_status(run, node))));
    status
}

/// The status without its nodes.
pub(crate) fn workflow_status(run: &Run) -> WorkflowStatus {
    let state = &run.state;
    let mut status = WorkflowStatus {
        phase: state.phase,
        started_at: state.started_at,
        finished_at: state.finished_at,
        message: state.message.clone(),
        progress: state.progress.clone(),
        ..WorkflowStatus::default()
    };
    if let Some(outputs) = &state.outputs
        && let Ok(outputs) = serde_json::to_value(outputs)
    {
        status.other.insert("outputs".to_owned(), outputs);
    }
    if let Some(locks) = &state.locks
        && let Ok(locks) = serde_json::to_value(locks)
    {
        status.other.insert("synchronization".to_owned(), locks);
    }
    status
}

/// One node.
pub(crate) fn node_status(run: &Run, node: &Node) -> NodeStatus {
    let ids =
        |nodes: &[At]| -> Vec<NodeId> { nodes.iter().map(|node| run.table.get(*node).id.clone()).collect() };
    let mut status = NodeStatus {
        id: node.id.clone(),
        name: node.name.clone(),
        display_name: node.display_name().to_owned(),
        node_type: node.kind,
        template_name: node.template_name.to_string(),
        template_ref: node.rare().template_ref.clone(),
        template_scope: node.template_scope.to_string(),
        phase: node.phase,
        boundary_id: node.boundary.map_or_else(NodeId::default, |outer| run.table.get(outer).id.clone()),
        message: node.message.clone(),
        started_at: node.started_at,
        finished_at: node.finished_at,
        progress: progress_of(node),
        node_flag: node.flag,
        inputs: node.inputs.as_deref().cloned().unwrap_or_default(),
        outputs: node.outputs.as_deref().cloned().unwrap_or_default(),
        children: ids(&node.children),
        outbound_nodes: ids(&node.outbound),
        task_result_synced: node.synced,
        daemoned: node.daemoned.then_some(true),
        host_node_name: node.rare().host.clone(),
        ..NodeStatus::default()
    };
    let mut put = |name: &str, value: Value| {
        status.other.insert(name.to_owned(), value);
    };
    if let Some(lock) = &node.rare().waits_for {
        put("synchronizationStatus", json!({"waiting": lock}));
    }
    if !node.rare().pod_ip.is_empty() {
        put("podIP", json!(node.rare().pod_ip));
    }
    if let Some(memo) = &node.rare().memo {
        put("memoizationStatus", memo.clone());
    }
    status
}

/// The sum that was kept, where one is kept.
fn progress_of(node: &Node) -> String {
    let kept = if is_leaf(node.kind) { node.noted.leaf } else { node.noted.leaves };
    if kept.all > 0 { kept.to_string() } else { node.rare().progress.clone() }
}

impl Run {
    /// Takes a workflow with its status in place of what is there, and gives the status back. Templates of nodes that
    /// stay are kept.
    pub(crate) fn take_up(&mut self, mut workflow: Workflow) -> WorkflowStatus {
        let status = std::mem::take(&mut workflow.status);
        self.workflow = workflow;
        let stored = status.other.get(STORED_SPEC).filter(|_| self.has_template_ref());
        if let Some(stored) = stored.and_then(|spec| WorkflowSpec::deserialize(spec).ok()) {
            self.spec = Some(Arc::new(stored));
            self.templates.clear();
        } else if !self.has_template_ref() {
            self.spec = None;
        }
        self.todo = Todo::default();
        let old = std::mem::take(&mut self.table);
        let mut order: Vec<(Option<At>, &NodeStatus)> =
            status.nodes.values().map(|node| (old.named(node.name.as_str()), node)).collect();
        order.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.name.cmp(&other.1.name)));
        for (_, node) in &order {
            self.reserve(node.name.as_str());
        }
        for child in order.iter().flat_map(|(_, node)| &node.children) {
            self.table.reserve_id(child);
        }
        for (before, node) in order {
            let template = before.and_then(|at| old.get(at).template.clone());
            let texts = (self.shared(&node.template_name), self.shared(&node.template_scope));
            let node = node_of(&self.table, node, template, texts);
            self.table.add(node);
        }
        self.table.cut_rings();
        self.table.link();
        if self.behaviour.passes == Passes::UntilQuiet {
            for (at, node) in self.table.iter() {
                if let Some(boundary) = node.boundary {
                    self.todo.taken_up.entry(boundary).or_default().push(at);
                }
            }
        }
        self.state.phase = status.phase;
        self.state.message.clone_from(&status.message);
        self.state.started_at = status.started_at;
        self.state.finished_at = status.finished_at;
        self.state.completed = status.phase.is_final();
        status
    }
}

fn node_of(
    table: &Table,
    status: &NodeStatus,
    template: Option<Arc<Prepared>>,
    (template_name, template_scope): (Arc<str>, Arc<str>),
) -> Node {
    let places = |ids: &[NodeId]| ids.iter().filter_map(|id| table.with_id(id)).collect();
    let text = |field: &str, inner: &str| {
        let text = status.other.get(field).and_then(|value| value.get(inner)).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    let mut node = Node {
        kind: status.node_type,
        template_name,
        template_scope,
        template,
        phase: status.phase,
        boundary: table.with_id(&status.boundary_id),
        message: status.message.clone(),
        started_at: status.started_at,
        finished_at: status.finished_at,
        flag: status.node_flag,
        inputs: (!status.inputs.is_empty()).then(|| Box::new(status.inputs.clone())),
        outputs: (status.outputs != Outputs::default()).then(|| Arc::new(status.outputs.clone())),
        children: places(&status.children),
        outbound: places(&status.outbound_nodes),
        synced: status.task_result_synced,
        daemoned: status.daemoned == Some(true),
        exists: true,
        ..Node::reserved(status.id.clone(), status.name.clone())
    };
    node.show_as(&status.display_name);
    let has_more =
        !status.progress.is_empty() || !status.host_node_name.is_empty() || !status.other.is_empty();
    if status.template_ref.is_none() && !has_more {
        return node;
    }
    let rare = node.rare_mut();
    rare.template_ref.clone_from(&status.template_ref);
    rare.progress.clone_from(&status.progress);
    rare.host.clone_from(&status.host_node_name);
    status.other.get("podIP").and_then(Value::as_str).unwrap_or_default().clone_into(&mut rare.pod_ip);
    rare.memo = status.other.get("memoizationStatus").cloned();
    rare.waits_for = text("synchronizationStatus", "waiting");
    node
}
