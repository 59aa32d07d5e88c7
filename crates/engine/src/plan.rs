//! A workflow lowered to what the interpreter walks: templates, tasks, dependencies, hooks.

use unwind_model::{NodeName, NodeType, Workflow};

use crate::diagnostic::Diagnostic;

/// The lowered spec.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {}

/// Lowers a workflow. Never fails: what cannot be lowered is an opaque node and a diagnostic.
pub fn lower(_workflow: &Workflow) -> (Plan, Vec<Diagnostic>) {
    unimplemented!()
}

impl Plan {
    /// All nodes that can be foreseen without running, owners before what they hold, in document
    /// order. Recursion and loops over unknown lists end in one node that stands for them.
    pub fn outline(&self) -> Vec<PlannedNode> {
        unimplemented!()
    }
}

/// What a node is to the one it belongs to.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Role {
    /// The workflow's root.
    Root,
    /// A task, step, item, group: part of the main work of its boundary.
    Work,
    /// The exit hook of its owner.
    ExitHook,
    /// Another lifecycle hook of its owner.
    NamedHook,
    /// The workflow's own exit hook.
    Handler,
}

/// One node that the plan foresees.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedNode {
    /// Full name the node will have.
    pub name: NodeName,
    /// Name without its boundary's.
    pub display_name: String,
    /// What it will be (`Pod` for any leaf that runs a program).
    pub node_type: NodeType,
    /// Template it runs; empty for step groups.
    pub template: String,
    /// What it is to the one it belongs to.
    pub role: Role,
    /// The DAG, Steps or StepGroup that encloses it (`None` for the root and the handler). A hook
    /// is enclosed by what encloses its owner.
    pub boundary: Option<NodeName>,
    /// The node whose hook it is (for the handler: the root).
    pub owner: Option<NodeName>,
    /// Siblings it waits for, by full name.
    pub depends_on: Vec<NodeName>,
    /// Condition of a named hook, or `when`.
    pub condition: Option<String>,
    /// Path of its task, step or hook in the document, for positions.
    pub path: String,
}
