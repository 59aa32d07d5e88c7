//! The graph as an SVG document: the same structure and picture as the canvas draws.
//!
//! In: structure, layout, picture, instant. Out: one self-contained file, text stays text. Source:
//! `ui.md` sections 10 and 13.

mod palette;
mod pen;

use unwind_layout::{Direction, ItemLayout, Layout, Rect, layout, measure};
use unwind_model::Timestamp;

use crate::glyph::Glyph;
use crate::graph::{
    Folding, Item, ItemKind, ItemPaint, LaneItem, LanePaint, Picture, Structure, paint, structure,
};
use crate::hook_state::{DASH_PLANNED, LineStyle};
use crate::outline::{bracket_path, head_path, route_path};
use crate::phase::Look;
use crate::study::Study;
use crate::text_width::{self, Face};
use crate::token::Token;
pub use palette::Theme;
use pen::{Anchor, Pen};

/// Space around the graph.
const MARGIN: f64 = 24.0;
/// Height of the line below it.
const CAPTION_HEIGHT: f64 = 28.0;
/// Radius of boxes, leaves and frames.
const RADIUS: (f64, f64, f64) = (8.0, 6.0, 10.0);
/// Size of glyphs in headers and pills.
const GLYPH: f64 = 14.0;
/// Weight and size of a badge.
const BADGE_FACE: Face = Face { size_px: 10.5, weight: 600 };
/// The dashed line from a chip to its pill.
const DASH_HOOK: &[f64] = &[3.0, 3.0];

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// What there is.
    pub structure: &'a Structure,
    /// Where it stands.
    pub layout: &'a Layout,
    /// How it looks.
    pub picture: &'a Picture,
    /// The instant of running durations.
    pub now: Timestamp,
    /// The colours.
    pub theme: Theme,
    /// A line below the graph; may be empty.
    pub caption: &'a str,
}

/// Draws a workflow as it opens: what is large is folded, planned nodes are drawn. `caption` stands below.
pub fn svg_of(study: &Study, theme: Theme, now: Timestamp, caption: &str) -> String {
    let folding = Folding::at_opening(study);
    let structure = structure(&study.roster, &study.workflow, &folding, Direction::TopDown);
    let layout = layout(&structure.request);
    let picture = paint(&structure, study, None);
    svg(&Drawing { structure: &structure, layout: &layout, picture: &picture, now, theme, caption })
}

/// Draws the graph. Linear in its items.
pub fn svg(drawing: &Drawing) -> String {
    let mut pen = Pen::new(drawing.theme);
    let Drawing { structure, layout, picture, .. } = *drawing;
    let moved = moved_layout(layout);
    let items = || structure.items.iter().zip(&picture.items).zip(&moved.items);
    for ((item, paint), place) in items() {
        if item.kind == ItemKind::Box {
            box_ground(&mut pen, paint, place);
        }
    }
    for route in &moved.routes {
        let dash = if picture.is_planned(route.to.place()) { DASH_PLANNED } else { &[] };
        let line = LineStyle { token: Token::Edge, width_px: 1.5, dash, has_kink: false };
        pen.stroke(&route_path(&route.points), &line);
        pen.fill(&head_path(&route.points), Token::Edge);
    }
    for ((item, paint), place) in items() {
        brackets(&mut pen, item, paint, place);
    }
    for ((item, paint), place) in items() {
        match item.kind {
            ItemKind::Box => header(&mut pen, item, paint, place, drawing.now),
            ItemKind::Leaf => leaf(&mut pen, item, paint, place, drawing.now),
            ItemKind::Folded => folded(&mut pen, item, paint, place, drawing.now),
        }
    }
    for ((item, paint), place) in items() {
        for ((lane, lane_paint), lane_place) in item.lanes.iter().zip(&paint.lanes).zip(&place.lanes) {
            if lane.item.is_none() {
                pill(&mut pen, lane, lane_paint, lane_place.content, drawing.now);
            }
            chip(&mut pen, lane, lane_paint, lane_place.chip);
        }
        badge(&mut pen, paint, place);
    }
    let width = (layout.size.width + 2.0 * MARGIN).max(320.0);
    let mut height = layout.size.height + 2.0 * MARGIN;
    if !drawing.caption.is_empty() {
        let at = (MARGIN, height);
        pen.text(drawing.caption, at, Face::LABEL, Token::Ink2, Anchor::Start);
        height += CAPTION_HEIGHT;
    }
    pen.finish(width, height, &picture.label)
}

/// The layout with its margin.
fn moved_layout(layout: &Layout) -> Layout {
    let by = unwind_layout::Point::new(MARGIN, MARGIN);
    let mut layout = layout.clone();
    for item in &mut layout.items {
        item.frame = item.frame.moved(by);
        item.header = item.header.map(|header| header.moved(by));
        item.leaf = item.leaf.map(|leaf| leaf.moved(by));
        item.lane_rule_y = item.lane_rule_y.map(|y| y + by.y);
        for row in &mut item.rows {
            row.extent = row.extent.moved(by);
            row.label = unwind_layout::Point::new(row.label.x + by.x, row.label.y + by.y);
        }
        for lane in &mut item.lanes {
            lane.strip = lane.strip.moved(by);
            lane.content = lane.content.moved(by);
            lane.chip = lane.chip.moved(by);
            lane.bracket.x += by.x;
            lane.bracket.foot0_x += by.x;
            lane.bracket.foot1_x += by.x;
            lane.bracket.y0 += by.y;
            lane.bracket.y1 += by.y;
        }
    }
    for route in &mut layout.routes {
        for point in &mut route.points {
            *point = unwind_layout::Point::new(point.x + by.x, point.y + by.y);
        }
    }
    layout
}

const HAIRLINE: LineStyle = LineStyle { token: Token::Hairline, width_px: 1.0, dash: &[], has_kink: false };

fn box_ground(pen: &mut Pen, paint: &ItemPaint, place: &ItemLayout) {
    let ground = Token::nest(place.depth);
    pen.rect(place.frame, RADIUS.0, Some(ground), Some(&paint.outline));
    if let Some(y) = place.lane_rule_y {
        let rule = format!("M{} {y}H{}", place.frame.x, place.frame.right());
        pen.stroke(&rule, &HAIRLINE);
    }
    for row in &place.rows {
        if let Some(number) = row.row {
            let at = (row.label.x, row.label.y + 3.5);
            pen.text(&format!("[{number}]"), at, Face::META, Token::Ink3, Anchor::Start);
        }
    }
}

fn brackets(pen: &mut Pen, item: &Item, paint: &ItemPaint, place: &ItemLayout) {
    if item.kind != ItemKind::Box && !item.lanes.is_empty() {
        pen.rect(place.frame, RADIUS.2, Some(Token::nest(place.depth)), Some(&paint.frame));
    }
    for (lane, layout) in paint.lanes.iter().zip(&place.lanes) {
        let line = lane.state.bracket();
        let bracket = &layout.bracket;
        if layout.is_named {
            let thin = LineStyle { token: Token::Ink3, width_px: 1.0, dash: DASH_HOOK, has_kink: false };
            pen.stroke(&format!("M{} {}H{}", bracket.x, bracket.y1, bracket.foot1_x), &thin);
        } else {
            pen.stroke(&bracket_path(bracket, line.has_kink), &line);
        }
        let y = layout.chip.centre().y;
        let joint = LineStyle { token: line.token, width_px: 1.0, dash: DASH_HOOK, has_kink: false };
        pen.stroke(&format!("M{} {y}H{}", layout.chip.right(), layout.content.x), &joint);
    }
}

fn header(pen: &mut Pen, item: &Item, paint: &ItemPaint, place: &ItemLayout, now: Timestamp) {
    let Some(header) = place.header else { return };
    let ground = Token::nest(place.depth);
    let middle = header.centre().y;
    let baseline = middle + 4.5;
    let top = middle - GLYPH / 2.0;
    pen.glyph(Glyph::Fold, header.x + 8.0, middle - 6.0, 12.0, Token::Ink2, ground);
    pen.glyph(paint.look.glyph(), header.x + 24.0, top, GLYPH, paint.look.token(), ground);
    let x = header.x + 44.0;
    pen.text(&item.title, (x, baseline), Face::BOX_NAME, paint.ink, Anchor::Start);
    let after = x + text_width::width(&item.title, Face::BOX_NAME) + 10.0;
    pen.text(&paint.second, (after, baseline), Face::META, Token::Ink2, Anchor::Start);
    right_text(pen, paint, (header.right() - 14.0, baseline), now);
}

/// A word or the duration at the right end.
fn right_text(pen: &mut Pen, paint: &ItemPaint, at: (f64, f64), now: Timestamp) {
    if let Some(right) = &paint.right {
        let face = if right.is_strong { Face { weight: 600, ..Face::META } } else { Face::META };
        pen.text(&right.text, at, face, right.token, Anchor::End);
    } else if let Some(clock) = paint.clock {
        pen.text(&clock.text(now), at, Face::META, Token::Ink2, Anchor::End);
    }
}

fn leaf(pen: &mut Pen, item: &Item, paint: &ItemPaint, place: &ItemLayout, now: Timestamp) {
    let Some(card) = place.leaf else { return };
    pen.rect(card, RADIUS.1, paint.fill, None);
    if let Some(ground) = paint.glyph_ground {
        let zone = Rect::new(card.x, card.y, 28.0, card.height);
        pen.rect(zone, RADIUS.1, Some(ground), None);
    }
    pen.rect(card, RADIUS.1, None, Some(&paint.outline));
    let ground = paint.glyph_ground.or(paint.fill).unwrap_or(Token::Surface);
    let (glyph_x, glyph_y) = measure::LEAF_GLYPH;
    let (x, y) = (card.x + glyph_x, card.y + glyph_y);
    pen.glyph(paint.look.glyph(), x, y, measure::LEAF_GLYPH_SIZE, paint.look.token(), ground);
    let text_x = card.x + measure::LEAF_TEXT_X;
    let name_y = card.y + measure::LEAF_NAME_BASELINE;
    let meta_y = card.y + measure::LEAF_META_BASELINE;
    pen.text(&item.title, (text_x, name_y), Face::NAME, paint.ink, Anchor::Start);
    let clock = paint.clock.map_or(0.0, |clock| text_width::width(&clock.text(now), Face::META) + 8.0);
    let tries = paint.tries.len() as f64 * 12.0;
    let room = card.right() - 10.0 - text_x - clock - tries;
    let second = text_width::cut(&paint.second, Face::META, room);
    let second_ink = if paint.look == Look::Planned { Token::Ink3 } else { Token::Ink2 };
    pen.text(&second, (text_x, meta_y), Face::META, second_ink, Anchor::Start);
    let mut try_x = card.right() - 10.0 - clock - tries;
    for look in &paint.tries {
        pen.glyph(look.glyph(), try_x, meta_y - 9.0, 10.0, look.token(), ground);
        try_x += 12.0;
    }
    right_text(pen, paint, (card.right() - 10.0, meta_y), now);
}

fn folded(pen: &mut Pen, item: &Item, paint: &ItemPaint, place: &ItemLayout, now: Timestamp) {
    let Some(card) = place.leaf else { return };
    for offset in [6.0, 3.0, 0.0] {
        let back = Rect::new(card.x + offset, card.y + offset, card.width, card.height);
        pen.rect(back, RADIUS.1, Some(Token::Surface), Some(&paint.outline));
    }
    let baseline = card.y + 17.0;
    pen.glyph(Glyph::Unfold, card.x + 8.0, card.y + 6.0, 12.0, Token::Ink2, Token::Surface);
    pen.glyph(paint.look.glyph(), card.x + 22.0, card.y + 5.0, GLYPH, paint.look.token(), Token::Surface);
    pen.text(&item.title, (card.x + 41.0, baseline), Face::BOX_NAME, paint.ink, Anchor::Start);
    right_text(pen, paint, (card.right() - 10.0, baseline), now);
    let all: usize = paint.counts.iter().map(|(_, number)| number).sum();
    let width = card.width - 20.0;
    let mut x = card.x + 10.0;
    let mut text_x = x;
    for (look, number) in &paint.counts {
        let part = width * *number as f64 / all.max(1) as f64;
        pen.rect(Rect::new(x, card.y + 25.0, part, 5.0), 0.0, Some(look.token()), None);
        x += part;
        pen.glyph(look.glyph(), text_x, card.y + 36.0, 11.0, look.token(), Token::Surface);
        let text = number.to_string();
        pen.text(&text, (text_x + 15.0, card.y + 45.0), Face::META, Token::Ink, Anchor::Start);
        text_x += 23.0 + text_width::width(&text, Face::META);
    }
    let at = (card.right() - 10.0, card.y + 45.0);
    pen.text(&paint.second, at, Face::META, Token::Ink2, Anchor::End);
}

fn pill(pen: &mut Pen, lane: &LaneItem, paint: &LanePaint, plate: Rect, now: Timestamp) {
    let style = paint.state.pill();
    pen.plate(plate, measure::PILL_HEIGHT / 2.0, &style);
    let ground = style.fill.unwrap_or(Token::Surface);
    let middle = plate.centre().y;
    let baseline = middle + 4.5;
    let ink = if paint.look == Look::Planned { style.ink } else { paint.look.token() };
    pen.glyph(paint.look.glyph(), plate.x + 8.0, middle - GLYPH / 2.0, GLYPH, ink, ground);
    let text_x = plate.x + 28.0;
    let right_x = plate.right() - 14.0;
    let right = match (&paint.right, paint.clock) {
        (Some(right), _) => Some((right.text.clone(), right.token, right.is_strong)),
        (None, Some(clock)) => Some((clock.short_text(now), Token::Ink2, false)),
        (None, None) => None,
    };
    let mut room = right_x - text_x;
    if let Some((text, token, is_strong)) = right {
        let face = if is_strong { Face { weight: 600, ..Face::META } } else { Face::META };
        pen.text(&text, (right_x, baseline), face, token, Anchor::End);
        room -= text_width::width(&text, face) + 8.0;
    }
    let title = text_width::cut_name(&lane.title, Face::NAME, room);
    if style.is_struck {
        pen.struck(&title, (text_x, baseline), Face::NAME, style.ink);
    } else {
        pen.text(&title, (text_x, baseline), Face::NAME, style.ink, Anchor::Start);
    }
}

fn chip(pen: &mut Pen, lane: &LaneItem, paint: &LanePaint, plate: Rect) {
    let styled = paint.chip.as_ref().and_then(|chip| Some((chip, chip.state.chip()?)));
    let middle = plate.centre();
    let Some((chip, style)) = styled else {
        let size = 14.0;
        let (x, y) = (middle.x - size / 2.0, middle.y - size / 2.0);
        pen.glyph(lane.glyph, x, y, size, Token::Ink2, Token::Surface);
        return;
    };
    pen.plate(plate, 4.0, &style);
    let at = (middle.x, middle.y + 4.0);
    pen.text(&chip.text, at, Face::CHIP, style.ink, Anchor::Middle);
}

fn badge(pen: &mut Pen, paint: &ItemPaint, place: &ItemLayout) {
    let Some(badge) = &paint.badge else { return };
    let around = place.leaf.unwrap_or(place.frame);
    let width = (text_width::width(&badge.text, BADGE_FACE) + 12.0).max(52.0);
    let card = Rect::new(around.right() - width - 6.0, around.y - 8.0, width, 16.0);
    pen.rect(card, 4.0, Some(Token::Stop), None);
    let at = (card.centre().x, card.centre().y + 3.5);
    pen.text(&badge.text, at, BADGE_FACE, Token::OnStop, Anchor::Middle);
}
