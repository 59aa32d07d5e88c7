//! What ends and which exit hooks run, in bracket order, with turns and arrows.
//!
//! One walk over the run as it will be: what is inside a node first, then its exit hook.
//! Source: `ui/ui.md`, "Number = turn"; cases "The order rule" 3 to 6.

use unwind_model::{NodeName, NodePhase, NodeType, Timestamp, Workflow};

use crate::plan::{Plan, Role};
use crate::predict::{Arrow, ArrowReason, PredictedEnd, PredictedHook};
use crate::run::Run;
use crate::trace::tree::Tree;
use crate::trace::{Span, shutdown_words, spans_of};

/// What a walk finds.
#[derive(Default)]
pub(super) struct Course {
    pub(super) ends: Vec<PredictedEnd>,
    pub(super) hooks: Vec<PredictedHook>,
    pub(super) arrows: Vec<Arrow>,
}

/// What has been seen of one node and everything inside it.
#[derive(Clone, Default)]
struct Seen {
    /// Hooks and ending leaves after which no other hook of this part comes.
    last: Vec<usize>,
    /// Highest turn of the exit hooks in this part.
    turn: u32,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.last.extend(other.last);
        self.turn = self.turn.max(other.turn);
    }
}

/// Walks the run as it will be (`after`), which `before` is a beginning of.
pub(super) fn course(plan: &Plan, before: &Run, after: &Run, now: Option<Timestamp>) -> Course {
    let metadata = after.metadata().clone();
    let workflow = Workflow { metadata, status: after.status(), ..Workflow::default() };
    let spans = spans_of(plan, &workflow);
    let tree = Tree::build(&spans);
    let mut walk = Walk { before, after, spans: &spans, tree: &tree, now, course: Course::default() };
    let root = tree.roots.iter().find(|at| spans[**at].role == Role::Root).copied();
    let mut seen = Seen::default();
    for at in tree.roots.iter().copied() {
        seen.add(walk.insides_and_named(at));
    }
    if let Some(handler) = root.and_then(|root| tree.exit[root]) {
        walk.hook(handler, seen, ArrowReason::HandlerLast);
    }
    walk.course
}

struct Walk<'run> {
    before: &'run Run,
    after: &'run Run,
    spans: &'run [Span],
    tree: &'run Tree,
    now: Option<Timestamp>,
    course: Course,
}

impl Walk<'_> {
    /// A node, what is inside it, and its hooks.
    fn node(&mut self, at: usize) -> Seen {
        let seen = self.insides_and_named(at);
        let reason = if is_leaf(&self.spans[at]) { ArrowReason::OwnerEnds } else { ArrowReason::Encloses };
        match self.tree.exit[at] {
            Some(hook) => self.hook(hook, seen, reason),
            None => seen,
        }
    }

    /// A node without its exit hook.
    fn insides_and_named(&mut self, at: usize) -> Seen {
        let mut seen = self.insides(at);
        for hook in self.tree.named[at].clone() {
            seen.add(self.node(hook));
        }
        seen
    }

    /// What is inside a node; a leaf is inside itself.
    fn insides(&mut self, at: usize) -> Seen {
        if is_leaf(&self.spans[at]) {
            return self.leaf(at);
        }
        let mut seen = Seen::default();
        for inner in self.tree.insides[at].clone() {
            seen.add(self.node(inner));
        }
        seen
    }

    /// A leaf; it is told of when it runs now and a shutdown ends it.
    fn leaf(&mut self, at: usize) -> Seen {
        let span = &self.spans[at];
        let was_open = self.was(&span.node).is_some_and(|phase| !phase.is_final());
        if !was_open || !is_cut(span) {
            return Seen::default();
        }
        self.course.ends.push(PredictedEnd {
            node: span.node.clone(),
            phase: span.phase,
            running_for_ms: self.now.zip(span.begun).map(|(now, began)| (now - began).max(0)),
        });
        Seen { last: vec![at], turn: 0 }
    }

    /// An exit hook after all that was `seen` of its owner. One that is over already, or that a
    /// terminate ends, has no turn.
    fn hook(&mut self, at: usize, seen: Seen, reason: ArrowReason) -> Seen {
        let span = &self.spans[at];
        let was = self.was(&span.node);
        if was.is_some_and(NodePhase::is_final) || is_cut(span) {
            let mut seen = seen;
            seen.add(self.insides_and_named(at));
            return seen;
        }
        let turn = seen.turn + 1;
        for before in &seen.last {
            let before = &self.spans[*before];
            self.course.arrows.push(Arrow {
                before: before.node.clone(),
                after: span.node.clone(),
                reason: match reason {
                    ArrowReason::OwnerEnds if is_exit_hook(before) => ArrowReason::Encloses,
                    ArrowReason::OwnerEnds | ArrowReason::Encloses | ArrowReason::HandlerLast => reason,
                },
            });
        }
        self.course.hooks.push(PredictedHook {
            node: span.node.clone(),
            owner: span.owner.clone().unwrap_or_else(|| NodeName::from(self.before.name())),
            role: span.role,
            turn,
            template: self.template_of(span),
            running: was.is_some(),
        });
        let inside = self.insides_and_named(at);
        let mut last = vec![at];
        last.extend(inside.last);
        Seen { last, turn: turn.max(inside.turn) }
    }

    fn template_of(&self, span: &Span) -> String {
        let at = self.after.walk.table.named(span.node.as_str());
        at.map_or_else(String::new, |at| self.after.walk.table.get(at).template_name.to_string())
    }

    /// Phase of a node as the run is now; `None` where it is not there yet.
    fn was(&self, name: &NodeName) -> Option<NodePhase> {
        let at = self.before.walk.table.named(name.as_str())?;
        Some(self.before.walk.table.get(at).phase)
    }
}

/// Whether a shutdown ended it.
fn is_cut(span: &Span) -> bool {
    span.phase == NodePhase::Failed && shutdown_words(&span.message).is_some()
}

fn is_exit_hook(span: &Span) -> bool {
    match span.role {
        Role::ExitHook | Role::Handler => true,
        Role::Root | Role::Work | Role::NamedHook => false,
    }
}

/// Programs, waits and requests. One container of a set is part of its pod.
fn is_leaf(span: &Span) -> bool {
    match span.node_type {
        NodeType::Pod | NodeType::Suspend | NodeType::HTTP | NodeType::Plugin => true,
        NodeType::Container
        | NodeType::DAG
        | NodeType::Steps
        | NodeType::StepGroup
        | NodeType::TaskGroup
        | NodeType::Retry
        | NodeType::Skipped => false,
    }
}
