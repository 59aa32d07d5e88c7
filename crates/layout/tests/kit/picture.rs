//! A picture of a layout as SVG, to look at; not the page's own drawing.

use std::fmt::Write;

use unwind_layout::{Bracket, ItemLayout, LaneLayout, Layout, Point, Rect, Route};

use super::kit::Sample;

const EDGE: &str = "#7a828e";
const INK: &str = "#1c2430";

/// The layout with the names of its items.
pub fn svg(sample: &Sample, layout: &Layout) -> String {
    let (width, height) = (layout.size.width + 32.0, layout.size.height + 32.0);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-16 -16 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect x=\"-16\" y=\"-16\" width=\"100%\" height=\"100%\" fill=\"#eef0f4\"/>\n"
    );
    for (item, name) in layout.items.iter().zip(&sample.names) {
        draw_box(&mut text, item, name);
    }
    for route in &layout.routes {
        draw_route(&mut text, route);
    }
    for (item, name) in layout.items.iter().zip(&sample.names) {
        for lane in &item.lanes {
            draw_lane(&mut text, lane);
        }
        if let Some(leaf) = item.leaf {
            if item.lanes.is_empty() {
                card(&mut text, &item.frame, 6.0, "#fff");
            }
            card(&mut text, &leaf, 6.0, "#fff");
            label(&mut text, Point::new(leaf.x + 37.0, leaf.y + 17.0), name);
        }
    }
    text.push_str("</svg>\n");
    text
}

fn draw_box(text: &mut String, item: &ItemLayout, name: &str) {
    if item.leaf.is_none() || !item.lanes.is_empty() {
        let fill = if item.depth.is_multiple_of(2) { "#fff" } else { "#f6f7f9" };
        card(text, &item.frame, 8.0, fill);
    }
    if let Some(header) = item.header {
        label(text, Point::new(header.x + 44.0, header.y + 18.5), name);
    }
    if let Some(y) = item.lane_rule_y {
        line(text, &[Point::new(item.frame.x, y), Point::new(item.frame.right(), y)], "#d0d4da", 1.0);
    }
    for row in &item.rows {
        let number = row.row.map_or(String::new(), |row| format!("[{row}]"));
        label(text, Point::new(row.label.x, row.label.y + 4.0), &number);
    }
}

fn draw_route(text: &mut String, route: &Route) {
    line(text, &route.points, EDGE, 1.5);
    if let [.., before, end] = route.points[..] {
        let (dx, dy) = (sign(end.x - before.x) * 6.0, sign(end.y - before.y) * 6.0);
        let (left, right) = (end.x - dx + dy * 0.6, end.x - dx - dy * 0.6);
        let (up, down) = (end.y - dy + dx * 0.6, end.y - dy - dx * 0.6);
        let _ =
            writeln!(text, "<path d=\"M{} {}L{left} {up}L{right} {down}z\" fill=\"{EDGE}\"/>", end.x, end.y);
    }
}

/// -1, 0 or 1.
fn sign(length: f64) -> f64 {
    if length.abs() < 1e-9 { 0.0 } else { length.signum() }
}

fn draw_lane(text: &mut String, lane: &LaneLayout) {
    let Bracket { x, y0, y1, foot0_x, foot1_x } = lane.bracket;
    let bracket = [Point::new(foot0_x, y0), Point::new(x, y0), Point::new(x, y1), Point::new(foot1_x, y1)];
    line(text, if lane.is_named { &bracket[2..] } else { &bracket }, INK, 2.0);
    card(text, &lane.chip, 4.0, if lane.is_named { "none" } else { "#fff" });
    line(text, &[Point::new(lane.chip.right(), y1), Point::new(lane.content.x, y1)], INK, 1.0);
    if lane.item.is_none() {
        card(text, &lane.content, 14.0, "#fff");
    }
}

fn card(text: &mut String, rect: &Rect, radius: f64, fill: &str) {
    let Rect { x, y, width, height } = rect;
    let _ = writeln!(
        text,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" \
         fill=\"{fill}\" stroke=\"#8a929e\"/>"
    );
}

fn label(text: &mut String, at: Point, label: &str) {
    let _ = writeln!(text, "<text x=\"{}\" y=\"{}\">{label}</text>", at.x, at.y);
}

fn line(text: &mut String, points: &[Point], stroke: &str, width: f64) {
    let points: Vec<String> = points.iter().map(|at| format!("{},{}", at.x, at.y)).collect();
    let points = points.join(" ");
    let _ = writeln!(
        text,
        "<polyline points=\"{points}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
    );
}
