//! Notes taken of nodes that moved: counts kept by difference, and who has to look again.

use unwind_model::{NodePhase, NodeType, Timestamp};

use crate::behaviour::Passes;
use crate::progress::{self, Progress, is_leaf};

use super::pass::Pass;
use super::table::{At, Counts, Noted};
use super::todo::Visit;

/// Time between two passes of a controller.
const REQUEUE_MS: i64 = 10_000;

impl Pass<'_> {
    /// Whether only what was touched is walked. A controller walks everything in every pass.
    pub(crate) fn walks_touched(&self) -> bool {
        match self.run.behaviour.passes {
            Passes::UntilQuiet => true,
            Passes::OnePerReconcile => false,
        }
    }

    /// Brings all counts up to date, and queues what looks at the nodes that moved.
    pub(crate) fn note(&mut self) {
        while self.run.table.has_moved() {
            for at in self.run.table.take_moved() {
                self.note_node(at);
            }
        }
    }

    fn note_node(&mut self, at: At) {
        let known = self.node(at).noted;
        let new = self.noted(at);
        self.tell(at, known);
        if new == known {
            return;
        }
        self.run.table.noted_mut(at).clone_from(&new);
        let boundary = self.node(at).boundary;
        if let Some(boundary) = boundary {
            let inside = &mut self.run.table.noted_mut(boundary).inside;
            count(&mut inside.failed, known.counts.failed, new.counts.failed);
            count(&mut inside.active, known.counts.active, new.counts.active);
            if known.counts.active && !new.counts.active {
                self.run.todo.room.insert(boundary);
            }
        }
        self.run.todo.active_pods += i64::from(new.counts.pod) - i64::from(known.counts.pod);
        if new.leaf != known.leaf {
            self.note_progress(at, known.leaf, new.leaf);
        }
        let is_same = (new.exists, new.phase, new.synced, new.daemoned)
            == (known.exists, known.phase, known.synced, known.daemoned);
        if is_same {
            return;
        }
        if new.daemoned {
            self.run.todo.daemons.insert(at);
        } else {
            self.run.todo.daemons.remove(&at);
            if known.daemoned {
                self.end_daemoned_retry(at);
            }
        }
        self.look_again(at);
        if self.node(at).is_fulfilled() {
            self.run.todo.ended.push(at);
            self.node_to_globals(at);
        }
    }

    /// A Retry is no daemon any more when its attempt is none.
    fn end_daemoned_retry(&mut self, attempt: At) {
        let around = self.node(attempt).within;
        if let Some(retry) =
            around.filter(|at| self.node(*at).kind == NodeType::Retry && self.node(*at).daemoned)
        {
            self.run.table.get_mut(retry).daemoned = false;
        }
    }

    fn noted(&self, at: At) -> Noted {
        let node = self.node(at);
        let is_under_way = node.exists && matches!(node.phase, NodePhase::Pending | NodePhase::Running);
        let is_pod = node.kind == NodeType::Pod;
        let counts = node.exists && is_leaf(node.kind);
        let leaf = if counts { progress::leaf(node.phase, &node.rare().progress) } else { None };
        Noted {
            exists: node.exists,
            phase: node.phase,
            synced: node.synced,
            daemoned: node.daemoned,
            counts: Counts {
                failed: node.exists && node.is_failed(),
                active: is_under_way && matches!(node.kind, NodeType::Pod | NodeType::Steps | NodeType::DAG),
                pod: is_under_way
                    && is_pod
                    && (node.phase == NodePhase::Running || self.run.cluster.pods.has(&node.name)),
            },
            leaf: leaf.unwrap_or_default(),
            ..node.noted
        }
    }

    /// Adds a difference to everything around a leaf, as far as it shows a sum.
    fn note_progress(&mut self, at: At, from: Progress, to: Progress) {
        let add = |sum: &mut Progress| {
            sum.done += to.done - from.done;
            sum.all += to.all - from.all;
        };
        add(&mut self.run.todo.leaves);
        let mut next = self.node(at).within;
        while let Some(around) = next {
            if !is_leaf(self.node(around).kind) {
                let known = self.node(around).noted;
                self.tell(around, known);
                add(&mut self.run.table.noted_mut(around).leaves);
            }
            next = self.node(around).within;
        }
    }

    /// Keeps in mind that a node moved, and what it was when somebody asked last.
    fn tell(&mut self, at: At, known: Noted) {
        self.run.todo.moved.entry(at).or_insert(known.exists.then_some(known.phase));
    }

    /// Queues what a node is part of.
    pub(crate) fn look_again(&mut self, at: At) {
        let visit = self.visit_of(at);
        self.run.todo.push(visit);
    }

    /// The visit in which a node is looked at.
    pub(crate) fn visit_of(&self, at: At) -> Visit {
        let node = self.node(at);
        match (node.boundary, node.place) {
            (None, _) => Visit::Root,
            (Some(boundary), Some(place)) => Visit::Member(boundary, place),
            (Some(boundary), None) => Visit::Box(boundary),
        }
    }

    /// Has a node looked at again once a time has come. A controller looks at everything, and just after it.
    pub(crate) fn look_again_at(&mut self, time: Timestamp, at: At) {
        if time <= self.now {
            return;
        }
        if self.walks_touched() {
            let visit = self.visit_of(at);
            self.run.todo.wake_at(time, visit);
        } else {
            self.run.todo.wake_at(time + 1, Visit::Root);
        }
    }

    /// Keeps in mind what a controller's pass moved, and has it followed by another one.
    /// Source: Argo `workflow/controller/controller.go`, `DEFAULT_REQUEUE_TIME`: what is stored is seen again.
    pub(crate) fn note_pass(&mut self) {
        if self.updated {
            self.run.todo.wake_at(self.now + REQUEUE_MS, Visit::Root);
        }
        if let Some(deadline) = self.deadline.filter(|deadline| self.now <= *deadline) {
            self.run.todo.wake_at(deadline + 1, Visit::Root);
        }
        for at in self.run.table.take_moved() {
            let node = self.node(at);
            let seen = Noted { exists: node.exists, phase: node.phase, ..node.noted };
            let known = std::mem::replace(self.run.table.noted_mut(at), seen);
            self.tell(at, known);
        }
    }
}

fn count(sum: &mut u32, was: bool, is: bool) {
    *sum = *sum + u32::from(is) - u32::from(was);
}
