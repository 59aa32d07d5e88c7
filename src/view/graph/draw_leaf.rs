//! Leaves, the frames of leaves with hooks, folded items, and badges.

use unwind_layout::{Point, Rect, measure};
use unwind_present::glyph::Glyph;
use unwind_present::hook_state::LineStyle;
use unwind_present::phase::Look;
use unwind_present::text_width::Face;
use unwind_present::token::Token;

use super::draw::{Detail, Drawn, Scene, at_least_visible};
use super::pen::{Align, Pen};

/// Right end of a card's texts, from its right side.
const RIGHT_MARGIN: f64 = 9.0;

/// The frame around a leaf and its lanes.
pub fn frame(pen: &Pen, drawn: &Drawn) {
    pen.plate(drawn.layout.frame, 10.0, Some(Token::nest(drawn.layout.depth)), drawn.paint.frame);
}

/// The card of a leaf.
pub fn leaf(pen: &Pen, scene: &Scene, drawn: &Drawn) {
    let Some(card) = drawn.layout.leaf else { return };
    let paint = drawn.paint;
    if scene.detail() <= Detail::Cards {
        return block(pen, scene, drawn, card);
    }
    pen.plate(card, 6.0, paint.fill, paint.outline);
    let ground = paint.glyph_ground.or(paint.fill).unwrap_or(Token::nest(drawn.layout.depth));
    if let Some(token) = paint.glyph_ground {
        cap(pen, card, paint.outline.width_px, token);
    }
    let at = Point::new(card.x + measure::LEAF_GLYPH.0, card.y + measure::LEAF_GLYPH.1);
    pen.ctx.set_global_alpha(pen.ctx.global_alpha() * scene.lamp(paint.look));
    pen.glyph(paint.look.glyph(), at, measure::LEAF_GLYPH_SIZE, paint.look.token(), ground);
    pen.ctx.set_global_alpha(pen.ctx.global_alpha() / scene.lamp(paint.look));
    let text_x = card.x + measure::LEAF_TEXT_X;
    let room = card.right() - RIGHT_MARGIN - text_x;
    if scene.detail() == Detail::Names {
        let face = lifted(Face::NAME, scene);
        let at = Point::new(text_x, card.centre().y + face.size_px * 0.35);
        pen.text(&drawn.item.title, at, face, paint.ink, Align::Start, room);
        return;
    }
    let name_at = Point::new(text_x, card.y + measure::LEAF_NAME_BASELINE);
    pen.text(&drawn.item.title, name_at, Face::NAME, paint.ink, Align::Start, room);
    let mut right = card.right() - RIGHT_MARGIN;
    let baseline = card.y + measure::LEAF_META_BASELINE;
    if let Some(clock) = paint.clock {
        let at = Point::new(right, baseline);
        right -= pen.text(&clock.text(scene.now), at, Face::META, Token::Ink3, Align::End, 80.0) + 6.0;
    }
    for look in paint.tries.iter().rev().take(6) {
        right -= 10.0;
        pen.glyph(look.glyph(), Point::new(right, baseline - 8.5), 10.0, look.token(), ground);
        right -= 3.0;
    }
    let at = Point::new(text_x, baseline);
    pen.text(&paint.second, at, Face::META, Token::Ink3, Align::Start, (right - text_x).max(0.0));
}

fn lifted(face: Face, scene: &Scene) -> Face {
    Face { size_px: face.size_px.max(10.0 / scene.viewport.zoom), ..face }
}

/// The part of a card below its glyph.
fn cap(pen: &Pen, card: Rect, line_px: f64, token: Token) {
    let (left, top) = (card.x + line_px, card.y + line_px);
    let (right, bottom) = (card.x + 29.0, card.bottom() - line_px);
    let radius = 6.0 - line_px;
    pen.fill_with(token);
    pen.ctx.begin_path();
    pen.ctx.move_to(right, top);
    let _ = pen.ctx.arc_to(left, top, left, bottom, radius);
    let _ = pen.ctx.arc_to(left, bottom, right, bottom, radius);
    pen.ctx.line_to(right, bottom);
    pen.ctx.close_path();
    pen.ctx.fill();
}

/// A leaf from far away.
fn block(pen: &Pen, scene: &Scene, drawn: &Drawn, card: Rect) {
    let (paint, zoom) = (drawn.paint, scene.viewport.zoom);
    let must_be_seen = matches!(paint.look, Look::Failed | Look::Error | Look::Running | Look::Suspended);
    let card = if must_be_seen { at_least_visible(card, zoom) } else { card };
    if scene.detail() == Detail::Blocks {
        if paint.look.is_absent() {
            let line = LineStyle { width_px: 1.0 / zoom, ..paint.outline };
            pen.plate(card, 6.0, None, line);
        } else {
            pen.area(card, 6.0, paint.look.token());
        }
        return;
    }
    let line = LineStyle { token: paint.outline.token, width_px: 1.5 / zoom.max(0.3), ..paint.outline };
    let fill = (!paint.look.is_absent()).then(|| paint.look.soft());
    let token = if paint.look == Look::Succeeded { paint.look.token() } else { line.token };
    pen.plate(card, 6.0, fill, LineStyle { token, ..line });
}

/// A folded box or loop: two cards behind, counts below the name.
pub fn folded(pen: &Pen, scene: &Scene, drawn: &Drawn) {
    let Some(card) = drawn.layout.leaf else { return };
    let paint = drawn.paint;
    if scene.detail() == Detail::Blocks {
        return block(pen, scene, drawn, card);
    }
    let back =
        LineStyle { token: Token::BoxBorder, width_px: 1.0, dash: paint.outline.dash, has_kink: false };
    for offset in [6.0, 3.0] {
        let behind = Rect::new(card.x + offset, card.y + offset, card.width, card.height);
        pen.plate(behind, 6.0, Some(Token::Surface), back);
    }
    pen.plate(card, 6.0, Some(Token::Surface), paint.outline);
    counts_bar(pen, drawn, card);
    if scene.detail() == Detail::Cards {
        return;
    }
    let (x, y) = (card.x, card.y);
    pen.glyph(Glyph::Unfold, Point::new(x + 6.0, y + 6.0), 12.0, Token::Ink3, Token::Surface);
    pen.glyph(paint.look.glyph(), Point::new(x + 21.0, y + 5.0), 14.0, paint.look.token(), Token::Surface);
    let mut right = card.right() - RIGHT_MARGIN;
    if let Some(clock) = paint.clock.filter(|_| scene.detail() == Detail::Full) {
        let at = Point::new(right, y + 16.5);
        right -= pen.text(&clock.text(scene.now), at, Face::META, Token::Ink3, Align::End, 80.0) + 8.0;
    }
    let name_at = Point::new(x + 41.0, y + 16.5);
    pen.text(&drawn.item.title, name_at, Face::NAME, paint.ink, Align::Start, right - name_at.x);
    if scene.detail() == Detail::Full {
        counts(pen, drawn, card);
    }
}

fn counts_bar(pen: &Pen, drawn: &Drawn, card: Rect) {
    let counts = &drawn.paint.counts;
    let total: usize = counts.iter().map(|(_, number)| number).sum();
    let gaps = counts.len().saturating_sub(1) as f64 * 1.5;
    let room = card.width - 2.0 * RIGHT_MARGIN - gaps;
    let mut x = card.x + RIGHT_MARGIN;
    for (look, number) in counts {
        let width = room * *number as f64 / total.max(1) as f64;
        let bar = Rect::new(x, card.y + 25.0, width, 5.0);
        if look.is_absent() || *look == Look::Pending {
            let line = LineStyle { token: look.token(), width_px: 1.0, dash: &[], has_kink: false };
            pen.plate(bar, 1.0, None, line);
        } else {
            pen.area(bar, 1.0, look.token());
        }
        x += width + 1.5;
    }
}

fn counts(pen: &Pen, drawn: &Drawn, card: Rect) {
    let baseline = card.y + 45.0;
    let right = card.right() - RIGHT_MARGIN;
    let words = pen.text(
        &drawn.paint.second,
        Point::new(right, baseline),
        Face::META,
        Token::Ink3,
        Align::End,
        110.0,
    );
    let mut x = card.x + RIGHT_MARGIN;
    for (look, number) in &drawn.paint.counts {
        if x + 34.0 > right - words {
            break;
        }
        pen.glyph(look.glyph(), Point::new(x, baseline - 9.5), 11.0, look.token(), Token::Surface);
        let at = Point::new(x + 14.5, baseline);
        let width = pen.text(&number.to_string(), at, Face::META, Token::Ink2, Align::Start, 60.0);
        x += 14.5 + width + 9.0;
    }
}

/// "will end", on the upper right outline.
pub fn badge(pen: &Pen, scene: &Scene, drawn: &Drawn) {
    let (Some(badge), Some(card)) = (&drawn.paint.badge, drawn.layout.leaf) else { return };
    if scene.detail() <= Detail::Cards {
        return;
    }
    let face = Face { size_px: 10.5, weight: 600 };
    let width = (pen.width(&badge.text, face) + 14.0).max(52.0);
    let plate = Rect::new(card.right() - 6.0 - width, card.y - 8.0, width, 16.0);
    pen.area(plate, 4.0, Token::Stop);
    let at = Point::new(plate.centre().x, plate.y + 11.5);
    pen.text(&badge.text, at, face, Token::OnStop, Align::Middle, 160.0);
}
