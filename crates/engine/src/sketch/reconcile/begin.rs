//! New nodes: made, linked as Argo links them, counted, and their insides begun.
//! Source: Argo `workflow/controller/operator.go`, `executeTemplate`, `initializeNode`.

use std::collections::BTreeSet;

use unwind_model::params::Outputs;
use unwind_model::status::NodeFlag;
use unwind_model::{NodeId, NodeName, NodePhase, NodeType};

use crate::names;
use crate::plan::{Call, DagPlan, TaskIndex, TemplateIndex, TemplateKind};
use crate::sketch::event::{Action, Change};
use crate::sketch::scope::Scope;
use crate::sketch::table::{ExitWork, Inputs, Inside, Leaves, Members, Node, NodeIndex, Place, Slot};

use super::{Reconcile, Visit};

/// Deepest nesting. Source: Argo `workflow/controller/operator.go`, `executeTemplate`.
const DEPTH_LIMIT: u32 = 100;

/// Most nodes of one run: a plan that doubles at every level must not fill the memory.
const NODE_LIMIT: usize = 200_000;

/// What is to begin.
pub(super) struct Beginning<'plan> {
    pub(super) place: Place,
    pub(super) name: NodeName,
    pub(super) call: &'plan Call,
    pub(super) exit_work: ExitWork,
}

/// A node that is about to be added.
struct Draft<'plan> {
    place: Place,
    name: NodeName,
    call: Option<&'plan Call>,
    node_type: NodeType,
    phase: NodePhase,
    message: String,
    inputs: Inputs,
    inside: Inside,
    exit_work: ExitWork,
}

impl Reconcile<'_> {
    /// Begins a task, step, hook or the root.
    pub(super) fn begin(&mut self, beginning: Beginning<'_>) {
        let plan = self.plan();
        let template = plan.template(beginning.call.template);
        let boundary = self.boundary_of(beginning.place);
        let refusal = if self.depth_of(beginning.place) > DEPTH_LIMIT {
            Some("Maximum recursion depth exceeded".to_owned())
        } else if self.run.table.len() >= NODE_LIMIT {
            Some(format!("more than {NODE_LIMIT} nodes in one workflow"))
        } else {
            match &template.kind {
                TemplateKind::Opaque(opaque) => Some(opaque.message.clone()),
                TemplateKind::Dag(_)
                | TemplateKind::Steps(_)
                | TemplateKind::Leaf(_)
                | TemplateKind::Suspend(_) => None,
            }
        };
        if let Some(message) = refusal {
            self.add_ended(beginning, NodeType::Skipped, NodePhase::Error, message);
            return;
        }
        let scope = Scope { boundary, exit_work: beginning.exit_work };
        let is_hook = matches!(beginning.place, Place::ExitHook { .. } | Place::Handler);
        let (phase, inside) = match &template.kind {
            TemplateKind::Leaf(_) => (NodePhase::Pending, Inside::Program { told_to_end: false }),
            TemplateKind::Suspend(_) | TemplateKind::Opaque(_) => (NodePhase::Running, Inside::Wait),
            TemplateKind::Dag(dag) => (NodePhase::Running, Inside::Members(members_of(dag))),
            TemplateKind::Steps(_) => (NodePhase::Running, Inside::Groups(Vec::new())),
        };
        let index = self.add(Draft {
            inputs: self.run.inputs_of(beginning.call, scope, is_hook),
            place: beginning.place,
            name: beginning.name,
            call: Some(beginning.call),
            node_type: template.kind.node_type(),
            phase,
            message: String::new(),
            inside,
            exit_work: beginning.exit_work,
        });
        self.begin_insides(index, beginning.call.template);
    }

    fn begin_insides(&mut self, index: NodeIndex, template: TemplateIndex) {
        let plan = self.plan();
        match &plan.template(template).kind {
            TemplateKind::Leaf(_) => {
                let start = self.run.leaf_start(index);
                self.act(Action::Start(Box::new(start)));
            }
            TemplateKind::Suspend(suspend) => {
                if let Some(after_ms) = suspend.duration_ms {
                    let node = self.run.table.get(index).id.clone();
                    self.act(Action::SetTimer { node, after_ms });
                }
            }
            TemplateKind::Dag(dag) => {
                for task in &dag.order {
                    if dag.tasks[task.at()].needs.is_empty() {
                        self.visit(Visit::Slot(index, *task));
                    }
                }
                self.visit(Visit::Members(index));
            }
            TemplateKind::Steps(_) => self.visit(Visit::Steps(index)),
            TemplateKind::Opaque(_) => {}
        }
    }

    /// A node that never runs: skipped, omitted, refused, or in error before it began.
    pub(super) fn add_ended(
        &mut self,
        beginning: Beginning<'_>,
        node_type: NodeType,
        phase: NodePhase,
        message: String,
    ) -> NodeIndex {
        let index = self.add(Draft {
            place: beginning.place,
            name: beginning.name,
            call: Some(beginning.call),
            node_type,
            phase,
            message,
            inputs: Vec::new(),
            inside: Inside::Nothing,
            exit_work: beginning.exit_work,
        });
        self.visit_place_of(index);
        index
    }

    /// A group of steps with its slots.
    pub(super) fn add_group(&mut self, steps: NodeIndex, at: u32, size: usize) -> NodeIndex {
        let outer = self.run.table.get(steps);
        let members = Members { slots: vec![Slot::Waiting; size], waits: vec![0; size], open: size };
        let draft = Draft {
            place: Place::Group { steps, at },
            name: names::group(&outer.name, at as usize),
            call: None,
            node_type: NodeType::StepGroup,
            phase: NodePhase::Running,
            message: String::new(),
            inputs: Vec::new(),
            inside: Inside::Members(members),
            exit_work: outer.exit_work,
        };
        let index = self.add(draft);
        for task in 0..size {
            self.visit(Visit::Slot(index, TaskIndex(task as u32)));
        }
        self.visit(Visit::Members(index));
        index
    }

    fn add(&mut self, draft: Draft<'_>) -> NodeIndex {
        let boundary = self.boundary_of(draft.place);
        let outer = boundary.map(|outer| &self.run.table.get(outer).name);
        let is_leaf = draft.inside.is_leaf();
        let node = Node {
            id: NodeId::of(self.run.name(), &draft.name),
            display_name: names::display(&draft.name, outer),
            kind: draft.node_type,
            template_name: draft.call.map_or_else(String::new, |call| call.name.clone()),
            template: draft.call.map(|call| call.template),
            boundary,
            depth: self.depth_of(draft.place),
            phase: draft.phase,
            message: draft.message,
            started_at: Some(self.now),
            finished_at: draft.phase.is_final().then_some(self.now),
            children: Vec::new(),
            outbound: Vec::new(),
            flag: flag_of(draft.place, draft.node_type),
            inputs: draft.inputs,
            outputs: Outputs::default(),
            exit_work: draft.exit_work,
            inside: draft.inside,
            exit_hook: None,
            began: draft.phase == NodePhase::Running,
            cut: false,
            leaves: Leaves::default(),
            place: draft.place,
            name: draft.name,
        };
        self.run.unfinished += usize::from(!node.phase.is_final());
        self.run.looked_at += 1;
        let index = self.run.table.add(node);
        self.enter(index);
        self.link(index);
        let node = self.run.table.get(index);
        self.step.changes.push(Change::Node {
            id: node.id.clone(),
            name: node.name.clone(),
            from: None,
            to: node.phase,
        });
        if is_leaf {
            self.count(index, Leaves { done: 0, all: 1 });
        }
        index
    }

    /// Notes the node where its place keeps it.
    fn enter(&mut self, index: NodeIndex) {
        match self.run.table.get(index).place {
            Place::Root => self.run.root = Some(index),
            Place::Handler => self.run.handler = Some(index),
            Place::Slot { outer, task } => {
                if let Inside::Members(members) = &mut self.run.table.get_mut(outer).inside {
                    members.slots[task.at()] = Slot::Working(index);
                }
            }
            Place::Group { steps, .. } => {
                if let Inside::Groups(groups) = &mut self.run.table.get_mut(steps).inside {
                    groups.push(index);
                }
            }
            Place::ExitHook { owner } => self.run.table.get_mut(owner).exit_hook = Some(index),
            Place::Unforeseen => {}
        }
    }

    /// Makes the node a child of those that Argo hangs it on.
    /// Source: Argo `workflow/controller/dag.go`, `steps.go`, `addChildNode` and its callers.
    fn link(&mut self, index: NodeIndex) {
        let table = &self.run.table;
        let mut above = Vec::new();
        match table.get(index).place {
            Place::Root | Place::Handler | Place::Unforeseen => {}
            Place::ExitHook { owner } => above.push(owner),
            Place::Slot { outer, task } => {
                for need in self.nodes_needed(outer, task) {
                    self.add_outbound(need, &mut above);
                }
                if above.is_empty() {
                    above.push(outer);
                }
            }
            Place::Group { steps, at } => match (&table.get(steps).inside, at.checked_sub(1)) {
                (Inside::Groups(groups), Some(before)) => {
                    let before = groups[before as usize];
                    for child in &table.get(before).children {
                        self.add_outbound(*child, &mut above);
                    }
                    if above.is_empty() {
                        above.push(before);
                    }
                }
                _ => above.push(steps),
            },
        }
        let mut linked = BTreeSet::new();
        for parent in above {
            if linked.insert(parent) {
                self.run.table.get_mut(parent).children.push(index);
                self.touched.insert(parent);
            }
        }
    }

    fn nodes_needed(&self, outer: NodeIndex, task: TaskIndex) -> Vec<NodeIndex> {
        let Some(dag) = self.dag_of(outer) else {
            return Vec::new();
        };
        let Inside::Members(members) = &self.run.table.get(outer).inside else {
            return Vec::new();
        };
        dag.tasks[task.at()].needs.iter().filter_map(|need| members.slots[need.at()].node()).collect()
    }

    /// The plan of a DAG node; `None` for a group of steps.
    pub(super) fn dag_of(&self, index: NodeIndex) -> Option<&DagPlan> {
        let template = self.run.table.get(index).template?;
        match &self.run.plan.template(template).kind {
            TemplateKind::Dag(dag) => Some(dag),
            TemplateKind::Steps(_)
            | TemplateKind::Leaf(_)
            | TemplateKind::Suspend(_)
            | TemplateKind::Opaque(_) => None,
        }
    }

    /// Enclosing DAG or Steps of a place. The boundary of a hook is its owner's.
    fn boundary_of(&self, place: Place) -> Option<NodeIndex> {
        let table = &self.run.table;
        match place {
            Place::Root | Place::Handler | Place::Unforeseen => None,
            Place::Group { steps, .. } => Some(steps),
            Place::ExitHook { owner } => table.get(owner).boundary,
            Place::Slot { outer, .. } => match table.get(outer).place {
                Place::Group { steps, .. } => Some(steps),
                Place::Root
                | Place::Handler
                | Place::Slot { .. }
                | Place::ExitHook { .. }
                | Place::Unforeseen => Some(outer),
            },
        }
    }

    fn depth_of(&self, place: Place) -> u32 {
        self.boundary_of(place).map_or(0, |outer| self.run.table.get(outer).depth + 1)
    }

    pub(super) fn count(&mut self, index: NodeIndex, leaves: Leaves) {
        let moved = self.run.count(index, leaves);
        self.touched.extend(moved);
    }

    pub(super) fn count_done(&mut self, index: NodeIndex) {
        if self.run.table.get(index).inside.is_leaf() {
            self.count(index, Leaves { done: 1, all: 0 });
        }
    }
}

/// Source: `argo-semantics` 1.7.
fn flag_of(place: Place, node_type: NodeType) -> Option<NodeFlag> {
    let hooked = matches!(place, Place::ExitHook { .. } | Place::Handler);
    let marked = hooked || matches!(node_type, NodeType::StepGroup | NodeType::Skipped);
    marked.then_some(NodeFlag { hooked, retried: false })
}

fn members_of(dag: &DagPlan) -> Members {
    let mut slots = vec![Slot::NotNeeded; dag.tasks.len()];
    for task in &dag.order {
        slots[task.at()] = Slot::Waiting;
    }
    Members {
        slots,
        waits: dag.tasks.iter().map(|task| task.needs.len() as u32).collect(),
        open: dag.order.len(),
    }
}
