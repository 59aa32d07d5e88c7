//! The measures of the graph and of the timeline, in graph px at zoom 1. Source: `ui.md` sections 10
//! and 11 (the design of the page). The one place where a length stands; drawers read them here too.

/// Height of a box's header.
pub const HEADER_HEIGHT: f64 = 28.0;
/// Space between a box's header and its contents.
pub const BELOW_HEADER: f64 = 6.0;
/// Space left and right of a box's contents.
pub const BOX_PADDING: f64 = 14.0;
/// Space below a box's contents when no lane follows.
pub const BOX_BOTTOM: f64 = 14.0;
/// Extra space on the left of an owner of lanes, for the bracket.
pub const BRACKET_COLUMN: f64 = 12.0;
/// Extra space on the left of a box with step rows, for their labels.
pub const ROW_LABEL_COLUMN: f64 = 22.0;
/// From a box's left side to the left end of a row label.
pub const ROW_LABEL_X: f64 = 16.0;

/// Space between two ranks.
pub const RANK_GAP: f64 = 30.0;
/// Space between two step rows.
pub const STEP_GAP: f64 = 16.0;
/// Space between two items side by side.
pub const COLUMN_GAP: f64 = 16.0;
/// Contents wrap so that they stay below this many times as wide as high.
pub const WRAP_RATIO: f64 = 4.0;
/// A row up to this width never wraps.
pub const WRAP_WIDTH_MIN: f64 = 960.0;
/// Left-right: a column up to this height never wraps.
pub const WRAP_HEIGHT_MIN: f64 = 640.0;
/// A chain of ranks up to this length never wraps.
pub const CHAIN_LENGTH_MIN: f64 = 1200.0;
/// A chain that wraps becomes about this many times as wide as high.
pub const CHAIN_RATIO: f64 = 1.6;
/// Distance of an edge from items it passes, and from edges beside it.
pub const TRACK_GAP: f64 = 8.0;

/// Height of a leaf.
pub const LEAF_HEIGHT: f64 = 40.0;
/// Width of a leaf beside its text.
pub const LEAF_BESIDE_TEXT: f64 = 50.0;
/// Least width of a leaf.
pub const LEAF_WIDTH_MIN: f64 = 150.0;
/// Greatest width of a leaf.
pub const LEAF_WIDTH_MAX: f64 = 232.0;
/// Left upper corner of a leaf's glyph, inside the leaf.
pub const LEAF_GLYPH: (f64, f64) = (7.0, 12.0);
/// Edge length of a leaf's glyph.
pub const LEAF_GLYPH_SIZE: f64 = 16.0;
/// Left end of a leaf's texts, inside the leaf.
pub const LEAF_TEXT_X: f64 = 37.0;
/// Baseline of a leaf's name, inside the leaf.
pub const LEAF_NAME_BASELINE: f64 = 17.0;
/// Baseline of a leaf's second line, inside the leaf.
pub const LEAF_META_BASELINE: f64 = 31.0;

/// Space left of a leaf in its frame.
pub const FRAME_LEFT: f64 = 24.0;
/// Space right of a leaf in its frame.
pub const FRAME_RIGHT: f64 = 8.0;
/// Space above a leaf in its frame.
pub const FRAME_TOP: f64 = 8.0;
/// Space below the last lane of a frame.
pub const FRAME_BOTTOM: f64 = 4.0;
/// How far a framed leaf reaches beyond its pills at least.
pub const FRAME_BEYOND_PILL: f64 = 10.0;

/// Height of a lane that holds a pill.
pub const LANE_HEIGHT: f64 = 40.0;
/// Space above and below an item in a lane.
pub const LANE_ITEM_MARGIN: f64 = 6.0;
/// Space between a box's contents and the hairline above its lanes.
pub const ABOVE_LANE_RULE: f64 = 8.0;
/// Thickness reserved for the hairline above the lanes and for the box's lower outline below them.
pub const LANE_RULE: f64 = 1.0;
/// Height and least width of a number chip.
pub const CHIP_SIZE: f64 = 18.0;
/// From the bracket to the left side of its chip.
pub const BRACKET_TO_CHIP: f64 = 6.0;
/// From a chip to its pill, in a box.
pub const CHIP_TO_PILL_IN_BOX: f64 = 10.0;
/// From a chip to its pill, in the frame of a leaf.
pub const CHIP_TO_PILL_IN_FRAME: f64 = 9.0;
/// Height of a pill.
pub const PILL_HEIGHT: f64 = 28.0;
/// Width of a pill beside its text.
pub const PILL_BESIDE_TEXT: f64 = 58.0;
/// Least width of a pill.
pub const PILL_WIDTH_MIN: f64 = 150.0;
/// Greatest width of a pill.
pub const PILL_WIDTH_MAX: f64 = 310.0;

/// From a box's left side to its bracket.
pub const BRACKET_X_IN_BOX: f64 = 12.0;
/// From a frame's left side to its bracket.
pub const BRACKET_X_IN_FRAME: f64 = 11.0;
/// Where a box's bracket begins, below the header.
pub const BRACKET_BELOW_HEADER: f64 = 4.0;
/// Length of a bracket's feet.
pub const BRACKET_FOOT: f64 = 7.0;

/// Width of a folded item's front card.
pub const FOLDED_WIDTH: f64 = 224.0;
/// Height of a folded item's front card.
pub const FOLDED_HEIGHT: f64 = 54.0;
/// How far the cards behind a folded item reach to the right and down.
pub const FOLDED_BACK: f64 = 6.0;

/// Height of an arrow head.
pub const ARROW_HEIGHT: f64 = 6.0;
/// Least extent of what a finger hits, in screen px.
pub const TOUCH_TARGET: f64 = 24.0;

/// Least zoom.
pub const ZOOM_MIN: f64 = 0.02;
/// Greatest zoom.
pub const ZOOM_MAX: f64 = 2.5;
/// Factor of one zoom step.
pub const ZOOM_STEP: f64 = 1.2;
/// Greatest zoom that fitting chooses.
pub const ZOOM_FIT_MAX: f64 = 1.3;

/// Height of a timeline row.
pub const TIMELINE_ROW_HEIGHT: f64 = 26.0;
/// Height of a timeline bar.
pub const TIMELINE_BAR_HEIGHT: f64 = 15.0;
/// Upper side of a bar inside its row.
pub const TIMELINE_BAR_Y: f64 = 5.5;
/// Middle of a rail inside its row.
pub const TIMELINE_RAIL_Y: f64 = 13.0;
/// Height of the ruler.
pub const TIMELINE_RULER_HEIGHT: f64 = 26.0;
/// Width of one nesting level in the name column.
pub const TIMELINE_LEVEL_WIDTH: f64 = 11.0;
/// Nesting levels that are drawn one by one; outer ones beyond are joined.
pub const TIMELINE_LEVELS_MAX: usize = 8;
/// Least distance of two ticks.
pub const TICK_GAP_MIN: f64 = 64.0;
/// Shortest span that the timeline shows over its width, in ms.
pub const TIMELINE_SPAN_MIN_MS: f64 = 100.0;
