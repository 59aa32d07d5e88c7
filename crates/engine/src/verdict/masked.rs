//! Failures that a box around them hides: it is reported as good, and nothing in the manifest
//! allows that.
//!
//! Allowed are tasks with `continueOn`, tasks whose failure another task dealt with (it depends on
//! them and ran), and tries of a Retry.

use std::collections::BTreeMap;

use unwind_model::{NodePhase, NodeType, ordered};

use super::scene::Scene;
use super::{FindingKind, Found};
use crate::plan::{Role, TaskPlan, TemplateKind};
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
            if !is_allowed(scene, outer, at, ran) {
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

/// For each task inside a box by its place in the document: whether it ran.
fn ran_inside(scene: &Scene<'_>, outer: usize) -> BTreeMap<usize, bool> {
    let insides = scene.tree.insides[outer].iter();
    ordered::map(insides.filter_map(|at| {
        let ran = match scene.spans[*at].phase {
            NodePhase::Skipped | NodePhase::Omitted | NodePhase::Pending => false,
            NodePhase::Running | NodePhase::Succeeded | NodePhase::Failed | NodePhase::Error => true,
        };
        scene.known[*at].ordinal.map(|ordinal| (ordinal, ran))
    }))
}

fn is_allowed(scene: &Scene<'_>, outer: usize, at: usize, ran: &BTreeMap<usize, bool>) -> bool {
    let Some(task) = scene.known[at].task else {
        // What the plan does not know may well allow it; a group fails with its steps.
        return !matches!(scene.spans[at].node_type, NodeType::StepGroup);
    };
    let goes_on = match scene.spans[at].phase {
        NodePhase::Failed => task.continue_on.failed,
        NodePhase::Error => task.continue_on.error,
        NodePhase::Pending
        | NodePhase::Running
        | NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted => true,
    };
    let kind = scene.known[outer].template.map(|index| &scene.plan.template(index).kind);
    goes_on || (matches!(kind, Some(TemplateKind::Dag(_))) && is_dealt_with(task, ran))
}

/// True when a task that depends on this one ran.
fn is_dealt_with(task: &TaskPlan, ran: &BTreeMap<usize, bool>) -> bool {
    let mut dependants = task.dependants.iter();
    dependants.any(|dependant| ran.get(&dependant.at()).copied().unwrap_or(false))
}
