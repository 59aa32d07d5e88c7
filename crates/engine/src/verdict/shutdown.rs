//! What a shutdown asks of everything but the order of hooks: nothing new begins, something
//! happens at all, and the run does not call itself good.

use unwind_model::{NodePhase, Shutdown, Timestamp, WorkflowPhase};

use super::scene::Scene;
use super::{FindingKind, Found, Rule};
use crate::plan::Role;
use crate::trace::{Resolution, shutdown_words};

/// Verdicts on what a shutdown did; none when there was none.
pub(super) fn check(scene: &Scene<'_>, found: &mut Found) {
    let Some(strategy) = scene.strategy() else {
        return;
    };
    nothing_new(scene, strategy, found);
    not_ignored(scene, found);
    not_masked(scene, found);
}

/// The instant from which on nothing may begin. A controller acts on a request in its next pass,
/// so in whole seconds only what it did tells, not when it was asked.
fn effective(scene: &Scene<'_>) -> Option<Timestamp> {
    let seen = scene.trace.shutdown?;
    let by_deed = || {
        let failed = scene.spans.iter().filter(|span| shutdown_words(&span.message).is_some());
        failed.filter_map(|span| span.ended).min()
    };
    match (scene.trace.resolution, seen.estimated) {
        (_, true) | (Resolution::Milliseconds, false) => seen.at,
        (Resolution::WholeSeconds, false) => by_deed().max(seen.at.filter(|_| by_deed().is_some())),
    }
}

/// Stop starts nothing new but exit hooks, Terminate not even those.
fn nothing_new(scene: &Scene<'_>, strategy: Shutdown, found: &mut Found) {
    let Some(from) = effective(scene) else {
        return;
    };
    for at in 0..scene.spans.len() {
        let span = &scene.spans[at];
        let may_begin = scene.exit_work[at] && strategy == Shutdown::Stop;
        let never_ran = match span.phase {
            NodePhase::Skipped | NodePhase::Omitted | NodePhase::Pending => true,
            NodePhase::Running | NodePhase::Succeeded | NodePhase::Failed | NodePhase::Error => {
                scene.was_refused(at)
            }
        };
        if may_begin || never_ran || scene.is_box(at) || span.begun.is_none_or(|b| b <= from) {
            continue;
        }
        found.broken(
            FindingKind::StopIgnored,
            scene.name(at),
            Rule::NothingNewButExitHooks,
            vec![scene.begin_of(at)],
        );
    }
}

/// A shutdown that is stored while nothing has begun, or while all is suspended, has to end the
/// workflow at once.
fn not_ignored(scene: &Scene<'_>, found: &mut Found) {
    if scene.trace.is_over() || scene.trace.facts.nodes_elsewhere {
        return;
    }
    let runs = (0..scene.spans.len()).any(|at| !scene.is_final(at) && !scene.is_box(at));
    if scene.spans.is_empty() || (scene.trace.facts.suspended && !runs) {
        let workflow = &scene.trace.workflow;
        found.finding(FindingKind::StopIgnored, workflow, None, Vec::new());
    }
}

/// A workflow that a shutdown ended half way is not Succeeded, whatever `continueOn` allows.
fn not_masked(scene: &Scene<'_>, found: &mut Found) {
    match scene.trace.phase {
        WorkflowPhase::Succeeded => {}
        WorkflowPhase::Unset
        | WorkflowPhase::Pending
        | WorkflowPhase::Running
        | WorkflowPhase::Failed
        | WorkflowPhase::Error => return,
    }
    for at in 0..scene.spans.len() {
        let span = &scene.spans[at];
        let is_hook_work = scene.exit_work[at] || matches!(span.role, Role::NamedHook);
        let cut = matches!(span.phase, NodePhase::Failed | NodePhase::Error)
            && shutdown_words(&span.message).is_some();
        if cut && !is_hook_work && !scene.is_box(at) {
            let witnesses = vec![scene.end_of(at)];
            found.finding(FindingKind::MaskedFailure, &span.node, None, witnesses);
        }
    }
}
