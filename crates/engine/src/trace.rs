//! What happened, as begin and end of nodes with the precision they are known to.
//!
//! In: a plan and the object of a workflow, saved or live. Out: spans in bracket order. It must
//! never judge: what is odd in the object stays odd here.

mod gather;
pub(crate) mod known;
mod log;
mod merge;
pub(crate) mod object;
mod place;
mod shutdown;
pub(crate) mod tree;
mod witness;

use serde::{Deserialize, Serialize};
use unwind_model::{
    NodeId, NodeName, NodePhase, NodeStatus, NodeType, Shutdown, Timestamp, Workflow, WorkflowPhase, ordered,
};

use crate::plan::{Plan, Role};

pub use gather::{Gathered, Piece, gather};
pub use object::{HeldLock, OpenValue};
pub(crate) use shutdown::{Words, shutdown_words};
pub use witness::{Bound, Contradiction, Fine, Said, Source, What, Witnesses};

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
    /// What the object says besides its nodes and their times.
    #[serde(default)]
    pub facts: Facts,
    /// What it is known from, the object aside.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
}

/// What the object of a workflow says besides its nodes and their times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Facts {
    /// True while the whole workflow is suspended (`spec.suspend`).
    pub suspended: bool,
    /// True when the nodes are packed or were moved to a database, so that none is here.
    pub nodes_elsewhere: bool,
    /// True when the workflow went on past its `activeDeadlineSeconds`, which ends main work and named hooks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub past_deadline: bool,
    /// Nodes that are nobody's child although they should be, in bracket order. The root and the
    /// workflow's own handler are never linked (Argo `workflow/controller/operator.go`).
    pub unlinked: Vec<NodeName>,
    /// Locks that are held by nodes that have ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_locks: Vec<HeldLock>,
    /// Values of nodes that still hold a placeholder.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_values: Vec<OpenValue>,
    /// Where witnesses do not agree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
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
    /// The node that encloses it: a DAG, Steps or group of steps, for an item its group, for a
    /// try its Retry, for one container of a set its Pod.
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
    /// What witnesses beside the object tell of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fine: Option<Box<Fine>>,
}

impl Trace {
    /// From the object of a workflow, saved or live. Whole seconds, unless any time in it has
    /// milliseconds.
    pub fn from_workflow(plan: &Plan, workflow: &Workflow) -> Self {
        let status = &workflow.status;
        let spans = spans_of(plan, workflow);
        let tree = tree::Tree::build(&spans);
        let facts = Facts {
            suspended: workflow.spec.suspend == Some(true),
            nodes_elsewhere: status.nodes.is_empty()
                && !(status.compressed_nodes.is_empty() && status.offload_node_status_version.is_empty()),
            past_deadline: is_past_deadline(workflow, &spans),
            unlinked: unlinked(workflow, &spans),
            held_locks: object::held_locks(workflow),
            open_values: object::open_values(workflow),
            contradictions: Vec::new(),
        };
        Self {
            workflow: NodeName::from(root_name(workflow)),
            resolution: resolution(workflow),
            shutdown: shutdown::seen(workflow, &spans, &tree),
            begun: status.started_at,
            over: status.finished_at.filter(|_| status.phase.is_final()),
            phase: status.phase,
            facts,
            spans,
            sources: Vec::new(),
        }
    }

    /// The same with the instant at which the shutdown was asked, where that is known (a live
    /// stream, our own engine). Changes nothing when no shutdown was seen.
    #[must_use]
    pub fn with_shutdown_at(mut self, at: Timestamp) -> Self {
        if let Some(seen) = &mut self.shutdown {
            seen.at = Some(at);
            seen.estimated = false;
        }
        self
    }

    /// True when the workflow is over and nothing in it will move any more.
    pub fn is_over(&self) -> bool {
        self.phase.is_final()
    }
}

/// The workflow's name, or what is known of it.
fn root_name(workflow: &Workflow) -> &str {
    let metadata = &workflow.metadata;
    if metadata.name.is_empty() { &metadata.generate_name } else { &metadata.name }
}

/// Spans of all nodes in bracket order.
pub(crate) fn spans_of(plan: &Plan, workflow: &Workflow) -> Vec<Span> {
    let nodes = place::Nodes::new(root_name(workflow), workflow.status.nodes.values());
    let spans: Vec<Span> = nodes.iter().map(|node| span_of(&nodes, node)).collect();
    let tree = tree::Tree::build(&spans);
    let known = known::match_all(plan, &spans, &tree);
    let order = tree.bracket_order(&spans, &known);
    let mut left: Vec<Option<Span>> = spans.into_iter().map(Some).collect();
    order.into_iter().filter_map(|index| left[index].take()).collect()
}

fn span_of(nodes: &place::Nodes<'_>, node: &NodeStatus) -> Span {
    let place = nodes.place(node);
    Span {
        id: node.id.clone(),
        node: node.name.clone(),
        display_name: node.display_name.clone(),
        node_type: node.node_type,
        role: place.role,
        boundary: place.boundary.map(NodeName::from),
        owner: place.owner.map(NodeName::from),
        begun: node.started_at,
        ended: node.finished_at.filter(|_| node.phase.is_final()),
        phase: node.phase,
        message: node.message.clone(),
        fine: None,
    }
}

fn resolution(workflow: &Workflow) -> Resolution {
    let status = &workflow.status;
    let has_millis = |time: Option<Timestamp>| time.is_some_and(|t| t.whole_seconds() != t);
    let of_nodes =
        status.nodes.values().any(|node| has_millis(node.started_at) || has_millis(node.finished_at));
    if of_nodes || has_millis(status.started_at) || has_millis(status.finished_at) {
        Resolution::Milliseconds
    } else {
        Resolution::WholeSeconds
    }
}

/// Whether anything happened after the workflow's time was up.
/// Source: Argo `workflow/controller/operator.go`, `getWorkflowDeadline`.
fn is_past_deadline(workflow: &Workflow, spans: &[Span]) -> bool {
    let (Some(seconds), Some(begun)) = (workflow.spec.active_deadline_seconds, workflow.status.started_at)
    else {
        return false;
    };
    let deadline = begun + seconds.saturating_mul(1000);
    let over = workflow.status.finished_at;
    spans.iter().flat_map(|span| [span.begun, span.ended]).chain([over]).flatten().any(|at| at >= deadline)
}

/// Nodes that are nobody's child, root and handler aside. Objects without any link say nothing.
fn unlinked(workflow: &Workflow, spans: &[Span]) -> Vec<NodeName> {
    let children = ordered::set(workflow.status.nodes.values().flat_map(|node| &node.children));
    if children.is_empty() {
        return Vec::new();
    }
    let ids = ordered::map(workflow.status.nodes.iter().map(|(key, node)| (&node.name, key)));
    spans
        .iter()
        .filter(|span| match span.role {
            Role::Root | Role::Handler => false,
            Role::Work | Role::ExitHook | Role::NamedHook => true,
        })
        .filter(|span| ids.get(&span.node).is_some_and(|id| !children.contains(id)))
        .map(|span| span.node.clone())
        .collect()
}
