//! Changes of a workflow as sent over the wire, and how they are made and applied.
//!
//! In: two states of a workflow, or a state and a delta. Out: a delta, or the new state.
//! Applying `diff(old, new)` to `old` gives `new`. Times keep their milliseconds here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ids::NodeId;
use crate::workflow::Workflow;

/// What happened to one workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowDelta {
    /// Namespace of the workflow.
    pub namespace: String,
    /// Name of the workflow.
    pub name: String,
    /// Unique id, so that a new workflow of the same name is told apart.
    pub uid: String,
    /// Version of the state that this delta leads to.
    pub resource_version: String,
    /// The change itself.
    pub change: DeltaChange,
}

/// The change itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum DeltaChange {
    /// The whole object: first sight, or a new start after a gap.
    Whole {
        /// The object with all its nodes.
        workflow: Box<Workflow>,
    },
    /// Some fields and nodes moved.
    Changed {
        /// Merge patch (RFC 7396) over the object without `status.nodes`.
        fields: Map<String, Value>,
        /// Nodes that are new, moved or gone.
        nodes: Vec<NodeDelta>,
    },
    /// The object is gone.
    Deleted,
}

/// The change of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeDelta {
    /// Which node.
    pub id: NodeId,
    /// Merge patch (RFC 7396) over the node; `None`: the node is gone.
    pub fields: Option<Map<String, Value>>,
}
