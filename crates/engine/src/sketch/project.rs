//! Table to status: the objects of Argo's API, with milliseconds.
//! Source: `argo-semantics` 1; Argo `workflow_types.go`, `NodeStatus`.
//!
//! One difference: `progress` of a box counts the leaves inside it and in its hook. Argo counts
//! everything reachable through `children`, which includes what comes after a box.

use unwind_model::params::{Inputs, Parameter};
use unwind_model::{NodeId, NodeStatus, NodeType, WorkflowPhase, WorkflowStatus, ordered};

use crate::sketch::run::Run;
use crate::sketch::table::{Leaves, NodeIndex};

/// The status of the workflow and all its nodes.
pub(crate) fn status(run: &Run) -> WorkflowStatus {
    let mut status = workflow_status(run);
    status.nodes =
        ordered::map(run.table.iter().map(|(index, node)| (node.id.clone(), node_status(run, index))));
    status
}

/// The status without its nodes.
pub(crate) fn workflow_status(run: &Run) -> WorkflowStatus {
    let workflow = &run.workflow;
    let progress = match workflow.phase {
        WorkflowPhase::Unset => String::new(),
        WorkflowPhase::Pending
        | WorkflowPhase::Running
        | WorkflowPhase::Succeeded
        | WorkflowPhase::Failed
        | WorkflowPhase::Error => format!("{}/{}", workflow.leaves.done, workflow.leaves.all),
    };
    WorkflowStatus {
        phase: workflow.phase,
        started_at: workflow.started_at,
        finished_at: workflow.finished_at,
        message: workflow.message.clone(),
        progress,
        ..WorkflowStatus::default()
    }
}

/// One node.
pub(crate) fn node_status(run: &Run, index: NodeIndex) -> NodeStatus {
    let node = run.table.get(index);
    let ids = |nodes: &[NodeIndex]| -> Vec<NodeId> {
        nodes.iter().map(|node| run.table.get(*node).id.clone()).collect()
    };
    let has_template = node.kind != NodeType::StepGroup;
    NodeStatus {
        id: node.id.clone(),
        name: node.name.clone(),
        display_name: node.display_name.clone(),
        node_type: node.kind,
        template_name: if has_template { node.template_name.clone() } else { String::new() },
        template_scope: format!("local/{}", run.name()),
        phase: node.phase,
        boundary_id: node.boundary.map_or_else(NodeId::default, |outer| run.table.get(outer).id.clone()),
        message: node.message.clone(),
        started_at: node.started_at,
        finished_at: node.finished_at,
        progress: progress(node.leaves),
        node_flag: node.flag,
        inputs: inputs(&node.inputs),
        outputs: node.outputs.clone(),
        children: ids(&node.children),
        outbound_nodes: ids(&node.outbound),
        ..NodeStatus::default()
    }
}

fn progress(leaves: Leaves) -> String {
    if leaves.all == 0 {
        return String::new();
    }
    format!("{}/{}", leaves.done, leaves.all)
}

fn inputs(inputs: &crate::sketch::table::Inputs) -> Inputs {
    let parameters = inputs
        .iter()
        .map(|(name, value)| Parameter { name: name.clone(), value: value.clone(), ..Parameter::default() })
        .collect();
    Inputs { parameters, ..Inputs::default() }
}
