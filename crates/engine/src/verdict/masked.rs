//! Failures that a box around them hides: it is reported as good, and nothing in the manifest
//! allows that.
//!
//! Allowed are tasks with `continueOn`, tasks whose failure another task dealt with (it depends on
//! them and ran), and tries of a Retry. In what Kubeflow Pipelines compiled, a task that runs whatever
//! came of another is that one's exit task and deals with nothing.

use unwind_model::{NodePhase, NodeType};

use super::scene::Scene;
use super::{FindingKind, Found};
use crate::depends::Outcome;
use crate::plan::{DagPlan, Role, TaskPlan, TemplateKind};
use crate::trace::shutdown_words;

/// Findings on hidden failures. They are about the node that failed; the second witness is the box
/// that is reported as good.
pub(super) fn check(scene: &Scene<'_>, found: &mut Found) {
    for outer in 0..scene.spans.len() {
        let span = &scene.spans[outer];
        if !matches!(span.phase, NodePhase::Succeeded) {
            continue;
        }
        match span.node_type {
            NodeType::DAG | NodeType::StepGroup | NodeType::Steps => {}
            NodeType::Pod
            | NodeType::Container
            | NodeType::TaskGroup
            | NodeType::Retry
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => continue,
        }
        let failed = scene.tree.insides[outer]
            .iter()
            .copied()
            .filter(|at| matches!(scene.spans[*at].role, Role::Work))
            .filter(|at| is_failed(scene.spans[*at].phase));
        let mut ran = None;
        for at in failed {
            // A failure by a shutdown is told by the check of the shutdown.
            if shutdown_words(&scene.spans[at].message).is_some() {
                continue;
            }
            let ran = ran.get_or_insert_with(|| ran_inside(scene, outer));
            if !is_allowed(scene, outer, at, scene.spans[at].phase, ran) {
                let at = if is_kubeflow(scene) { culprit(scene, at) } else { at };
                let witnesses = vec![scene.end_of(at), scene.end_of(outer)];
                found.finding(FindingKind::MaskedFailure, scene.name(at), None, witnesses);
            }
        }
    }
}

fn is_failed(phase: NodePhase) -> bool {
    match phase {
        NodePhase::Failed | NodePhase::Error => true,
        NodePhase::Pending
        | NodePhase::Running
        | NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted => false,
    }
}

/// For each task inside a box by its place in the document: whether it ran; none where it has no node.
pub(super) fn ran_inside(scene: &Scene<'_>, outer: usize) -> Vec<Option<bool>> {
    let mut ran_inside = Vec::new();
    for at in &scene.tree.insides[outer] {
        let ran = match scene.spans[*at].phase {
            NodePhase::Skipped | NodePhase::Omitted | NodePhase::Pending => false,
            NodePhase::Running | NodePhase::Succeeded | NodePhase::Failed | NodePhase::Error => true,
        };
        if let Some(ordinal) = scene.known[*at].ordinal {
            ran_inside.resize(ran_inside.len().max(ordinal + 1), None);
            ran_inside[ordinal] = Some(ran);
        }
    }
    ran_inside
}

/// Whether something allows that a member of a box ended in this phase.
pub(super) fn is_allowed(
    scene: &Scene<'_>,
    outer: usize,
    at: usize,
    phase: NodePhase,
    ran: &[Option<bool>],
) -> bool {
    let Some(task) = scene.known[at].task else {
        // What the plan does not know may well allow it; a group fails with its steps.
        return !matches!(scene.spans[at].node_type, NodeType::StepGroup);
    };
    let goes_on = match phase {
        NodePhase::Failed => task.continue_on.failed,
        NodePhase::Error => task.continue_on.error,
        NodePhase::Pending
        | NodePhase::Running
        | NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted => true,
    };
    let kind = scene.known[outer].template.map(|index| &scene.plan.template(index).kind);
    match kind {
        Some(TemplateKind::Dag(dag)) => goes_on || is_dealt_with(scene, dag, at, task, ran),
        Some(
            TemplateKind::Steps(_)
            | TemplateKind::Leaf(_)
            | TemplateKind::Suspend(_)
            | TemplateKind::Opaque(_),
        )
        | None => goes_on,
    }
}

/// Whether Kubeflow Pipelines compiled it.
/// Source: KFP `backend/src/v2/compiler/argocompiler/dag.go` (name of the driver's template).
pub(super) fn is_kubeflow(scene: &Scene<'_>) -> bool {
    scene.plan.templates.iter().any(|template| template.name == "system-dag-driver")
}

/// The first program that failed inside a box.
fn culprit(scene: &Scene<'_>, at: usize) -> usize {
    let mut at = at;
    loop {
        let failed = scene.tree.insides[at].iter().filter(|inner| is_failed(scene.spans[**inner].phase));
        match failed.min_by_key(|inner| (scene.spans[**inner].ended, **inner)) {
            Some(inner) => at = *inner,
            None => return at,
        }
    }
}

/// True when a task that depends on this one ran because of what came of it.
fn is_dealt_with(scene: &Scene<'_>, dag: &DagPlan, at: usize, task: &TaskPlan, ran: &[Option<bool>]) -> bool {
    let own = scene.known[at].ordinal;
    let runs_anyway = |dependant: usize| {
        let depends = dag.tasks.get(dependant).and_then(|task| task.depends.as_ref());
        let holds = |outcome: Outcome| {
            depends.is_some_and(|depends| {
                depends.holds_with(&|of, asked| Some(of.at()) != own || asked == outcome)
            })
        };
        is_kubeflow(scene) && holds(Outcome::Succeeded) && holds(Outcome::Failed)
    };
    let mut dependants = task.dependants.iter().map(|dependant| dependant.at());
    dependants
        .any(|dependant| ran.get(dependant).copied().flatten().unwrap_or(false) && !runs_anyway(dependant))
}
