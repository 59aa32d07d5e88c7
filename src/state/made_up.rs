//! What a rehearsal in this page makes up: how long its leaves take and how they end.

use std::collections::BTreeMap;

use unwind_engine::Plan;
use unwind_engine::event::LeafEnd;
use unwind_engine::plan::Role;
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
    // The hooks around the present node: what lies inside a node comes right after it.
    let mut hooks: Vec<&NodeName> = Vec::new();
    let mut leaves = Vec::new();
    for node in &outline {
        while hooks.last().is_some_and(|hook| !node.name.lies_inside(hook)) {
            hooks.pop();
        }
        if is_hook(node.role) {
            hooks.push(&node.name);
        }
        if node.node_type == NodeType::Pod {
            let duration_ms = if hooks.is_empty() { WORK_MS } else { HOOK_MS };
            leaves.push((node.name.clone(), LeafPlan { duration_ms, exit_code: 0 }));
        }
    }
    ordered::map(leaves)
}

fn is_hook(role: Role) -> bool {
    match role {
        Role::ExitHook | Role::NamedHook | Role::Handler => true,
        Role::Root | Role::Work => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unwind_model::document::parse_workflow;

    #[test]
    fn leaves_of_hooks_are_short_and_what_follows_them_is_not() {
        let text = "
metadata: {name: wf}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: leaf, hooks: {exit: {template: tidy}}}
      - {name: b, template: leaf}
  - name: tidy
    dag:
      tasks:
      - {name: x, template: leaf, hooks: {exit: {template: leaf}}}
      - {name: y, template: leaf}
  - {name: leaf, container: {image: i, command: [c]}}
";
        let (workflow, _) = parse_workflow(text.as_bytes()).expect("a workflow");
        let leaves = default_leaves(&unwind_engine::lower(&workflow).0);
        let long: Vec<&str> = leaves
            .iter()
            .filter(|(_, leaf)| leaf.duration_ms == WORK_MS)
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(long, ["wf.a", "wf.b"]);
        assert_eq!(leaves.len(), 5);
    }
}
