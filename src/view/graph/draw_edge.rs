//! Edges: straight runs with rounded corners and a head at their end.

use unwind_layout::Point;
use unwind_present::hook_state::LineStyle;
use unwind_present::token::Token;

use super::draw::{Detail, Scene};
use super::pen::Pen;

const CORNER: f64 = 6.0;
const HEAD_LENGTH: f64 = 6.0;
const HEAD_HALF: f64 = 3.5;

/// Draws the edges that touch the view.
pub fn draw(pen: &Pen, scene: &Scene) {
    let view = scene.viewport.visible().grown(24.0 / scene.viewport.zoom);
    let is_far = scene.detail() == Detail::Blocks;
    for route in &scene.layout.routes {
        let is_seen = route.points.windows(2).any(|pair| {
            let (left, right) = (pair[0].x.min(pair[1].x), pair[0].x.max(pair[1].x));
            let (top, bottom) = (pair[0].y.min(pair[1].y), pair[0].y.max(pair[1].y));
            left <= view.right() && right >= view.x && top <= view.bottom() && bottom >= view.y
        });
        if !is_seen {
            continue;
        }
        let is_dimmed = scene.dimmed.get(route.to.place()).copied().unwrap_or(false);
        pen.ctx.set_global_alpha(if is_dimmed { 0.25 } else { 1.0 });
        let is_planned = scene.picture.is_planned(route.to.place());
        let dash: &'static [f64] = if is_planned { &[4.0, 3.0] } else { &[] };
        let width_px = if is_far { 1.0 / scene.viewport.zoom } else { 1.5 };
        pen.stroke_with(LineStyle { token: Token::Edge, width_px, dash, has_kink: false });
        pen.ctx.begin_path();
        trace(pen, &route.points);
        pen.ctx.stroke();
        if !is_far {
            head(pen, &route.points);
        }
        pen.ctx.set_global_alpha(1.0);
    }
}

/// The path through all corners, ending where the head begins.
fn trace(pen: &Pen, points: &[Point]) {
    let [first, inner @ .., last] = points else { return };
    pen.ctx.move_to(first.x, first.y);
    for (place, corner) in inner.iter().enumerate() {
        let before = points[place];
        let after = points[place + 2];
        let room = length(before, *corner).min(length(*corner, after)) / 2.0;
        let _ = pen.ctx.arc_to(corner.x, corner.y, after.x, after.y, CORNER.min(room));
    }
    let before = points[points.len() - 2];
    let total = length(before, *last);
    let keep = if total > 0.0 { (total - HEAD_LENGTH + 1.0).max(0.0) / total } else { 0.0 };
    pen.ctx.line_to(before.x + (last.x - before.x) * keep, before.y + (last.y - before.y) * keep);
}

fn head(pen: &Pen, points: &[Point]) {
    let [.., before, last] = points else { return };
    let total = length(*before, *last);
    if total == 0.0 {
        return;
    }
    let (dx, dy) = ((last.x - before.x) / total, (last.y - before.y) / total);
    let root = Point::new(last.x - dx * HEAD_LENGTH, last.y - dy * HEAD_LENGTH);
    pen.fill_with(Token::Edge);
    pen.ctx.begin_path();
    pen.ctx.move_to(last.x, last.y);
    pen.ctx.line_to(root.x - dy * HEAD_HALF, root.y + dx * HEAD_HALF);
    pen.ctx.line_to(root.x + dy * HEAD_HALF, root.y - dx * HEAD_HALF);
    pen.ctx.close_path();
    pen.ctx.fill();
}

fn length(from: Point, to: Point) -> f64 {
    (to.x - from.x).hypot(to.y - from.y)
}
