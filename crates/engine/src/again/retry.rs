//! Manual retry: the same workflow goes on, its failed nodes begin anew.
//! Source: Argo `workflow/util/util.go`, `FormulateRetryWorkflow`, `createNewRetryWorkflow`, `resetPath`,
//! `resetBoundaries`, `resetNode` (v4.1; v3.7 does the same, apart from the phase `Running` in place of none).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;
use unwind_model::status::NodeFlag;
use unwind_model::{
    NodeId, NodePhase, NodeStatus, NodeType, Timestamp, Workflow, WorkflowPhase, WorkflowStatus,
};

use super::graph::{Graph, above_succeeded, inside_hooks};
use super::parameters::{ParameterError, override_parameters};
use super::pods::{OldPod, Pods};
use crate::selector::{Selector, SelectorError};

/// What is to be done beyond the failed nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryOptions {
    /// Whether nodes that succeeded begin anew too, when the selector names them.
    pub restart_successful: bool,
    /// Nodes that are to begin anew with all below them; read only with `restart_successful`.
    pub node_field_selector: String,
    /// `name=value` texts that replace arguments.
    pub parameters: Vec<String>,
    /// What becomes of hooks that have run.
    pub hooks: OldHooks,
}

/// What a retry does about hooks that have run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OldHooks {
    /// They stay, as in Argo: a failed leaf whose exit hook ran well does not run again, and what runs again
    /// has no exit hook after it (traces `deadline/nat-DD`, `deadline/hookl1-DD`).
    #[default]
    Stay,
    /// They say nothing about their owner, and go when it runs again, so that each comes once after
    /// everything inside has ended.
    RunAgain,
}

/// A workflow that goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Retried {
    /// The workflow as it is to be stored. Labels of the user who asked are the caller's.
    pub workflow: Workflow,
    /// Pods of removed nodes, to be deleted before the workflow is stored.
    pub pods_to_delete: Vec<OldPod>,
}

/// Why a workflow cannot be retried.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RetryError {
    /// It has not ended.
    #[error("Cannot retry a workflow in phase {}", .0.as_str())]
    Phase(WorkflowPhase),
    /// It has ended well, and nothing says what to run again.
    #[error("To retry a succeeded workflow, set the options restartSuccessful and nodeFieldSelector")]
    Succeeded,
    /// The selector cannot be read.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// A parameter cannot be read.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A node that hangs nowhere.
    #[error("couldn't find parent node for {0}")]
    Parent(NodeId),
    /// A child that is no node. Argo's spelling.
    #[error("coudln't obtain child {0}")]
    Child(NodeId),
    /// No node has the workflow's name, or it is a child.
    #[error("couldn't find root node")]
    Root,
    /// A node does not hang below the root.
    #[error("parent was nil but curr is not the root node")]
    Path,
    /// A node does not hang below its boundary.
    #[error("was seeking node but ran out of nodes to explore")]
    Boundary,
    /// The nodes are not in the object.
    #[error("nodes are packed or stored elsewhere: put them into `status.nodes` first")]
    Packed,
}

impl RetryError {
    /// True when the request is to blame, false when the state of the workflow is. Argo's server answers
    /// 400 to the first and 500 to the second.
    pub fn is_bad_request(&self) -> bool {
        match self {
            Self::Phase(_) | Self::Succeeded => true,
            Self::Selector(_)
            | Self::Parameter(_)
            | Self::Parent(_)
            | Self::Child(_)
            | Self::Root
            | Self::Path
            | Self::Boundary
            | Self::Packed => false,
        }
    }
}

/// Makes a workflow that has ended go on: failed leaves and everything below them are removed, what
/// encloses them runs again, the workflow's own exit hook is removed.
pub fn retry(workflow: &Workflow, options: &RetryOptions, now: Timestamp) -> Result<Retried, RetryError> {
    let status = &workflow.status;
    match status.phase {
        WorkflowPhase::Failed | WorkflowPhase::Error => {}
        WorkflowPhase::Succeeded if options.restart_successful && !options.node_field_selector.is_empty() => {
        }
        WorkflowPhase::Succeeded => return Err(RetryError::Succeeded),
        phase @ (WorkflowPhase::Unset | WorkflowPhase::Pending | WorkflowPhase::Running) => {
            return Err(RetryError::Phase(phase));
        }
    }
    let is_elsewhere = !status.compressed_nodes.is_empty() || !status.offload_node_status_version.is_empty();
    if status.nodes.is_empty() && is_elsewhere {
        return Err(RetryError::Packed);
    }
    let mut again = unfinished(workflow, &options.parameters, now)?;
    let wanted = wanted(&status.nodes, options)?;
    let graph = Graph::of(&status.nodes, &workflow.metadata.name)?;
    let mut marks = Marks::new(&graph);
    for number in graph.sorted_from_root(&workflow.metadata.name)? {
        if wanted[number] && !marks.delete[number] {
            marks.begin_anew(number)?;
        }
    }
    if !options.parameters.is_empty() {
        marks.empty_groups();
    }
    if options.hooks == OldHooks::RunAgain {
        marks.remove_hooks();
    }
    let pods = old_pods(workflow, &marks);
    again.status.nodes = marks.apply(&format!("{}.onExit", workflow.metadata.name), now);
    Ok(Retried { workflow: again, pods_to_delete: pods })
}

/// The workflow without its nodes and without the signs of its end.
fn unfinished(workflow: &Workflow, parameters: &[String], now: Timestamp) -> Result<Workflow, RetryError> {
    let old = &workflow.status;
    let mut again = Workflow {
        api_version: workflow.api_version.clone(),
        kind: workflow.kind.clone(),
        metadata: workflow.metadata.clone(),
        spec: workflow.spec.clone(),
        status: WorkflowStatus {
            started_at: Some(now),
            progress: old.progress.clone(),
            other: old.other.clone(),
            ..WorkflowStatus::default()
        },
        other: workflow.other.clone(),
    };
    again.metadata.labels.remove(super::COMPLETED);
    again.metadata.labels.remove(super::ARCHIVING);
    again.spec.shutdown = None;
    if again.spec.active_deadline_seconds == Some(0) {
        again.spec.active_deadline_seconds = None;
    }
    if !parameters.is_empty() {
        override_parameters(&mut again.spec.arguments, parameters)?;
    }
    let other = &mut again.status.other;
    other.remove("persistentVolumeClaims");
    not_completed(other.entry("conditions").or_insert(Value::Null));
    if let Some(Value::Object(stored)) = other.get_mut("storedWorkflowTemplateSpec") {
        stored.remove("shutdown");
        if !parameters.is_empty() {
            let arguments = stored.entry("arguments").or_insert_with(|| json!({}));
            let list = serde_json::to_value(&again.spec.arguments.parameters).unwrap_or_default();
            if let Value::Object(arguments) = arguments {
                arguments.insert("parameters".into(), list);
            }
        }
    }
    Ok(again)
}

/// Says among the conditions that the workflow is not completed.
fn not_completed(conditions: &mut Value) {
    let condition = json!({"type": "Completed", "status": "False"});
    match conditions {
        Value::Array(list) => match list.iter_mut().find(|old| old["type"] == "Completed") {
            Some(old) => *old = condition,
            None => list.push(condition),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            *conditions = Value::Array(vec![condition]);
        }
    }
}

/// Which nodes, in the order of their ids, are to begin anew: those that the selector names, and failed
/// leaves below which nothing succeeded (a leaf whose exit hook has run well is thus never run again).
fn wanted(nodes: &BTreeMap<NodeId, NodeStatus>, options: &RetryOptions) -> Result<Vec<bool>, RetryError> {
    let selector = match options.node_field_selector.as_str() {
        text if options.restart_successful && !text.is_empty() => Some(Selector::parse(text)?),
        _ => None,
    };
    let is_named = |node: &NodeStatus| selector.as_ref().is_some_and(|selector| selector.matches(node));
    let hooks = match options.hooks {
        OldHooks::Stay => BTreeSet::new(),
        OldHooks::RunAgain => inside_hooks(nodes),
    };
    let above = above_succeeded(nodes, &|node| !is_named(node) && !hooks.contains(&node.id));
    let mut retries = BTreeMap::new();
    for (id, node) in nodes.iter().filter(|(_, node)| node.node_type == NodeType::Retry) {
        for child in &node.children {
            retries.entry(child).or_insert(id);
        }
    }
    let mut wanted = Vec::new();
    for (id, node) in nodes {
        let is_try = matches!(node.node_flag, Some(NodeFlag { retried: true, .. }));
        let judged = retries.get(id).filter(|_| is_try).copied().unwrap_or(id);
        wanted.push(is_named(node) || is_failed(node) && is_leaf(node.node_type) && !above.contains(judged));
    }
    Ok(wanted)
}

fn is_failed(node: &NodeStatus) -> bool {
    matches!(node.phase, NodePhase::Failed | NodePhase::Error)
}

fn is_leaf(node_type: NodeType) -> bool {
    matches!(node_type, NodeType::Container | NodeType::Pod | NodeType::HTTP | NodeType::Plugin)
}

/// What is to become of each node.
struct Marks<'a> {
    graph: &'a Graph<'a>,
    /// Removed. Whatever is below a removed node is removed.
    delete: Vec<bool>,
    /// Runs again, unless it is removed.
    reset: Vec<bool>,
}

impl<'a> Marks<'a> {
    fn new(graph: &'a Graph<'a>) -> Self {
        Self { graph, delete: vec![false; graph.nodes.len()], reset: vec![false; graph.nodes.len()] }
    }

    /// Removes a node with all below it, and lets run again what encloses it.
    fn begin_anew(&mut self, start: usize) -> Result<(), RetryError> {
        self.graph.mark_below(start, &mut self.delete);
        if self.is_root(start)? {
            return Ok(());
        }
        let mut current = Some(start);
        while let Some(number) = current {
            let node = self.graph.nodes[number];
            match node.node_type {
                NodeType::DAG | NodeType::TaskGroup | NodeType::StepGroup | NodeType::Steps => {
                    self.reset[number] = true;
                    current = self.reset_boundaries(number)?;
                    continue;
                }
                NodeType::Retry if is_failed(node) => self.reset[number] = true,
                NodeType::Container => {
                    let pod = self.reset_until(number, &|node| node.node_type == NodeType::Pod)?;
                    self.graph.mark_below(pod, &mut self.delete);
                    current = Some(pod);
                    continue;
                }
                NodeType::Retry
                | NodeType::Pod
                | NodeType::Skipped
                | NodeType::Suspend
                | NodeType::HTTP
                | NodeType::Plugin => {}
            }
            current = self.graph.parent[number];
        }
        Ok(())
    }

    /// True for the root; an error for a node whose parents do not lead there.
    fn is_root(&self, start: usize) -> Result<bool, RetryError> {
        let mut number = start;
        for _ in 0..self.graph.nodes.len() {
            match self.graph.parent[number] {
                Some(parent) => number = parent,
                None => return Ok(number == start),
            }
        }
        Err(RetryError::Path)
    }

    /// Resets all boundaries above a group, and the groups and retries around them. Returns where to go on.
    fn reset_boundaries(&mut self, start: usize) -> Result<Option<usize>, RetryError> {
        let mut number = start;
        loop {
            if let Some(parent) = self.parent_of_type(number, &[NodeType::Retry]) {
                self.reset[parent] = true;
                number = parent;
            }
            if let Some(parent) = self.parent_of_type(number, &[NodeType::StepGroup, NodeType::TaskGroup]) {
                self.reset[parent] = true;
            }
            let node = self.graph.nodes[number];
            if node.boundary_id.is_empty() {
                return Ok(self.graph.parent[number]);
            }
            if node.boundary_id == node.id {
                return Err(RetryError::Boundary);
            }
            number = self.reset_until(number, &|above| above.id == node.boundary_id)?;
        }
    }

    fn parent_of_type(&self, number: usize, types: &[NodeType]) -> Option<usize> {
        self.graph.parent[number].filter(|parent| types.contains(&self.graph.nodes[*parent].node_type))
    }

    /// Resets the first node at or above one that fits.
    fn reset_until(&mut self, start: usize, fits: &dyn Fn(&NodeStatus) -> bool) -> Result<usize, RetryError> {
        let mut current = Some(start);
        while let Some(number) = current {
            if fits(self.graph.nodes[number]) {
                self.reset[number] = true;
                return Ok(number);
            }
            current = self.graph.parent[number];
        }
        Err(RetryError::Boundary)
    }

    /// Removes what is inside groups that run again, so that other parameters may give other items.
    fn empty_groups(&mut self) {
        for number in 0..self.graph.nodes.len() {
            let node_type = self.graph.nodes[number].node_type;
            let is_group = matches!(node_type, NodeType::TaskGroup | NodeType::StepGroup);
            if is_group && self.reset[number] && !self.delete[number] {
                for child in &self.graph.children[number] {
                    self.graph.mark_below(*child, &mut self.delete);
                }
            }
        }
    }

    /// Removes the hooks of nodes that run again.
    fn remove_hooks(&mut self) {
        for number in 0..self.graph.nodes.len() {
            if !self.reset[number] || self.delete[number] {
                continue;
            }
            for child in &self.graph.children[number] {
                if self.graph.nodes[*child].is_hooked() {
                    self.graph.mark_below(*child, &mut self.delete);
                }
            }
        }
    }

    /// The nodes that stay, as they are to be.
    fn apply(&self, exit_hook: &str, now: Timestamp) -> BTreeMap<NodeId, NodeStatus> {
        let stays = |id: &NodeId| self.graph.number(id).is_none_or(|number| !self.delete[number]);
        let mut nodes = BTreeMap::new();
        for (number, node) in self.graph.nodes.iter().enumerate() {
            let is_exit_hook = node.name.as_str().starts_with(exit_hook);
            if self.delete[number] || is_exit_hook && !self.reset[number] {
                continue;
            }
            let mut node = NodeStatus::clone(node);
            if self.reset[number] {
                reset(&mut node, now);
            }
            node.children.retain(stays);
            node.outbound_nodes.retain(stays);
            nodes.insert(self.graph.ids[number].clone(), node);
        }
        nodes
    }
}

/// A skipped node stays skipped: it would never end.
fn reset(node: &mut NodeStatus, now: Timestamp) {
    if node.phase != NodePhase::Skipped {
        node.phase = NodePhase::Running;
    }
    node.message.clear();
    node.started_at = Some(now);
    node.finished_at = None;
}

/// Pods of removed leaves, and of everything below the workflow's own exit hook.
fn old_pods(workflow: &Workflow, marks: &Marks) -> Vec<OldPod> {
    let graph = marks.graph;
    let mut pods = Pods::of(workflow);
    for (number, node) in graph.nodes.iter().enumerate() {
        if marks.delete[number] && node.node_type == NodeType::Pod {
            pods.add(node);
        }
    }
    let exit_hook = format!("{}.onExit", workflow.metadata.name);
    let start = graph.nodes.iter().position(|node| node.name.as_str() == exit_hook);
    let mut queue = VecDeque::from_iter(start);
    let mut seen = vec![false; graph.nodes.len()];
    while let Some(number) = queue.pop_front() {
        if !std::mem::replace(&mut seen[number], true) {
            pods.add(graph.nodes[number]);
            queue.extend(&graph.children[number]);
        }
    }
    pods.into_list()
}

#[cfg(test)]
#[path = "tests/retry_corpus.rs"]
mod corpus;
#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
