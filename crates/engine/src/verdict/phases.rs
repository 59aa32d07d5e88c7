//! Phases worked out from what is inside: of the run and of every group.
//!
//! In: a trace. Out: the phase that is reported beside the one that follows from the members, hooks included. A
//! phase that members do not explain (a shutdown, a deadline, an error of the group itself) is believed.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, NodePhase, NodeType, WorkflowPhase};

use super::due::{Due, ExitHook, exit_hooks};
use super::endings::is_complete;
use super::masked::{is_allowed, ran_inside};
use super::scene::Scene;
use crate::plan::{Plan, Role};
use crate::trace::Trace;

/// Phases of a run and of its groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phases {
    /// As the run says.
    pub reported: WorkflowPhase,
    /// As it follows from its nodes; Running where something in it never ended.
    pub worked_out: WorkflowPhase,
    /// The node that makes the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<NodeName>,
    /// Groups in bracket order.
    pub groups: Vec<GroupPhase>,
}

/// The phase of one group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupPhase {
    /// Which.
    pub node: NodeName,
    /// As its node says.
    pub reported: NodePhase,
    /// As it follows from its members.
    pub worked_out: NodePhase,
    /// The member that makes the difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<NodeName>,
}

impl Phases {
    /// True where the run is not what it says.
    pub fn differ(&self) -> bool {
        self.reported != self.worked_out
    }
}

impl GroupPhase {
    /// True where it is not what it says.
    pub fn differs(&self) -> bool {
        self.reported != self.worked_out
    }
}

/// Works out the phases of a run and of every group in it.
pub fn phases(plan: &Plan, trace: &Trace) -> Phases {
    let scene = Scene::new(plan, trace);
    let real = Real::of(&scene);
    let groups = (0..scene.spans.len()).filter(|at| scene.is_box(*at)).map(|at| GroupPhase {
        node: scene.name(at).clone(),
        reported: scene.spans[at].phase,
        worked_out: real.phase[at],
        because: real.because[at]
            .filter(|_| scene.spans[at].phase != real.phase[at])
            .map(|by| scene.name(by).clone()),
    });
    let groups = groups.collect();
    let (worked_out, because) = real.whole();
    let because = because.filter(|_| worked_out != trace.phase).map(|by| scene.name(by).clone());
    Phases { reported: trace.phase, worked_out, because, groups }
}

/// Phases as they follow from what is inside, by span.
struct Real<'a> {
    scene: &'a Scene<'a>,
    phase: Vec<NodePhase>,
    /// The innermost node that decides.
    because: Vec<Option<usize>>,
    hooks: Vec<Option<ExitHook>>,
}

impl<'a> Real<'a> {
    fn of(scene: &'a Scene<'a>) -> Self {
        let phase = scene.spans.iter().map(|span| span.phase).collect();
        let mut real =
            Self { scene, phase, because: vec![None; scene.spans.len()], hooks: exit_hooks(scene) };
        for &at in scene.tree.downward.iter().rev() {
            if scene.is_box(at) && !scene.tree.insides[at].is_empty() {
                let (phase, because) = real.group(at);
                real.phase[at] = phase;
                real.because[at] = because;
            }
        }
        real
    }

    /// The innermost node that decides for `at`.
    fn root_of(&self, at: usize) -> usize {
        self.because[at].unwrap_or(at)
    }

    /// Members and their hooks.
    fn around(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let tree = &self.scene.tree;
        let hooks = |at: usize| tree.named[at].iter().chain(&tree.exit[at]).copied();
        tree.insides[at].iter().flat_map(move |member| std::iter::once(*member).chain(hooks(*member)))
    }

    fn group(&self, at: usize) -> (NodePhase, Option<usize>) {
        let reported = self.scene.spans[at].phase;
        if let Some(open) = self.around(at).find(|at| !self.phase[*at].is_final()) {
            let waits = reported == NodePhase::Pending && self.phase[open] == NodePhase::Pending;
            let phase = if waits { NodePhase::Pending } else { NodePhase::Running };
            return (phase, Some(self.root_of(open)));
        }
        match self.failed(at) {
            Some(member) if is_bad(reported) => (reported, Some(self.root_of(member))),
            // It may be tried again.
            Some(_) if self.is_retry(at) && !reported.is_final() && !self.scene.trace.is_over() => {
                (reported, None)
            }
            Some(member) => (NodePhase::Failed, Some(self.root_of(member))),
            None if reported.is_final() || !self.has_all(at) || self.owes_a_hook(at) => (reported, None),
            None => (NodePhase::Succeeded, self.around(at).last()),
        }
    }

    fn is_retry(&self, at: usize) -> bool {
        self.scene.spans[at].node_type == NodeType::Retry
    }

    /// A member whose failure is the group's.
    fn failed(&self, at: usize) -> Option<usize> {
        let scene = self.scene;
        let insides = &scene.tree.insides[at];
        if self.is_retry(at) {
            return insides.last().copied().filter(|last| is_bad(self.phase[*last]));
        }
        let ran = ran_inside(scene, at);
        let is_failed = |member: &&usize| {
            let span = &scene.spans[**member];
            let phase = self.phase[**member];
            matches!(span.role, Role::Work) && is_bad(phase) && !is_allowed(scene, at, **member, phase, &ran)
        };
        insides.iter().find(is_failed).copied()
    }

    /// Whether the exit hook of a member is still to come, or never came.
    fn owes_a_hook(&self, at: usize) -> bool {
        self.scene.tree.insides[at].iter().any(|member| match &self.hooks[*member] {
            Some(ExitHook { due: Due::Yes | Due::Missing, seen: None, .. }) => true,
            Some(_) | None => false,
        })
    }

    fn has_all(&self, at: usize) -> bool {
        match self.scene.spans[at].node_type {
            NodeType::DAG | NodeType::Steps => is_complete(self.scene, at),
            NodeType::StepGroup | NodeType::TaskGroup | NodeType::Retry => true,
            NodeType::Pod
            | NodeType::Container
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => false,
        }
    }

    /// Of the run as a whole: its handler comes after its root, and everything has to end.
    fn whole(&self) -> (WorkflowPhase, Option<usize>) {
        let scene = self.scene;
        let reported = scene.trace.phase;
        let Some(&root) = scene.tree.roots.first().filter(|root| scene.spans[**root].role == Role::Root)
        else {
            return (reported, None);
        };
        if matches!(reported, WorkflowPhase::Unset | WorkflowPhase::Pending) {
            return (reported, None);
        }
        let open = (0..scene.spans.len()).filter(|at| !self.phase[*at].is_final());
        // The innermost: the last of those that come to be the reason.
        if let Some(open) = open.max_by_key(|at| scene.name(*at).as_str().len()) {
            return (WorkflowPhase::Running, Some(open));
        }
        let handler = scene.tree.exit[root];
        if !reported.is_final() && handler.is_none() && scene.known[root].exit.is_some() {
            return (reported, None);
        }
        if reported == WorkflowPhase::Failed || reported == WorkflowPhase::Error {
            return (reported, None);
        }
        let bad = [Some(root), handler].into_iter().flatten().find(|at| is_bad(self.phase[*at]));
        match bad {
            Some(at) if self.phase[at] == NodePhase::Error => (WorkflowPhase::Error, Some(self.root_of(at))),
            Some(at) => (WorkflowPhase::Failed, Some(self.root_of(at))),
            None => (WorkflowPhase::Succeeded, self.because[root]),
        }
    }
}

fn is_bad(phase: NodePhase) -> bool {
    match phase {
        NodePhase::Failed | NodePhase::Error => true,
        NodePhase::Pending
        | NodePhase::Running
        | NodePhase::Succeeded
        | NodePhase::Skipped
        | NodePhase::Omitted => false,
    }
}
