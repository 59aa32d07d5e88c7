//! What part of the graph is on screen: pan, zoom, fit, graph px to screen px and back.
//!
//! [`Viewport`] is a plain value; every change gives a new one. Culling and hit testing are in `hit`.

mod hit;

pub use hit::{Hit, Pointer};

use crate::geometry::{Point, Rect, Size};
use crate::measure::{ZOOM_FIT_MAX, ZOOM_MAX, ZOOM_MIN};

/// What part of the graph the screen shows: `screen = (graph - origin) * zoom`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// The graph point in the upper left corner of the screen.
    pub origin: Point,
    /// Screen px per graph px, [`ZOOM_MIN`] to [`ZOOM_MAX`].
    pub zoom: f64,
    /// The size of the canvas, in screen px.
    pub screen: Size,
}

impl Viewport {
    /// Shows the graph's upper left corner at zoom 1 on a canvas of `screen` px.
    pub const fn new(screen: Size) -> Self {
        Self { origin: Point::new(0.0, 0.0), zoom: 1.0, screen }
    }

    /// Shows all of `part`, centred, with `margin_px` screen px around it; never above [`ZOOM_FIT_MAX`].
    pub fn fit(screen: Size, part: Rect, margin_px: f64) -> Self {
        Self::focus(screen, part, margin_px, ZOOM_MIN)
    }

    /// As [`Viewport::fit`], but never below `zoom_least`: what does not fit then is shown from its
    /// upper left corner on.
    pub fn focus(screen: Size, part: Rect, margin_px: f64, zoom_least: f64) -> Self {
        let room = |length: f64| (length - 2.0 * margin_px).max(1.0);
        let zoom = (room(screen.width) / part.width.max(1.0))
            .min(room(screen.height) / part.height.max(1.0))
            .clamp(ZOOM_MIN, ZOOM_FIT_MAX)
            .max(zoom_least.clamp(ZOOM_MIN, ZOOM_MAX));
        let origin = |begin: f64, length: f64, on_screen: f64| {
            let is_whole = length * zoom <= room(on_screen) + 0.5;
            if is_whole { begin + (length - on_screen / zoom) / 2.0 } else { begin - margin_px / zoom }
        };
        let x = origin(part.x, part.width, screen.width);
        let y = origin(part.y, part.height, screen.height);
        Self { origin: Point::new(x, y), zoom, screen }
    }

    /// The same zoom with `point` of the graph in the middle of the screen.
    #[must_use]
    pub fn centred_on(self, point: Point) -> Self {
        let (x, y) = (self.screen.width / 2.0 / self.zoom, self.screen.height / 2.0 / self.zoom);
        Self { origin: Point::new(point.x - x, point.y - y), ..self }
    }

    /// Moved just enough that `part` is in view with `margin_px` screen px around it.
    #[must_use]
    pub fn revealing(self, part: Rect, margin_px: f64) -> Self {
        let (view, part) = (self.visible(), part.grown(margin_px / self.zoom));
        let moved = |view: (f64, f64), part: (f64, f64)| {
            if part.0 < view.0 || part.1 - part.0 > view.1 - view.0 {
                part.0
            } else {
                view.0.max(part.1 - (view.1 - view.0))
            }
        };
        let x = moved((view.x, view.right()), (part.x, part.right()));
        let y = moved((view.y, view.bottom()), (part.y, part.bottom()));
        Self { origin: Point::new(x, y), ..self }
    }

    /// Moved by a drag of (`dx`, `dy`) screen px: the graph follows the pointer.
    #[must_use]
    pub fn panned(self, dx: f64, dy: f64) -> Self {
        Self { origin: Point::new(self.origin.x - dx / self.zoom, self.origin.y - dy / self.zoom), ..self }
    }

    /// Zoomed by `factor` with the graph point under `pointer` (screen px) staying where it is.
    #[must_use]
    pub fn zoomed(self, factor: f64, pointer: Point) -> Self {
        let under = self.graph_from_screen(pointer);
        let zoom = (self.zoom * factor).clamp(ZOOM_MIN, ZOOM_MAX);
        let origin = Point::new(under.x - pointer.x / zoom, under.y - pointer.y / zoom);
        Self { origin, zoom, ..self }
    }

    /// The same middle on a canvas of another size.
    #[must_use]
    pub fn resized(self, screen: Size) -> Self {
        let middle = self.visible().centre();
        Self { screen, ..self }.centred_on(middle)
    }

    /// The screen point of a graph point.
    pub fn screen_from_graph(&self, point: Point) -> Point {
        Point::new((point.x - self.origin.x) * self.zoom, (point.y - self.origin.y) * self.zoom)
    }

    /// The graph point of a screen point.
    pub fn graph_from_screen(&self, point: Point) -> Point {
        Point::new(point.x / self.zoom + self.origin.x, point.y / self.zoom + self.origin.y)
    }

    /// The part of the graph that is in view.
    pub fn visible(&self) -> Rect {
        Rect::at(self.origin, Size::new(self.screen.width / self.zoom, self.screen.height / self.zoom))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::ZOOM_STEP;

    const SCREEN: Size = Size::new(800.0, 600.0);

    fn near(left: Point, right: Point) -> bool {
        (left.x - right.x).abs() < 1e-6 && (left.y - right.y).abs() < 1e-6
    }

    #[test]
    fn graph_and_screen_are_inverse_after_any_moves() {
        let mut viewport = Viewport::new(SCREEN);
        for step in 0..200_u32 {
            let at = Point::new(f64::from(step * 37 % 800), f64::from(step * 91 % 600));
            viewport = match step % 3 {
                0 => viewport.zoomed(ZOOM_STEP, at),
                1 => viewport.panned(f64::from(step) - 100.0, 17.0),
                _ => viewport.zoomed(1.0 / ZOOM_STEP, Point::new(at.y, at.x)),
            };
            assert!(near(viewport.screen_from_graph(viewport.graph_from_screen(at)), at));
            assert!(near(viewport.graph_from_screen(viewport.screen_from_graph(at)), at));
        }
    }

    #[test]
    fn zoom_keeps_the_point_under_the_pointer() {
        let pointer = Point::new(123.0, 456.0);
        let mut viewport = Viewport::new(SCREEN).panned(-40.0, 9.0);
        let under = viewport.graph_from_screen(pointer);
        for factor in [ZOOM_STEP, ZOOM_STEP, 0.1, 7.0, 1e-9, 1e9] {
            viewport = viewport.zoomed(factor, pointer);
            assert!(near(viewport.graph_from_screen(pointer), under));
            assert!((ZOOM_MIN..=ZOOM_MAX).contains(&viewport.zoom));
        }
    }

    #[test]
    fn fit_shows_everything_and_does_not_blow_up_small_graphs() {
        let small = Viewport::fit(SCREEN, Rect::new(0.0, 0.0, 100.0, 100.0), 24.0);
        assert!((small.zoom - ZOOM_FIT_MAX).abs() < 1e-9);
        assert!(near(small.screen_from_graph(Point::new(50.0, 50.0)), Point::new(400.0, 300.0)));
        let part = Rect::new(500.0, -20.0, 4000.0, 1000.0);
        assert!(Viewport::fit(SCREEN, part, 24.0).visible().encloses(&part));
    }

    #[test]
    fn focus_begins_at_the_corner_of_what_does_not_fit() {
        let viewport = Viewport::focus(SCREEN, Rect::new(100.0, 100.0, 9000.0, 100.0), 10.0, 0.76);
        assert!((viewport.zoom - 0.76).abs() < 1e-9);
        let corner = viewport.screen_from_graph(Point::new(100.0, 150.0));
        assert!(near(corner, Point::new(10.0, 300.0)));
    }

    #[test]
    fn revealing_moves_only_as_far_as_needed() {
        let viewport = Viewport::new(SCREEN);
        assert_eq!(viewport.revealing(Rect::new(100.0, 100.0, 50.0, 50.0), 10.0), viewport);
        let right = viewport.revealing(Rect::new(900.0, 100.0, 50.0, 50.0), 10.0);
        assert_eq!(right.origin, Point::new(160.0, 0.0));
        let up = viewport.revealing(Rect::new(100.0, -100.0, 50.0, 50.0), 10.0);
        assert_eq!(up.origin, Point::new(0.0, -110.0));
    }

    #[test]
    fn a_new_size_keeps_the_middle() {
        let viewport = Viewport::new(SCREEN).zoomed(2.0, Point::new(0.0, 0.0));
        let middle = viewport.visible().centre();
        assert!(near(viewport.resized(Size::new(300.0, 900.0)).visible().centre(), middle));
    }
}
