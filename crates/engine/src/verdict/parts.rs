//! Parts of hooks that had to run and have no node, and named hooks whose condition held and that
//! have no node.

use unwind_model::{NodeName, NodePhase, NodeType, Shutdown, ordered};

use super::condition::{Told, holds};
use super::scene::{Began, Scene};
use super::{FindingKind, Found, Instant, Witness};
use crate::plan::{DagPlan, Role, StepsPlan, TaskPlan, TemplateKind};
use crate::trace::shutdown_words;

/// A node that had to be there and is not.
pub(super) struct Missing {
    /// Index of its owner (a named hook), or of the box it belongs into (a part of a hook).
    pub(super) at: usize,
    /// Full name it would have.
    pub(super) name: NodeName,
    /// `NamedHook`, or `Work` for a part of a hook.
    pub(super) role: Role,
}

/// All of them, in bracket order of what they belong to. After Terminate nothing is missed.
pub(super) fn missing(scene: &Scene<'_>) -> Vec<Missing> {
    let mut missing = Vec::new();
    if scene.strategy() == Some(Shutdown::Terminate) {
        return missing;
    }
    for &at in &scene.tree.downward {
        if scene.strategy().is_none() && !scene.trace.facts.past_deadline {
            named_hooks(scene, at, &mut missing);
        }
        // Of a hook that may still go on, nothing is missing yet.
        if scene.exit_work[at] && (scene.closed[at] || scene.is_final(at)) {
            hook_parts(scene, at, &mut missing);
        }
    }
    missing
}

/// Findings on them. The second witness is the end of the owner of a named hook, or the begin of
/// the box that a part of a hook belongs into.
pub(super) fn check(scene: &Scene<'_>, missing: &[Missing], found: &mut Found) {
    for missing in missing {
        let never = Witness { node: missing.name.clone(), instant: Instant::Begin, at: None };
        let around = match missing.role {
            Role::NamedHook => scene.end_of(missing.at),
            Role::Root | Role::Work | Role::ExitHook | Role::Handler => scene.begin_of(missing.at),
        };
        found.finding(FindingKind::HookMissing, &missing.name, None, vec![never, around]);
    }
}

/// After a stop or the deadline no named hook begins, so only a run without them misses any.
fn named_hooks(scene: &Scene<'_>, owner: usize, missing: &mut Vec<Missing>) {
    let has_all = scene.known[owner].named.is_empty();
    if has_all || !scene.closed[owner] || scene.began(owner) != Began::Yes {
        return;
    }
    let told = Told::of(scene, owner);
    for hook in scene.known[owner].named {
        let name = NodeName::from(format!("{}.hooks.{}", scene.name(owner), hook.name));
        let exists = scene.tree.named[owner].iter().any(|at| *scene.name(*at) == name);
        let condition = hook.condition.as_deref().unwrap_or_default();
        if !exists && holds(condition, &told) == Some(true) {
            missing.push(Missing { at: owner, name, role: Role::NamedHook });
        }
    }
}

/// What is not there inside a box that is an exit hook or a part of one.
fn hook_parts(scene: &Scene<'_>, at: usize, missing: &mut Vec<Missing>) {
    let Some(template) = scene.known[at].template else {
        return;
    };
    match (&scene.plan.template(template).kind, scene.spans[at].node_type) {
        (TemplateKind::Dag(dag), NodeType::DAG) => dag_parts(scene, at, dag, missing),
        (TemplateKind::Steps(steps), NodeType::Steps) => steps_parts(scene, at, steps, missing),
        _ => {}
    }
}

/// A DAG gives every task that a target needs a node, if only an Omitted one, unless something
/// failed first.
fn dag_parts(scene: &Scene<'_>, at: usize, dag: &DagPlan, missing: &mut Vec<Missing>) {
    let mut by_task: Vec<Option<usize>> = vec![None; dag.tasks.len()];
    for &inner in &scene.tree.insides[at] {
        if let Some(place) = scene.known[inner].ordinal
            && let Some(slot) = by_task.get_mut(place)
        {
            *slot = Some(inner);
        }
    }
    for index in &dag.order {
        let Some(task) = dag.tasks.get(index.at()) else {
            continue;
        };
        let stands_in_the_way = task.needs.iter().any(|need| {
            by_task.get(need.at()).copied().flatten().is_some_and(|need| has_failed_by_itself(scene, need))
        });
        if by_task[index.at()].is_none() && !stands_in_the_way {
            missing.push(part(scene, at, task, ""));
        }
    }
}

/// Steps go on until a group fails.
fn steps_parts(scene: &Scene<'_>, at: usize, steps: &StepsPlan, missing: &mut Vec<Missing>) {
    let insides = scene.tree.insides[at].iter();
    let groups = ordered::map(insides.filter_map(|group| Some((scene.known[*group].ordinal?, *group))));
    for (number, tasks) in steps.groups.iter().enumerate() {
        match groups.get(&number) {
            Some(group) if has_failed(scene, *group) => return,
            Some(_) => {}
            None => {
                let infix = format!("[{number}]");
                missing.extend(tasks.iter().map(|task| part(scene, at, task, &infix)));
            }
        }
    }
}

fn part(scene: &Scene<'_>, at: usize, task: &TaskPlan, infix: &str) -> Missing {
    Missing { at, name: NodeName::from(format!("{}{infix}.{}", scene.name(at), task.name)), role: Role::Work }
}

fn has_failed(scene: &Scene<'_>, at: usize) -> bool {
    match scene.spans[at].phase {
        NodePhase::Failed | NodePhase::Error => true,
        NodePhase::Pending
        | NodePhase::Running
        | NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted => false,
    }
}

/// Not by a shutdown, nor by a deadline, which must not touch exit hooks.
fn has_failed_by_itself(scene: &Scene<'_>, at: usize) -> bool {
    let message = scene.spans[at].message.as_str();
    has_failed(scene, at) && shutdown_words(message).is_none() && message != "Step exceeded its deadline"
}
