//! Where a run went wrong first.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodePhase, NodeType, Timestamp, WorkflowPhase};

use super::scene::Scene;
use crate::plan::{Plan, Role};
use crate::trace::{Trace, shutdown_words};

/// Message of what the deadline of the workflow ended. Source: Argo `workflow/controller/exec_control.go`.
const PAST_DEADLINE: &str = "Step exceeded its deadline";

/// The first node that failed of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// Which.
    pub node: NodeName,
    /// Its phase.
    pub phase: NodePhase,
    /// Its message; of a node that was tried several times that of its last try where it has none.
    pub message: String,
    /// When it ended.
    pub at: Option<Timestamp>,
    /// What is around it, outermost first, without the workflow itself.
    pub path: Vec<NodeName>,
}

/// The first cause of a run that failed or has a failure in it so far. Main work comes first: a hook is the
/// cause only where no main work failed of itself. What a shutdown or the deadline ended is no cause, unless it
/// is part of an exit hook, which the deadline must not touch.
pub fn cause(plan: &Plan, trace: &Trace) -> Option<Cause> {
    if trace.phase == WorkflowPhase::Succeeded {
        return None;
    }
    let scene = Scene::new(plan, trace);
    let places = Places::of(&scene);
    let first = |is_hook: bool| {
        let of_kind =
            (0..scene.spans.len()).filter(|at| places.in_hook[*at] == is_hook && !places.is_hidden[*at]);
        let failed = of_kind.filter(|at| is_cause(&scene, *at));
        failed.min_by_key(|at| {
            let span = &scene.spans[*at];
            (
                span.ended.map_or(i64::MAX, Timestamp::millis),
                span.begun.map_or(i64::MAX, Timestamp::millis),
                *at,
            )
        })
    };
    let at = first(false).or_else(|| first(true))?;
    let span = &scene.spans[at];
    Some(Cause {
        node: span.node.clone(),
        phase: span.phase,
        message: message(&scene, at),
        at: span.ended,
        path: path(&scene, at),
    })
}

/// What is known of a node by what is around it.
struct Places {
    /// Whether it is a hook or inside one.
    in_hook: Vec<bool>,
    /// Whether something around it is reported as good.
    is_hidden: Vec<bool>,
}

impl Places {
    fn of(scene: &Scene<'_>) -> Self {
        let count = scene.spans.len();
        let mut places = Self { in_hook: vec![false; count], is_hidden: vec![false; count] };
        for &at in &scene.tree.downward {
            let is_hook = match scene.spans[at].role {
                Role::ExitHook | Role::NamedHook | Role::Handler => true,
                Role::Root | Role::Work => false,
            };
            let parent = scene.tree.parent[at];
            places.in_hook[at] = is_hook || parent.is_some_and(|parent| places.in_hook[parent]);
            places.is_hidden[at] = parent.is_some_and(|parent| {
                places.is_hidden[parent] || matches!(scene.spans[parent].phase, NodePhase::Succeeded)
            });
        }
        places
    }
}

/// Failed of itself, as a whole: not by what is inside it, no try of something that goes on, and nothing lets
/// the run go on after it.
fn is_cause(scene: &Scene<'_>, at: usize) -> bool {
    let span = &scene.spans[at];
    let task = scene.known[at].task;
    let goes_on = match span.phase {
        NodePhase::Failed => task.is_some_and(|task| task.continue_on.failed),
        NodePhase::Error => task.is_some_and(|task| task.continue_on.error),
        NodePhase::Pending
        | NodePhase::Running
        | NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted => return false,
    };
    let is_try = scene.tree.parent[at].is_some_and(|parent| is_retry(scene, parent));
    let is_whole = if is_retry(scene, at) {
        scene.tree.insides[at].iter().all(|inner| scene.is_leaf(*inner))
    } else {
        scene.is_leaf(at) || scene.tree.insides[at].is_empty() && !span.message.is_empty()
    };
    let was_ended = shutdown_words(&span.message).is_some()
        || span.message.starts_with(PAST_DEADLINE) && !scene.exit_work[at];
    is_whole && !is_try && !goes_on && !was_ended
}

fn is_retry(scene: &Scene<'_>, at: usize) -> bool {
    scene.spans[at].node_type == NodeType::Retry
}

fn message(scene: &Scene<'_>, at: usize) -> String {
    let of_last = || {
        let tries = scene.tree.insides[at].iter().map(|inner| &scene.spans[*inner]);
        tries.rev().map(|span| span.message.clone()).find(|message| !message.is_empty())
    };
    let own = &scene.spans[at].message;
    if is_retry(scene, at) { of_last().unwrap_or_else(|| own.clone()) } else { own.clone() }
}

fn path(scene: &Scene<'_>, at: usize) -> Vec<NodeName> {
    let mut path = Vec::new();
    let mut around = scene.tree.parent[at];
    while let Some(outer) = around {
        around = scene.tree.parent[outer];
        if around.is_some() || scene.tree.owner[outer].is_some() {
            path.push(scene.name(outer).clone());
        }
    }
    path.reverse();
    path
}
