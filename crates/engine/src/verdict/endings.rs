//! Ends: a box ends after everything inside it, every node reaches a final phase, nothing ends
//! before it starts.

use unwind_model::{NodePhase, NodeType};

use super::due::{Due, ExitHook};
use super::order::{Last, last_inside};
use super::scene::{End, Scene};
use super::{FindingKind, Found, Holds, Instant, Rule};
use crate::plan::TemplateKind;

/// Verdicts on the ends of all nodes.
pub(super) fn check(scene: &Scene<'_>, hooks: &[Option<ExitHook>], found: &mut Found) {
    let running = last_inside(scene, |at| scene.is_leaf(at));
    let all = last_inside(scene, |_| true);
    let quiet = quiet(scene, hooks);
    for at in 0..scene.spans.len() {
        if let End::Odd = scene.end(at) {
            let witnesses = vec![scene.end_of(at), scene.begin_of(at)];
            found.finding(FindingKind::Clock, scene.name(at), None, witnesses);
        }
        if scene.is_final(at) {
            let kept = vec![scene.end_of(at)];
            found.verdict(scene.name(at), Rule::EveryNodeEnds, Holds::Kept, kept);
            let insides = if scene.spans[at].node_type == NodeType::StepGroup {
                group_insides(scene, at, [&running, &all])
            } else {
                [running[at], all[at]]
            };
            box_ends_last(scene, at, insides, found);
        } else if is_left(scene, at, quiet[at]) {
            found.broken(
                FindingKind::LeftUnfinished,
                scene.name(at),
                Rule::EveryNodeEnds,
                vec![scene.end_of(at)],
            );
        }
    }
}

/// The last ends inside a group of steps. Its daemons and their hooks are not among them: they end with the
/// Steps, while the next groups run beside them.
fn group_insides(scene: &Scene<'_>, group: usize, lasts: [&[Last]; 2]) -> [Last; 2] {
    let is_daemon =
        |at: usize| scene.known[at].template.is_some_and(|index| scene.plan.template(index).is_daemon);
    let insides = &scene.tree.insides[group];
    if !insides.iter().any(|at| is_daemon(*at)) {
        return lasts.map(|lasts| lasts[group]);
    }
    let mut found = [Last::default(); 2];
    for &member in insides.iter().filter(|at| !is_daemon(**at)) {
        let hooks = scene.tree.named[member].iter().chain(&scene.tree.exit[member]);
        for &at in hooks.chain([&member]) {
            for (found, lasts) in found.iter_mut().zip(lasts) {
                *found = Last::of(scene, at).join(lasts[at]).join(*found);
            }
        }
    }
    found
}

/// A box has ended only when everything inside it has. The witness is a program where there is
/// one. The same second is no fault: a box is noted as ended in the pass that sees its last end.
fn box_ends_last(scene: &Scene<'_>, at: usize, insides: [Last; 2], found: &mut Found) {
    let End::At(ended) = scene.end(at) else {
        return;
    };
    if !scene.is_box(at) {
        return;
    }
    let mut worst: Option<(Holds, usize)> = None;
    for inner in insides.into_iter().flat_map(Last::members) {
        let begun_later = scene.trace.begun(&scene.spans[inner]).is_some_and(|begun| begun.from > ended.to);
        let holds = match scene.end(inner) {
            End::At(inside) if inside.from > ended.to => Holds::Broken,
            // The second is the same: the order in which the news came tells.
            End::At(inside)
                if inside.to > ended.from && scene.came_after(Instant::End, at, inner) == Some(false) =>
            {
                Holds::Broken
            }
            End::At(_) => Holds::Kept,
            End::Open => Holds::Broken,
            End::Unknown | End::Odd if begun_later => Holds::Broken,
            End::Unknown | End::Odd => Holds::CannotTell,
        };
        if worst.is_none_or(|(worst, _)| holds > worst) {
            worst = Some((holds, inner));
        }
    }
    let Some((holds, inner)) = worst else {
        return;
    };
    let witnesses = vec![scene.end_of(at), scene.end_of(inner)];
    let name = scene.name(at);
    match holds {
        Holds::Broken => {
            found.broken(FindingKind::EarlyEnd, name, Rule::BoxEndsLast, witnesses);
        }
        Holds::Kept | Holds::CannotTell => {
            found.verdict(name, Rule::BoxEndsLast, holds, witnesses);
        }
    }
}

/// True when a node that has not ended never will: the workflow is over; or it is a box, which
/// nobody enters again once a box around it has ended; or everything inside it has ended.
fn is_left(scene: &Scene<'_>, at: usize, quiet: bool) -> bool {
    if scene.trace.is_over() {
        return true;
    }
    scene.is_box(at) && (scene.closed[at] || (quiet && !scene.trace.facts.suspended))
}

/// `quiet[i]`: span `i` is a box and all that the plan puts into it is there and has ended, hooks
/// included. What the plan does not know is never quiet.
fn quiet(scene: &Scene<'_>, hooks: &[Option<ExitHook>]) -> Vec<bool> {
    let ended = |at: usize| scene.is_final(at) && !matches!(scene.end(at), End::Unknown);
    let settled = |at: usize| {
        let hook_ended = hooks[at].as_ref().is_none_or(|hook| match hook.due {
            Due::Yes | Due::BeforeStop => hook.seen.is_some_and(ended),
            Due::Missing => false,
            Due::No => hook.seen.is_none_or(ended),
        });
        ended(at) && hook_ended && scene.tree.named[at].iter().all(|named| ended(*named))
    };
    (0..scene.spans.len())
        .map(|at| {
            let insides = &scene.tree.insides[at];
            scene.is_box(at) && is_complete(scene, at) && insides.iter().all(|at| settled(*at))
        })
        .collect()
}

/// True when everything that has to come to be inside a box is there.
pub(super) fn is_complete(scene: &Scene<'_>, at: usize) -> bool {
    let insides = &scene.tree.insides[at];
    let kind = scene.known[at].template.map(|index| &scene.plan.template(index).kind);
    match (scene.spans[at].node_type, kind) {
        // One that failed may be tried again.
        (NodeType::Retry, _) => {
            insides.last().is_some_and(|last| matches!(scene.spans[*last].phase, NodePhase::Succeeded))
        }
        (NodeType::DAG, Some(TemplateKind::Dag(dag))) => insides.len() >= dag.order.len(),
        (NodeType::Steps, Some(TemplateKind::Steps(steps))) => {
            let failed = insides.iter().any(|at| match scene.spans[*at].phase {
                NodePhase::Failed | NodePhase::Error => true,
                NodePhase::Pending
                | NodePhase::Running
                | NodePhase::Succeeded
                | NodePhase::Skipped
                | NodePhase::Omitted => false,
            });
            failed || insides.len() >= steps.groups.len()
        }
        _ => false,
    }
}
