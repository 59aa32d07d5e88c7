//! What the object of a workflow says besides its nodes and their times: locks and open placeholders.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodePhase, NodeStatus, Workflow, ordered};

use crate::locks::LockStatus;

/// A lock whose holder has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldLock {
    /// Name of the lock, as the status has it.
    pub lock: String,
    /// The node that is named as its holder.
    pub holder: NodeName,
    /// A node of this workflow that waits for it.
    pub waiting: Option<NodeName>,
}

/// A value that still holds a placeholder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenValue {
    /// The node.
    pub node: NodeName,
    /// Which of its fields, for example `inputs.parameters.size`.
    pub field: String,
    /// The placeholder as written.
    pub placeholder: String,
}

/// What stands in a placeholder. Source: Argo docs `variables.md`.
const NAMES: [&str; 10] = [
    "item",
    "inputs.",
    "outputs.",
    "steps.",
    "tasks.",
    "workflow.",
    "node.",
    "pod.",
    "retries",
    "lastRetry.",
];

/// Locks that are held by nodes of this workflow that have ended.
/// Source: Argo `workflow_types.go`, `SynchronizationStatus`.
pub(super) fn held_locks(workflow: &Workflow) -> Vec<HeldLock> {
    let Some(status) = workflow.status.other.get("synchronization") else { return Vec::new() };
    let Ok(status) = serde_json::from_value::<LockStatus>(status.clone()) else { return Vec::new() };
    let ids = ordered::map(workflow.status.nodes.values().map(|node| (node.id.as_str(), node)));
    let node = |holder: &str| {
        let id = holder.rsplit('/').next().unwrap_or(holder);
        ids.get(id).copied()
    };
    let mut held = Vec::new();
    let mut keep = |lock: &str, holder: &str, waiting: &mut dyn Iterator<Item = &str>| {
        let Some(holder) = node(holder).filter(|node| has_ended(node)) else { return };
        let waiting = waiting.filter_map(node).find(|node| !node.phase.is_final());
        held.push(HeldLock {
            lock: lock.to_owned(),
            holder: holder.name.clone(),
            waiting: waiting.map(|node| node.name.clone()),
        });
    };
    if let Some(mutex) = &status.mutex {
        for one in &mutex.holding {
            let waiting = mutex.waiting.iter().filter(|other| other.mutex == one.mutex);
            keep(&one.mutex, &one.holder, &mut waiting.map(|other| other.holder.as_str()));
        }
    }
    if let Some(semaphore) = &status.semaphore {
        for one in &semaphore.holding {
            for holder in &one.holders {
                let waiting = semaphore.waiting.iter().filter(|other| other.semaphore == one.semaphore);
                let mut waiting = waiting.flat_map(|other| &other.holders).map(String::as_str);
                keep(&one.semaphore, holder, &mut waiting);
            }
        }
    }
    held
}

/// In a final phase, and its task result is not open.
fn has_ended(node: &NodeStatus) -> bool {
    node.phase.is_final() && node.task_result_synced != Some(false)
}

/// Parameters and shown names of nodes that began in which a placeholder stands.
pub(super) fn open_values(workflow: &Workflow) -> Vec<OpenValue> {
    let mut open = Vec::new();
    for node in workflow.status.nodes.values() {
        match node.phase {
            NodePhase::Running | NodePhase::Succeeded | NodePhase::Failed | NodePhase::Error => {}
            NodePhase::Pending | NodePhase::Skipped | NodePhase::Omitted => continue,
        }
        let shown = ("displayName".to_owned(), node.display_name.as_str());
        let parameters = node.inputs.parameters.iter().filter_map(|parameter| {
            Some((format!("inputs.parameters.{}", parameter.name), parameter.value.as_deref()?))
        });
        for (field, value) in std::iter::once(shown).chain(parameters) {
            if let Some(placeholder) = placeholder(value) {
                open.push(OpenValue { node: node.name.clone(), field, placeholder: placeholder.to_owned() });
            }
        }
    }
    open
}

/// The first placeholder in a text.
fn placeholder(text: &str) -> Option<&str> {
    let mut from = 0;
    while let Some(begin) = text[from..].find("{{").map(|begin| from + begin) {
        let end = begin + text[begin..].find("}}")?;
        let inside = text[begin + 2..end].trim();
        if NAMES.iter().any(|name| inside.starts_with(name)) {
            return Some(&text[begin..end + 2]);
        }
        from = begin + 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::placeholder;

    #[test]
    fn a_placeholder_is_what_argo_fills_in() {
        let check = |text: &str, expected: Option<&str>| assert_eq!(placeholder(text), expected, "{text}");
        check("a {{ tasks.a.outputs.result }} b", Some("{{ tasks.a.outputs.result }}"));
        check("{{.Values.x}} {{item}}", Some("{{item}}"));
        check("{{.Values.x}}", None);
        check("{{item", None);
    }
}
