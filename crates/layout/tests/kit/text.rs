//! Layouts as text: coordinates, one line per item, lane, row and route.

use std::fmt::Write;

use unwind_layout::{Layout, Point, Rect};

use super::kit::Sample;

/// All coordinates of a layout.
pub fn describe(sample: &Sample, layout: &Layout) -> String {
    let mut text = format!("size {}×{}\n", layout.size.width, layout.size.height);
    for (item, name) in layout.items.iter().zip(&sample.names) {
        let indent = "  ".repeat(item.depth as usize);
        let _ = write!(text, "{indent}{name} {}", rect(&item.frame));
        if let Some(leaf) = item.leaf.filter(|leaf| *leaf != item.frame) {
            let _ = write!(text, " card {}", rect(&leaf));
        }
        text.push('\n');
        for lane in &item.lanes {
            let bracket = lane.bracket;
            let _ = writeln!(
                text,
                "{indent}  {} {} chip {} bracket x {} y {}..{}",
                if lane.is_named { "?" } else { "!" },
                rect(&lane.content),
                rect(&lane.chip),
                bracket.x,
                bracket.y0,
                bracket.y1
            );
        }
        for row in &item.rows {
            let number = row.row.map_or("-".to_owned(), |row| row.to_string());
            let _ = writeln!(text, "{indent}  [{number}] {} label {}", rect(&row.extent), point(row.label));
        }
    }
    for route in &layout.routes {
        let (from, to) = (&sample.names[route.from.place()], &sample.names[route.to.place()]);
        let points: Vec<String> = route.points.iter().map(|&at| point(at)).collect();
        let _ = writeln!(text, "{from} > {to} {}", points.join(" "));
    }
    text
}

fn rect(rect: &Rect) -> String {
    format!("{},{} {}×{}", rect.x, rect.y, rect.width, rect.height)
}

fn point(point: Point) -> String {
    format!("{},{}", point.x, point.y)
}
