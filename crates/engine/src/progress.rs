//! Progress: how many leaves of how many are done.
//! Source: Argo `workflow/progress/updater.go`; `pkg/apis/workflow/v1alpha1/progress.go`.
//!
//! In: phases, types and children of all nodes, and the progress of the leaves. Out: the progress of
//! every node and of the workflow.

use std::collections::BTreeMap;
use std::fmt;

use unwind_model::{NodeId, NodePhase, NodeStatus, NodeType, WorkflowStatus};

/// Done and all, both as counts or in whatever unit a program reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// What is done.
    pub done: i64,
    /// All there is.
    pub all: i64,
}

impl Progress {
    /// Nothing of nothing: the sum over no leaf.
    pub const ZERO: Self = Self { done: 0, all: 0 };
    /// What a leaf begins with.
    pub const LEAF: Self = Self { done: 0, all: 1 };

    /// Reads `n/m`. `None` unless `0 <= n <= m` and `m > 0`.
    pub fn parse(text: &str) -> Option<Self> {
        let (done, all) = text.split_once('/')?;
        // Go takes what is no number for 0.
        let number = |text: &str| text.parse::<i64>().unwrap_or(0);
        let progress = Self { done: number(done), all: number(all) };
        progress.is_valid().then_some(progress)
    }

    fn is_valid(self) -> bool {
        self.done >= 0 && self.done <= self.all && self.all > 0
    }

    #[must_use]
    fn plus(self, other: Self) -> Self {
        Self { done: self.done.saturating_add(other.done), all: self.all.saturating_add(other.all) }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.done, self.all)
    }
}

/// What the sums need to know of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// What it is.
    pub node_type: NodeType,
    /// Its phase.
    pub phase: NodePhase,
    /// Progress of a leaf as it is stored, empty when none is; not looked at for other nodes.
    pub progress: String,
    /// `children[i]`: place of a child in the same list.
    pub children: Vec<usize>,
}

/// Progress of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// `nodes[i]`: progress of node `i`; `None` when it stays what it is.
    pub nodes: Vec<Option<Progress>>,
    /// Progress of the workflow, `0/0` without leaves.
    pub workflow: Progress,
}

/// True for the types that do something themselves; the others show a sum.
pub fn is_leaf(node_type: NodeType) -> bool {
    match node_type {
        NodeType::Pod | NodeType::HTTP | NodeType::Plugin | NodeType::Container | NodeType::Suspend => true,
        NodeType::Steps
        | NodeType::StepGroup
        | NodeType::DAG
        | NodeType::TaskGroup
        | NodeType::Retry
        | NodeType::Skipped => false,
    }
}

/// The progress that a leaf shows: `0/1` when it has none, all of it when it ended well. `None` for
/// what is no progress, which stays as it is and counts nowhere.
pub fn leaf(phase: NodePhase, stored: &str) -> Option<Progress> {
    let progress = if stored.is_empty() { Some(Progress::LEAF) } else { Progress::parse(stored) };
    match phase {
        NodePhase::Succeeded | NodePhase::Skipped | NodePhase::Omitted => {
            progress.map(|progress| Progress { done: progress.all, all: progress.all })
        }
        NodePhase::Pending | NodePhase::Running | NodePhase::Failed | NodePhase::Error => progress,
    }
}

/// Sums over the whole list. Costs nodes times depth.
pub fn sums(entries: &[Entry]) -> Sums {
    let leaves: Vec<Option<Progress>> = entries
        .iter()
        .map(|entry| if is_leaf(entry.node_type) { leaf(entry.phase, &entry.progress) } else { None })
        .collect();
    let workflow = leaves.iter().flatten().fold(Progress::ZERO, |sum, leaf| sum.plus(*leaf));
    let mut below = Below { entries, leaves: &leaves, visit: 0, seen: vec![0; entries.len()] };
    let nodes = (0..entries.len())
        .map(|at| if is_leaf(entries[at].node_type) { leaves[at] } else { below.sum(at) })
        .collect();
    Sums { nodes, workflow }
}

/// Sums over descendants, each counted once.
struct Below<'a> {
    entries: &'a [Entry],
    leaves: &'a [Option<Progress>],
    visit: usize,
    /// `seen[i]`: the last visit that met node `i`.
    seen: Vec<usize>,
}

impl Below<'_> {
    fn sum(&mut self, from: usize) -> Option<Progress> {
        self.visit += 1;
        let mut sum = Progress::ZERO;
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            for child in &self.entries[at].children {
                if std::mem::replace(&mut self.seen[*child], self.visit) != self.visit {
                    sum = sum.plus(self.leaves[*child].unwrap_or_default());
                    stack.push(*child);
                }
            }
        }
        sum.is_valid().then_some(sum)
    }
}

/// Brings the progress of all nodes and of the workflow up to date.
pub fn update(status: &mut WorkflowStatus) {
    let entries = entries(&status.nodes);
    let sums = sums(&entries);
    for (node, progress) in status.nodes.values_mut().zip(&sums.nodes) {
        if let Some(progress) = progress {
            node.progress = progress.to_string();
        }
    }
    status.progress = sums.workflow.to_string();
}

/// The nodes in the order of their ids; children that are not there are left out.
fn entries(nodes: &BTreeMap<NodeId, NodeStatus>) -> Vec<Entry> {
    let places: BTreeMap<&NodeId, usize> = unwind_model::ordered::map(nodes.keys().zip(0..));
    let entry = |node: &NodeStatus| Entry {
        node_type: node.node_type,
        phase: node.phase,
        progress: if is_leaf(node.node_type) { node.progress.clone() } else { String::new() },
        children: node.children.iter().filter_map(|child| places.get(child).copied()).collect(),
    };
    nodes.values().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(node_type: NodeType, phase: NodePhase, progress: &str, children: &[usize]) -> Entry {
        Entry { node_type, phase, progress: progress.to_owned(), children: children.to_vec() }
    }

    fn check(entries: &[Entry], nodes: &str, workflow: &str) {
        let sums = sums(entries);
        let texts: Vec<String> = sums
            .nodes
            .iter()
            .map(|progress| progress.map_or_else(|| "-".to_owned(), |progress| progress.to_string()))
            .collect();
        assert_eq!(texts.join(" "), nodes);
        assert_eq!(sums.workflow.to_string(), workflow);
    }

    #[test]
    fn boxes_show_the_sum_of_distinct_leaves_below() {
        use {NodePhase as Phase, NodeType as Type};
        check(
            &[
                entry(Type::DAG, Phase::Running, "", &[1, 2]),
                entry(Type::Pod, Phase::Succeeded, "0/1", &[3]),
                entry(Type::Pod, Phase::Failed, "0/1", &[3]),
                entry(Type::Pod, Phase::Running, "", &[]),
            ],
            "1/3 1/1 0/1 0/1",
            "1/3",
        );
    }

    #[test]
    fn what_has_no_leaf_shows_nothing() {
        use {NodePhase as Phase, NodeType as Type};
        check(
            &[entry(Type::DAG, Phase::Error, "", &[1]), entry(Type::Skipped, Phase::Error, "", &[])],
            "- -",
            "0/0",
        );
    }

    #[test]
    fn reported_progress_counts_and_nonsense_does_not() {
        use {NodePhase as Phase, NodeType as Type};
        check(
            &[
                entry(Type::Steps, Phase::Running, "", &[1, 2, 3, 0]),
                entry(Type::Pod, Phase::Running, "30/100", &[]),
                entry(Type::Pod, Phase::Running, "5/3", &[]),
                entry(Type::Suspend, Phase::Skipped, "2/7", &[]),
            ],
            "37/107 30/100 - 7/7",
            "37/107",
        );
    }
}
