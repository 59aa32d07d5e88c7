//! Outlines of brackets and edges as path data, for `Path2D` and SVG alike.

use std::fmt::Write;

use unwind_layout::{Bracket, Point};

/// Radius of a bracket's corners.
const BRACKET_CORNER: f64 = 3.0;
/// Radius of an edge's corners.
const EDGE_CORNER: f64 = 6.0;
/// The kink of a broken bracket: how far it reaches to the right and how high it is.
const KINK: (f64, f64) = (4.0, 10.0);
/// From the kink's lower end to the bracket's lower foot.
const KINK_ABOVE_FOOT: f64 = 8.0;
/// Width and height of an arrow head.
const HEAD: (f64, f64) = (7.0, 6.0);

/// A bracket from its upper foot down to the chip, with a kink above the chip when it is broken.
pub fn bracket_path(bracket: &Bracket, has_kink: bool) -> String {
    let Bracket { x, y0, y1, foot0_x, foot1_x } = *bracket;
    let corner = BRACKET_CORNER.min((y1 - y0) / 2.0).max(0.0);
    let kink_end = y1 - KINK_ABOVE_FOOT;
    let kink_begin = kink_end - KINK.1;
    let kink = if has_kink && kink_begin > y0 + corner {
        format!(
            "V{}L{} {}L{x} {}",
            number(kink_begin),
            number(x + KINK.0),
            number(kink_begin + KINK.1 / 2.0),
            number(kink_end)
        )
    } else {
        String::new()
    };
    format!(
        "M{} {}H{}Q{x} {y0} {x} {}{kink}V{}Q{x} {y1} {} {y1}H{}",
        number(foot0_x),
        number(y0),
        number(x + corner),
        number(y0 + corner),
        number(y1 - corner),
        number(x + corner),
        number(foot1_x)
    )
}

/// A polyline of horizontal and vertical lines with its corners rounded.
pub fn route_path(points: &[Point]) -> String {
    let [first, rest @ ..] = points else { return String::new() };
    let mut path = format!("M{} {}", number(first.x), number(first.y));
    for (place, point) in rest.iter().enumerate() {
        match rest.get(place + 1) {
            Some(next) => {
                let before = points[place];
                let into = length(before, *point);
                let out = length(*point, *next);
                let corner = EDGE_CORNER.min(into / 2.0).min(out / 2.0);
                let begin = towards(*point, before, corner, into);
                let end = towards(*point, *next, corner, out);
                let _ = write!(
                    path,
                    "L{} {}Q{} {} {} {}",
                    number(begin.x),
                    number(begin.y),
                    number(point.x),
                    number(point.y),
                    number(end.x),
                    number(end.y)
                );
            }
            None => {
                let _ = write!(path, "L{} {}", number(point.x), number(point.y));
            }
        }
    }
    path
}

/// The head at the end of a route, to be filled.
pub fn head_path(points: &[Point]) -> String {
    let [.., before, end] = points else { return String::new() };
    let long = length(*before, *end);
    if long == 0.0 {
        return String::new();
    }
    let (dx, dy) = ((end.x - before.x) / long, (end.y - before.y) / long);
    let base = Point::new(end.x - dx * HEAD.1, end.y - dy * HEAD.1);
    let (ax, ay) = (-dy * HEAD.0 / 2.0, dx * HEAD.0 / 2.0);
    format!(
        "M{} {}L{} {}L{} {}z",
        number(end.x),
        number(end.y),
        number(base.x + ax),
        number(base.y + ay),
        number(base.x - ax),
        number(base.y - ay)
    )
}

fn length(a: Point, b: Point) -> f64 {
    (b.x - a.x).hypot(b.y - a.y)
}

/// The point `by` px from `from` on the way to `to`, which is `long` px away.
fn towards(from: Point, to: Point, by: f64, long: f64) -> Point {
    if long == 0.0 {
        return from;
    }
    let part = by / long;
    Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part)
}

/// A coordinate with at most two digits after the point.
pub(crate) fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // Minus zero would be written with its sign.
    format!("{}", rounded + 0.0)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const BRACKET: Bracket = Bracket { x: 12.0, y0: 32.0, y1: 100.0, foot0_x: 19.0, foot1_x: 18.0 };

    #[test]
    fn a_bracket_opens_and_closes_to_the_right() {
        let plain = expect!["M19 32H15Q12 32 12 35V97Q12 100 15 100H18"];
        plain.assert_eq(&bracket_path(&BRACKET, false));
        let kinked = expect!["M19 32H15Q12 32 12 35V82L16 87L12 92V97Q12 100 15 100H18"];
        kinked.assert_eq(&bracket_path(&BRACKET, true));
    }

    #[test]
    fn an_edge_has_round_corners_and_a_head() {
        let points = [(10.0, 0.0), (10.0, 20.0), (50.0, 20.0), (50.0, 40.0)];
        let points = points.map(|(x, y)| Point::new(x, y));
        let route = expect!["M10 0L10 14Q10 20 16 20L44 20Q50 20 50 26L50 40"];
        route.assert_eq(&route_path(&points));
        expect!["M50 40L46.5 34L53.5 34z"].assert_eq(&head_path(&points));
    }
}
