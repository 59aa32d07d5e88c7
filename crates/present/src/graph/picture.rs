//! How the graph looks at one instant.

use std::collections::{BTreeMap, BTreeSet};

use unwind_engine::predict::{Prediction, Way};
use unwind_model::{NodeId, NodeName, Timestamp, ordered};

use crate::format;
use crate::hook_state::{Chip, HookState, LineStyle};
use crate::phase::Look;
use crate::token::Token;

/// What an open preview marks in the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Exit hooks that will run, with their turns.
    pub chosen: BTreeMap<NodeName, u32>,
    /// Hooks and tasks that will not run.
    pub will_not_run: BTreeSet<NodeName>,
    /// Leaves that end at once.
    pub will_end: BTreeSet<NodeName>,
    /// Nodes that never become final.
    pub left_unfinished: BTreeSet<NodeName>,
}

impl Marks {
    /// The marks of the first outcome of a prediction.
    pub fn of(prediction: &Prediction) -> Self {
        let Some(outcome) = prediction.outcomes.first() else {
            return Self::default();
        };
        if prediction.way == Way::GoOn {
            return Self::default();
        }
        Self {
            chosen: ordered::map(outcome.hooks.iter().map(|hook| (hook.node.clone(), hook.turn))),
            will_not_run: ordered::set(outcome.will_not_run.iter().map(|not| not.node.clone())),
            will_end: ordered::set(outcome.ends.iter().map(|end| end.node.clone())),
            left_unfinished: ordered::set(outcome.left_unfinished.iter().cloned()),
        }
    }
}

/// A duration that may still grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// When it began.
    pub begun: Timestamp,
    /// When it ended; none while it grows.
    pub ended: Option<Timestamp>,
}

impl Clock {
    /// How long, at `now`, in ms.
    pub fn ms(self, now: Timestamp) -> i64 {
        (self.ended.unwrap_or(now) - self.begun).max(0)
    }

    /// As boxes and leaves show it: `3:25`.
    pub fn text(self, now: Timestamp) -> String {
        format::duration_clock(self.ms(now))
    }

    /// As pills show it: `12 s`.
    pub fn short_text(self, now: Timestamp) -> String {
        format::duration(self.ms(now))
    }
}

/// A word at the right end instead of a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// What it says.
    pub text: String,
    /// Its colour.
    pub token: Token,
    /// Set in a stronger weight.
    pub is_strong: bool,
}

/// A badge on the upper right outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    /// What it says.
    pub text: String,
}

/// How one item looks.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemPaint {
    /// Full name: what a selection holds.
    pub node: NodeName,
    /// Id, once the node is there.
    pub id: Option<NodeId>,
    /// Its phase; planned for a ghost.
    pub look: Look,
    /// Its outline.
    pub outline: LineStyle,
    /// Ground of the card; none lets the box behind it through. Boxes take the ground of their depth.
    pub fill: Option<Token>,
    /// Ground below the glyph of a leaf.
    pub glyph_ground: Option<Token>,
    /// Colour of its name.
    pub ink: Token,
    /// Outline of the frame around a leaf with hooks.
    pub frame: LineStyle,
    /// The second line of a leaf, the type of a box, the words at the lower right of a folded item.
    pub second: String,
    /// Its duration.
    pub clock: Option<Clock>,
    /// What stands in place of the duration.
    pub right: Option<Right>,
    /// Its tries, first to last, when there were several.
    pub tries: Vec<Look>,
    /// Its badge.
    pub badge: Option<Badge>,
    /// How many nodes inside a folded item are in each phase, worst first.
    pub counts: Vec<(Look, usize)>,
    /// Its lanes, as in the structure.
    pub lanes: Vec<LanePaint>,
}

/// How one lane looks.
#[derive(Clone, Debug, PartialEq)]
pub struct LanePaint {
    /// Full name of the hook.
    pub node: NodeName,
    /// Id, once the node is there.
    pub id: Option<NodeId>,
    /// Its phase; planned when it is not there.
    pub look: Look,
    /// Its state: gives bracket, chip and pill.
    pub state: HookState,
    /// The number chip; none where the glyph stands in its place.
    pub chip: Option<Chip>,
    /// Its duration, at the right end of the pill.
    pub clock: Option<Clock>,
    /// What stands in place of the duration.
    pub right: Option<Right>,
}

/// How the whole graph looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// `items[i]` is how item `i` of the layout looks.
    pub items: Vec<ItemPaint>,
    /// What the whole canvas is called: workflow, number of nodes, counts.
    pub label: String,
    /// True while something runs, so that lamps beat and durations grow.
    pub is_moving: bool,
}

impl Picture {
    /// True when an edge into this item has not been passed yet.
    pub fn is_planned(&self, item: usize) -> bool {
        self.items.get(item).is_some_and(|item| item.look == Look::Planned)
    }
}
