//! What a node is and what it belongs to, read from its name, flag, type and boundary.
//!
//! Names are made by Argo: `workflow/common/util.go` `GenerateOnExitNodeName`,
//! `workflow/controller/hooks.go` `generateLifeHookNodeName`, `workflow/controller/operator.go`
//! `generateNodeName`. The name of a node always begins with the name of its boundary, so nothing
//! here can go round in a circle.

use std::collections::BTreeMap;

use unwind_model::{NodeId, NodeStatus, NodeType};

use crate::plan::Role;

/// End of the name of an exit hook.
const EXIT_END: &str = ".onExit";
/// Middle of the name of any other hook.
const HOOKS: &str = ".hooks.";

/// All nodes of a workflow, by name and by id.
pub(super) struct Nodes<'a> {
    root: &'a str,
    list: Vec<&'a NodeStatus>,
    by_name: BTreeMap<&'a str, &'a NodeStatus>,
    by_id: BTreeMap<&'a NodeId, &'a NodeStatus>,
}

/// What a node is and what it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) role: Role,
    pub(super) boundary: Option<&'a str>,
    pub(super) owner: Option<&'a str>,
}

impl<'a> Nodes<'a> {
    /// Two nodes of one name count once, the first one by id.
    pub(super) fn new(root: &'a str, nodes: impl Iterator<Item = &'a NodeStatus>) -> Self {
        let mut list = Vec::new();
        let mut by_name = BTreeMap::new();
        let mut by_id = BTreeMap::new();
        for node in nodes {
            by_id.entry(&node.id).or_insert(node);
            by_name.entry(node.name.as_str()).or_insert_with(|| {
                list.push(node);
                node
            });
        }
        Self { root, list, by_name, by_id }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'a NodeStatus> {
        self.list.iter().copied()
    }

    /// Where a node belongs.
    pub(super) fn place(&self, node: &'a NodeStatus) -> Place<'a> {
        let name = node.name.as_str();
        if name == self.root {
            return Place { role: Role::Root, boundary: None, owner: None };
        }
        let Some((role, owner)) = self.hook(node) else {
            return Place { role: Role::Work, boundary: self.boundary(node), owner: None };
        };
        let boundary = if owner == self.root {
            None
        } else {
            match self.by_name.get(owner) {
                Some(owner) => self.boundary(owner),
                None => self.boundary(node),
            }
        };
        Place { role, boundary, owner: Some(owner) }
    }

    /// Role and owner of a hook. A task may be called `onExit` or `hooks` too: then its boundary
    /// is what a hook of that name would have as owner, and it carries no flag.
    fn hook(&self, node: &'a NodeStatus) -> Option<(Role, &'a str)> {
        let name = node.name.as_str();
        let boundary = self.by_id.get(&node.boundary_id).map(|boundary| boundary.name.as_str());
        if let Some(owner) = name.strip_suffix(EXIT_END) {
            if boundary == Some(owner) && !node.is_hooked() {
                return None;
            }
            let role = if owner == self.root { Role::Handler } else { Role::ExitHook };
            return Some((role, owner));
        }
        let (owner, hook) = name.rsplit_once(HOOKS)?;
        let is_part = self.cover(name).is_some() || hook.contains(['.', '[']);
        let is_task = boundary.is_some_and(|boundary| boundary.len() > owner.len());
        if is_task || (is_part && !node.is_hooked()) || self.cover(name).is_some() {
            return None;
        }
        Some((Role::NamedHook, owner))
    }

    /// The Retry of a try, the group of an item.
    fn cover(&self, name: &'a str) -> Option<&'a str> {
        let (cover, _) = name.strip_suffix(')')?.rsplit_once('(')?;
        match self.by_name.get(cover)?.node_type {
            NodeType::Retry | NodeType::TaskGroup => Some(cover),
            NodeType::Pod
            | NodeType::Container
            | NodeType::Steps
            | NodeType::StepGroup
            | NodeType::DAG
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => None,
        }
    }

    /// What encloses a node that is no hook.
    fn boundary(&self, node: &NodeStatus) -> Option<&'a str> {
        let name = *self.by_name.get_key_value(node.name.as_str())?.0;
        if name == self.root {
            return None;
        }
        if let Some(cover) = self.cover(name) {
            return Some(cover);
        }
        let named = self
            .by_id
            .get(&node.boundary_id)
            .map(|boundary| boundary.name.as_str())
            .filter(|boundary| boundary.len() < name.len() && name.starts_with(boundary));
        match named {
            Some(boundary) => Some(self.step_group(name, boundary).unwrap_or(boundary)),
            None => self.longest_prefix(name),
        }
    }

    /// `wf.fill[1]` for the step `wf.fill[1].pour` of the Steps node `wf.fill`.
    fn step_group(&self, name: &'a str, steps: &str) -> Option<&'a str> {
        let rest = name[steps.len()..].strip_prefix('[')?;
        let close = rest.find(']')?;
        let group = &name[..=steps.len() + 1 + close];
        (group.len() < name.len() && self.by_name.contains_key(group)).then_some(group)
    }

    /// The node with the longest name that this one's name goes on from.
    fn longest_prefix(&self, name: &'a str) -> Option<&'a str> {
        let mut rest = name;
        while let Some(cut) = rest.rfind(['.', '[', '(']) {
            rest = &rest[..cut];
            if self.by_name.contains_key(rest) {
                return Some(rest);
            }
        }
        None
    }
}
