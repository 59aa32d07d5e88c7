//! Everybody in the picture: the nodes of the plan and of the status as one list.
//!
//! Plan and status are two inputs of one picture. A node that is planned and one that is there have
//! the same entry under the same full name, so nothing moves when a planned node comes to be. What
//! the plan does not know (items, tries, opaque templates) gets its place by what the status says.

use std::collections::{BTreeMap, BTreeSet};

use unwind_engine::plan::{PlannedNode, Role};
use unwind_model::{NodeId, NodeName, NodeStatus, NodeType, Workflow, WorkflowStatus};

mod nesting;

/// The place of a member in [`Roster::members`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberIndex(pub u32);

impl MemberIndex {
    /// The index as a place in a slice.
    pub const fn place(self) -> usize {
        self.0 as usize
    }
}

/// One node, planned or there.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Full name.
    pub name: NodeName,
    /// Id, once it is there.
    pub id: Option<NodeId>,
    /// What it is called where its surroundings are plain: `level2`, `level2.onExit`, the name of a
    /// named hook.
    pub label: String,
    /// What it is to the one it belongs to.
    pub role: Role,
    /// What kind of node it is, or will be.
    pub node_type: NodeType,
    /// Template it runs; empty for groups.
    pub template: String,
    /// The member that is drawn around it: its box; for a hook its owner.
    pub around: Option<MemberIndex>,
    /// The step group it belongs to, counted from 0.
    pub row: Option<u32>,
    /// Members beside it that it waits for.
    pub after: Vec<MemberIndex>,
    /// Condition of a named hook, or `when`.
    pub condition: Option<String>,
    /// The nodes of its tries, first to last, when it is a leaf that is tried again.
    pub tries: Vec<NodeId>,
    /// The plan knows it.
    pub is_planned: bool,
    /// Path of its task, step or hook in the document; empty when the plan does not know it.
    pub path: String,
}

impl Member {
    /// True for exit hooks and the workflow's handler.
    pub fn is_exit_hook(&self) -> bool {
        match self.role {
            Role::ExitHook | Role::Handler => true,
            Role::Root | Role::Work | Role::NamedHook => false,
        }
    }

    /// True for a hook of any kind.
    pub fn is_hook(&self) -> bool {
        self.is_exit_hook() || self.role == Role::NamedHook
    }
}

/// All nodes of a workflow, planned or there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roster {
    /// The workflow's name, which is the name of its root node.
    pub workflow: String,
    /// The members: owners before what they hold; what is planned in the order of the document, then
    /// what only the status knows.
    pub members: Vec<Member>,
    /// `inside[i]`: the members drawn inside member `i`, without its hooks.
    inside: Vec<Vec<MemberIndex>>,
    /// `hooks[i]`: the hooks of member `i`, the exit hook last.
    hooks: Vec<Vec<MemberIndex>>,
    /// Labels that several members have.
    shared_labels: BTreeSet<String>,
    by_name: BTreeMap<NodeName, MemberIndex>,
    by_id: BTreeMap<NodeId, MemberIndex>,
}

impl Roster {
    /// Joins the plan's outline and the nodes of the workflow's status. Cost: n log n.
    pub fn new(outline: &[PlannedNode], workflow: &Workflow) -> Self {
        nesting::build(outline, workflow)
    }

    /// The member of this full name.
    pub fn find(&self, name: &NodeName) -> Option<MemberIndex> {
        self.by_name.get(name).copied()
    }

    /// The member whose node, or one of whose tries, has this id.
    pub fn find_id(&self, id: &NodeId) -> Option<MemberIndex> {
        self.by_id.get(id).copied()
    }

    /// A member by its index.
    pub fn member(&self, index: MemberIndex) -> &Member {
        &self.members[index.place()]
    }

    /// All indices, owners before what they hold.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = MemberIndex> + use<> {
        (0..u32::try_from(self.members.len()).unwrap_or(u32::MAX)).map(MemberIndex)
    }

    /// What is drawn inside a member, without its hooks.
    pub fn inside(&self, index: MemberIndex) -> &[MemberIndex] {
        &self.inside[index.place()]
    }

    /// The hooks of a member, the exit hook last.
    pub fn hooks(&self, index: MemberIndex) -> &[MemberIndex] {
        &self.hooks[index.place()]
    }

    /// The members that nothing is drawn around.
    pub fn tops(&self) -> impl Iterator<Item = MemberIndex> + '_ {
        self.indices().filter(|&index| self.member(index).around.is_none())
    }

    /// True for what is drawn as a box when it is open.
    pub fn is_box(&self, index: MemberIndex) -> bool {
        match self.member(index).node_type {
            NodeType::DAG | NodeType::Steps | NodeType::TaskGroup => true,
            NodeType::Retry
            | NodeType::Pod
            | NodeType::Container
            | NodeType::StepGroup
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => !self.inside(index).is_empty(),
        }
    }

    /// The status of a member's node.
    pub fn status<'a>(&self, index: MemberIndex, status: &'a WorkflowStatus) -> Option<&'a NodeStatus> {
        status.nodes.get(self.member(index).id.as_ref()?)
    }

    /// What a node is called in a sentence; a name that nobody has stands for itself.
    pub fn label(&self, name: &NodeName) -> String {
        match self.find(name) {
            Some(index) => self.member(index).label.clone(),
            None => own_label(&self.workflow, name),
        }
    }

    /// Its label, with what it lies in before it where others have the same: `each(0:red) / train`.
    pub fn clear_label(&self, index: MemberIndex) -> String {
        let member = self.member(index);
        match member.around {
            Some(around) if self.shared_labels.contains(&member.label) => {
                format!("{} / {}", self.member(around).label, member.label)
            }
            Some(_) | None => member.label.clone(),
        }
    }

    /// The members around one, outermost first, without the root and without itself. For a hook its
    /// owner is the last.
    pub fn path(&self, index: MemberIndex) -> Vec<MemberIndex> {
        let mut path = Vec::new();
        let mut at = self.member(index).around;
        while let Some(around) = at {
            at = self.member(around).around;
            if self.member(around).role != Role::Root {
                path.push(around);
            }
        }
        path.reverse();
        path
    }

    /// The path as text: `level1 / level2`; empty right below the root.
    pub fn path_text(&self, index: MemberIndex) -> String {
        let labels: Vec<&str> =
            self.path(index).into_iter().map(|around| self.member(around).label.as_str()).collect();
        labels.join(" / ")
    }

    /// True when `inner` lies anywhere inside `outer`, hooks included.
    pub fn encloses(&self, outer: MemberIndex, inner: MemberIndex) -> bool {
        let mut at = self.member(inner).around;
        while let Some(around) = at {
            if around == outer {
                return true;
            }
            at = self.member(around).around;
        }
        false
    }

    /// All members in bracket order: owner, what is inside it, its hooks, exit hook last.
    pub fn bracket_order(&self) -> Vec<MemberIndex> {
        let mut order = Vec::with_capacity(self.members.len());
        let mut stack: Vec<MemberIndex> = self.tops().collect();
        stack.reverse();
        while let Some(index) = stack.pop() {
            order.push(index);
            stack.extend(self.hooks(index).iter().rev());
            stack.extend(self.inside(index).iter().rev());
        }
        order
    }

    /// The turns of the exit hooks that are due: 1 + the highest turn of the due exit hooks inside
    /// the owner, the workflow's handler last of all. Source: `ui.md` section 2.
    pub fn turns(&self, is_due: impl Fn(MemberIndex) -> bool) -> BTreeMap<MemberIndex, u32> {
        let mut highest_inside = vec![0; self.members.len()];
        let mut turns = BTreeMap::new();
        // Bracket order backwards meets a hook before its owner and what the owner holds, so each
        // member first collects from what is inside it.
        for index in self.bracket_order().into_iter().rev() {
            let inner = |members: &[MemberIndex]| -> u32 {
                let highest = members.iter().map(|member| highest_inside[member.place()]);
                highest.max().unwrap_or(0)
            };
            let mut highest = inner(self.inside(index)).max(inner(self.hooks(index)));
            for &hook in self.hooks(index) {
                if self.member(hook).is_exit_hook() && is_due(hook) {
                    highest += 1;
                    turns.insert(hook, highest);
                }
            }
            highest_inside[index.place()] = highest;
        }
        turns
    }

    /// A message of Argo with the ids in it turned into names: `child 'orchard-3159591445' failed`
    /// becomes `child 'press' failed`.
    pub fn message(&self, message: &str) -> String {
        let mut text = String::with_capacity(message.len());
        let mut rest = message;
        while let Some(at) = rest.find(&self.workflow).filter(|_| !self.workflow.is_empty()) {
            let (before, from) = rest.split_at(at);
            text.push_str(before);
            let length = from
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
                .count()
                .max(self.workflow.len());
            let (word, after) = from.split_at(length);
            let found = word.len() > self.workflow.len();
            match self.find_id(&NodeId::from(word)).filter(|_| found) {
                Some(index) => text.push_str(&self.member(index).label),
                None => text.push_str(word),
            }
            rest = after;
        }
        text.push_str(rest);
        text
    }
}

/// What a node that nobody knows is called: its name without the workflow's.
fn own_label(workflow: &str, name: &NodeName) -> String {
    let name = name.as_str();
    name.strip_prefix(workflow)
        .and_then(|rest| rest.strip_prefix('.'))
        .filter(|rest| *rest != "onExit")
        .unwrap_or(name)
        .to_owned()
}
