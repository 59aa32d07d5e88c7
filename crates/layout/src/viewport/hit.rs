//! What is in view, and what a pointer is on.
//!
//! Pill, chip and bracket belong to the hook of their lane, the header to its box, the body to its box
//! only when nothing else is there. Source: `ui.md` section 10, hit areas.

use super::Viewport;
use crate::geometry::{Point, Rect};
use crate::measure::TOUCH_TARGET;
use crate::request::ItemIndex;
use crate::result::{ItemLayout, LaneLayout, Layout};

/// How far beside a bracket's line a mouse may be, in screen px.
const BRACKET_REACH: f64 = 4.0;

/// What points: a finger needs larger targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Hits what it is on.
    Mouse,
    /// Also hits what is close: everything is at least [`TOUCH_TARGET`] screen px wide and high.
    Touch,
}

/// What a pointer is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// The header of a box.
    Header(ItemIndex),
    /// The card of a leaf or of a folded item.
    Leaf(ItemIndex),
    /// The pill in a lane.
    Pill {
        /// The owner of the lane.
        owner: ItemIndex,
        /// The place of the lane among the owner's.
        lane: usize,
    },
    /// The number chip or the glyph of a lane.
    Chip {
        /// The owner of the lane.
        owner: ItemIndex,
        /// The place of the lane among the owner's.
        lane: usize,
    },
    /// The bracket of a lane.
    Bracket {
        /// The owner of the lane.
        owner: ItemIndex,
        /// The place of the lane among the owner's.
        lane: usize,
    },
    /// Inside a box or a frame, on nothing of its own.
    Body(ItemIndex),
    /// On the canvas.
    Nothing,
}

impl Viewport {
    /// The items in view, in the order of the request (outer before inner). A box out of view is left
    /// out with all it holds. `margin_px` screen px around the view count as in view.
    pub fn visible_items(&self, layout: &Layout, margin_px: f64) -> Vec<ItemIndex> {
        let view = self.visible().grown(margin_px / self.zoom);
        let mut is_visible = vec![false; layout.items.len()];
        let mut visible = Vec::new();
        for (index, item) in layout.items.iter().enumerate() {
            if item.parent.is_none_or(|parent| is_visible[parent.place()]) && view.overlaps(&item.frame) {
                is_visible[index] = true;
                visible.push(ItemIndex(index as u32));
            }
        }
        visible
    }

    /// What `pointer` is on at a screen point. Cost: linear in the items.
    pub fn hit(&self, layout: &Layout, at_screen: Point, pointer: Pointer) -> Hit {
        let at = self.graph_from_screen(at_screen);
        let exact = match deepest(layout, at) {
            Some(index) => part_at(index, &layout.items[index.place()], at, BRACKET_REACH / self.zoom),
            None => Hit::Nothing,
        };
        match (exact, pointer) {
            (Hit::Body(_) | Hit::Nothing, Pointer::Touch) => {
                nearest_part(layout, at, TOUCH_TARGET / self.zoom).unwrap_or(exact)
            }
            _ => exact,
        }
    }
}

/// The innermost item around a point.
fn deepest(layout: &Layout, at: Point) -> Option<ItemIndex> {
    let mut innermost = None;
    for (index, item) in layout.items.iter().enumerate() {
        if item.parent == innermost && item.frame.contains(at) {
            innermost = Some(ItemIndex(index as u32));
        }
    }
    innermost
}

fn part_at(index: ItemIndex, item: &ItemLayout, at: Point, reach: f64) -> Hit {
    let parts = parts(index, item);
    let on = |(hit, rect): &(Hit, Rect)| match hit {
        Hit::Bracket { .. } => rect.grown(reach).contains(at),
        Hit::Header(_) | Hit::Leaf(_) | Hit::Pill { .. } | Hit::Chip { .. } | Hit::Body(_) | Hit::Nothing => {
            rect.contains(at)
        }
    };
    parts.iter().find(|part| on(part)).map_or(Hit::Body(index), |&(hit, _)| hit)
}

/// The part whose rectangle, widened to `extent`, holds the point; of several the one nearest to it,
/// of equally near ones the innermost.
fn nearest_part(layout: &Layout, at: Point, extent: f64) -> Option<Hit> {
    let mut nearest: Option<(f64, Hit)> = None;
    for (index, item) in layout.items.iter().enumerate() {
        if !item.frame.grown(extent).contains(at) {
            continue;
        }
        for (hit, rect) in parts(ItemIndex(index as u32), item) {
            let distance = distance(&rect, at);
            if widened(&rect, extent).contains(at) && nearest.is_none_or(|(least, _)| distance <= least) {
                nearest = Some((distance, hit));
            }
        }
    }
    nearest.map(|(_, hit)| hit)
}

/// What can be hit of one item, what lies on top first.
fn parts(index: ItemIndex, item: &ItemLayout) -> Vec<(Hit, Rect)> {
    let mut parts = Vec::new();
    for (lane, layout) in item.lanes.iter().enumerate() {
        if layout.item.is_none() {
            parts.push((Hit::Pill { owner: index, lane }, layout.content));
        }
        parts.push((Hit::Chip { owner: index, lane }, layout.chip));
    }
    parts.extend(item.leaf.map(|leaf| (Hit::Leaf(index), leaf)));
    parts.extend(item.header.map(|header| (Hit::Header(index), header)));
    for (lane, layout) in item.lanes.iter().enumerate().rev().filter(|(_, layout)| !layout.is_named) {
        parts.extend(bracket_lines(layout).map(|line| (Hit::Bracket { owner: index, lane }, line)));
    }
    parts
}

/// Both feet and the vertical line of a bracket.
fn bracket_lines(lane: &LaneLayout) -> [Rect; 3] {
    let bracket = lane.bracket;
    [
        Rect::new(bracket.x, bracket.y0, 0.0, bracket.y1 - bracket.y0),
        Rect::new(bracket.x, bracket.y0, bracket.foot0_x - bracket.x, 0.0),
        Rect::new(bracket.x, bracket.y1, bracket.foot1_x - bracket.x, 0.0),
    ]
}

fn widened(rect: &Rect, extent: f64) -> Rect {
    let (dx, dy) = ((extent - rect.width).max(0.0) / 2.0, (extent - rect.height).max(0.0) / 2.0);
    Rect::new(rect.x - dx, rect.y - dy, rect.width + 2.0 * dx, rect.height + 2.0 * dy)
}

/// How far a point is from a rectangle, along the longer way of x and y.
fn distance(rect: &Rect, at: Point) -> f64 {
    let dx = (rect.x - at.x).max(at.x - rect.right()).max(0.0);
    let dy = (rect.y - at.y).max(at.y - rect.bottom()).max(0.0);
    dx.max(dy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ItemRequest, Lane, LayoutRequest, Shape, Size, layout};

    /// A box with a framed leaf; both have an exit hook, the leaf a named one before it.
    fn sample() -> Layout {
        let mut request = LayoutRequest::default();
        let mut outer = ItemRequest::new(None, Shape::Box { header_width_px: 300.0 });
        outer.lanes.push(Lane::exit(150.0));
        let outer = request.add(outer);
        let mut leaf = ItemRequest::new(Some(outer), Shape::leaf(200.0));
        leaf.lanes.extend([Lane::named(150.0), Lane::exit(170.0)]);
        request.add(leaf);
        layout(&request)
    }

    const OUTER: ItemIndex = ItemIndex(0);
    const LEAF: ItemIndex = ItemIndex(1);

    fn at_zoom(zoom: f64) -> Viewport {
        Viewport { zoom, ..Viewport::new(Size::new(800.0, 600.0)) }
    }

    #[test]
    fn every_part_is_hit_in_its_middle() {
        let layout = sample();
        let (outer, leaf) = (&layout.items[0], &layout.items[1]);
        let bracket = |item: &ItemLayout, lane: usize| {
            let bracket = item.lanes[lane].bracket;
            Point::new(bracket.x, f64::midpoint(bracket.y0, bracket.y1))
        };
        let expected = [
            (outer.header.map(|header| header.centre()), Hit::Header(OUTER)),
            (leaf.leaf.map(|leaf| leaf.centre()), Hit::Leaf(LEAF)),
            (Some(leaf.lanes[0].content.centre()), Hit::Pill { owner: LEAF, lane: 0 }),
            (Some(leaf.lanes[1].content.centre()), Hit::Pill { owner: LEAF, lane: 1 }),
            (Some(leaf.lanes[0].chip.centre()), Hit::Chip { owner: LEAF, lane: 0 }),
            (Some(outer.lanes[0].chip.centre()), Hit::Chip { owner: OUTER, lane: 0 }),
            (Some(bracket(outer, 0)), Hit::Bracket { owner: OUTER, lane: 0 }),
            (Some(bracket(leaf, 1)), Hit::Bracket { owner: LEAF, lane: 1 }),
            (Some(Point::new(leaf.frame.right() - 2.0, leaf.frame.bottom() - 2.0)), Hit::Body(LEAF)),
            (Some(Point::new(outer.frame.right() - 2.0, outer.frame.bottom() - 2.0)), Hit::Body(OUTER)),
            (Some(Point::new(-5.0, -5.0)), Hit::Nothing),
        ];
        for (point, hit) in expected {
            let viewport = at_zoom(1.7).panned(33.0, 44.0);
            let screen = viewport.screen_from_graph(point.expect("the sample has this part"));
            assert_eq!(viewport.hit(&layout, screen, Pointer::Mouse), hit);
        }
    }

    #[test]
    fn a_finger_hits_24_px_around_a_small_chip() {
        let layout = sample();
        let viewport = at_zoom(0.5);
        let chip = viewport.screen_from_graph(layout.items[0].lanes[0].chip.centre());
        let beside = Point::new(chip.x, chip.y + 9.0);
        assert_eq!(viewport.hit(&layout, beside, Pointer::Mouse), Hit::Body(OUTER));
        assert_eq!(viewport.hit(&layout, beside, Pointer::Touch), Hit::Chip { owner: OUTER, lane: 0 });
        let away = Point::new(chip.x + 300.0, chip.y + 300.0);
        assert_eq!(viewport.hit(&layout, away, Pointer::Touch), Hit::Nothing);
    }

    #[test]
    fn a_box_out_of_view_takes_its_contents_along() {
        let layout = sample();
        assert_eq!(at_zoom(1.0).visible_items(&layout, 0.0), [OUTER, LEAF]);
        assert_eq!(at_zoom(1.0).panned(0.0, 2000.0).visible_items(&layout, 0.0), []);
        let header_only = at_zoom(1.0).panned(0.0, 590.0);
        assert_eq!(header_only.visible_items(&layout, 0.0), [OUTER]);
        assert_eq!(header_only.visible_items(&layout, 100.0), [OUTER, LEAF]);
    }
}
