//! The node table of a run as an Argo controller keeps it.
//!
//! Nodes are found by index and by full name. An index stays good until a manual retry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;
use unwind_model::features::Synchronization;
use unwind_model::params::{Inputs, Outputs};
use unwind_model::status::NodeFlag;
use unwind_model::{NodeId, NodeName, NodePhase, NodeType, Timestamp};

use crate::progress::Progress;

use super::index::Index;
use super::templates::Prepared;

/// Index of a node, in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct At(pub(crate) u32);

/// Which member of a box a node belongs to: the member's own node, its attempts, items and hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Number of the task; of steps, counted through all groups.
    pub(crate) task: u32,
    /// Number of the item of its loop; `WHOLE` for what is no item.
    pub(crate) item: u32,
}

impl Place {
    /// In place of an item's number.
    pub(crate) const WHOLE: u32 = u32::MAX;

    /// A task as a whole.
    pub(crate) fn task(task: usize) -> Self {
        Self { task: task as u32, item: Self::WHOLE }
    }

    /// One item of a task.
    pub(crate) fn item(task: usize, item: usize) -> Self {
        Self { task: task as u32, item: item as u32 }
    }
}

/// What a walk of what was touched has taken note of in a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Noted {
    pub(crate) exists: bool,
    pub(crate) phase: NodePhase,
    pub(crate) synced: Option<bool>,
    pub(crate) daemoned: bool,
    pub(crate) counts: Counts,
    /// What it adds to the progress of what it is in.
    pub(crate) leaf: Progress,
    /// Of a box: how many nodes directly inside it failed, and are active.
    pub(crate) inside: Inside,
    /// Of what is no leaf: the progress of the leaves in it.
    pub(crate) leaves: Progress,
}

/// What a node counts as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// A failed member of its box.
    pub(crate) failed: bool,
    /// An active member of its box.
    pub(crate) active: bool,
    /// An active pod.
    pub(crate) pod: bool,
}

/// Counts of the nodes directly inside a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    pub(crate) failed: u32,
    pub(crate) active: u32,
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) id: NodeId,
    pub(crate) name: NodeName,
    pub(crate) kind: NodeType,
    /// Shared with the other nodes of the template.
    pub(crate) template_name: Arc<str>,
    pub(crate) template_scope: Arc<str>,
    /// The template it runs, tags not filled in; `None` for groups and nodes that never run.
    pub(crate) template: Option<Arc<Prepared>>,
    pub(crate) phase: NodePhase,
    pub(crate) boundary: Option<At>,
    pub(crate) message: String,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) finished_at: Option<Timestamp>,
    pub(crate) flag: Option<NodeFlag>,
    pub(crate) inputs: Option<Box<Inputs>>,
    pub(crate) outputs: Option<Arc<Outputs>>,
    /// As Argo links them, in the order of adding, each once.
    pub(crate) children: Vec<At>,
    pub(crate) outbound: Vec<At>,
    /// `taskResultSynced`; absent for types that owe no result.
    pub(crate) synced: Option<bool>,
    pub(crate) daemoned: bool,
    /// Whether a shutdown ended it before anything of it ran, so that it has no exit hook.
    pub(crate) never_began: bool,
    /// Whether it is there, or only named as somebody's child so far.
    pub(crate) exists: bool,
    pub(crate) place: Option<Place>,
    /// The Retry, group or box that shows its progress as part of its own.
    pub(crate) within: Option<At>,
    /// The last node that it was made a child of.
    pub(crate) parent: Option<At>,
    pub(crate) noted: Noted,
    /// Where the name that is shown begins in the full one.
    pub(crate) shown_from: u32,
    /// What few nodes have.
    pub(crate) rare: Option<Box<Rare>>,
}

/// What few nodes have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rare {
    /// The name that is shown, where it is no end of the full one.
    shown: Option<String>,
    pub(crate) template_ref: Option<Value>,
    /// Progress that was reported.
    pub(crate) progress: String,
    /// Address of its pod, for daemons; empty while it has none.
    pub(crate) pod_ip: String,
    /// Name of the machine its pod is on; empty while that is unknown.
    pub(crate) host: String,
    pub(crate) memo: Option<Value>,
    /// Name of the lock it waits for; empty once it has it.
    pub(crate) waits_for: Option<String>,
    /// The locks it asked for, names filled in; `None` where that is not known.
    pub(crate) asked_for: Option<Box<Synchronization>>,
}

impl Rare {
    const NOTHING: Self = Self {
        shown: None,
        template_ref: None,
        progress: String::new(),
        pod_ip: String::new(),
        host: String::new(),
        memo: None,
        waits_for: None,
        asked_for: None,
    };
}

impl Node {
    /// A node that is only somebody's child so far.
    pub(crate) fn reserved(id: NodeId, name: NodeName) -> Self {
        let nothing: Arc<str> = "".into();
        Self {
            id,
            name,
            kind: NodeType::Pod,
            template_name: Arc::clone(&nothing),
            template_scope: nothing,
            template: None,
            phase: NodePhase::Pending,
            boundary: None,
            message: String::new(),
            started_at: None,
            finished_at: None,
            flag: None,
            inputs: None,
            outputs: None,
            children: Vec::new(),
            outbound: Vec::new(),
            synced: None,
            daemoned: false,
            never_began: false,
            exists: false,
            place: None,
            within: None,
            parent: None,
            noted: Noted::default(),
            shown_from: 0,
            rare: None,
        }
    }

    /// The name that is shown.
    pub(crate) fn display_name(&self) -> &str {
        let shown = self.rare().shown.as_deref();
        shown.unwrap_or_else(|| self.name.as_str().get(self.shown_from as usize..).unwrap_or_default())
    }

    pub(crate) fn show_as(&mut self, shown: &str) {
        if self.name.as_str().ends_with(shown) {
            self.shown_from = (self.name.as_str().len() - shown.len()) as u32;
            if self.rare.is_some() {
                self.rare_mut().shown = None;
            }
        } else {
            self.rare_mut().shown = Some(shown.to_owned());
        }
    }

    /// What few nodes have.
    pub(crate) fn rare(&self) -> &Rare {
        static NOTHING: Rare = Rare::NOTHING;
        self.rare.as_deref().unwrap_or(&NOTHING)
    }

    pub(crate) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_with(|| Box::new(Rare::NOTHING))
    }

    /// Argo's `NodeStatus.Completed`.
    pub(crate) fn is_completed(&self) -> bool {
        is_completed(self.phase, self.synced)
    }

    /// Argo's `NodeStatus.Fulfilled`.
    pub(crate) fn is_fulfilled(&self) -> bool {
        is_fulfilled(self.phase, self.synced, self.daemoned)
    }

    /// Argo's `NodeStatus.FailedOrError`: the phase only.
    pub(crate) fn is_failed(&self) -> bool {
        matches!(self.phase, NodePhase::Failed | NodePhase::Error)
    }

    pub(crate) fn is_hooked(&self) -> bool {
        self.flag.is_some_and(|flag| flag.hooked)
    }

    pub(crate) fn is_retried(&self) -> bool {
        self.flag.is_some_and(|flag| flag.retried)
    }
}

/// Argo's `NodeStatus.Completed`.
pub(crate) fn is_completed(phase: NodePhase, synced: Option<bool>) -> bool {
    phase.is_completed() && synced != Some(false)
}

/// Argo's `NodeStatus.Fulfilled`.
pub(crate) fn is_fulfilled(phase: NodePhase, synced: Option<bool>, daemoned: bool) -> bool {
    is_completed(phase, synced)
        || matches!(phase, NodePhase::Skipped | NodePhase::Omitted)
        || daemoned && phase != NodePhase::Pending
}

/// All nodes of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Copies of a table share the nodes that neither has changed.
    nodes: Vec<Arc<Node>>,
    by_name: Index,
    by_id: Index,
    /// Children that are hooks of the node they hang below, perhaps some that are none.
    hooks: BTreeMap<At, Vec<At>>,
    /// Children once more, of nodes with so many that it takes long to look through them.
    wide: BTreeMap<At, BTreeSet<At>>,
    /// Nodes that may have moved since a walk last took note of them.
    moved: Vec<At>,
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.is_as(&other.nodes)
    }
}

impl Table {
    pub(crate) fn get(&self, at: At) -> &Node {
        &self.nodes[at.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, at: At) -> &mut Node {
        self.touch(at);
        self.own(at)
    }

    /// What a walk has taken note of; changing it moves nothing.
    pub(crate) fn noted_mut(&mut self, at: At) -> &mut Noted {
        &mut self.own(at).noted
    }

    /// A node that no copy of the table shares.
    fn own(&mut self, at: At) -> &mut Node {
        Arc::make_mut(&mut self.nodes[at.0 as usize])
    }

    /// The nodes as they are now, for `is_as`.
    pub(crate) fn nodes(&self) -> Vec<Arc<Node>> {
        self.nodes.clone()
    }

    /// Whether the nodes are as they were then.
    pub(crate) fn is_as(&self, then: &[Arc<Node>]) -> bool {
        let mut pairs = self.nodes.iter().zip(then);
        self.nodes.len() == then.len() && pairs.all(|(now, then)| Arc::ptr_eq(now, then) || now == then)
    }

    /// Has a node looked at by the next note.
    pub(crate) fn touch(&mut self, at: At) {
        if self.moved.last() != Some(&at) {
            self.moved.push(at);
        }
    }

    /// Nodes that may have moved since the last call; some more than once.
    pub(crate) fn take_moved(&mut self) -> Vec<At> {
        std::mem::take(&mut self.moved)
    }

    pub(crate) fn has_moved(&self) -> bool {
        !self.moved.is_empty()
    }

    /// The node of a name, if it is there.
    pub(crate) fn named(&self, name: &str) -> Option<At> {
        self.reserved(name).filter(|at| self.get(*at).exists)
    }

    /// The place of a name, whether its node is there or not.
    pub(crate) fn reserved(&self, name: &str) -> Option<At> {
        self.by_name.find(name, &|at| self.get(at).name.as_str())
    }

    pub(crate) fn with_id(&self, id: &NodeId) -> Option<At> {
        self.by_id.find(id.as_str(), &|at| self.get(at).id.as_str())
    }

    /// All nodes in the order in which they were first named.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (At, &Node)> {
        let nodes = self.nodes.iter().enumerate().map(|(at, node)| (At(at as u32), node.as_ref()));
        nodes.filter(|(_, node)| node.exists)
    }

    /// The containers of a pod, which hang below it or below each other.
    pub(crate) fn containers(&self, pod: At) -> Vec<At> {
        let mut found = Vec::new();
        let mut next = 0;
        let mut around = pod;
        loop {
            for child in &self.get(around).children {
                let node = self.get(*child);
                let is_one = node.exists && node.kind == NodeType::Container && node.boundary == Some(pod);
                if is_one && !found.contains(child) {
                    found.push(*child);
                }
            }
            let Some(container) = found.get(next) else { return found };
            around = *container;
            next += 1;
        }
    }

    /// All indices in the order in which they were first named.
    pub(crate) fn all(&self) -> Vec<At> {
        self.iter().map(|(at, _)| at).collect()
    }

    /// Adds a node, at the place kept for its name if there is one. An id that is taken already gets a
    /// suffix: ids are 32-bit hashes.
    pub(crate) fn add(&mut self, mut node: Node) -> At {
        if let Some(at) = self.reserved(node.name.as_str()) {
            return self.put(at, node);
        }
        let mut of_id = self.with_id(&node.id);
        // A place that is kept for an id whose name was not known.
        if let Some(at) = of_id.filter(|at| self.get(*at).name.as_str().is_empty()) {
            self.by_name.insert(node.name.as_str(), at);
            return self.put(at, node);
        }
        let at = At(self.nodes.len() as u32);
        self.touch(at);
        let hashed = node.id.clone();
        let mut number = 2;
        while of_id.is_some() {
            node.id = NodeId(format!("{hashed}-{number}"));
            of_id = self.with_id(&node.id);
            number += 1;
        }
        self.by_id.insert(node.id.as_str(), at);
        self.by_name.insert(node.name.as_str(), at);
        self.nodes.push(Arc::new(node));
        at
    }

    /// Puts a node at the place that is kept for it.
    fn put(&mut self, at: At, mut node: Node) -> At {
        let known = self.get_mut(at);
        node.id = known.id.clone();
        node.parent = known.parent;
        node.noted = known.noted;
        *known = node;
        at
    }

    /// Keeps a place for a node that is only somebody's child so far.
    pub(crate) fn reserve(&mut self, workflow: &str, name: &str) -> At {
        let name = NodeName(name.to_owned());
        self.add(Node::reserved(NodeId::of(workflow, &name), name))
    }

    /// Keeps a place for a node of which nothing is known but whose child it is. Controllers link the items of a
    /// loop before there is room for them.
    pub(crate) fn reserve_id(&mut self, id: &NodeId) {
        if self.with_id(id).is_none() {
            let at = At(self.nodes.len() as u32);
            self.by_id.insert(id.as_str(), at);
            self.nodes.push(Arc::new(Node::reserved(id.clone(), NodeName::default())));
        }
    }

    /// Finds out whose child each node is, and what it counts in, where nodes were put in as they are.
    pub(crate) fn link(&mut self) {
        for at in (0..self.nodes.len()).map(|at| At(at as u32)) {
            let parent = self.get(at);
            let (name, kind, boundary) = (parent.name.0.clone(), parent.kind, parent.boundary);
            let holds = matches!(kind, NodeType::Retry | NodeType::TaskGroup | NodeType::StepGroup);
            for child in parent.children.clone() {
                self.note_hook(at, child);
                let child = self.own(child);
                child.parent = Some(at);
                if holds && child.boundary == boundary && child.name.as_str().starts_with(&name) {
                    child.within = Some(at);
                }
            }
            let node = self.own(at);
            node.within = node.within.or(node.boundary);
        }
    }

    pub(crate) fn add_child(&mut self, parent: At, child: At) -> bool {
        let known = self.get(child).parent;
        // Most nodes have one parent, and some parents have thousands of children.
        if known == Some(parent) {
            return false;
        }
        self.own(child).parent = Some(parent);
        if known.is_some() && self.has_child(parent, child) {
            return false;
        }
        self.get_mut(parent).children.push(child);
        if let Some(wide) = self.wide.get_mut(&parent) {
            wide.insert(child);
        }
        self.note_hook(parent, child);
        true
    }

    fn has_child(&mut self, parent: At, child: At) -> bool {
        const WIDE: usize = 64;
        let children = &self.nodes[parent.0 as usize].children;
        if children.len() < WIDE {
            return children.contains(&child);
        }
        let wide = self.wide.entry(parent).or_insert_with(|| children.iter().copied().collect());
        wide.contains(&child)
    }

    /// Keeps in mind a child that is a hook. Of one that is not there yet the name tells.
    fn note_hook(&mut self, parent: At, child: At) {
        let node = self.get(child);
        let name = node.name.as_str();
        let may_be = if node.exists {
            node.is_hooked()
        } else {
            name.ends_with(".onExit") || name.contains(".hooks.")
        };
        if may_be {
            self.hooks.entry(parent).or_default().push(child);
        }
    }

    /// The hooks below a node.
    pub(crate) fn hooks_of(&self, at: At) -> impl Iterator<Item = &Node> {
        let children = self.hooks.get(&at).into_iter().flatten();
        children.map(|child| self.get(*child)).filter(|node| node.is_hooked())
    }
}
