//! A saved or streamed status to a run.
//!
//! In: a plan and a status that some controller wrote. Out: the table as if this engine had got
//! there itself. Nodes are found by the names that the plan foresees; a node that it does not
//! foresee (an item, a try) is kept and ended with the rest, but nothing hangs on it.

use std::collections::BTreeMap;

use unwind_model::{
    NodeId, NodeName, NodePhase, NodeStatus, NodeType, WorkflowPhase, WorkflowStatus, ordered,
};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::names;
use crate::plan::{Call, DagPlan, HookPlan, Plan, StepsPlan, TaskIndex, TaskPlan, TemplateKind};
use crate::sketch::reconcile::Visit;
use crate::sketch::run::Run;
use crate::sketch::scope::root_name;
use crate::sketch::table::{ExitWork, Inside, Leaves, Members, Node, NodeIndex, Place, Slot};

/// Fills an empty run from a status.
pub(crate) fn take_up(run: &mut Run, status: &WorkflowStatus) -> Vec<Diagnostic> {
    let begun = status.phase != WorkflowPhase::Unset;
    let workflow = &mut run.workflow;
    workflow.phase = status.phase;
    workflow.message.clone_from(&status.message);
    workflow.started_at = status.started_at;
    workflow.finished_at = status.finished_at;
    workflow.began = begun;
    let mut taking = TakingUp {
        plan: run.plan.clone(),
        by_name: status.nodes.values().map(|node| (&node.name, node)).collect(),
        run,
    };
    taking.planned();
    taking.unforeseen(status);
    taking.links(status);
    if begun && !status.phase.is_final() {
        taking.visits();
    }
    let is_moved = status.nodes.is_empty()
        && !(status.offload_node_status_version.is_empty() && status.compressed_nodes.is_empty());
    if is_moved {
        return vec![Diagnostic {
            code: Code::NoNodes,
            severity: Severity::Warning,
            path: "status.nodes".to_owned(),
            position: None,
        }];
    }
    Vec::new()
}

struct TakingUp<'run, 'status> {
    run: &'run mut Run,
    plan: std::sync::Arc<Plan>,
    by_name: BTreeMap<&'status NodeName, &'status NodeStatus>,
}

/// Where a node is looked for.
#[derive(Clone, Copy)]
struct Foreseen<'plan> {
    place: Place,
    boundary: Option<NodeIndex>,
    call: &'plan Call,
    exit_work: ExitWork,
}

impl TakingUp<'_, '_> {
    fn planned(&mut self) {
        let plan = self.plan.clone();
        let root = root_name(self.run);
        self.run.root = self.take(
            &root,
            Foreseen { place: Place::Root, boundary: None, call: &plan.root, exit_work: ExitWork::None },
        );
        if let Some(handler) = &plan.handler {
            self.run.handler = self.take(
                &names::exit_hook(&root),
                Foreseen {
                    place: Place::Handler,
                    boundary: None,
                    call: &handler.call,
                    exit_work: ExitWork::Handler,
                },
            );
        }
    }

    /// The node of this name with everything inside it, when there is one.
    fn take(&mut self, name: &NodeName, foreseen: Foreseen<'_>) -> Option<NodeIndex> {
        let status = *self.by_name.get(name)?;
        let plan = self.plan.clone();
        let template = plan.template(foreseen.call.template);
        let inside = match (&template.kind, status.node_type) {
            (TemplateKind::Dag(_), NodeType::DAG) => Some(empty_members()),
            (TemplateKind::Steps(_), NodeType::Steps) => Some(Inside::Groups(Vec::new())),
            _ => None,
        };
        let index = self.add(status, &foreseen, inside);
        self.run.table.get_mut(index).template = Some(foreseen.call.template);
        match (&template.kind, status.node_type) {
            (TemplateKind::Dag(dag), NodeType::DAG) => self.dag(index, dag),
            (TemplateKind::Steps(steps), NodeType::Steps) => self.steps(index, steps),
            _ => {}
        }
        Some(index)
    }

    /// Adds a node. `inside` is what the plan has in it, filled later.
    fn add(&mut self, status: &NodeStatus, foreseen: &Foreseen<'_>, inside: Option<Inside>) -> NodeIndex {
        let may_go_on = match (self.run.workflow.shutdown, foreseen.exit_work) {
            (None, _) | (Some(unwind_model::Shutdown::Stop), ExitWork::Hook | ExitWork::Handler) => true,
            (Some(_), _) => false,
        };
        let depth = foreseen.boundary.map_or(0, |outer| self.run.table.get(outer).depth + 1);
        let node = Node {
            id: status.id.clone(),
            name: status.name.clone(),
            display_name: status.display_name.clone(),
            kind: status.node_type,
            template_name: status.template_name.clone(),
            template: None,
            place: foreseen.place,
            boundary: foreseen.boundary,
            depth,
            phase: status.phase,
            message: status.message.clone(),
            started_at: status.started_at,
            finished_at: status.finished_at,
            children: Vec::new(),
            outbound: Vec::new(),
            flag: status.node_flag,
            inputs: status
                .inputs
                .parameters
                .iter()
                .map(|parameter| (parameter.name.clone(), parameter.value.clone()))
                .collect(),
            outputs: status.outputs.clone(),
            exit_work: foreseen.exit_work,
            inside: inside.unwrap_or_else(|| inside_of(status, !may_go_on)),
            exit_hook: None,
            began: has_begun(status),
            cut: status.phase == NodePhase::Failed && is_shutdown_text(&status.message),
            leaves: Leaves::default(),
        };
        let is_leaf = node.inside.is_leaf() && is_leaf_type(node.kind);
        let done = u32::from(node.phase == NodePhase::Succeeded);
        self.run.unfinished += usize::from(!node.phase.is_final());
        let index = self.run.table.add(node);
        if is_leaf {
            self.run.count(index, Leaves { done, all: 1 });
        }
        index
    }

    fn dag(&mut self, index: NodeIndex, dag: &DagPlan) {
        let mut slots = vec![Slot::NotNeeded; dag.tasks.len()];
        let name = self.run.table.get(index).name.clone();
        let mut needed = dag.order.clone();
        ordered::sort_by(&mut needed, Ord::cmp);
        for task in needed {
            slots[task.at()] = self.slot(index, index, task, &dag.tasks[task.at()], &name);
        }
        let waits = dag
            .tasks
            .iter()
            .map(|task| task.needs.iter().filter(|need| is_open(slots[need.at()])).count() as u32)
            .collect();
        let open = slots.iter().filter(|slot| is_open(**slot)).count();
        self.run.table.get_mut(index).inside = Inside::Members(Members { slots, waits, open });
    }

    fn steps(&mut self, index: NodeIndex, steps: &StepsPlan) {
        let name = self.run.table.get(index).name.clone();
        let exit_work = self.run.table.get(index).exit_work;
        let mut groups = Vec::new();
        for (at, planned) in steps.groups.iter().enumerate() {
            let group_name = names::group(&name, at);
            let Some(status) = self.by_name.get(&group_name).copied() else {
                break;
            };
            let foreseen = Foreseen {
                place: Place::Group { steps: index, at: at as u32 },
                boundary: Some(index),
                call: &self.plan.root.clone(),
                exit_work,
            };
            let group = self.add(status, &foreseen, Some(empty_members()));
            let mut slots = Vec::new();
            for (at, step) in planned.iter().enumerate() {
                let task = TaskIndex(at as u32);
                slots.push(self.slot(group, index, task, step, &group_name));
            }
            let open = slots.iter().filter(|slot| is_open(**slot)).count();
            let waits = vec![0; slots.len()];
            self.run.table.get_mut(group).inside = Inside::Members(Members { slots, waits, open });
            groups.push(group);
        }
        self.run.table.get_mut(index).inside = Inside::Groups(groups);
    }

    /// What a task is at, with its node and hook taken up.
    fn slot(
        &mut self,
        outer: NodeIndex,
        boundary: NodeIndex,
        task: TaskIndex,
        planned: &TaskPlan,
        outer_name: &NodeName,
    ) -> Slot {
        let outer_is_final = self.run.table.get(outer).phase.is_final();
        let exit_work = self.run.table.get(outer).exit_work;
        let foreseen = Foreseen {
            place: Place::Slot { outer, task },
            boundary: Some(boundary),
            call: &planned.call,
            exit_work,
        };
        let name = names::task(outer_name, &planned.name);
        let Some(node) = self.take(&name, foreseen) else {
            return if outer_is_final { Slot::NotNeeded } else { Slot::Waiting };
        };
        if let Some(hook) = &planned.exit_hook {
            self.hook(node, boundary, hook);
        }
        // In a box that has ended nothing begins any more; what still runs there is waited for.
        let hook = self.run.table.get(node).exit_hook;
        let hook_is_final = hook.is_none_or(|hook| self.run.table.get(hook).phase.is_final());
        let is_final = self.run.table.get(node).phase.is_final() && hook_is_final;
        if outer_is_final && is_final && !self.has_open_insides(node) {
            Slot::Over(node)
        } else {
            Slot::Working(node)
        }
    }

    fn hook(&mut self, owner: NodeIndex, boundary: NodeIndex, hook: &HookPlan) {
        let node = self.run.table.get(owner);
        let name = names::exit_hook(&node.name);
        let foreseen = Foreseen {
            place: Place::ExitHook { owner },
            boundary: Some(boundary),
            call: &hook.call,
            exit_work: match node.exit_work {
                ExitWork::None | ExitWork::Hook => ExitWork::Hook,
                ExitWork::Handler => ExitWork::Handler,
            },
        };
        let hook = self.take(&name, foreseen);
        self.run.table.get_mut(owner).exit_hook = hook;
    }

    fn has_open_insides(&self, index: NodeIndex) -> bool {
        match &self.run.table.get(index).inside {
            Inside::Nothing | Inside::Program { .. } | Inside::Wait => false,
            Inside::Members(members) => members.open > 0,
            Inside::Groups(groups) => groups.iter().any(|group| self.has_open_insides(*group)),
        }
    }

    /// Nodes that the plan does not foresee.
    fn unforeseen(&mut self, status: &WorkflowStatus) {
        let call = self.plan.root.clone();
        for node in status.nodes.values() {
            if self.run.table.named(&node.name).is_none() {
                let foreseen = Foreseen {
                    place: Place::Unforeseen,
                    boundary: None,
                    call: &call,
                    exit_work: ExitWork::None,
                };
                self.add(node, &foreseen, None);
            }
        }
    }

    /// Children and outbound nodes as the status has them.
    fn links(&mut self, status: &WorkflowStatus) {
        for node in status.nodes.values() {
            let Some(index) = self.run.table.find(&node.id) else {
                continue;
            };
            let found = |ids: &[NodeId]| -> Vec<NodeIndex> {
                ids.iter().filter_map(|id| self.run.table.find(id)).collect()
            };
            let (children, outbound) = (found(&node.children), found(&node.outbound_nodes));
            let taken = self.run.table.get_mut(index);
            taken.children = children;
            taken.outbound = outbound;
        }
    }

    /// Has everything looked at, since nobody knows what the controller had still to do.
    fn visits(&mut self) {
        let mut visits = Vec::new();
        for (index, node) in self.run.table.iter() {
            match &node.inside {
                Inside::Members(members) => {
                    for at in 0..members.slots.len() {
                        visits.push(Visit::Slot(index, TaskIndex(at as u32)));
                    }
                    visits.push(Visit::Members(index));
                }
                Inside::Groups(_) => visits.push(Visit::Steps(index)),
                Inside::Nothing | Inside::Program { .. } | Inside::Wait => {}
            }
        }
        // Innermost first, as events would have come.
        visits.reverse();
        self.run.visits.extend(visits);
        self.run.visits.push_back(Visit::Workflow);
    }
}

fn is_open(slot: Slot) -> bool {
    match slot {
        Slot::Waiting | Slot::Working(_) => true,
        Slot::Over(_) | Slot::NotNeeded | Slot::CutOff => false,
    }
}

/// What a node holds before its insides are taken up. Anything that is not final and not a box of
/// the plan is taken for a program: it ends once it is told to.
fn inside_of(status: &NodeStatus, told_to_end: bool) -> Inside {
    match status.node_type {
        NodeType::Suspend => Inside::Wait,
        NodeType::Pod | NodeType::Container | NodeType::HTTP | NodeType::Plugin => {
            Inside::Program { told_to_end }
        }
        NodeType::DAG
        | NodeType::Steps
        | NodeType::StepGroup
        | NodeType::TaskGroup
        | NodeType::Retry
        | NodeType::Skipped => {
            if status.phase.is_final() {
                Inside::Nothing
            } else {
                Inside::Program { told_to_end }
            }
        }
    }
}

fn empty_members() -> Inside {
    Inside::Members(Members { slots: Vec::new(), waits: Vec::new(), open: 0 })
}

fn is_leaf_type(kind: NodeType) -> bool {
    match kind {
        NodeType::Pod | NodeType::Container | NodeType::Suspend | NodeType::HTTP | NodeType::Plugin => true,
        NodeType::DAG
        | NodeType::Steps
        | NodeType::StepGroup
        | NodeType::TaskGroup
        | NodeType::Retry
        | NodeType::Skipped => false,
    }
}

fn is_shutdown_text(message: &str) -> bool {
    ["workflow shutdown with strategy:", "Stopped with strategy"].iter().any(|text| message.starts_with(text))
}

/// Whether a node ran at all. One that a shutdown refused says so with one space.
fn has_begun(status: &NodeStatus) -> bool {
    let refused = "workflow shutdown with strategy: ";
    let is_refused = status.message.strip_prefix(refused).is_some_and(|rest| !rest.starts_with(' '));
    if status.node_type == NodeType::Skipped {
        return false;
    }
    match status.phase {
        NodePhase::Pending | NodePhase::Skipped | NodePhase::Omitted => false,
        NodePhase::Running | NodePhase::Succeeded | NodePhase::Error => true,
        NodePhase::Failed => !is_refused,
    }
}
