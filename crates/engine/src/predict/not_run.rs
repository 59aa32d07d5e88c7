//! What will not run although the plan has it, and why. Only a shutdown keeps anything from running.

use std::collections::BTreeSet;

use unwind_model::{NodeName, NodePhase, NodeType, ordered};

use crate::operate::Node;
use crate::plan::{Plan, PlannedNode, Role};
use crate::predict::{NotRun, NotRunReason, Way};
use crate::run::Run;
use crate::trace::{Words, shutdown_words};

/// What will not run, in the order of the outline. Of main work that has not begun only the
/// outermost is told, of hooks all but those inside a hook that is told.
pub(super) fn will_not_run(plan: &Plan, before: &Run, after: &Run, way: Way) -> Vec<NotRun> {
    if way == Way::GoOn || before.phase().is_final() {
        return Vec::new();
    }
    let nodes = before.walk.table.iter().map(|(_, node)| node);
    let has_groups = nodes.into_iter().any(|node| node.name.as_str().ends_with(')'));
    let outline = if has_groups { plan.outline_of(&before.status()) } else { plan.outline() };
    let groups = outline.iter().filter(|node| node.node_type == NodeType::StepGroup);
    let groups = ordered::map(groups.map(|node| (&node.name, node.boundary.as_ref())));
    let mut told_hooks = BTreeSet::new();
    let mut found = Vec::new();
    for node in &outline {
        let outer = node.boundary.as_ref();
        let outer = outer.and_then(|outer| groups.get(outer).copied().unwrap_or(Some(outer)));
        if outer.is_some_and(|outer| told_hooks.contains(outer)) {
            told_hooks.insert(&node.name);
            continue;
        }
        let reason = match node.role {
            Role::Root => None,
            Role::Work => {
                let outer_exists = outer.is_none_or(|outer| find(after, outer).is_some());
                let is_told = node.node_type != NodeType::StepGroup
                    && outer_exists
                    && find(after, &node.name).is_none();
                is_told.then_some(NotRunReason::NothingNewBegins)
            }
            Role::ExitHook | Role::NamedHook | Role::Handler => hook(before, after, node, way),
        };
        let Some(reason) = reason else {
            continue;
        };
        if node.role != Role::Work {
            told_hooks.insert(&node.name);
        }
        found.push(NotRun { node: node.name.clone(), role: node.role, reason });
    }
    found
}

/// Why a hook will not run; `None` when it will or has, or when its owner was over before and did
/// not need it.
fn hook(before: &Run, after: &Run, hook: &PlannedNode, way: Way) -> Option<NotRunReason> {
    let owner = hook.owner.as_ref()?;
    if find(after, &hook.name).is_some() {
        return None;
    }
    if find(before, owner).is_some_and(|owner| owner.phase.is_final()) && hook.role != Role::Handler {
        return None;
    }
    let owner_begins = find(after, owner).is_some_and(has_begun);
    if !owner_begins && hook.role == Role::ExitHook {
        let owner = owner.clone();
        return Some(NotRunReason::OwnerNotBegun { owner });
    }
    match way {
        Way::Terminate => Some(NotRunReason::Terminated),
        Way::Stop | Way::GoOn => match hook.role {
            Role::NamedHook => Some(NotRunReason::NotAnExitHook { condition: hook.condition.clone() }),
            Role::Root | Role::Work | Role::ExitHook | Role::Handler => None,
        },
    }
}

fn find<'run>(run: &'run Run, name: &NodeName) -> Option<&'run Node> {
    let at = run.walk.table.named(name.as_str())?;
    Some(run.walk.table.get(at))
}

/// Whether a node ran at all; one that a shutdown refused or that only waited has no hook.
fn has_begun(node: &Node) -> bool {
    let is_refused = matches!(shutdown_words(&node.message), Some(Words::Refused(_)));
    !node.never_began
        && match node.phase {
            NodePhase::Pending | NodePhase::Skipped | NodePhase::Omitted => false,
            NodePhase::Running | NodePhase::Succeeded | NodePhase::Error => true,
            NodePhase::Failed => !is_refused,
        }
}
