//! The hook order as data: what was expected beside what happened, row by row.
//!
//! In: a study, the present instant and guesses of durations. Out: rows in bracket order with
//! numbers, bars in units of time, verdicts and sentences, and the marks that lie over several rows.
//! No px: the scale of `unwind-layout` makes them.

mod marks;
mod row;
mod sentence;
mod sum;

use unwind_engine::plan::Role;
use unwind_engine::verdict::Holds;
use unwind_model::{NodeId, NodeName, Timestamp};

use crate::estimate::Estimates;
use crate::format::Zone;
use crate::glyph::Glyph;
use crate::graph::LaneFacts;
use crate::hook_state::{Chip, HookState};
use crate::phase::Look;
use crate::roster::MemberIndex;
use crate::study::Study;

pub(crate) use sentence::Sentences;
pub use sum::{PlannedTurn, Sum, planned_turns};

/// What the timeline is to show.
#[derive(Clone, Debug)]
pub struct View<'a> {
    /// The present; for a file the instant it was saved, or any later one.
    pub now: Timestamp,
    /// The zone of all times.
    pub zone: Zone,
    /// News still come: there is a line at `now`.
    pub is_live: bool,
    /// Every node has a row, not only owners and exit hooks.
    pub shows_all: bool,
    /// Guesses of durations.
    pub estimates: &'a Estimates,
}

/// The hook order.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The rows in bracket order: owner, what is inside it, its exit hook.
    pub rows: Vec<Row>,
    /// The brackets beside the names, from the row of an owner to the row of its exit hook.
    pub brackets: Vec<RowBracket>,
    /// Lines over all rows, by time.
    pub flags: Vec<Flag>,
    /// Arrows where the order was broken.
    pub arrows: Vec<OrderArrow>,
    /// Where two rows overlapped that must not.
    pub overlaps: Vec<Overlap>,
    /// Instants that cannot be told apart, where that matters.
    pub ties: Vec<Tie>,
    /// The summary above.
    pub sum: Sum,
    /// The whole run.
    pub whole: Extent,
    /// The part to open with: around the stop, or the whole run without one.
    pub opening: Extent,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its begin.
    pub from: Timestamp,
    /// Its end, never before its begin.
    pub to: Timestamp,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Full name: what a selection holds.
    pub node: NodeName,
    /// Id, once the node is there.
    pub id: Option<NodeId>,
    /// Its place in the roster.
    pub member: MemberIndex,
    /// What it is.
    pub role: Role,
    /// Its phase; planned when it is not there.
    pub look: Look,
    /// The glyph of a hook, between phase and name.
    pub hook_glyph: Option<Glyph>,
    /// Its name.
    pub title: String,
    /// How many brackets lie around it.
    pub level: u32,
    /// The state of a hook.
    pub state: Option<HookState>,
    /// The expected number.
    pub expected: Option<Chip>,
    /// The actual number.
    pub actual: Option<Chip>,
    /// Boxes are rails, leaves and hooks are bars.
    pub is_rail: bool,
    /// Its stretches, by time.
    pub pieces: Vec<BarPiece>,
    /// The label beside the bar.
    pub label: String,
    /// What the checks of its rules came to.
    pub verdict: Option<Holds>,
}

/// What is told of a row in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Why it has its verdict, or what it waits for.
    pub sentence: String,
    /// The rule that was checked.
    pub rule: Option<&'static str>,
    /// The bar for screen readers.
    pub bar: String,
}

/// What a stretch of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PieceKind {
    /// It was there and did not run.
    Waiting,
    /// It ran.
    Ran,
    /// It will run, or go on, by a guess.
    Planned,
    /// It had to run here and did not.
    NeverRan,
    /// It was left unfinished: dots to the right edge.
    LeftOpen,
}

/// A stretch of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarPiece {
    /// What it is.
    pub kind: PieceKind,
    /// Where it begins.
    pub from: Timestamp,
    /// Where it ends; none leads to the right edge, or to `now` while it runs.
    pub to: Option<Timestamp>,
}

/// A bracket beside the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowBracket {
    /// Row of the owner.
    pub opens: usize,
    /// Row of its exit hook.
    pub closes: usize,
    /// The state of the hook.
    pub state: HookState,
}

/// What a line over all rows stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlagKind {
    /// A stop was asked.
    Stop,
    /// A terminate was asked.
    Terminate,
    /// The workflow was over.
    Over,
    /// The present.
    Now,
}

/// A line over all rows with a flag in the ruler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// What it stands for.
    pub kind: FlagKind,
    /// When.
    pub at: Timestamp,
    /// What it says.
    pub label: String,
}

/// From the begin of a hook to the bar of the one it did not wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderArrow {
    /// Row of the hook that began too early.
    pub from: usize,
    /// Row of the witness.
    pub to: usize,
    /// When it began.
    pub at: Timestamp,
}

/// Two rows that overlapped and must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The rows, upper first.
    pub rows: (usize, usize),
    /// When.
    pub extent: Extent,
}

/// Two instants that cannot be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The rows, upper first.
    pub rows: (usize, usize),
    /// When.
    pub at: Timestamp,
}

/// Makes the timeline without what is told of its rows in words: see [`tell`].
pub fn timeline(study: &Study, view: &View) -> Timeline {
    let facts = LaneFacts::new(study, None);
    let members = row::shown_members(&facts, view.shows_all);
    let mut rows: Vec<Row> = members.iter().map(|&index| row::row(index, &facts, view)).collect();
    row::lay_planned(&mut rows, &facts, view);
    let brackets = row::brackets(&mut rows, study);
    let (whole, opening) = marks::extents(&rows, study, view);
    Timeline {
        flags: marks::flags(study, view),
        arrows: marks::arrows(&rows, study),
        overlaps: marks::overlaps(&rows, study),
        ties: marks::ties(&rows, study),
        sum: sum::sum(&rows, study, view),
        rows,
        brackets,
        whole,
        opening,
    }
}

/// What is told of rows in words, one for each as it is asked for. Apart from the timeline, since of a long one
/// only the rows in view are read.
pub fn tell<'a>(study: &'a Study, view: &View<'a>, rows: &'a [Row]) -> impl Iterator<Item = Told> + use<'a> {
    let sentences = Sentences::new(study, view.now, view.zone, view.estimates);
    let zone = view.zone;
    let now = view.now;
    rows.iter().map(move |row| row::told(row, &sentences, zone, now))
}
