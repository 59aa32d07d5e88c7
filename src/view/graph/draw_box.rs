//! An open box: ground, header, step rows, the hairline above its lanes.

use unwind_layout::{Point, Rect};
use unwind_present::glyph::Glyph;
use unwind_present::hook_state::LineStyle;
use unwind_present::phase::Look;
use unwind_present::text_width::Face;
use unwind_present::token::Token;

use super::draw::{Detail, Drawn, Scene};
use super::pen::{Align, Pen};

const HAIRLINE: LineStyle = LineStyle { token: Token::Hairline, width_px: 1.0, dash: &[], has_kink: false };
const ROW_RULE: LineStyle =
    LineStyle { token: Token::Hairline, width_px: 1.0, dash: &[2.0, 3.0], has_kink: false };

/// Draws the box without what is inside it.
pub fn draw(pen: &Pen, scene: &Scene, drawn: &Drawn) {
    let (layout, paint) = (drawn.layout, drawn.paint);
    let detail = scene.detail();
    let mut outline = paint.outline;
    if detail <= Detail::Cards {
        outline.width_px = outline.width_px.max(1.0 / scene.viewport.zoom);
    }
    pen.plate(layout.frame, 8.0, Some(Token::nest(layout.depth)), outline);
    if detail >= Detail::Names {
        rows(pen, drawn);
        if let Some(header) = layout.header {
            self::header(pen, scene, drawn, header);
        }
    }
    if let Some(y) = layout.lane_rule_y.filter(|_| detail >= Detail::Cards) {
        let (left, right) = (layout.frame.x + 1.0, layout.frame.right() - 1.0);
        pen.line(Point::new(left, y), Point::new(right, y), HAIRLINE);
    }
}

/// The ground that a box's header and lanes stand on.
pub fn ground(drawn: &Drawn) -> Token {
    Token::nest(drawn.layout.depth)
}

fn header(pen: &Pen, scene: &Scene, drawn: &Drawn, header: Rect) {
    let (x, y) = (header.x, header.y);
    let paint = drawn.paint;
    let is_full = scene.detail() == Detail::Full;
    let baseline = y + 18.5;
    pen.glyph(Glyph::Fold, Point::new(x + 8.0, y + 8.0), 12.0, Token::Ink3, ground(drawn));
    pen.ctx.set_global_alpha(pen.ctx.global_alpha() * scene.lamp(paint.look));
    pen.glyph(paint.look.glyph(), Point::new(x + 24.0, y + 7.0), 14.0, paint.look.token(), ground(drawn));
    pen.ctx.set_global_alpha(pen.ctx.global_alpha() / scene.lamp(paint.look));
    let mut right = header.right() - 12.0;
    if is_full {
        right -= self::right(pen, scene, drawn, Point::new(right, baseline)) + 10.0;
    }
    let lifted = Face { size_px: Face::BOX_NAME.size_px.max(10.0 / scene.viewport.zoom), ..Face::BOX_NAME };
    let name_x = x + 44.0;
    let ink = if paint.look == Look::Planned { Token::Ink3 } else { Token::Ink };
    let name =
        pen.text(&drawn.item.title, Point::new(name_x, baseline), lifted, ink, Align::Start, right - name_x);
    let type_x = name_x + name + 10.0;
    if is_full && type_x + 24.0 < right {
        let at = Point::new(type_x, baseline);
        pen.text(&paint.second, at, Face::META, Token::Ink3, Align::Start, right - type_x);
    }
}

/// The duration or what stands in its place; gives its width.
fn right(pen: &Pen, scene: &Scene, drawn: &Drawn, at: Point) -> f64 {
    if let Some(right) = &drawn.paint.right {
        let face = Face { weight: if right.is_strong { 600 } else { 400 }, ..Face::META };
        return pen.text(&right.text, at, face, right.token, Align::End, 160.0);
    }
    match drawn.paint.clock {
        Some(clock) => pen.text(&clock.text(scene.now), at, Face::META, Token::Ink3, Align::End, 80.0),
        None => 0.0,
    }
}

/// The labels of step rows and the dotted rules between them.
fn rows(pen: &Pen, drawn: &Drawn) {
    for (place, row) in drawn.layout.rows.iter().enumerate() {
        if let Some(number) = row.row {
            let at = Point::new(row.label.x, row.label.y + 3.5);
            pen.mono_text(&format!("[{number}]"), at, 10.5, Token::Ink3);
        }
        if place > 0 {
            let y = row.extent.y - unwind_layout::measure::STEP_GAP / 2.0;
            pen.line(Point::new(row.label.x, y), Point::new(row.extent.right(), y), ROW_RULE);
        }
    }
}
