//! Where everything stands, in graph px from the upper left corner of the whole graph.

use crate::geometry::{Point, Rect, Size};
use crate::request::ItemIndex;

/// The place of a route in [`Layout::routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteIndex(pub u32);

impl RouteIndex {
    /// The index as a place in a slice.
    pub const fn place(self) -> usize {
        self.0 as usize
    }
}

/// The line from an owner to the chip of one of its lanes: down at `x` from `y0` to `y1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bracket {
    /// The x of the vertical line.
    pub x: f64,
    /// Where it begins: below the header of a box, at the middle of a leaf.
    pub y0: f64,
    /// Where it ends: the middle of the lane.
    pub y1: f64,
    /// Right end of the upper foot.
    pub foot0_x: f64,
    /// Right end of the lower foot: the left side of the chip.
    pub foot1_x: f64,
}

/// One lane of an owner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneLayout {
    /// The whole strip, as wide as its owner.
    pub strip: Rect,
    /// The pill, or the frame of the item that stands there instead.
    pub content: Rect,
    /// The item that stands in the lane, when it is no pill.
    pub item: Option<ItemIndex>,
    /// The number chip, or the place of the glyph of a named lane.
    pub chip: Rect,
    /// Whether the lane is a named one.
    pub is_named: bool,
    /// The bracket; of a named lane only `x`, `y1` and `foot1_x` are drawn, as a thin line.
    pub bracket: Bracket,
}

/// One step row of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowLayout {
    /// The row as the request numbers it; none for items without a row.
    pub row: Option<u32>,
    /// What the row holds, over the whole width of the box's contents (left-right: over the height).
    pub extent: Rect,
    /// Where the label stands: its left end and the middle of its height.
    pub label: Point,
}

/// Where one item stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemLayout {
    /// Everything that belongs to the item, lanes and frame included. Edges end here.
    pub frame: Rect,
    /// The header of a box.
    pub header: Option<Rect>,
    /// The card of a leaf, the front card of a folded item.
    pub leaf: Option<Rect>,
    /// `lanes[i]` is the lane `i` of the request.
    pub lanes: Vec<LaneLayout>,
    /// The hairline above the lanes of a box: its y, from side to side.
    pub lane_rule_y: Option<f64>,
    /// The step rows, from first to last.
    pub rows: Vec<RowLayout>,
    /// The box it stands in, or the owner of its lane.
    pub parent: Option<ItemIndex>,
    /// How many items enclose it.
    pub depth: u32,
}

/// One drawn edge: what several edges of the request become when they are raised to the same boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The item it leaves.
    pub from: ItemIndex,
    /// The item it enters.
    pub to: ItemIndex,
    /// Corners from begin to end, joined by horizontal and vertical lines only.
    pub points: Vec<Point>,
}

/// The coordinates of everything in the request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// `items[i]` is item `i` of the request.
    pub items: Vec<ItemLayout>,
    /// What is drawn for the edges, each pair of items once.
    pub routes: Vec<Route>,
    /// `edges[i]` is the route of edge `i` of the request; none where nothing is drawn: an edge from an
    /// item to itself or to what it encloses, an edge that reaches into or out of a lane, an edge to nowhere.
    pub edges: Vec<Option<RouteIndex>>,
    /// The whole graph.
    pub size: Size,
}
