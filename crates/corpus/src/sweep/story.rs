//! A course told event by event, for whoever looks for what went wrong.

use std::fmt::Write;

use unwind_engine::operate::{PodAct, Seen};

use super::world::World;

/// A line for each event: what was seen, what was done to pods, which nodes moved.
pub fn story(world: &World) -> Vec<String> {
    let mut lines = Vec::new();
    let mut before = None;
    for (number, entry) in world.journal.iter().enumerate() {
        let mut line =
            format!("{number} at {}: {}", entry.at.millis() / 1000 % 1_000_000, seen(entry.seen.as_ref()));
        for act in &entry.acts {
            let done = match act {
                PodAct::Created(created) => format!(" +{}", created.node),
                PodAct::Killed { node } => format!(" kill {node}"),
                PodAct::Deleted { node } => format!(" delete {node}"),
                PodAct::Released { .. } => String::new(),
                PodAct::CreatedAgent { .. } => " +agent".to_owned(),
                PodAct::DeletedAgent => " -agent".to_owned(),
            };
            line.push_str(&done);
        }
        for (id, node) in &entry.status.nodes {
            let known = before
                .as_ref()
                .and_then(|status: &std::sync::Arc<unwind_model::WorkflowStatus>| status.nodes.get(id));
            if known.is_none_or(|known| known.phase != node.phase || known.message != node.message) {
                let (name, phase) = (&node.name, node.phase.as_str());
                let _ = write!(line, "\n       {:?} {name} {phase} {}", node.node_type, node.message);
            }
        }
        before = Some(std::sync::Arc::clone(&entry.status));
        lines.push(line);
    }
    lines
}

fn seen(seen: Option<&Seen>) -> String {
    match seen {
        None => "time".to_owned(),
        Some(Seen::Pod { node, report }) => format!("{node} {:?} {:?}", report.phase, report.exit),
        Some(Seen::Result { node, .. }) => format!("result of {node}"),
        Some(other) => format!("{other:?}"),
    }
}
