//! What a case expects of a run, held against what came.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use unwind_model::{NodePhase, NodeStatus, NodeType, Workflow};

/// The expectations of a run, as `cases/README.md` lists them.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Expected {
    pub(super) end: Option<End>,
    pub(super) refused_or: Option<End>,
    pub(super) refused_or_asked: bool,
    nodes: BTreeMap<String, String>,
    order: Vec<(String, String)>,
    absent: Vec<String>,
    absent_or_omitted: Vec<String>,
    never_ran: Vec<String>,
    ran: Vec<String>,
    ran_once: Vec<String>,
    output: Vec<Output>,
    max_at_once: Option<usize>,
    settled: bool,
}

/// How the workflow ends.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct End {
    pub(super) phase: String,
    pub(super) message: Option<String>,
    pub(super) message_contains: Option<String>,
    pub(super) within_seconds: Option<u64>,
}

#[derive(Clone, Deserialize)]
struct Output {
    node: String,
    contains: String,
}

/// What came.
pub(super) struct Came {
    pub(super) workflow: Arc<Workflow>,
    /// Time from the last thing that was asked to the end.
    pub(super) took: Duration,
    /// Name and log of each node that wrote one.
    pub(super) logs: Vec<(String, String)>,
}

impl Came {
    fn node(&self, name: &str) -> Option<&NodeStatus> {
        self.workflow.status.nodes.values().find(|node| node.name.as_str() == name)
    }

    fn log(&self, name: &str) -> &str {
        self.logs.iter().find(|(node, _)| node == name).map_or("", |(_, log)| log.as_str())
    }
}

impl Expected {
    /// What is not as it has to be, one line each.
    pub(super) fn wrong(&self, came: &Came) -> Vec<String> {
        let mut wrong = Vec::new();
        for end in self.end.iter().chain(&self.refused_or) {
            wrong.extend(end.wrong(came));
        }
        if self.refused_or_asked {
            wrong.push("it was neither refused nor asked about".to_owned());
        }
        for (name, phase) in &self.nodes {
            match came.node(name) {
                Some(node) if node.phase.as_str() == phase => {}
                Some(node) => wrong.push(format!("{name} is {}: {}", node.phase.as_str(), node.message)),
                None => wrong.push(format!("{name} is not there")),
            }
        }
        wrong.extend(
            self.order
                .iter()
                .filter(|(a, b)| !in_order(came, a, b))
                .map(|(a, b)| format!("{b} does not begin after {a} has ended")),
        );
        self.presence(came, &mut wrong);
        for output in &self.output {
            if !came.log(&output.node).contains(&output.contains) {
                wrong.push(format!("{} wrote `{}`", output.node, came.log(&output.node)));
            }
        }
        if let Some(most) = self.max_at_once.filter(|most| at_once(came) > *most) {
            wrong.push(format!("more than {most} ran at once"));
        }
        let open = came.workflow.status.nodes.values().filter(|node| !node.phase.is_final());
        if self.settled {
            wrong.extend(open.map(|node| format!("{} is left {}", node.name, node.phase.as_str())));
        }
        wrong
    }

    fn presence(&self, came: &Came, wrong: &mut Vec<String>) {
        for name in self.absent.iter().filter(|name| came.node(name).is_some()) {
            wrong.push(format!("{name} is there"));
        }
        for name in &self.absent_or_omitted {
            let phase = came.node(name).map(|node| node.phase);
            if !matches!(phase, None | Some(NodePhase::Omitted | NodePhase::Skipped)) {
                wrong.push(format!("{name} is there"));
            }
        }
        for name in self.never_ran.iter().filter(|name| !came.log(name).is_empty()) {
            wrong.push(format!("{name} ran"));
        }
        for name in self.ran.iter().chain(&self.ran_once).filter(|name| came.log(name).is_empty()) {
            wrong.push(format!("{name} did not run"));
        }
    }
}

fn in_order(came: &Came, earlier: &str, later: &str) -> bool {
    let ended = came.node(earlier).and_then(|node| node.finished_at);
    let begun = came.node(later).and_then(|node| node.started_at);
    ended.zip(begun).is_some_and(|(ended, begun)| ended <= begun)
}

/// The highest number of programs that ran at a time.
fn at_once(came: &Came) -> usize {
    let nodes = came.workflow.status.nodes.values().filter(|node| node.node_type == NodeType::Pod);
    let spans: Vec<_> = nodes.filter_map(|node| Some((node.started_at?, node.finished_at?))).collect();
    let running = |at| spans.iter().filter(|(begun, ended)| *begun <= at && at < *ended).count();
    spans.iter().map(|(begun, _)| running(*begun)).max().unwrap_or(0)
}
