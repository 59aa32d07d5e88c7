//! What a plan foresees of a run that has begun: loops have their items, retries of boxes their last try.
//!
//! A plan knows a loop as one task. Once its items are there, each of them has the insides and the hooks that
//! the plan foresees for the task, and the group has none of its own.
//! Source: Argo `workflow/controller/dag.go`, `executeDAGTask`; `steps.go`, `expandStepGroup`; `operator.go`,
//! `processNodeRetries`.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

use unwind_model::{NodeName, NodeStatus, NodeType, WorkflowStatus, ordered};

use super::outline::OUTLINE_LIMIT;
use super::{Plan, PlannedNode, Role};

impl Plan {
    /// The outline of a run with this status. Cost: n log n in the nodes of both, times the depth of loops within
    /// loops.
    pub fn outline_of(&self, status: &WorkflowStatus) -> Vec<PlannedNode> {
        let outline = self.outline();
        let seen = Seen::of(status);
        if !seen.has_groups {
            return outline;
        }
        let mut waiting = VecDeque::from(outline);
        let mut done: Vec<PlannedNode> = Vec::with_capacity(waiting.len());
        while let Some(node) = waiting.pop_front() {
            let may_unfold = node.role == Role::Work && node.node_type != NodeType::StepGroup;
            let group = if may_unfold && done.len() + waiting.len() < OUTLINE_LIMIT {
                seen.group(&node)
            } else {
                Group::None
            };
            if group == Group::None {
                done.push(node);
                continue;
            }
            let inner = waiting.iter().take_while(|other| other.name.lies_inside(&node.name)).count();
            let inner: Vec<PlannedNode> = waiting.drain(..inner).collect();
            let (stays, unfolded) = unfolded(&node, &inner, group);
            for planned in unfolded.into_iter().rev() {
                waiting.push_front(planned);
            }
            done.extend(stays.then_some(node));
        }
        done
    }
}

/// The nodes of a status by name.
struct Seen<'a> {
    by_name: BTreeMap<&'a str, &'a NodeStatus>,
    status: &'a WorkflowStatus,
    has_groups: bool,
}

/// What has become of a task of the plan.
#[derive(PartialEq)]
enum Group<'a> {
    /// Nothing that the plan does not know.
    None,
    /// A loop of a DAG: a node with these items.
    Loop(Vec<&'a NodeName>),
    /// A loop of a step: these items, with no node around them.
    Items(Vec<&'a NodeName>),
    /// A retry; its last try.
    Retry(&'a NodeName),
}

impl<'a> Seen<'a> {
    fn of(status: &'a WorkflowStatus) -> Self {
        let nodes = status.nodes.values();
        Self {
            by_name: ordered::map(nodes.map(|node| (node.name.as_str(), node))),
            status,
            has_groups: status.nodes.values().any(|node| node.name.as_str().ends_with(')')),
        }
    }

    fn group(&self, planned: &PlannedNode) -> Group<'a> {
        let opening = format!("{}(", planned.name);
        let Some(node) = self.by_name.get(planned.name.as_str()) else {
            let after = self.by_name.range::<str, _>((Bound::Excluded(opening.as_str()), Bound::Unbounded));
            let inside = after.take_while(|(name, _)| name.starts_with(&opening)).map(|(_, node)| *node);
            let items: Vec<&NodeName> =
                inside.filter(|node| self.is_item(node, &opening)).map(|node| &node.name).collect();
            return if items.is_empty() { Group::None } else { Group::Items(items) };
        };
        let children = node.children.iter().filter_map(|id| self.status.nodes.get(id));
        let mut items = children.map(|child| &child.name).filter(|name| name.as_str().starts_with(&opening));
        match node.node_type {
            NodeType::TaskGroup => Some(items.collect::<Vec<_>>())
                .filter(|items| !items.is_empty())
                .map_or(Group::None, Group::Loop),
            NodeType::Retry => items.next_back().map_or(Group::None, Group::Retry),
            NodeType::Pod
            | NodeType::Container
            | NodeType::Steps
            | NodeType::StepGroup
            | NodeType::DAG
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => Group::None,
        }
    }

    /// Whether a node whose name begins like an item is one: neither inside an item nor a try of one.
    fn is_item(&self, node: &NodeStatus, opening: &str) -> bool {
        let name = node.name.as_str();
        let boundary = self.status.nodes.get(&node.boundary_id);
        let is_try = name.rsplit_once('(').is_some_and(|(of, _)| self.by_name.contains_key(of));
        name.ends_with(')')
            && !is_try
            && !boundary.is_some_and(|box_| box_.name.as_str().starts_with(opening))
    }
}

/// What comes in place of `inner`, which is what the plan has inside `node`, hooks included; and whether `node`
/// itself stays.
fn unfolded(node: &PlannedNode, inner: &[PlannedNode], group: Group<'_>) -> (bool, Vec<PlannedNode>) {
    match group {
        Group::None => (true, inner.to_vec()),
        Group::Loop(items) => {
            let item = |item| moved(node, inner.iter(), item, Some(&node.name));
            (true, items.into_iter().flat_map(item).collect())
        }
        Group::Items(items) => {
            let item = |item| moved(node, inner.iter(), item, node.boundary.as_ref());
            (false, items.into_iter().flat_map(item).collect())
        }
        Group::Retry(last) => {
            let hooks: Vec<&NodeName> = inner
                .iter()
                .filter(|hook| hook.owner.as_ref() == Some(&node.name))
                .map(|hook| &hook.name)
                .collect();
            let is_of_hook = |other: &&PlannedNode| {
                hooks.iter().any(|hook| other.name == **hook || other.name.lies_inside(hook))
            };
            let (of_hooks, insides): (Vec<_>, Vec<_>) = inner.iter().partition(is_of_hook);
            // Tries of a leaf are no nodes of their own.
            if insides.is_empty() {
                return (true, inner.to_vec());
            }
            let mut all = moved(node, insides.into_iter(), last, Some(&node.name));
            all.extend(of_hooks.into_iter().cloned());
            (true, all)
        }
    }
}

/// One item or try, and what is inside it.
fn moved<'a>(
    node: &PlannedNode,
    inner: impl Iterator<Item = &'a PlannedNode>,
    item: &NodeName,
    boundary: Option<&NodeName>,
) -> Vec<PlannedNode> {
    let rename = |name: &NodeName| match name.as_str().strip_prefix(node.name.as_str()) {
        Some(rest) if rest.is_empty() || name.lies_inside(&node.name) => NodeName(format!("{item}{rest}")),
        Some(_) | None => name.clone(),
    };
    let suffix = item.as_str().strip_prefix(node.name.as_str()).unwrap_or_default();
    let first = PlannedNode {
        name: item.clone(),
        display_name: format!("{}{suffix}", node.display_name),
        boundary: boundary.cloned(),
        depends_on: Vec::new(),
        ..node.clone()
    };
    let others = inner.map(|other| PlannedNode {
        name: rename(&other.name),
        display_name: match other.display_name.strip_prefix(&node.display_name) {
            Some(rest) if other.owner.as_ref() == Some(&node.name) => {
                format!("{}{suffix}{rest}", node.display_name)
            }
            Some(_) | None => other.display_name.clone(),
        },
        boundary: other.boundary.as_ref().map(rename),
        owner: other.owner.as_ref().map(rename),
        depends_on: other.depends_on.iter().map(rename).collect(),
        ..other.clone()
    });
    std::iter::once(first).chain(others).collect()
}
