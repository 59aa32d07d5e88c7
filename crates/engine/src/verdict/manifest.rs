//! What a manifest that has not been run yet tells: a shutdown left inside it, and hooks that look
//! like clean-up after a failure and will not run on a stop.

use std::collections::{BTreeMap, BTreeSet};

use unwind_model::{NodeName, NodePhase, WorkflowPhase};

use super::condition::{Told, holds};
use super::masked::is_kubeflow;
use super::scene::Scene;
use super::{FindingKind, Found};
use crate::depends::Outcome;
use crate::plan::{DagPlan, Plan, PlannedNode, Role, TaskIndex, TaskPlan, TemplateKind};

/// Findings on a manifest; none once a controller has seen it.
pub(super) fn check(scene: &Scene<'_>, found: &mut Found) {
    let trace = scene.trace;
    let is_seen =
        trace.phase != WorkflowPhase::Unset || !scene.spans.is_empty() || trace.facts.nodes_elsewhere;
    if is_seen {
        return;
    }
    if scene.plan.preset_shutdown.is_some() {
        found.finding(FindingKind::PresetShutdown, &trace.workflow, None, Vec::new());
    }
    // Kubeflow ends a run by a deadline, and what it compiles has no other form for what runs in any case.
    let tasks = if is_kubeflow(scene) { BTreeMap::new() } else { tasks(scene.plan) };
    // Exit work runs after a stop, whatever it looks like.
    let mut exit_work: BTreeSet<NodeName> = BTreeSet::new();
    for node in scene.plan.outline() {
        let is_exit = match node.role {
            Role::ExitHook | Role::Handler => true,
            Role::Root | Role::Work | Role::NamedHook => {
                node.boundary.as_ref().is_some_and(|around| exit_work.contains(around))
            }
        };
        if is_exit {
            exit_work.insert(node.name);
        } else if is_unsafe(&node) || is_unsafe_task(&node, &tasks) {
            found.finding(FindingKind::StopUnsafe, &node.name, None, Vec::new());
        }
    }
}

/// Tasks of DAGs by their paths, with the DAG.
fn tasks(plan: &Plan) -> BTreeMap<&str, (&DagPlan, &TaskPlan)> {
    let dags = plan.templates.iter().filter_map(|template| match &template.kind {
        TemplateKind::Dag(dag) => Some(dag),
        TemplateKind::Steps(_)
        | TemplateKind::Leaf(_)
        | TemplateKind::Suspend(_)
        | TemplateKind::Opaque(_) => None,
    });
    dags.flat_map(|dag| dag.tasks.iter().map(move |task| (task.path.as_str(), (dag, task)))).collect()
}

/// A task that runs because another failed, or whatever came of it: after a stop that other is Failed, and
/// nothing new begins. Where a failure is as good as an end (`continueOn`), it is no clean-up.
/// Source: Argo `workflow/controller/dag.go`, `executeDAGTask`; `workflow/common/ancestry.go`.
fn is_unsafe_task(node: &PlannedNode, tasks: &BTreeMap<&str, (&DagPlan, &TaskPlan)>) -> bool {
    let (Role::Work, Some((dag, task))) = (node.role, tasks.get(node.path.as_str())) else {
        return false;
    };
    let Some(depends) = &task.depends else { return false };
    task.needs.iter().any(|failed| {
        let goes_on = dag.tasks.get(failed.at()).is_none_or(|other| other.continue_on.failed);
        let holds = |of: TaskIndex, asked: Outcome| match asked {
            Outcome::Failed => of == *failed,
            Outcome::Succeeded | Outcome::GoesOn => of != *failed,
            Outcome::Errored
            | Outcome::Skipped
            | Outcome::Omitted
            | Outcome::Daemoned
            | Outcome::AnySucceeded
            | Outcome::AllFailed => false,
        };
        !goes_on && depends.holds_with(&holds)
    })
}

/// A named hook that a failure triggers: after a stop its owner is Failed, but only hooks named
/// `exit` begin then (Argo `workflow/controller/workflowpod.go`, `createWorkflowPod`).
fn is_unsafe(node: &PlannedNode) -> bool {
    let (Role::NamedHook, Some(owner)) = (node.role, &node.owner) else {
        return false;
    };
    let told =
        Told { task: node.boundary.as_ref().map(|_| last_part(owner)), phase: Some(NodePhase::Failed) };
    holds(node.condition.as_deref().unwrap_or_default(), &told) == Some(true)
}

/// The name of a task or step in the full name of its node.
fn last_part(name: &NodeName) -> &str {
    let name = name.as_str();
    name.rsplit_once('.').map_or(name, |(_, last)| last)
}
