//! What ends and which exit hooks run, in bracket order, with turns and arrows.
//!
//! One walk over the run as it will be: what is inside a node first, then its exit hook.
//! Source: `ui/ui.md`, "Number = turn"; cases "The order rule" 3 to 6.

use unwind_model::Timestamp;

use crate::plan::Role;
use crate::predict::{Arrow, ArrowReason, PredictedEnd, PredictedHook};
use crate::sketch::run::Run;
use crate::sketch::scope::root_name;
use crate::sketch::table::{Inside, Node, NodeIndex, Place};

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
    last: Vec<NodeIndex>,
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
pub(super) fn course(before: &Run, after: &Run, now: Option<Timestamp>) -> Course {
    let mut walk = Walk { before, after, now, course: Course::default() };
    let mut seen = after.root.map_or_else(Seen::default, |root| walk.node(root));
    for (index, node) in after.table.iter() {
        if node.place == Place::Unforeseen {
            seen.add(walk.node(index));
        }
    }
    if let Some(handler) = after.handler {
        walk.hook(handler, seen, ArrowReason::HandlerLast);
    }
    walk.course
}

struct Walk<'run> {
    before: &'run Run,
    after: &'run Run,
    now: Option<Timestamp>,
    course: Course,
}

impl Walk<'_> {
    /// A node, what is inside it, and its exit hook.
    fn node(&mut self, index: NodeIndex) -> Seen {
        let after = self.after;
        let node = after.table.get(index);
        let (mut seen, reason) = match &node.inside {
            Inside::Program { .. } | Inside::Wait => (self.leaf(index), ArrowReason::OwnerEnds),
            Inside::Nothing | Inside::Members(_) | Inside::Groups(_) => {
                (self.insides(index), ArrowReason::Encloses)
            }
        };
        if let Some(hook) = node.exit_hook {
            seen = self.hook(hook, seen, reason);
        }
        seen
    }

    fn insides(&mut self, index: NodeIndex) -> Seen {
        let after = self.after;
        let mut seen = Seen::default();
        match &after.table.get(index).inside {
            Inside::Members(members) => {
                for node in members.slots.iter().filter_map(|slot| slot.node()) {
                    seen.add(self.node(node));
                }
            }
            Inside::Groups(groups) => {
                for group in groups {
                    seen.add(self.node(*group));
                }
            }
            Inside::Nothing | Inside::Program { .. } | Inside::Wait => {}
        }
        seen
    }

    /// A leaf; it is told of when it runs now and a shutdown ends it.
    fn leaf(&mut self, index: NodeIndex) -> Seen {
        let node = self.after.table.get(index);
        let was_open = self.was_open(node);
        if !was_open || !node.cut {
            return Seen::default();
        }
        self.course.ends.push(PredictedEnd {
            node: node.name.clone(),
            phase: node.phase,
            running_for_ms: self.now.zip(node.started_at).map(|(now, began)| (now - began).max(0)),
        });
        Seen { last: vec![index], turn: 0 }
    }

    /// An exit hook after all that was `seen` of its owner. One that is over already, or that a
    /// terminate ends, has no turn.
    fn hook(&mut self, index: NodeIndex, seen: Seen, reason: ArrowReason) -> Seen {
        let node = self.after.table.get(index);
        let was = self.before.table.named(&node.name);
        let was = was.map(|was| self.before.table.get(was).phase);
        if was.is_some_and(unwind_model::NodePhase::is_final) || node.cut {
            let mut seen = seen;
            seen.add(self.hook_insides(index));
            return seen;
        }
        let turn = seen.turn + 1;
        for before in &seen.last {
            let is_hook = is_hook(self.after.table.get(*before));
            self.course.arrows.push(Arrow {
                before: self.after.table.get(*before).name.clone(),
                after: node.name.clone(),
                reason: match reason {
                    ArrowReason::OwnerEnds if is_hook => ArrowReason::Encloses,
                    ArrowReason::OwnerEnds | ArrowReason::Encloses | ArrowReason::HandlerLast => reason,
                },
            });
        }
        self.course.hooks.push(PredictedHook {
            node: node.name.clone(),
            owner: self.owner_of(node),
            role: match node.place {
                Place::Handler => Role::Handler,
                Place::Root
                | Place::Slot { .. }
                | Place::Group { .. }
                | Place::ExitHook { .. }
                | Place::Unforeseen => Role::ExitHook,
            },
            turn,
            template: node.template_name.clone(),
            running: was.is_some(),
        });
        let inside = self.hook_insides(index);
        let mut last = vec![index];
        last.extend(inside.last);
        Seen { last, turn: turn.max(inside.turn) }
    }

    /// What is inside a hook's own node.
    fn hook_insides(&mut self, index: NodeIndex) -> Seen {
        match &self.after.table.get(index).inside {
            Inside::Program { .. } | Inside::Wait => self.leaf(index),
            Inside::Nothing | Inside::Members(_) | Inside::Groups(_) => self.insides(index),
        }
    }

    fn owner_of(&self, hook: &Node) -> unwind_model::NodeName {
        match hook.place {
            Place::ExitHook { owner } => self.after.table.get(owner).name.clone(),
            Place::Handler | Place::Root | Place::Slot { .. } | Place::Group { .. } | Place::Unforeseen => {
                root_name(self.after)
            }
        }
    }

    fn was_open(&self, node: &Node) -> bool {
        let was = self.before.table.named(&node.name);
        was.is_some_and(|was| !self.before.table.get(was).phase.is_final())
    }
}

fn is_hook(node: &Node) -> bool {
    match node.place {
        Place::ExitHook { .. } | Place::Handler => true,
        Place::Root | Place::Slot { .. } | Place::Group { .. } | Place::Unforeseen => false,
    }
}
