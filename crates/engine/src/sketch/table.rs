//! The node table of a run: what exists, its phase, and what is still to come inside it.
//!
//! Nodes are never removed, so an index stays good. Moving a node goes through `transition`, which
//! writes out every pair of phases.

use std::collections::BTreeMap;

use unwind_model::params::Outputs;
use unwind_model::status::NodeFlag;
use unwind_model::{NodeId, NodeName, NodePhase, NodeType, Timestamp};

use crate::plan::{TaskIndex, TemplateIndex};

/// Index of a node, in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeIndex(pub(crate) u32);

/// What a node was given: names and values (`None`: nothing was given).
pub(crate) type Inputs = Vec<(String, Option<String>)>;

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) name: NodeName,
    pub(crate) display_name: String,
    pub(crate) kind: NodeType,
    /// Template as the node shows it; empty for groups of steps and inline templates.
    pub(crate) template_name: String,
    /// Template it runs; `None` for groups of steps.
    pub(crate) template: Option<TemplateIndex>,
    pub(crate) place: Place,
    /// Enclosing DAG or Steps, as in `boundaryID`.
    pub(crate) boundary: Option<NodeIndex>,
    /// Number of boundaries and hooks around it.
    pub(crate) depth: u32,
    pub(crate) phase: NodePhase,
    pub(crate) message: String,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) finished_at: Option<Timestamp>,
    /// As Argo links them, in the order of adding.
    pub(crate) children: Vec<NodeIndex>,
    /// Last nodes inside a box that has ended.
    pub(crate) outbound: Vec<NodeIndex>,
    pub(crate) flag: Option<NodeFlag>,
    pub(crate) inputs: Inputs,
    pub(crate) outputs: Outputs,
    pub(crate) exit_work: ExitWork,
    pub(crate) inside: Inside,
    /// Its exit hook, once begun.
    pub(crate) exit_hook: Option<NodeIndex>,
    /// Whether it ran at all; a node that only waited runs no hook.
    pub(crate) began: bool,
    /// Whether a shutdown ended it or kept something in it from beginning.
    pub(crate) cut: bool,
    /// Leaves that it shows in `progress`.
    pub(crate) leaves: Leaves,
}

/// Leaves below a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaves {
    pub(crate) done: u32,
    pub(crate) all: u32,
}

/// Where a node belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The workflow's root.
    Root,
    /// The workflow's own exit hook.
    Handler,
    /// A task of a DAG or a step of a group.
    Slot { outer: NodeIndex, task: TaskIndex },
    /// A group of steps.
    Group { steps: NodeIndex, at: u32 },
    /// An exit hook.
    ExitHook { owner: NodeIndex },
    /// A node of a taken-up run that the plan does not foresee.
    Unforeseen,
}

/// Whether a node is part of an exit hook, at any depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitWork {
    /// Main work.
    None,
    /// The exit hook of a task or step, or something inside one.
    Hook,
    /// The workflow's own exit hook, or something inside it.
    Handler,
}

/// What is inside a node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Inside {
    /// Nothing: a node that never runs.
    Nothing,
    /// A program.
    Program { told_to_end: bool },
    /// A wait for a resume.
    Wait,
    /// Tasks of a DAG or steps of a group.
    Members(Members),
    /// Groups of steps, those begun.
    Groups(Vec<NodeIndex>),
}

impl Inside {
    /// Whether it is a leaf, also in `progress`.
    pub(crate) fn is_leaf(&self) -> bool {
        match self {
            Self::Program { .. } | Self::Wait => true,
            Self::Nothing | Self::Members(_) | Self::Groups(_) => false,
        }
    }
}

/// Tasks of a DAG or steps of a group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Members {
    /// `slots[i]`: task or step `i` of the plan.
    pub(crate) slots: Vec<Slot>,
    /// `waits[i]`: how many tasks that slot `i` needs are not over. Kept beside the slots, as is
    /// `open`, so that an event need not look at all of them.
    pub(crate) waits: Vec<u32>,
    /// How many slots are Waiting or Working.
    pub(crate) open: usize,
}

/// One task or step of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// No node yet.
    Waiting,
    /// It, or its hook, is under way.
    Working(NodeIndex),
    /// It and its hook are over.
    Over(NodeIndex),
    /// It will not begin, and nothing is missing because of that.
    NotNeeded,
    /// A shutdown keeps it from beginning.
    CutOff,
}

impl Slot {
    pub(crate) fn node(self) -> Option<NodeIndex> {
        match self {
            Self::Working(node) | Self::Over(node) => Some(node),
            Self::Waiting | Self::NotNeeded | Self::CutOff => None,
        }
    }
}

/// Whether a node may go from one phase to another.
pub(crate) fn may_go(from: NodePhase, to: NodePhase) -> bool {
    use NodePhase::{Error, Failed, Omitted, Pending, Running, Skipped, Succeeded};
    match (from, to) {
        (Pending, Running | Failed | Error) | (Running, Succeeded | Failed | Error) => true,
        (Pending, Pending | Succeeded | Skipped | Omitted)
        | (Running, Pending | Running | Skipped | Omitted)
        | (
            Succeeded | Failed | Error | Skipped | Omitted,
            Pending | Running | Succeeded | Failed | Error | Skipped | Omitted,
        ) => false,
    }
}

/// All nodes of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Table {
    nodes: Vec<Node>,
    by_id: BTreeMap<NodeId, NodeIndex>,
    by_name: BTreeMap<NodeName, NodeIndex>,
}

impl Table {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn get(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, index: NodeIndex) -> &mut Node {
        &mut self.nodes[index.0 as usize]
    }

    pub(crate) fn find(&self, id: &NodeId) -> Option<NodeIndex> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn named(&self, name: &NodeName) -> Option<NodeIndex> {
        self.by_name.get(name).copied()
    }

    /// All nodes in the order of creation.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.nodes.iter().enumerate().map(|(at, node)| (NodeIndex(at as u32), node))
    }

    /// Adds a node. An id that is taken already gets a suffix: ids are 32-bit hashes.
    pub(crate) fn add(&mut self, mut node: Node) -> NodeIndex {
        let index = NodeIndex(self.nodes.len() as u32);
        let hashed = node.id.clone();
        let mut number = 2;
        while self.by_id.contains_key(&node.id) {
            node.id = NodeId(format!("{hashed}-{number}"));
            number += 1;
        }
        self.by_id.insert(node.id.clone(), index);
        self.by_name.insert(node.name.clone(), index);
        self.nodes.push(node);
        index
    }

    /// The node next further out in which this one's leaves are counted.
    pub(crate) fn counted_in(&self, index: NodeIndex) -> Option<NodeIndex> {
        match self.get(index).place {
            Place::Root | Place::Handler | Place::Unforeseen => None,
            Place::Slot { outer, .. } => Some(outer),
            Place::Group { steps, .. } => Some(steps),
            Place::ExitHook { owner } => Some(owner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_only_move_forward() {
        use NodePhase::{Error, Failed, Omitted, Pending, Running, Skipped, Succeeded};
        let all = [Pending, Running, Succeeded, Skipped, Failed, Error, Omitted];
        let mut legal = Vec::new();
        for from in all {
            legal.extend(all.into_iter().filter(|to| may_go(from, *to)).map(|to| (from, to)));
        }
        assert_eq!(
            legal,
            [
                (Pending, Running),
                (Pending, Failed),
                (Pending, Error),
                (Running, Succeeded),
                (Running, Failed),
                (Running, Error),
            ]
        );
    }
}
