//! What a shutdown asks of everything but the order of hooks: nothing new begins, something
//! happens at all, and the run does not call itself good.

use unwind_model::{NodePhase, Shutdown, Timestamp, WorkflowPhase};

use super::scene::Scene;
use super::{FindingKind, Found, Rule};
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
/// so only what it did tells; our own engine, which alone knows milliseconds and the instant of the
/// request, acts at once.
fn effective(scene: &Scene<'_>) -> Option<Timestamp> {
    let seen = scene.trace.shutdown?;
    if scene.trace.resolution == Resolution::Milliseconds && !seen.estimated {
        return seen.at;
    }
    let failed = scene
        .spans
        .iter()
        .filter(|span| shutdown_words(&span.message).is_some_and(|words| words.strategy() == seen.strategy));
    failed.filter_map(|span| scene.trace.ended(span)).map(|ended| ended.to).min()
}

/// Stop starts nothing new but exit hooks, Terminate not even those.
fn nothing_new(scene: &Scene<'_>, strategy: Shutdown, found: &mut Found) {
    let Some(from) = effective(scene) else {
        return;
    };
    for at in 0..scene.spans.len() {
        let span = &scene.spans[at];
        let may_begin = scene.exit_work[at] && strategy == Shutdown::Stop;
        let waits = matches!(span.phase, NodePhase::Pending);
        let began_later = scene.trace.begun(span).is_some_and(|begun| begun.from > from);
        if may_begin || waits || !began_later || !scene.is_program(at) {
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
    let trace = scene.trace;
    if trace.is_over() || trace.facts.nodes_elsewhere || trace.phase == WorkflowPhase::Unset {
        return;
    }
    let runs = (0..scene.spans.len()).any(|at| !scene.is_final(at) && !scene.is_box(at));
    if scene.spans.is_empty() || (trace.facts.suspended && !runs) {
        found.finding(FindingKind::StopIgnored, &trace.workflow, None, Vec::new());
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
        let cut = matches!(span.phase, NodePhase::Failed | NodePhase::Error)
            && shutdown_words(&span.message).is_some();
        if cut && !scene.hook_work[at] && !scene.is_box(at) {
            let root = scene.tree.roots.first().map(|root| scene.end_of(*root));
            let witnesses = std::iter::once(scene.end_of(at)).chain(root).collect();
            found.finding(FindingKind::MaskedFailure, &span.node, None, witnesses);
        }
    }
}
