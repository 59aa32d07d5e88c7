//! What a manifest that has not been run yet tells: a shutdown left inside it, and hooks that look
//! like clean-up after a failure and will not run on a stop.

use unwind_model::{NodeName, NodePhase, WorkflowPhase};

use super::condition::{Told, holds};
use super::scene::Scene;
use super::{FindingKind, Found};
use crate::plan::{PlannedNode, Role};

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
    for node in scene.plan.outline() {
        if is_unsafe(&node) {
            found.finding(FindingKind::StopUnsafe, &node.name, None, Vec::new());
        }
    }
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
