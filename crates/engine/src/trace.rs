//! What happened, as begin and end of nodes with the precision they are known to.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeId, NodeName, NodePhase, NodeType, Shutdown, Timestamp, Workflow, WorkflowPhase};

use crate::plan::{Plan, Role};

/// How fine the times are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resolution {
    /// Milliseconds of our own engine or of a controller log.
    Milliseconds,
    /// Whole seconds of a saved status: two instants within one second have no order.
    WholeSeconds,
}

/// What happened in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// The workflow's name.
    pub workflow: NodeName,
    /// How fine the times are.
    pub resolution: Resolution,
    /// Nodes in bracket order: owner, what is inside it, its hooks, exit hook last. Nodes that had
    /// to exist and do not are not here but in the judgement.
    pub spans: Vec<Span>,
    /// The shutdown, when one was asked.
    pub shutdown: Option<ShutdownSeen>,
    /// When the workflow began.
    pub begun: Option<Timestamp>,
    /// When the workflow was over.
    pub over: Option<Timestamp>,
    /// Phase of the workflow.
    pub phase: WorkflowPhase,
}

/// A shutdown in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShutdownSeen {
    /// Stop or Terminate.
    pub strategy: Shutdown,
    /// When; `None` when nothing tells.
    pub at: Option<Timestamp>,
    /// True when `at` was worked out from the first node that the shutdown failed.
    pub estimated: bool,
}

/// One node in a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// Id of the node.
    pub id: NodeId,
    /// Full name.
    pub node: NodeName,
    /// Name without its boundary's.
    pub display_name: String,
    /// What it is.
    pub node_type: NodeType,
    /// What it is to the one it belongs to.
    pub role: Role,
    /// The node that encloses it.
    pub boundary: Option<NodeName>,
    /// The node whose hook it is.
    pub owner: Option<NodeName>,
    /// When it was created.
    pub begun: Option<Timestamp>,
    /// When it ended; `None` when it has not, or when that is not known although its phase is final.
    pub ended: Option<Timestamp>,
    /// Its phase.
    pub phase: NodePhase,
    /// Its message.
    pub message: String,
}

impl Trace {
    /// From the object of a workflow, saved or live. Whole seconds, unless any time in it has
    /// milliseconds.
    pub fn from_workflow(_plan: &Plan, _workflow: &Workflow) -> Self {
        unimplemented!()
    }
}
