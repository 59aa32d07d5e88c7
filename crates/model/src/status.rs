//! Status of a workflow and of its nodes.
//! Source: Argo `workflow_types.go`, `WorkflowStatus`, `NodeStatus`, `NodePhase`, `NodeType`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{NodeId, NodeName};
use crate::params::{Inputs, Outputs};
use crate::time::Timestamp;
use crate::wire::{Other, is_default, null_default};

/// A node's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodePhase {
    /// Made, nothing of it runs yet.
    #[default]
    Pending,
    /// Runs, or something inside it does.
    Running,
    /// Ended well.
    Succeeded,
    /// Its condition was false or its list empty.
    Skipped,
    /// Ended by its own fault or by a stop.
    Failed,
    /// Could not be run.
    Error,
    /// What it depends on did not hold.
    Omitted,
}

impl NodePhase {
    /// Argo's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Skipped => "Skipped",
            Self::Failed => "Failed",
            Self::Error => "Error",
            Self::Omitted => "Omitted",
        }
    }

    /// True for a phase that is meant to be the last one.
    pub fn is_final(self) -> bool {
        match self {
            Self::Pending | Self::Running => false,
            Self::Succeeded | Self::Skipped | Self::Failed | Self::Error | Self::Omitted => true,
        }
    }

    /// True when the node began and ended (`NodeStatus.Completed` in Argo, without the result bit).
    pub fn is_completed(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Error)
    }
}

/// A workflow's state. `Unset` before a controller has seen it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WorkflowPhase {
    /// Not seen yet.
    #[default]
    #[serde(rename = "")]
    Unset,
    /// Waits for a lock or a place.
    Pending,
    /// Under way.
    Running,
    /// Ended well.
    Succeeded,
    /// Ended by a failure or a shutdown.
    Failed,
    /// Could not be run.
    Error,
}

impl WorkflowPhase {
    /// Argo's word; empty for `Unset`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unset => "",
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Error => "Error",
        }
    }

    /// True when the workflow is over.
    pub fn is_final(self) -> bool {
        match self {
            Self::Unset | Self::Pending | Self::Running => false,
            Self::Succeeded | Self::Failed | Self::Error => true,
        }
    }
}

/// What kind of thing a node is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NodeType {
    /// A container or script.
    #[default]
    Pod,
    /// One container of a container set.
    Container,
    /// Steps.
    Steps,
    /// One group of steps.
    StepGroup,
    /// A DAG.
    DAG,
    /// The items of a looped task.
    TaskGroup,
    /// The tries of a retried task.
    Retry,
    /// Never run: skipped, omitted, or in error before it began.
    Skipped,
    /// Waits for a resume.
    Suspend,
    /// An HTTP request.
    HTTP,
    /// A plug-in.
    Plugin,
}

impl NodeType {
    /// Argo's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pod => "Pod",
            Self::Container => "Container",
            Self::Steps => "Steps",
            Self::StepGroup => "StepGroup",
            Self::DAG => "DAG",
            Self::TaskGroup => "TaskGroup",
            Self::Retry => "Retry",
            Self::Skipped => "Skipped",
            Self::Suspend => "Suspend",
            Self::HTTP => "HTTP",
            Self::Plugin => "Plugin",
        }
    }
}

/// Marks on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeFlag {
    /// The top node of a hook.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hooked: bool,
    /// One try of a retried task.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retried: bool,
}

/// One entry of `status.nodes`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeStatus {
    /// Its key.
    #[serde(default, deserialize_with = "null_default")]
    pub id: NodeId,
    /// Its full name.
    #[serde(default, deserialize_with = "null_default")]
    pub name: NodeName,
    /// The name without its boundary's.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub display_name: String,
    /// What it is.
    #[serde(default, deserialize_with = "null_default", rename = "type")]
    pub node_type: NodeType,
    /// Template it runs.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub template_name: String,
    /// Reference it was called by (raw).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_ref: Option<Value>,
    /// Where its template lives, for example `local/<workflow>`.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub template_scope: String,
    /// Its state.
    #[serde(default, deserialize_with = "null_default")]
    pub phase: NodePhase,
    /// The enclosing DAG or Steps node; empty for the root and for workflow-level hooks.
    #[serde(
        default,
        deserialize_with = "null_default",
        rename = "boundaryID",
        skip_serializing_if = "NodeId::is_empty"
    )]
    pub boundary_id: NodeId,
    /// Why it is in its phase.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// When it was created.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default)]
    pub finished_at: Option<Timestamp>,
    /// Done and all leaves below, `n/m`.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub progress: String,
    /// Marks; absent on plain nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_flag: Option<NodeFlag>,
    /// What it was given.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub inputs: Inputs,
    /// What it gave.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub outputs: Outputs,
    /// Nodes that come next or lie inside, in the order of adding.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<NodeId>,
    /// The last nodes inside a DAG or Steps that has ended.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    pub outbound_nodes: Vec<NodeId>,
    /// Where its process ran.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub host_node_name: String,
    /// Whether the executor's report has come in; absent for types that owe none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_result_synced: Option<bool>,
    /// True for a daemon that is ready.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daemoned: Option<bool>,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

impl NodeStatus {
    /// True for the top node of a hook.
    pub fn is_hooked(&self) -> bool {
        self.node_flag.is_some_and(|flag| flag.hooked)
    }
}

/// The status of a workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowStatus {
    /// Its state.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub phase: WorkflowPhase,
    /// When it was first seen.
    #[serde(default)]
    pub started_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default)]
    pub finished_at: Option<Timestamp>,
    /// Why it is in its phase.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Done and all leaves, `n/m`.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub progress: String,
    /// Nodes by id. Kept sorted by id, as Go writes maps.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub nodes: std::collections::BTreeMap<NodeId, NodeStatus>,
    /// Nodes packed by the controller; see `document`.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub compressed_nodes: String,
    /// Nodes moved to a database under this key; they are not in the object.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "String::is_empty")]
    pub offload_node_status_version: String,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}
