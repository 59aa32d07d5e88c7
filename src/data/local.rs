//! What a rehearsal in this page makes up: how long its leaves take and how they end.

use std::collections::BTreeMap;

use unwind_engine::Plan;
use unwind_engine::event::LeafEnd;
use unwind_engine::plan::{PlannedNode, Role};
use unwind_engine::rehearse::{Rehearsal, RehearsedLeaf};
use unwind_model::{NodeName, NodeType, Timestamp, ordered};

/// How long a leaf of the main work takes unless told, in ms.
pub const WORK_MS: i64 = 60_000;
/// How long a leaf of a hook takes unless told, in ms.
pub const HOOK_MS: i64 = 12_000;
/// How long a leaf takes to end once it is told to, in ms.
pub const GRACE_MS: i64 = 2_000;

/// How one leaf is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafPlan {
    /// Duration in ms.
    pub duration_ms: i64,
    /// Exit code.
    pub exit_code: i32,
}

/// What is made up in a rehearsal that begins at `begin`, with leaves that go as told, by full name.
pub fn rehearsal(begin: Timestamp, leaves: &BTreeMap<NodeName, LeafPlan>) -> Rehearsal {
    let leaves = leaves.iter().map(|(name, leaf)| {
        let end = LeafEnd::Exited { code: leaf.exit_code, outputs: None };
        (name.clone(), RehearsedLeaf { duration_ms: leaf.duration_ms, end })
    });
    Rehearsal { begin, leaf_ms: HOOK_MS, grace_ms: GRACE_MS, leaves: ordered::map(leaves) }
}

/// The leaves that a plan foresees, with the durations they get unless told: hooks are short.
pub fn default_leaves(plan: &Plan) -> BTreeMap<NodeName, LeafPlan> {
    let outline = plan.outline();
    let hooks: Vec<&PlannedNode> = outline.iter().filter(|node| is_hook(node.role)).collect();
    let leaves = outline.iter().filter(|node| node.node_type == NodeType::Pod);
    ordered::map(leaves.map(|node| {
        let is_in_hook = hooks.iter().any(|hook| is_at_or_below(&node.name, &hook.name));
        let duration_ms = if is_in_hook { HOOK_MS } else { WORK_MS };
        (node.name.clone(), LeafPlan { duration_ms, exit_code: 0 })
    }))
}

fn is_hook(role: Role) -> bool {
    match role {
        Role::ExitHook | Role::NamedHook | Role::Handler => true,
        Role::Root | Role::Work => false,
    }
}

/// Names of what lies inside a node begin with its name.
fn is_at_or_below(name: &NodeName, outer: &NodeName) -> bool {
    name.as_str()
        .strip_prefix(outer.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '(']))
}
