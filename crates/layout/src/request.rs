//! What is to be laid out: sizes, nesting, edges and a direction, nothing else.
//!
//! Every length is in graph px and comes from the caller, who alone can measure text. There is no
//! phase here on purpose: two requests are equal exactly when their layouts are.

use crate::measure::{CHIP_SIZE, FOLDED_HEIGHT, FOLDED_WIDTH, LEAF_HEIGHT};

/// The place of an item in [`LayoutRequest::items`] and in [`crate::Layout::items`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemIndex(pub u32);

impl ItemIndex {
    /// The index as a place in a slice.
    pub const fn place(self) -> usize {
        self.0 as usize
    }
}

/// Where edges lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the lower side of an item to the upper side of the next.
    #[default]
    TopDown,
    /// From the right side of an item to the left side of the next.
    LeftRight,
}

/// What an item is, with the sizes only the caller knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A card without contents.
    Leaf {
        /// Width of the card.
        width_px: f64,
        /// Height of the card.
        height_px: f64,
    },
    /// A box around the items that name it as their parent.
    Box {
        /// Least width of the box, so that its header fits.
        header_width_px: f64,
    },
    /// A closed box or group: a front card with two cards behind it.
    Folded {
        /// Width of the front card.
        width_px: f64,
        /// Height of the front card.
        height_px: f64,
    },
}

impl Shape {
    /// A leaf of the usual height.
    pub const fn leaf(width_px: f64) -> Self {
        Self::Leaf { width_px, height_px: LEAF_HEIGHT }
    }

    /// A folded item of the usual size.
    pub const fn folded() -> Self {
        Self::Folded { width_px: FOLDED_WIDTH, height_px: FOLDED_HEIGHT }
    }
}

/// What stands in a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaneContent {
    /// A pill of the usual height.
    Pill {
        /// Width of the pill.
        width_px: f64,
    },
    /// An item of its own, for example a hook that is a box. Its parent is the owner of the lane, and
    /// it stands in the lane instead of among the owner's contents.
    Item(ItemIndex),
}

/// A strip at the bottom of its owner, for one hook.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lane {
    /// What stands in the lane.
    pub content: LaneContent,
    /// Width of the number chip; a glyph in its place counts as a chip of the usual size.
    pub chip_width_px: f64,
    /// Whether a glyph and a thin line stand there instead of a chip and a bracket.
    pub is_named: bool,
}

impl Lane {
    /// The lane of an exit hook: a pill with a chip of the usual size.
    pub const fn exit(width_px: f64) -> Self {
        Self { content: LaneContent::Pill { width_px }, chip_width_px: CHIP_SIZE, is_named: false }
    }

    /// The lane of a named hook: a pill with a glyph.
    pub const fn named(width_px: f64) -> Self {
        Self { content: LaneContent::Pill { width_px }, chip_width_px: CHIP_SIZE, is_named: true }
    }
}

/// One item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemRequest {
    /// The box it stands in (or the owner of its lane). A parent that does not come before its item, or
    /// that is no box, counts as none.
    pub parent: Option<ItemIndex>,
    /// What it is.
    pub shape: Shape,
    /// The row inside its box, counted from 0, when the box holds step groups. Items of one row stand
    /// side by side; a box with at least one such item puts those without a row after the last one.
    pub row: Option<u32>,
    /// Its lanes from top to bottom, in the order they are drawn.
    pub lanes: Vec<Lane>,
}

impl ItemRequest {
    /// An item without row and lanes.
    pub const fn new(parent: Option<ItemIndex>, shape: Shape) -> Self {
        Self { parent, shape, row: None, lanes: Vec::new() }
    }
}

/// An edge as the caller knows it; it may cross the borders of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// Where it leaves.
    pub from: ItemIndex,
    /// Where it enters.
    pub to: ItemIndex,
}

/// The whole request.
///
/// Nothing in it can make the layout fail: a parent or an edge that points nowhere is left out, a
/// length that is negative or not finite counts as 0, cycles are broken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutRequest {
    /// Where edges lead.
    pub direction: Direction,
    /// The items, parents before children. Items without a parent stand side by side on the canvas.
    pub items: Vec<ItemRequest>,
    /// The edges. The order of items and edges decides what stands further left where nothing else does.
    pub edges: Vec<Edge>,
}

impl LayoutRequest {
    /// Appends `item` and tells its index.
    pub fn add(&mut self, item: ItemRequest) -> ItemIndex {
        let index = ItemIndex(u32::try_from(self.items.len()).expect("fewer than 4 billion items"));
        self.items.push(item);
        index
    }

    /// Appends an edge.
    pub fn connect(&mut self, from: ItemIndex, to: ItemIndex) {
        self.edges.push(Edge { from, to });
    }
}
