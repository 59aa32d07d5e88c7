//! A trace beside its plan, with what all checks ask about a node.

use unwind_model::{NodeName, NodePhase, NodeType, Shutdown};

use super::{Holds, Instant, Witness};
use crate::plan::{Plan, Role};
use crate::trace::known::{Known, match_all};
use crate::trace::tree::Tree;
use crate::trace::{Bound, Resolution, Span, Trace, Words, shutdown_words};

/// Message of a node whose pod vanished. Source: Argo `workflow/controller/operator.go`.
const POD_DELETED: &str = "pod deleted";

/// A trace beside its plan. Nodes are indices into `spans`.
pub(super) struct Scene<'a> {
    pub(super) plan: &'a Plan,
    pub(super) trace: &'a Trace,
    pub(super) spans: &'a [Span],
    pub(super) tree: Tree,
    pub(super) known: Vec<Known<'a>>,
    /// `exit_work[i]`: span `i` is an exit hook or lies inside one, at any depth.
    pub(super) exit_work: Vec<bool>,
    /// `hook_work[i]`: span `i` is a hook of any kind or lies inside one, at any depth.
    pub(super) hook_work: Vec<bool>,
    /// `closed[i]`: nothing may begin any more where span `i` is: the workflow is over, or a box
    /// around it has ended, or the exit hook of such a box has begun.
    pub(super) closed: Vec<bool>,
}

/// When a node ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Then.
    At(Bound),
    /// It has ended, nothing tells when.
    Unknown,
    /// It has not ended.
    Open,
    /// It ends before it begins: clocks differ.
    Odd,
}

/// Whether a node has begun, in the sense that a hook of it is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Began {
    /// It has.
    Yes,
    /// It never did: omitted, skipped, or refused by a shutdown before anything of it ran.
    No,
    /// It waits.
    Waiting,
    /// It ended in error before its real node was there: a hook may run or not.
    Unclear,
}

impl<'a> Scene<'a> {
    pub(super) fn new(plan: &'a Plan, trace: &'a Trace) -> Self {
        let spans = trace.spans.as_slice();
        let tree = Tree::build(spans);
        let known = match_all(plan, spans, &tree);
        let mut scene = Self {
            plan,
            trace,
            spans,
            tree,
            known,
            exit_work: vec![false; spans.len()],
            hook_work: vec![false; spans.len()],
            closed: vec![trace.is_over(); spans.len()],
        };
        for step in 0..scene.tree.downward.len() {
            let at = scene.tree.downward[step];
            let parent = scene.tree.parent[at];
            let in_hook = |above: Option<usize>| above.is_some_and(|above| scene.exit_work[above]);
            scene.exit_work[at] = match scene.spans[at].role {
                Role::ExitHook | Role::Handler => true,
                Role::Root | Role::Work | Role::NamedHook => in_hook(parent),
            };
            scene.hook_work[at] = match scene.spans[at].role {
                Role::ExitHook | Role::Handler | Role::NamedHook => true,
                Role::Root | Role::Work => parent.is_some_and(|parent| scene.hook_work[parent]),
            };
            let around = match (parent, scene.tree.owner[at]) {
                (Some(parent), _) => scene.is_final(parent) || scene.shut(parent),
                // Hooks of the workflow itself; the handler is the last thing of all.
                (None, Some(root)) => !matches!(scene.spans[at].role, Role::Handler) && scene.shut(root),
                (None, None) => scene.shut(at),
            };
            scene.closed[at] |= around;
        }
        scene
    }

    /// Closed, or its exit hook has begun.
    fn shut(&self, at: usize) -> bool {
        self.closed[at] || self.tree.exit[at].is_some()
    }

    pub(super) fn name(&self, at: usize) -> &'a NodeName {
        &self.spans[at].node
    }

    pub(super) fn is_final(&self, at: usize) -> bool {
        self.spans[at].phase.is_final()
    }

    pub(super) fn strategy(&self) -> Option<Shutdown> {
        self.trace.shutdown.map(|seen| seen.strategy)
    }

    pub(super) fn end(&self, at: usize) -> End {
        let span = &self.spans[at];
        if !span.phase.is_final() {
            return End::Open;
        }
        let is_coarse = self.trace.resolution == Resolution::WholeSeconds;
        match (self.trace.begun(span), self.trace.ended(span)) {
            (_, None) => End::Unknown,
            // Argo notes when the pod was missed, not when it ended.
            _ if is_coarse && span.message == POD_DELETED => End::Unknown,
            (Some(begun), Some(ended)) if ended.to < begun.from => End::Odd,
            (_, Some(ended)) => End::At(ended),
        }
    }

    /// True for what encloses other nodes.
    pub(super) fn is_box(&self, at: usize) -> bool {
        match self.spans[at].node_type {
            NodeType::DAG | NodeType::Steps | NodeType::StepGroup | NodeType::TaskGroup | NodeType::Retry => {
                true
            }
            NodeType::Pod
            | NodeType::Container
            | NodeType::Skipped
            | NodeType::Suspend
            | NodeType::HTTP
            | NodeType::Plugin => false,
        }
    }

    /// True for what encloses nothing, containers of a pod aside: the pod speaks for them.
    pub(super) fn is_leaf(&self, at: usize) -> bool {
        !self.is_box(at) && !matches!(self.spans[at].node_type, NodeType::Container)
    }

    /// True for what may run a program: no box, no part of a pod, nothing that was skipped, omitted
    /// or refused, no mere wait, whose end is an act of the controller.
    pub(super) fn is_program(&self, at: usize) -> bool {
        let span = &self.spans[at];
        let is_wait = matches!(span.node_type, NodeType::Suspend | NodeType::Skipped);
        let ran = match span.phase {
            NodePhase::Skipped | NodePhase::Omitted => false,
            NodePhase::Pending
            | NodePhase::Running
            | NodePhase::Succeeded
            | NodePhase::Failed
            | NodePhase::Error => !self.was_refused(at),
        };
        self.is_leaf(at) && !is_wait && ran
    }

    /// True when a shutdown refused it before anything of it ran: its pod was never made, or it
    /// waited for a lock until then.
    pub(super) fn was_refused(&self, at: usize) -> bool {
        let span = &self.spans[at];
        match shutdown_words(&span.message) {
            None | Some(Words::Ended(_)) => false,
            Some(Words::Refused(_)) => true,
            Some(Words::Stopped(_)) => matches!(span.node_type, NodeType::Pod),
        }
    }

    /// Whether hooks of a node are owed. The workflow's own are once it is under way, even where
    /// its root was refused: then they may run or not.
    pub(super) fn began(&self, at: usize) -> Began {
        let span = &self.spans[at];
        let never = match span.role {
            Role::Root => Began::Unclear,
            Role::Work | Role::ExitHook | Role::NamedHook | Role::Handler => Began::No,
        };
        match (span.phase, span.node_type) {
            (NodePhase::Skipped | NodePhase::Omitted, _) => never,
            (NodePhase::Pending, _) => Began::Waiting,
            (_, NodeType::Skipped) => Began::Unclear,
            _ if self.was_refused(at) => never,
            (NodePhase::Running | NodePhase::Succeeded | NodePhase::Failed | NodePhase::Error, _) => {
                Began::Yes
            }
        }
    }

    /// Whether `later` began after `earlier` had ended.
    pub(super) fn after(&self, later: usize, earlier: usize) -> Holds {
        let Some(begun) = self.trace.begun(&self.spans[later]) else {
            return Holds::CannotTell;
        };
        match self.end(earlier) {
            End::Open => Holds::Broken,
            End::Odd => Holds::CannotTell,
            End::Unknown => match self.trace.begun(&self.spans[earlier]) {
                Some(earlier) if earlier.from > begun.to => Holds::Broken,
                Some(_) | None => Holds::CannotTell,
            },
            End::At(_) if matches!(self.end(later), End::Odd) => Holds::CannotTell,
            End::At(ended) if begun.to < ended.from => Holds::Broken,
            End::At(ended) if begun.from >= ended.to => Holds::Kept,
            End::At(_) => match self.came_after(Instant::Begin, later, earlier) {
                Some(true) => Holds::Kept,
                Some(false) => Holds::Broken,
                None => Holds::CannotTell,
            },
        }
    }

    /// Whether the news that `later` began or ended came after the news that `earlier` ended; `None` where
    /// both came together or nobody listened.
    pub(super) fn came_after(&self, instant: Instant, later: usize, earlier: usize) -> Option<bool> {
        let (later, earlier) = (self.spans[later].fine.as_ref()?, self.spans[earlier].fine.as_ref()?);
        let (line, message) = match instant {
            Instant::Begin => (later.begun.map(|begun| begun.to), later.begun_in),
            Instant::End => (later.noted, later.ended_in),
        };
        if let (Some(line), Some(noted)) = (line, earlier.noted) {
            return Some(line >= noted);
        }
        let (message, ended) = (message?, earlier.ended_in?);
        (message != ended).then_some(message > ended)
    }

    pub(super) fn begin_of(&self, at: usize) -> Witness {
        Witness { node: self.name(at).clone(), instant: Instant::Begin, at: self.spans[at].begun }
    }

    pub(super) fn end_of(&self, at: usize) -> Witness {
        Witness { node: self.name(at).clone(), instant: Instant::End, at: self.spans[at].ended }
    }
}
