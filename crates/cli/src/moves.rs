//! What moved since the last look, as lines.

use std::collections::BTreeMap;

use unwind_model::{NodeId, NodePhase, NodeStatus, Timestamp, Workflow, WorkflowPhase};

/// What has been printed of one workflow.
#[derive(Default)]
pub struct Moves {
    nodes: BTreeMap<NodeId, NodePhase>,
    phase: WorkflowPhase,
}

impl Moves {
    /// One line for each node that is new or in another phase, by the time it moved, then one for
    /// the workflow.
    pub fn lines(&mut self, workflow: &Workflow) -> Vec<String> {
        let status = &workflow.status;
        let begin = status.started_at.or(workflow.metadata.creation_timestamp).unwrap_or_default();
        let is_new = |node: &&NodeStatus| self.nodes.get(&node.id) != Some(&node.phase);
        let mut moved: Vec<(Timestamp, &NodeStatus)> =
            status.nodes.values().filter(is_new).map(|node| (moved_at(node, begin), node)).collect();
        moved.sort_by_key(|(at, node)| (*at, node.name.as_str()));
        let mut lines = Vec::new();
        for (at, node) in moved {
            self.nodes.insert(node.id.clone(), node.phase);
            lines.push(line(at - begin, node.phase.as_str(), node.name.as_str(), &node.message));
        }
        if status.phase != self.phase {
            self.phase = status.phase;
            let at = status.finished_at.unwrap_or(begin);
            let word = if status.phase.is_final() { "workflow" } else { "workflow begun" };
            if status.phase.is_final() || status.phase == WorkflowPhase::Running {
                lines.push(line(at - begin, status.phase.as_str(), word, &status.message));
            }
        }
        lines
    }
}

fn moved_at(node: &NodeStatus, begin: Timestamp) -> Timestamp {
    node.finished_at.or(node.started_at).unwrap_or(begin)
}

fn line(ms: i64, phase: &str, name: &str, message: &str) -> String {
    let seconds = format!("{}.{:03}", ms / 1000, ms.rem_euclid(1000));
    let tail = if message.is_empty() { String::new() } else { format!("  {message}") };
    format!("{seconds:>9}  {phase:<9}  {name}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, phase: NodePhase, started_ms: i64, finished_ms: Option<i64>) -> NodeStatus {
        NodeStatus {
            id: name.into(),
            name: name.into(),
            phase,
            started_at: Some(Timestamp(started_ms)),
            finished_at: finished_ms.map(Timestamp),
            ..NodeStatus::default()
        }
    }

    fn workflow(phase: WorkflowPhase, nodes: Vec<NodeStatus>) -> Workflow {
        let mut workflow = Workflow::default();
        workflow.status.phase = phase;
        workflow.status.started_at = Some(Timestamp(1000));
        workflow.status.nodes = nodes.into_iter().map(|node| (node.id.clone(), node)).collect();
        workflow
    }

    #[test]
    fn each_move_is_told_once_in_the_order_of_time() {
        let mut moves = Moves::default();
        let begun = workflow(
            WorkflowPhase::Running,
            vec![
                node("wf.b", NodePhase::Running, 1200, None),
                node("wf.a", NodePhase::Succeeded, 1000, Some(1150)),
            ],
        );
        let expected = [
            "    0.150  Succeeded  wf.a",
            "    0.200  Running    wf.b",
            "    0.000  Running    workflow begun",
        ];
        assert_eq!(moves.lines(&begun), expected);
        assert_eq!(moves.lines(&begun), Vec::<String>::new());

        let mut over = begun.clone();
        over.status.phase = WorkflowPhase::Failed;
        over.status.finished_at = Some(Timestamp(3000));
        over.status.message = "Stopped with strategy 'Stop'".to_owned();
        let expected = ["    2.000  Failed     workflow  Stopped with strategy 'Stop'"];
        assert_eq!(moves.lines(&over), expected);
    }
}
