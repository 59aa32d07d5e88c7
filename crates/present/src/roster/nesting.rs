//! Who is drawn inside whom: joins plan and status into the roster.
//!
//! Names decide where the plan knows a node; for all others `boundaryID`, then the children of loops
//! and retries, then the name alone, so that a node which nobody names as a child still has a place.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use unwind_engine::plan::{PlannedNode, Role};
use unwind_model::{NodeId, NodeName, NodeStatus, NodeType, Workflow, ordered};

use super::{Member, MemberIndex, Roster};

/// A member before its place in the list is known. `around` is a name, since places still move.
struct Entry {
    member: Member,
    around: Option<NodeName>,
    after: Vec<NodeName>,
}

pub(super) fn build(outline: &[PlannedNode], workflow: &Workflow) -> Roster {
    let name = outline
        .iter()
        .find(|planned| planned.role == Role::Root)
        .map_or(workflow.metadata.name.as_str(), |root| root.name.as_str());
    let facts = Facts::new(name, outline, workflow);
    let mut entries: Vec<Entry> = Vec::with_capacity(outline.len());
    let mut known = BTreeSet::new();
    for planned in outline {
        if known.insert(&planned.name) {
            entries.push(facts.planned_entry(planned));
        }
    }
    for node in facts.in_order_of_children() {
        if !known.contains(&node.name) && !facts.tries.contains(&node.id) {
            known.insert(&node.name);
            entries.push(facts.seen_entry(node));
        }
    }
    let entries = outer_first(entries);
    finish(name, entries)
}

/// What the status says, by name and by id.
struct Facts<'a> {
    workflow: &'a str,
    planned: BTreeMap<&'a NodeName, &'a PlannedNode>,
    nodes: &'a BTreeMap<NodeId, NodeStatus>,
    by_name: BTreeMap<&'a NodeName, &'a NodeStatus>,
    /// The loop or retry of which a node is an item or try.
    group_of: BTreeMap<&'a NodeId, &'a NodeStatus>,
    /// Nodes that are tries of a leaf: no members of their own.
    tries: BTreeSet<&'a NodeId>,
    /// Who names a node as a child.
    named_by: BTreeMap<&'a NodeId, Vec<&'a NodeStatus>>,
}

impl<'a> Facts<'a> {
    fn new(name: &'a str, outline: &'a [PlannedNode], workflow: &'a Workflow) -> Self {
        let nodes = &workflow.status.nodes;
        let mut facts = Self {
            workflow: name,
            planned: ordered::map(outline.iter().map(|node| (&node.name, node))),
            nodes,
            by_name: ordered::map(nodes.values().map(|node| (&node.name, node))),
            group_of: BTreeMap::new(),
            tries: BTreeSet::new(),
            named_by: BTreeMap::new(),
        };
        for node in nodes.values() {
            for child in &node.children {
                facts.named_by.entry(child).or_default().push(node);
            }
        }
        for group in nodes.values() {
            let is_retry = group.node_type == NodeType::Retry;
            if !is_retry && group.node_type != NodeType::TaskGroup {
                continue;
            }
            let opening = format!("{}(", group.name);
            for child in group.children.iter().filter_map(|id| nodes.get(id)) {
                // The children of a retry or loop also name what comes next, and hooks.
                if child.is_hooked() || !child.name.as_str().starts_with(&opening) {
                    continue;
                }
                facts.group_of.insert(&child.id, group);
                if is_retry && !encloses_others(child.node_type) {
                    facts.tries.insert(&child.id);
                }
            }
        }
        facts
    }

    fn planned_entry(&self, planned: &PlannedNode) -> Entry {
        let node = self.by_name.get(&planned.name).copied();
        let node_type = match node.map(|node| node.node_type) {
            None | Some(NodeType::Skipped) => planned.node_type,
            Some(seen) => seen,
        };
        let (around, row) = match (&planned.owner, &planned.boundary) {
            (Some(owner), _) => (Some(owner.clone()), None),
            (None, Some(boundary)) => self.around_group(&planned.name, boundary),
            (None, None) => (None, None),
        };
        Entry {
            member: Member {
                name: planned.name.clone(),
                id: node.map(|node| node.id.clone()),
                label: self.label(&planned.name, planned.role, &planned.display_name),
                role: planned.role,
                node_type,
                template: planned.template.clone(),
                around: None,
                row,
                after: Vec::new(),
                condition: planned.condition.clone(),
                tries: self.tries_of(node),
                is_planned: true,
                path: planned.path.clone(),
            },
            around,
            after: planned.depends_on.clone(),
        }
    }

    fn seen_entry(&self, node: &NodeStatus) -> Entry {
        let (role, owner) = self.role_of(node);
        let boundary = self.nodes.get(&node.boundary_id).map(|node| &node.name);
        let (around, row) = match (owner, self.group_of.get(&node.id), boundary) {
            (Some(owner), _, _) => (Some(owner), None),
            (None, Some(group), _) => (Some(group.name.clone()), None),
            (None, None, Some(boundary)) => self.around_group(&node.name, boundary),
            (None, None, None) => (self.enclosing_name(&node.name), None),
        };
        Entry {
            member: Member {
                name: node.name.clone(),
                id: Some(node.id.clone()),
                label: self.label(&node.name, role, &node.display_name),
                role,
                node_type: node.node_type,
                template: node.template_name.clone(),
                around: None,
                row,
                after: Vec::new(),
                condition: None,
                tries: self.tries_of(Some(node)),
                is_planned: false,
                path: String::new(),
            },
            around,
            after: self.waits_for(node),
        }
    }

    /// The box around a node whose boundary is `boundary`, and its row when that is a step group or a
    /// Steps node: groups are rows of their box.
    fn around_group(&self, name: &NodeName, boundary: &NodeName) -> (Option<NodeName>, Option<u32>) {
        let is_group = |name: &NodeName| match self.planned.get(name) {
            Some(planned) => planned.node_type == NodeType::StepGroup,
            None => self.by_name.get(name).is_some_and(|node| node.node_type == NodeType::StepGroup),
        };
        let mut outer = boundary.clone();
        if is_group(boundary) {
            let of_plan = self.planned.get(boundary);
            let of_status = self.by_name.get(boundary).copied();
            outer = of_plan
                .and_then(|planned| planned.boundary.clone())
                .or_else(|| {
                    let id = &of_status?.boundary_id;
                    self.nodes.get(id).map(|node| node.name.clone())
                })
                .unwrap_or_else(|| boundary.clone());
        }
        let row = name
            .as_str()
            .strip_prefix(outer.as_str())
            .and_then(|rest| rest.strip_prefix('['))
            .and_then(|rest| rest.split_once(']'))
            .and_then(|(number, _)| number.parse().ok());
        (Some(outer), row)
    }

    /// What a node that the plan does not know is, going by its name, and whose hook it is.
    fn role_of(&self, node: &NodeStatus) -> (Role, Option<NodeName>) {
        let name = node.name.as_str();
        if name == self.workflow {
            return (Role::Root, None);
        }
        let is_there = |owner: &str| {
            let owner = NodeName::from(owner);
            self.by_name.contains_key(&owner) || self.planned.contains_key(&owner)
        };
        let may_be_hook = node.is_hooked() || node.node_flag.is_none();
        if let Some(owner) = name.strip_suffix(".onExit").filter(|o| is_there(o)) {
            if owner == self.workflow {
                return (Role::Handler, Some(owner.into()));
            }
            if may_be_hook {
                return (Role::ExitHook, Some(owner.into()));
            }
        }
        let named = name.rsplit_once(".hooks.").map(|(owner, _)| owner);
        match named.filter(|owner| node.is_hooked() && is_there(owner)) {
            Some(owner) => (Role::NamedHook, Some(owner.into())),
            None => (Role::Work, None),
        }
    }

    /// The longest name that this one begins with, else the root.
    fn enclosing_name(&self, name: &NodeName) -> Option<NodeName> {
        if name.as_str() == self.workflow {
            return None;
        }
        let mut rest = name.as_str();
        while let Some(at) = rest.rfind(['.', '[', '(']) {
            rest = &rest[..at];
            let outer = NodeName::from(rest);
            if self.by_name.contains_key(&outer) || self.planned.contains_key(&outer) {
                return Some(outer);
            }
        }
        Some(self.workflow.into())
    }

    fn label(&self, name: &NodeName, role: Role, display_name: &str) -> String {
        let own = |text: &str| {
            let node = self.by_name.get(&NodeName::from(text)).copied();
            let planned = self.planned.get(&NodeName::from(text));
            let shown = planned.map_or_else(
                || node.map_or("", |node| node.display_name.as_str()),
                |planned| planned.display_name.as_str(),
            );
            if shown.is_empty() { text.to_owned() } else { shown.to_owned() }
        };
        let full = name.as_str();
        match role {
            Role::Handler => format!("{}.onExit", self.workflow),
            Role::ExitHook => match full.strip_suffix(".onExit") {
                Some(owner) => format!("{}.onExit", own(owner)),
                None => own(full),
            },
            Role::NamedHook => match full.rsplit_once(".hooks.") {
                Some((_, hook)) => hook.to_owned(),
                None => own(full),
            },
            Role::Root => self.workflow.to_owned(),
            Role::Work if display_name.is_empty() => full.to_owned(),
            Role::Work => display_name.to_owned(),
        }
    }

    fn tries_of(&self, node: Option<&NodeStatus>) -> Vec<NodeId> {
        let Some(node) = node.filter(|node| node.node_type == NodeType::Retry) else {
            return Vec::new();
        };
        let tries = node.children.iter().filter(|id| self.tries.contains(id));
        tries.cloned().collect()
    }

    /// Who names this node as a child: what it waited for, or an inner node of that.
    fn waits_for(&self, node: &NodeStatus) -> Vec<NodeName> {
        if node.is_hooked() || self.group_of.contains_key(&node.id) {
            return Vec::new();
        }
        let is_before =
            |other: &&&NodeStatus| other.node_type != NodeType::StepGroup && other.id != node.boundary_id;
        let others = self.named_by.get(&node.id).into_iter().flatten();
        others.filter(is_before).map(|other| other.name.clone()).collect()
    }

    /// All nodes, as the children lead to them from the root, then those that nobody names.
    fn in_order_of_children(&self) -> Vec<&'a NodeStatus> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut seen = BTreeSet::new();
        let mut queue: VecDeque<&NodeStatus> = VecDeque::new();
        let root = self.by_name.get(&NodeName::from(self.workflow)).copied();
        let mut rest: Vec<&NodeStatus> = self.nodes.values().collect();
        ordered::sort_by(&mut rest, |a, b| (a.started_at, &a.name).cmp(&(b.started_at, &b.name)));
        for start in root.into_iter().chain(rest) {
            queue.push_back(start);
            while let Some(node) = queue.pop_front() {
                if !seen.insert(&node.id) {
                    continue;
                }
                order.push(node);
                queue.extend(node.children.iter().filter_map(|id| self.nodes.get(id)));
            }
        }
        order
    }
}

fn encloses_others(node_type: NodeType) -> bool {
    match node_type {
        NodeType::DAG | NodeType::Steps | NodeType::TaskGroup | NodeType::Retry => true,
        NodeType::Pod
        | NodeType::Container
        | NodeType::StepGroup
        | NodeType::Skipped
        | NodeType::Suspend
        | NodeType::HTTP
        | NodeType::Plugin => false,
    }
}

/// The entries, each after what is drawn around it. A circle of names is cut where it is met.
fn outer_first(mut entries: Vec<Entry>) -> Vec<Entry> {
    let places =
        ordered::map(entries.iter().enumerate().map(|(place, entry)| (entry.member.name.clone(), place)));
    let mut order = Vec::with_capacity(entries.len());
    let mut is_done = vec![false; entries.len()];
    for start in 0..entries.len() {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(place) = at.filter(|&place| !is_done[place]) {
            is_done[place] = true;
            chain.push(place);
            let around = entries[place].around.as_ref();
            at = around.and_then(|name| places.get(name)).copied();
            if at.is_some_and(|outer| chain.contains(&outer)) {
                entries[place].around = None;
                at = None;
            }
        }
        order.extend(chain.into_iter().rev());
    }
    let mut slots: Vec<Option<Entry>> = entries.into_iter().map(Some).collect();
    order.into_iter().filter_map(|place| slots[place].take()).collect()
}

/// Turns names into places and works out who is inside whom.
fn finish(workflow: &str, entries: Vec<Entry>) -> Roster {
    let mut roster = Roster {
        workflow: workflow.to_owned(),
        inside: vec![Vec::new(); entries.len()],
        hooks: vec![Vec::new(); entries.len()],
        ..Roster::default()
    };
    for (entry, index) in entries.iter().zip(0..) {
        let index = MemberIndex(index);
        let member = &entry.member;
        roster.by_name.insert(member.name.clone(), index);
        let ids = member.id.iter().chain(&member.tries);
        roster.by_id.extend(ids.map(|id| (id.clone(), index)));
    }
    let by_name = &roster.by_name;
    let afters: Vec<Vec<NodeName>> = entries.iter().map(|entry| entry.after.clone()).collect();
    for (entry, index) in entries.into_iter().zip(0..) {
        let mut member = entry.member;
        let around = entry.around.as_ref().and_then(|name| by_name.get(name));
        member.around = around.copied().filter(|around| around.0 < index);
        if let Some(around) = member.around {
            let list = if member.is_hook() { &mut roster.hooks } else { &mut roster.inside };
            list[around.place()].push(MemberIndex(index));
        }
        roster.members.push(member);
    }
    for hooks in &mut roster.hooks {
        ordered::sort_by_key(hooks, |hook| roster.members[hook.place()].is_exit_hook());
    }
    drop_step_groups(&mut roster);
    let mut labels = BTreeSet::new();
    let shared = roster.members.iter().filter(|member| !labels.insert(&member.label));
    let shared = shared.map(|member| member.label.clone()).collect();
    roster.shared_labels = shared;
    for (place, names) in afters.iter().enumerate() {
        roster.members[place].after = siblings(&roster, place, names);
    }
    roster
}

/// Step groups are rows, not boxes: they stay members, but nothing is inside them and they are
/// inside nothing.
fn drop_step_groups(roster: &mut Roster) {
    let members = &roster.members;
    for inside in &mut roster.inside {
        inside.retain(|member| members[member.place()].node_type != NodeType::StepGroup);
    }
}

/// The members beside `place` that hold the named nodes or are them.
fn siblings(roster: &Roster, place: usize, names: &[NodeName]) -> Vec<MemberIndex> {
    let member = &roster.members[place];
    let mut found = Vec::new();
    for name in names {
        let mut at = roster.by_name.get(name).copied();
        while let Some(index) = at {
            let other = &roster.members[index.place()];
            if other.around == member.around {
                let is_row = other.row.is_some() && member.row.is_some();
                if index.place() != place && !is_row && !found.contains(&index) {
                    found.push(index);
                }
                break;
            }
            at = other.around;
        }
    }
    found
}
