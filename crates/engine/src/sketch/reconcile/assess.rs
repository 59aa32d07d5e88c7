//! The phase of a box when everything inside it is over.
//! Source: Argo `workflow/controller/dag.go`, `assessDAGPhase`; `steps.go`, `executeStepGroup`;
//! `argo-semantics` 2.3, 3; design decisions 2 and 6.

use unwind_model::NodePhase;

use crate::plan::{DagPlan, TaskIndex};
use crate::sketch::table::{Inside, Members, Node, NodeIndex, Slot};

use super::slot::{dag_plan, task_of};
use super::{Decided, Reconcile};

/// How a box ends.
struct Assessment {
    phase: NodePhase,
    message: String,
    cut: bool,
}

impl Reconcile<'_> {
    /// Ends a DAG or a group of steps when no slot of it is open any more.
    pub(super) fn close_members(&mut self, index: NodeIndex) -> Decided {
        let node = self.run.table.get(index);
        let Inside::Members(members) = &node.inside else {
            return Ok(());
        };
        if members.open > 0 {
            return Ok(());
        }
        if node.phase.is_final() {
            self.visit_place_of(index);
            return Ok(());
        }
        self.run.looked_at += members.slots.len() as u64;
        let plan = self.plan();
        let assessment = match dag_plan(&plan, self.run, index) {
            Some(dag) => self.assess_dag(dag, members),
            None => self.assess_group(index, members),
        };
        self.run.table.get_mut(index).cut = assessment.cut;
        self.set_outbound(index);
        self.go(index, assessment.phase, &assessment.message)
    }

    fn assess_dag(&self, dag: &DagPlan, members: &Members) -> Assessment {
        let (erred, cut) = self.erred_and_cut(members);
        let phase = if erred {
            NodePhase::Error
        } else {
            let ended = self.ended_as(dag, members);
            let failing = dag.targets.iter().find_map(|target| {
                let continue_on = dag.tasks[target.at()].continue_on;
                match ended[target.at()] {
                    NodePhase::Failed if !continue_on.failed => Some(NodePhase::Failed),
                    NodePhase::Error if !continue_on.error => Some(NodePhase::Error),
                    NodePhase::Failed
                    | NodePhase::Error
                    | NodePhase::Pending
                    | NodePhase::Running
                    | NodePhase::Succeeded
                    | NodePhase::Skipped
                    | NodePhase::Omitted => None,
                }
            });
            match failing {
                Some(phase) => phase,
                None if cut => NodePhase::Failed,
                None => NodePhase::Succeeded,
            }
        };
        Assessment { phase, message: String::new(), cut }
    }

    /// `[i]`: phase that task `i` counts as: its own when it ran, else the worst of what it needs.
    fn ended_as(&self, dag: &DagPlan, members: &Members) -> Vec<NodePhase> {
        let mut ended = vec![NodePhase::Succeeded; dag.tasks.len()];
        for task in &dag.order {
            let own = members.slots[task.at()].node();
            let own = own.map(|node| self.run.table.get(node).phase);
            ended[task.at()] = match own {
                Some(phase) if phase.is_completed() => phase,
                Some(_) | None => {
                    let needs = &dag.tasks[task.at()].needs;
                    worst(needs.iter().map(|need| ended[need.at()]))
                }
            };
        }
        ended
    }

    fn assess_group(&self, index: NodeIndex, members: &Members) -> Assessment {
        let (erred, cut) = self.erred_and_cut(members);
        let failed = self.first_failed(index, members);
        let (phase, message) = if erred {
            (NodePhase::Error, self.hook_error_text(members))
        } else if let Some(node) = failed {
            (NodePhase::Failed, format!("child '{}' failed", node.id))
        } else if cut {
            (NodePhase::Failed, self.stopped_text())
        } else {
            (NodePhase::Succeeded, String::new())
        };
        Assessment { phase, message, cut }
    }

    /// The first step that failed and is not allowed to; a step that a shutdown ended never is.
    fn first_failed(&self, group: NodeIndex, members: &Members) -> Option<&Node> {
        let plan = self.plan();
        members.slots.iter().enumerate().find_map(|(at, slot)| {
            let node = self.run.table.get(slot.node()?);
            let task = task_of(&plan, self.run, group, TaskIndex(at as u32));
            let continue_on = task.map(|task| task.continue_on).unwrap_or_default();
            let allowed = match node.phase {
                NodePhase::Failed => continue_on.failed && !node.cut,
                NodePhase::Error => continue_on.error && !node.cut,
                NodePhase::Pending
                | NodePhase::Running
                | NodePhase::Succeeded
                | NodePhase::Skipped
                | NodePhase::Omitted => true,
            };
            (!allowed).then_some(node)
        })
    }

    /// Whether a hook of a member ended Error, and whether a shutdown cut the box short.
    fn erred_and_cut(&self, members: &Members) -> (bool, bool) {
        let nodes = || members.slots.iter().filter_map(|slot| slot.node());
        let erred = nodes().any(|node| self.hook_erred(node));
        let cut = members.slots.contains(&Slot::CutOff) || nodes().any(|node| self.run.table.get(node).cut);
        (erred, cut)
    }

    fn hook_error_text(&self, members: &Members) -> String {
        let nodes = members.slots.iter().filter_map(|slot| slot.node());
        let hook =
            nodes.filter(|node| self.hook_erred(*node)).find_map(|node| self.run.table.get(node).exit_hook);
        hook.map_or_else(String::new, |hook| {
            let hook = self.run.table.get(hook);
            format!("step group deemed errored due to child {} error: {}", hook.name, hook.message)
        })
    }

    /// `Stopped with strategy 'Stop'` or the like.
    pub(super) fn stopped_text(&self) -> String {
        self.run
            .workflow
            .shutdown
            .map_or_else(String::new, |shutdown| format!("Stopped with strategy '{}'", shutdown.as_str()))
    }

    /// Notes the last nodes inside a box. Source: Argo `workflow/controller/operator.go`,
    /// `getOutboundNodes`; `dag.go`, `executeDAG`; `steps.go`, `executeSteps`.
    pub(super) fn set_outbound(&mut self, index: NodeIndex) {
        let mut outbound = Vec::new();
        match &self.run.table.get(index).inside {
            Inside::Members(members) => {
                let Some(dag) = self.dag_of(index) else {
                    return;
                };
                for target in &dag.targets {
                    if let Some(node) = members.slots[target.at()].node() {
                        self.add_outbound(node, &mut outbound);
                    }
                }
            }
            Inside::Groups(groups) => {
                if let Some(last) = groups.last() {
                    for child in &self.run.table.get(*last).children {
                        self.add_outbound(*child, &mut outbound);
                    }
                }
            }
            Inside::Nothing | Inside::Program { .. } | Inside::Wait => {}
        }
        self.run.table.get_mut(index).outbound = outbound;
    }

    /// The outbound nodes of a node that has ended: itself, or the last ones inside it.
    pub(super) fn add_outbound(&self, index: NodeIndex, outbound: &mut Vec<NodeIndex>) {
        let node = self.run.table.get(index);
        if node.outbound.is_empty() {
            outbound.push(index);
        } else {
            outbound.extend(&node.outbound);
        }
    }
}

fn worst(phases: impl Iterator<Item = NodePhase>) -> NodePhase {
    let mut worst = NodePhase::Succeeded;
    for phase in phases {
        if phase == NodePhase::Error || (phase == NodePhase::Failed && worst != NodePhase::Error) {
            worst = phase;
        }
    }
    worst
}
