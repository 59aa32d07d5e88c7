//! Pan, zoom, culling and hit testing: graph px to screen px and back.

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
        Self {
            origin: Point::new(0.0, 0.0),
            zoom: 1.0,
            screen,
        }
    }

    /// Shows all of `graph`, centred, with `margin_px` screen px around it; never above [`ZOOM_FIT_MAX`].
    pub fn fit(screen: Size, graph: Rect, margin_px: f64) -> Self {
        let room = |length: f64| (length - 2.0 * margin_px).max(1.0);
        let zoom = (room(screen.width) / graph.width.max(1.0))
            .min(room(screen.height) / graph.height.max(1.0))
            .clamp(ZOOM_MIN, ZOOM_FIT_MAX);
        Self {
            origin: Point::default(),
            zoom,
            screen,
        }
        .centred_on(graph.centre())
    }

    /// The same zoom with `point` of the graph in the middle of the screen.
    #[must_use]
    pub fn centred_on(self, point: Point) -> Self {
        let origin = Point::new(
            point.x - self.screen.width / 2.0 / self.zoom,
            point.y - self.screen.height / 2.0 / self.zoom,
        );
        Self { origin, ..self }
    }

    /// Moved by a drag of (`dx`, `dy`) screen px: the graph follows the pointer.
    #[must_use]
    pub fn panned(self, dx: f64, dy: f64) -> Self {
        Self {
            origin: Point::new(
                self.origin.x - dx / self.zoom,
                self.origin.y - dy / self.zoom,
            ),
            ..self
        }
    }

    /// Zoomed by `factor` with the graph point under `pointer` (screen px) staying where it is.
    #[must_use]
    pub fn zoomed(self, factor: f64, pointer: Point) -> Self {
        let under = self.graph_from_screen(pointer);
        let zoom = (self.zoom * factor).clamp(ZOOM_MIN, ZOOM_MAX);
        let origin = Point::new(under.x - pointer.x / zoom, under.y - pointer.y / zoom);
        Self {
            origin,
            zoom,
            ..self
        }
    }

    /// The screen point of a graph point.
    pub fn screen_from_graph(&self, point: Point) -> Point {
        Point::new(
            (point.x - self.origin.x) * self.zoom,
            (point.y - self.origin.y) * self.zoom,
        )
    }

    /// The graph point of a screen point.
    pub fn graph_from_screen(&self, point: Point) -> Point {
        Point::new(
            point.x / self.zoom + self.origin.x,
            point.y / self.zoom + self.origin.y,
        )
    }

    /// The part of the graph that is in view.
    pub fn visible(&self) -> Rect {
        Rect::at(
            self.origin,
            Size::new(
                self.screen.width / self.zoom,
                self.screen.height / self.zoom,
            ),
        )
    }
}
