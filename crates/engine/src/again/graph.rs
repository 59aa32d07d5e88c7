//! The nodes of a status as a graph of children.
//! Source: Argo `workflow/util/util.go`, `newWorkflowsDag`, `dagSortedNodes`, `isDescendantNodeSucceeded`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use unwind_model::{NodeId, NodePhase, NodeStatus, NodeType};

use super::retry::RetryError;

/// Nodes by number, in the order of their ids.
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<&'a NodeStatus>,
    pub(super) ids: Vec<&'a NodeId>,
    numbers: BTreeMap<&'a NodeId, usize>,
    /// One node that has it as a child: of several, the one with the last id.
    pub(super) parent: Vec<Option<usize>>,
    pub(super) children: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    /// Links the nodes of a workflow. Every node but the root and the workflow's own exit hook needs a
    /// parent.
    pub(super) fn of(nodes: &'a BTreeMap<NodeId, NodeStatus>, workflow: &str) -> Result<Self, RetryError> {
        let mut numbers = BTreeMap::new();
        for (number, id) in nodes.keys().enumerate() {
            numbers.insert(id, number);
        }
        let mut graph = Self {
            nodes: nodes.values().collect(),
            ids: nodes.keys().collect(),
            numbers,
            parent: vec![None; nodes.len()],
            children: vec![Vec::new(); nodes.len()],
        };
        let exit_hook = format!("{workflow}.onExit");
        for (number, node) in nodes.values().enumerate() {
            for child in &node.children {
                if let Some(child) = graph.number(child) {
                    graph.parent[child] = Some(number);
                    graph.children[number].push(child);
                }
            }
        }
        for (number, (id, node)) in nodes.iter().enumerate() {
            let name = node.name.as_str();
            if graph.parent[number].is_none() && name != workflow && !name.starts_with(&exit_hook) {
                return Err(RetryError::Parent(id.clone()));
            }
            if let Some(missing) = node.children.iter().find(|child| graph.number(child).is_none()) {
                return Err(RetryError::Child(missing.clone()));
            }
        }
        Ok(graph)
    }

    /// The number of a node.
    pub(super) fn number(&self, id: &NodeId) -> Option<usize> {
        self.numbers.get(id).copied()
    }

    /// All nodes that can be reached from the root, breadth first: outer before inner, earlier before
    /// later. Empty without any node.
    pub(super) fn sorted_from_root(&self, workflow: &str) -> Result<Vec<usize>, RetryError> {
        if self.nodes.is_empty() {
            return Ok(Vec::new());
        }
        let root = self.nodes.iter().position(|node| node.name.as_str() == workflow);
        let root = root.filter(|root| self.parent[*root].is_none()).ok_or(RetryError::Root)?;
        let mut seen = vec![false; self.nodes.len()];
        seen[root] = true;
        let mut sorted = Vec::new();
        let mut queue = VecDeque::from([root]);
        while let Some(number) = queue.pop_front() {
            sorted.push(number);
            for child in &self.children[number] {
                if !std::mem::replace(&mut seen[*child], true) {
                    queue.push_back(*child);
                }
            }
        }
        Ok(sorted)
    }

    /// Marks a node and everything below it, up to nodes that are marked already.
    pub(super) fn mark_below(&self, number: usize, marks: &mut [bool]) {
        let mut stack = vec![number];
        while let Some(number) = stack.pop() {
            if !std::mem::replace(&mut marks[number], true) {
                stack.extend(&self.children[number]);
            }
        }
    }
}

/// The nodes below which another one has succeeded; those for which `counts` is false are as good as not.
pub(super) fn above_succeeded<'a>(
    nodes: &'a BTreeMap<NodeId, NodeStatus>,
    counts: &dyn Fn(&NodeStatus) -> bool,
) -> BTreeSet<&'a NodeId> {
    let mut parents: BTreeMap<&NodeId, Vec<&NodeId>> = BTreeMap::new();
    for (id, node) in nodes {
        for child in &node.children {
            parents.entry(child).or_default().push(id);
        }
    }
    let mut stack: Vec<&NodeId> = Vec::new();
    for (id, node) in nodes {
        if node.phase == NodePhase::Succeeded && counts(node) {
            stack.push(id);
        }
    }
    let mut above = BTreeSet::new();
    while let Some(id) = stack.pop() {
        for parent in parents.get(id).into_iter().flatten() {
            if above.insert(*parent) {
                stack.push(parent);
            }
        }
    }
    above
}

/// The hooks and everything that their templates enclose.
pub(super) fn inside_hooks(nodes: &BTreeMap<NodeId, NodeStatus>) -> BTreeSet<&NodeId> {
    let mut enclosed: BTreeMap<&NodeId, Vec<&NodeId>> = BTreeMap::new();
    let mut stack: Vec<&NodeId> = Vec::new();
    for (id, node) in nodes {
        enclosed.entry(&node.boundary_id).or_default().push(id);
        if node.node_type == NodeType::Retry {
            enclosed.entry(id).or_default().extend(node.children.iter().filter(|child| {
                nodes.get(*child).is_some_and(|child| child.node_flag.is_some_and(|flag| flag.retried))
            }));
        }
        if node.is_hooked() {
            stack.push(id);
        }
    }
    let mut inside = BTreeSet::new();
    while let Some(id) = stack.pop() {
        if inside.insert(id) {
            stack.extend(enclosed.get(id).into_iter().flatten());
        }
    }
    inside
}
