//! The outer frame of one item: header, card, contents, lanes, chips and brackets, relative to the
//! item's own upper left corner. Knows nothing of what stands beside it.

use super::nesting::Nesting;
use crate::geometry::{Point, Rect, Size};
use crate::measure;
use crate::request::{Direction, ItemIndex, ItemRequest, Lane, LaneContent, Shape};
use crate::result::{Bracket, ItemLayout, LaneLayout};

/// The parts of an item, relative to its upper left corner.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub size: Size,
    header: Option<Rect>,
    leaf: Option<Rect>,
    lanes: Vec<LaneLayout>,
    lane_rule_y: Option<f64>,
    /// Where the contents may stand; they are centred in it.
    room: Rect,
}

impl Frame {
    /// The item with its upper left corner at `corner`, without what only its surroundings know.
    pub fn placed(&self, corner: Point) -> ItemLayout {
        ItemLayout {
            frame: Rect::at(corner, self.size),
            header: self.header.map(|header| header.moved(corner)),
            leaf: self.leaf.map(|leaf| leaf.moved(corner)),
            lanes: self.lanes.iter().map(|lane| moved_lane(lane, corner)).collect(),
            lane_rule_y: self.lane_rule_y.map(|y| y + corner.y),
            ..ItemLayout::default()
        }
    }

    /// Where contents of `size` begin when the item's upper left corner is at `corner`.
    pub fn contents_at(&self, corner: Point, size: Size) -> Point {
        let beside = ((self.room.width - size.width) / 2.0).floor().max(0.0);
        Point::new(corner.x + self.room.x + beside, corner.y + self.room.y)
    }
}

fn moved_lane(lane: &LaneLayout, by: Point) -> LaneLayout {
    let Bracket { x, y0, y1, foot0_x, foot1_x } = lane.bracket;
    LaneLayout {
        strip: lane.strip.moved(by),
        content: lane.content.moved(by),
        item: lane.item,
        is_named: lane.is_named,
        chip: lane.chip.moved(by),
        bracket: Bracket {
            x: x + by.x,
            y0: y0 + by.y,
            y1: y1 + by.y,
            foot0_x: foot0_x + by.x,
            foot1_x: foot1_x + by.x,
        },
    }
}

/// What an item encloses, worked out before the item itself.
pub(super) struct Enclosed<'a> {
    /// The place of the item.
    pub owner: usize,
    /// The size of its contents.
    pub inside: Size,
    /// Where the step rows of the contents lead, when there are any.
    pub rows: Option<Direction>,
    /// Who stands in whom.
    pub nesting: &'a Nesting,
    /// The frames of all later items, for lanes that hold one.
    pub frames: &'a [Frame],
}

impl Enclosed<'_> {
    /// The size of what a lane holds. A lane of an item that stands elsewhere is empty.
    fn lane_content(&self, place: usize, lane: &Lane) -> (Size, Option<ItemIndex>) {
        match lane.content {
            LaneContent::Pill { width_px } => (Size::new(whole(width_px), measure::PILL_HEIGHT), None),
            LaneContent::Item(item) if self.nesting.holds(self.owner, place, item) => {
                (self.frames[item.place()].size, Some(item))
            }
            LaneContent::Item(_) => (Size::default(), None),
        }
    }
}

/// The frame of `item` around what it encloses.
pub(super) fn frame_of(item: &ItemRequest, enclosed: &Enclosed) -> Frame {
    match item.shape {
        Shape::Leaf { width_px, height_px } => {
            card_frame(Size::new(whole(width_px), whole(height_px)), 0.0, &item.lanes, enclosed)
        }
        Shape::Folded { width_px, height_px } => {
            let card = Size::new(whole(width_px), whole(height_px));
            card_frame(card, measure::FOLDED_BACK, &item.lanes, enclosed)
        }
        Shape::Box { header_width_px } => box_frame(whole(header_width_px), &item.lanes, enclosed),
    }
}

/// The next even whole number: middles then fall on whole px, and lines between them are straight.
fn whole(length: f64) -> f64 {
    if length.is_finite() && length > 0.0 { (length / 2.0).ceil() * 2.0 } else { 0.0 }
}

fn card_frame(card: Size, back: f64, lanes: &[Lane], enclosed: &Enclosed) -> Frame {
    if lanes.is_empty() {
        let size = Size::new(card.width + back, card.height + back);
        return Frame { size, leaf: Some(Rect::at(Point::default(), card)), ..Frame::default() };
    }
    let start = LaneStart {
        bracket_x: measure::BRACKET_X_IN_FRAME,
        chip_to_pill: measure::CHIP_TO_PILL_IN_FRAME,
        bracket_y0: measure::FRAME_TOP + card.height / 2.0,
        foot0_x: measure::FRAME_LEFT,
        top: measure::FRAME_TOP + card.height + back,
    };
    let mut stack = LaneStack::of(lanes, enclosed, &start);
    let card_width = card.width.max(stack.right + measure::FRAME_BEYOND_PILL - measure::FRAME_LEFT - back);
    let width = measure::FRAME_LEFT + card_width + back + measure::FRAME_RIGHT;
    stack.widen(width);
    Frame {
        size: Size::new(width, stack.bottom + measure::FRAME_BOTTOM),
        leaf: Some(Rect::new(measure::FRAME_LEFT, measure::FRAME_TOP, card_width, card.height)),
        lanes: stack.lanes,
        ..Frame::default()
    }
}

fn box_frame(header_width: f64, lanes: &[Lane], enclosed: &Enclosed) -> Frame {
    let bracket_column = if lanes.is_empty() { 0.0 } else { measure::BRACKET_COLUMN };
    let (label_left, label_top) = match enclosed.rows {
        Some(Direction::TopDown) => (measure::ROW_LABEL_COLUMN, 0.0),
        Some(Direction::LeftRight) => (0.0, measure::ROW_LABEL_COLUMN),
        None => (0.0, 0.0),
    };
    let left = measure::BOX_PADDING + bracket_column + label_left;
    let top = measure::HEADER_HEIGHT
        + if enclosed.inside.height > 0.0 { measure::BELOW_HEADER + label_top } else { 0.0 };
    let below_contents = top + enclosed.inside.height;
    let mut width = header_width.max(left + enclosed.inside.width + measure::BOX_PADDING);
    let mut height = below_contents + if enclosed.inside.height > 0.0 { measure::BOX_BOTTOM } else { 0.0 };
    let mut frame = Frame::default();
    if !lanes.is_empty() {
        let rule_y = below_contents + measure::ABOVE_LANE_RULE;
        let start = LaneStart {
            bracket_x: measure::BRACKET_X_IN_BOX,
            chip_to_pill: measure::CHIP_TO_PILL_IN_BOX,
            bracket_y0: measure::HEADER_HEIGHT + measure::BRACKET_BELOW_HEADER,
            foot0_x: measure::BRACKET_X_IN_BOX + measure::BRACKET_FOOT,
            top: rule_y + measure::LANE_RULE,
        };
        let mut stack = LaneStack::of(lanes, enclosed, &start);
        width = width.max(stack.right + measure::BOX_PADDING);
        stack.widen(width);
        height = stack.bottom + measure::LANE_RULE;
        frame.lane_rule_y = Some(rule_y);
        frame.lanes = stack.lanes;
    }
    frame.size = Size::new(width, height);
    frame.header = Some(Rect::new(0.0, 0.0, width, measure::HEADER_HEIGHT));
    frame.room = Rect::new(left, top, width - left - measure::BOX_PADDING, enclosed.inside.height);
    frame
}

/// Where the lanes of an owner begin.
struct LaneStart {
    bracket_x: f64,
    chip_to_pill: f64,
    bracket_y0: f64,
    foot0_x: f64,
    top: f64,
}

/// The lanes of an owner, one below the other.
struct LaneStack {
    lanes: Vec<LaneLayout>,
    /// The right end of the widest content.
    right: f64,
    /// The lower side of the last lane.
    bottom: f64,
}

impl LaneStack {
    /// All pills of an owner begin at the same x, behind the widest chip.
    fn of(lanes: &[Lane], enclosed: &Enclosed, start: &LaneStart) -> Self {
        let chip_x = start.bracket_x + measure::BRACKET_TO_CHIP;
        let chip_width = |lane: &Lane| whole(lane.chip_width_px).max(measure::CHIP_SIZE);
        let content_x = chip_x + lanes.iter().map(chip_width).fold(0.0, f64::max) + start.chip_to_pill;
        let mut stack = Self { lanes: Vec::with_capacity(lanes.len()), right: content_x, bottom: start.top };
        for (place, lane) in lanes.iter().enumerate() {
            let (size, item) = enclosed.lane_content(place, lane);
            let height = (size.height + 2.0 * measure::LANE_ITEM_MARGIN).max(measure::LANE_HEIGHT);
            let middle = stack.bottom + height / 2.0;
            let content = Rect::new(content_x, middle - size.height / 2.0, size.width, size.height);
            let chip =
                Rect::new(chip_x, middle - measure::CHIP_SIZE / 2.0, chip_width(lane), measure::CHIP_SIZE);
            stack.lanes.push(LaneLayout {
                strip: Rect::new(0.0, stack.bottom, 0.0, height),
                content,
                item,
                chip,
                is_named: lane.is_named,
                bracket: Bracket {
                    x: start.bracket_x,
                    y0: start.bracket_y0,
                    y1: middle,
                    foot0_x: start.foot0_x,
                    foot1_x: chip.x,
                },
            });
            stack.right = stack.right.max(content.right());
            stack.bottom += height;
        }
        stack
    }

    fn widen(&mut self, width: f64) {
        for lane in &mut self.lanes {
            lane.strip.width = width;
        }
    }
}
