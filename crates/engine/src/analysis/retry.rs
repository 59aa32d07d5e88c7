//! What a manual retry would run again.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodeStatus, Timestamp, Workflow};

use crate::again::{RetryError, RetryOptions, retry};

/// A retry, told beforehand. Names are sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryPreview {
    /// Nodes that are made anew when their turn comes.
    pub again: Vec<NodeName>,
    /// Boxes that are opened again.
    pub opened: Vec<NodeName>,
    /// Hooks among them.
    pub hooks: Vec<NodeName>,
    /// Exit hooks that have run and do not run again, although what they belong to does.
    pub kept_hooks: Vec<NodeName>,
}

/// What `argo retry` does to a workflow that has ended, with no options.
pub fn retry_preview(workflow: &Workflow) -> Result<RetryPreview, RetryError> {
    let now = workflow.status.finished_at.unwrap_or(Timestamp(0));
    let after = retry(workflow, &RetryOptions::default(), now)?.workflow;
    let mut preview =
        RetryPreview { again: Vec::new(), opened: Vec::new(), hooks: Vec::new(), kept_hooks: Vec::new() };
    for (id, node) in &workflow.status.nodes {
        match after.status.nodes.get(id) {
            None if is_hook(node) => preview.hooks.push(node.name.clone()),
            None => preview.again.push(node.name.clone()),
            Some(kept) if kept.phase != node.phase => preview.opened.push(node.name.clone()),
            Some(_) => {}
        }
    }
    let runs = |owner: &str| preview.again.iter().chain(&preview.opened).any(|node| node.as_str() == owner);
    let kept = workflow.status.nodes.iter().filter(|(id, node)| {
        let owner = node.name.as_str().strip_suffix(".onExit");
        after.status.nodes.contains_key(*id) && owner.is_some_and(runs)
    });
    preview.kept_hooks = kept.map(|(_, node)| node.name.clone()).collect();
    for names in [&mut preview.again, &mut preview.opened, &mut preview.hooks, &mut preview.kept_hooks] {
        names.sort_unstable();
    }
    Ok(preview)
}

fn is_hook(node: &NodeStatus) -> bool {
    let name = node.name.as_str();
    node.node_flag.as_ref().is_some_and(|flag| flag.hooked) || name.ends_with(".onExit")
}
