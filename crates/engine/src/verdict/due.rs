//! Which exit hooks are due, which of them are missing, and which ran without reason.
//!
//! Rules: a task that began and ended runs its exit hook once; a task that did not run runs no
//! hook; after Terminate none is due.

use unwind_model::{NodeName, NodeType, Shutdown};

use super::condition::{Told, holds};
use super::scene::{Began, End, Scene};
use super::{FindingKind, Found, Holds, Instant, Rule, Witness};
use crate::plan::Role;

/// The exit hook of one owner.
pub(super) struct ExitHook {
    /// Index of the owner.
    pub(super) owner: usize,
    /// Full name, also when it has no node.
    pub(super) name: NodeName,
    /// `ExitHook`, or `Handler` for the root's.
    pub(super) role: Role,
    /// Index of its node.
    pub(super) seen: Option<usize>,
    /// Whether it is due.
    pub(super) due: Due,
}

/// Whether an exit hook is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Its owner began, so it runs once, now or later.
    Yes,
    /// It was over before the stop and carries no number.
    BeforeStop,
    /// It had to run, has no node and will get none.
    Missing,
    /// Nothing asks for it.
    No,
}

/// `hooks[i]`: the exit hook of span `i`, planned or seen.
pub(super) fn exit_hooks(scene: &Scene<'_>) -> Vec<Option<ExitHook>> {
    (0..scene.spans.len())
        .map(|owner| {
            let seen = scene.tree.exit[owner];
            if seen.is_none() && scene.known[owner].exit.is_none() {
                return None;
            }
            let name = seen.map_or_else(
                || NodeName::from(format!("{}.onExit", scene.name(owner))),
                |seen| scene.name(seen).clone(),
            );
            let role = match scene.spans[owner].role {
                Role::Root => Role::Handler,
                Role::Work | Role::ExitHook | Role::NamedHook | Role::Handler => Role::ExitHook,
            };
            Some(ExitHook { owner, name, role, seen, due: due(scene, owner, seen) })
        })
        .collect()
}

fn due(scene: &Scene<'_>, owner: usize, seen: Option<usize>) -> Due {
    let shutdown = scene.trace.shutdown;
    if let (Some(seen), Some(stop)) = (seen, shutdown.and_then(|shutdown| shutdown.at))
        && let (Some(begun), End::At(ended)) = (scene.spans[seen].begun, scene.end(seen))
        && ended.from <= stop
        && begun < stop
    {
        return Due::BeforeStop;
    }
    if shutdown.is_some_and(|seen| seen.strategy == Shutdown::Terminate) {
        return Due::No;
    }
    match scene.began(owner) {
        Began::No | Began::Waiting => return Due::No,
        Began::Unclear if seen.is_none() => return Due::No,
        Began::Unclear | Began::Yes => {}
    }
    if seen.is_some() {
        return Due::Yes;
    }
    // The expression of the workflow's own exit hook is ignored by Argo (`operator.go`).
    let is_handler = matches!(scene.spans[owner].role, Role::Root);
    let condition =
        scene.known[owner].exit.and_then(|hook| hook.condition.as_deref()).filter(|_| !is_handler);
    if condition.is_some_and(|text| holds(text, &Told::of(scene, owner)) != Some(true)) {
        return Due::No;
    }
    if scene.trace.is_over() || (!is_handler && scene.closed[owner]) { Due::Missing } else { Due::Yes }
}

/// Verdicts on whether each exit hook ran, and rightly so.
pub(super) fn check(scene: &Scene<'_>, hooks: &[Option<ExitHook>], found: &mut Found) {
    for hook in hooks.iter().flatten() {
        let owner = hook.owner;
        match (hook.due, hook.seen) {
            (Due::Missing, _) => {
                let never = Witness { node: hook.name.clone(), instant: Instant::Begin, at: None };
                found.broken(
                    FindingKind::HookMissing,
                    &hook.name,
                    Rule::ExitHookRunsOnce,
                    vec![never, scene.end_of(owner)],
                );
            }
            (Due::Yes | Due::BeforeStop, Some(seen)) => {
                let rule = Rule::ExitHookRunsOnce;
                found.verdict(&hook.name, rule, Holds::Kept, vec![scene.begin_of(seen)]);
            }
            (Due::No, Some(seen)) => unwanted(scene, owner, seen, found),
            (Due::Yes | Due::BeforeStop | Due::No, None) => {}
        }
    }
    for at in 0..scene.spans.len() {
        match (scene.spans[at].role, scene.tree.owner[at]) {
            // One that is retried counts as running before its first try does.
            (Role::NamedHook, Some(owner)) if scene.spans[owner].node_type == NodeType::Retry => {}
            (Role::NamedHook, Some(owner)) => unwanted(scene, owner, at, found),
            (Role::ExitHook | Role::NamedHook, None) => ownerless(scene, at, found),
            (Role::Root | Role::Work | Role::Handler, _) | (Role::ExitHook, Some(_)) => {}
        }
    }
}

/// A hook that ran although its owner never did.
fn unwanted(scene: &Scene<'_>, owner: usize, hook: usize, found: &mut Found) {
    if scene.began(owner) == Began::No && !scene.was_refused(hook) {
        found.broken(
            FindingKind::HookUnwanted,
            scene.name(hook),
            Rule::NoHookWithoutOwner,
            vec![scene.begin_of(hook)],
        );
    }
}

/// A hook that ran although its owner has no node.
fn ownerless(scene: &Scene<'_>, hook: usize, found: &mut Found) {
    if !scene.was_refused(hook) {
        found.broken(
            FindingKind::HookUnwanted,
            scene.name(hook),
            Rule::NoHookWithoutOwner,
            vec![scene.begin_of(hook)],
        );
    }
}
