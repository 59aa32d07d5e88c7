//! Lanes: brackets, the line from chip to pill, pills, chips and the glyphs of named hooks.

use unwind_layout::{LaneLayout, Point, Rect};
use unwind_present::graph::{LaneItem, LanePaint};
use unwind_present::hook_state::{Chip, HookState, LineStyle};
use unwind_present::text_width::Face;
use unwind_present::token::Token;

use super::draw::{Detail, Drawn, Scene};
use super::pen::{Align, Pen};

const CORNER: f64 = 3.0;
const DASH_HOOK: &[f64] = &[3.0, 3.0];
const NAME: Face = Face { size_px: 12.0, weight: 500 };

/// Layout, look and names of each lane of an item.
fn lanes<'a>(drawn: &Drawn<'a>) -> impl Iterator<Item = (&'a LaneLayout, &'a LanePaint, &'a LaneItem)> {
    let pairs = drawn.layout.lanes.iter().zip(&drawn.paint.lanes).zip(&drawn.item.lanes);
    pairs.map(|((layout, paint), item)| (layout, paint, item))
}

/// The brackets of all exit hooks of an item.
pub fn brackets(pen: &Pen, scene: &Scene, drawn: &Drawn) {
    let is_far = scene.detail() == Detail::Blocks;
    for (layout, paint, _) in lanes(drawn).filter(|(layout, ..)| !layout.is_named) {
        let matters = match paint.state {
            HookState::Active | HookState::Broken | HookState::NeverRan => true,
            HookState::Planned
            | HookState::Chosen
            | HookState::WillNotRun
            | HookState::DidNotRun
            | HookState::Ran
            | HookState::Kept
            | HookState::CannotTell => false,
        };
        if !is_far || matters {
            bracket(pen, scene, layout, paint.state);
        }
    }
}

fn bracket(pen: &Pen, scene: &Scene, layout: &LaneLayout, state: HookState) {
    let mut style = state.bracket();
    if scene.detail() <= Detail::Cards {
        style.width_px /= scene.viewport.zoom.max(0.1);
        style.width_px = style.width_px.min(6.0);
    }
    let bracket = layout.bracket;
    pen.stroke_with(style);
    pen.ctx.set_line_cap("round");
    pen.ctx.begin_path();
    pen.ctx.move_to(bracket.foot0_x, bracket.y0);
    let _ = pen.ctx.arc_to(bracket.x, bracket.y0, bracket.x, bracket.y1, CORNER);
    if style.has_kink {
        let kink = bracket.y1 - 28.0;
        pen.ctx.line_to(bracket.x, kink);
        pen.ctx.line_to(bracket.x + 4.0, kink + 5.0);
        pen.ctx.line_to(bracket.x, kink + 10.0);
    }
    let _ = pen.ctx.arc_to(bracket.x, bracket.y1, bracket.foot1_x, bracket.y1, CORNER);
    pen.ctx.line_to(bracket.foot1_x, bracket.y1);
    pen.ctx.stroke();
    pen.ctx.set_line_cap("butt");
}

/// Pills, chips and the lines between them.
pub fn pills(pen: &Pen, scene: &Scene, drawn: &Drawn) {
    for (layout, paint, item) in lanes(drawn) {
        if scene.detail() >= Detail::Names {
            link(pen, drawn, layout, paint, item);
        }
        if layout.item.is_none() {
            pill(pen, scene, drawn, layout, paint, item);
        }
        if let Some(chip) = &paint.chip {
            self::chip(pen, scene, layout.chip, chip);
        }
    }
}

/// The dashed line to the pill, and the glyph where no chip stands.
fn link(pen: &Pen, drawn: &Drawn, layout: &LaneLayout, paint: &LanePaint, item: &LaneItem) {
    let y = layout.bracket.y1;
    let style = paint.state.bracket();
    let line = LineStyle { width_px: 1.5, dash: DASH_HOOK, has_kink: false, ..style };
    let from = if layout.is_named { layout.bracket.x } else { layout.chip.right() };
    let token = if layout.is_named { Token::Ink3 } else { line.token };
    pen.line(Point::new(from, y), Point::new(layout.content.x, y), LineStyle { token, ..line });
    if paint.chip.is_none() {
        let ground = Token::nest(drawn.layout.depth);
        pen.area(layout.chip, 0.0, ground);
        let at = Point::new(layout.chip.centre().x - 7.0, layout.chip.centre().y - 7.0);
        pen.glyph(item.glyph, at, 14.0, Token::Ink3, ground);
    }
}

fn pill(pen: &Pen, scene: &Scene, drawn: &Drawn, layout: &LaneLayout, paint: &LanePaint, item: &LaneItem) {
    let rect = layout.content;
    let style = paint.state.pill();
    let detail = scene.detail();
    let line = LineStyle {
        token: style.outline,
        width_px: if detail <= Detail::Cards {
            style.width_px / scene.viewport.zoom.max(0.3)
        } else {
            style.width_px
        },
        dash: style.dash,
        has_kink: false,
    };
    if detail == Detail::Blocks {
        if paint.look.is_absent() {
            pen.plate(rect, 14.0, None, line);
        } else {
            pen.area(rect, 14.0, paint.look.token());
        }
        return;
    }
    let soft = (detail == Detail::Cards && style.fill.is_some()).then(|| paint.look.soft());
    pen.plate(rect, 14.0, soft.or(style.fill), line);
    if detail == Detail::Cards {
        return;
    }
    let ground = style.fill.unwrap_or(Token::nest(drawn.layout.depth));
    pen.ctx.set_global_alpha(pen.ctx.global_alpha() * scene.lamp(paint.look));
    pen.glyph(
        paint.look.glyph(),
        Point::new(rect.x + 8.0, rect.y + 7.0),
        14.0,
        if paint.state == HookState::NeverRan { Token::VerdictBroken } else { paint.look.token() },
        ground,
    );
    pen.ctx.set_global_alpha(pen.ctx.global_alpha() / scene.lamp(paint.look));
    let baseline = rect.y + 18.2;
    let mut right = rect.right() - 12.0;
    if detail == Detail::Full {
        right -= self::right(pen, scene, paint, Point::new(right, baseline - 0.2));
    }
    let face = Face { size_px: NAME.size_px.max(10.0 / scene.viewport.zoom), ..NAME };
    let at = Point::new(rect.x + 28.0, baseline);
    let width = pen.text(&item.title, at, face, style.ink, Align::Start, right - at.x);
    if style.is_struck {
        let line = LineStyle { token: style.ink, width_px: 1.0, dash: &[], has_kink: false };
        let y = baseline - 4.0;
        pen.line(Point::new(at.x, y), Point::new(at.x + width, y), line);
    }
}

/// The duration or what stands in its place; gives the room it takes.
fn right(pen: &Pen, scene: &Scene, paint: &LanePaint, at: Point) -> f64 {
    let width = if let Some(right) = &paint.right {
        let face = Face { weight: if right.is_strong { 600 } else { 400 }, ..Face::META };
        pen.text(&right.text, at, face, right.token, Align::End, 120.0)
    } else if let Some(clock) = paint.clock {
        pen.text(&clock.short_text(scene.now), at, Face::META, Token::Ink3, Align::End, 80.0)
    } else {
        return 0.0;
    };
    width + 8.0
}

/// A number chip, never below 12 screen px; from very far only what is broken keeps one.
fn chip(pen: &Pen, scene: &Scene, place: Rect, chip: &Chip) {
    let Some(style) = chip.state.chip() else { return };
    let detail = scene.detail();
    let is_broken = matches!(chip.state, HookState::Broken | HookState::NeverRan);
    if detail == Detail::Blocks && !is_broken {
        return;
    }
    let grow = (12.0 / scene.viewport.zoom / place.height).max(1.0);
    let centre = place.centre();
    let (width, height) = (place.width * grow, place.height * grow);
    let rect = Rect::new(centre.x - width / 2.0, centre.y - height / 2.0, width, height);
    let line = LineStyle {
        token: style.outline,
        width_px: style.width_px * grow,
        dash: style.dash,
        has_kink: false,
    };
    pen.plate(rect, 4.0 * grow, style.fill, line);
    let face = Face { size_px: 11.0 * grow, weight: 600 };
    let at = Point::new(centre.x, centre.y + 4.0 * grow);
    pen.text(&chip.text, at, face, style.ink, Align::Middle, width);
    if chip.is_tied && detail == Detail::Full {
        // Above the dashed line to the pill, so that the bracket stays whole.
        let at = Point::new(rect.right() + 0.5, rect.y - 3.0);
        pen.glyph(unwind_present::glyph::Glyph::Tie, at, 10.0, style.outline, Token::Surface);
    }
}
