//! The graph's part of the screen: what its canvas and its tools share.

use leptos::prelude::*;
use unwind_layout::viewport::{Hit, Viewport};
use unwind_layout::{Point, Rect, Size, measure};
use unwind_model::NodeName;
use unwind_present::graph::Place;

use crate::state::shown::Shown;

/// Room for the tools above the graph, in screen px.
const TOOLS_HEIGHT: f64 = 44.0;
/// Room around the graph, in screen px.
const MARGIN: f64 = 16.0;
/// Narrower than this, the page is narrow. Source: `ui.md` section 3.
const NARROW_BELOW: f64 = 720.0;
/// A narrow graph opens no smaller than this.
const NARROW_ZOOM_LEAST: f64 = 0.76;

/// Viewport, search and the ways to move.
#[derive(Clone, Copy)]
pub struct Pane {
    /// What is drawn.
    pub shown: &'static Shown,
    /// What part of it is on screen.
    pub viewport: RwSignal<Viewport>,
    /// The reader has moved the graph, so it no longer fits itself.
    pub is_moved: RwSignal<bool>,
    /// What is searched.
    pub search: RwSignal<String>,
    /// The tree is shown instead of the canvas.
    pub shows_tree: RwSignal<bool>,
}

impl Pane {
    /// A pane that shows everything.
    pub fn new(shown: &'static Shown) -> Self {
        Self {
            shown,
            viewport: RwSignal::new(Viewport::new(Size::new(1.0, 1.0))),
            is_moved: RwSignal::new(false),
            search: RwSignal::new(String::new()),
            shows_tree: RwSignal::new(false),
        }
    }

    /// Shows the whole graph again.
    pub fn fit(self) {
        self.is_moved.set(false);
        self.fit_now();
    }

    /// Fits unless the reader has moved.
    pub fn fit_unless_moved(self) {
        if !self.is_moved.get_untracked() {
            self.fit_now();
        }
    }

    fn fit_now(self) {
        let size = self.shown.layout.with_untracked(|layout| layout.size);
        let whole = Rect::new(0.0, 0.0, size.width, size.height);
        self.viewport.update(|viewport| *viewport = below_tools(viewport.screen, whole));
    }

    /// Shows one node and what is inside it.
    pub fn focus(self, name: &NodeName) {
        if let Some(rect) = self.rect_of(name, true) {
            self.is_moved.set(true);
            self.viewport.update(|viewport| *viewport = below_tools(viewport.screen, rect));
        }
    }

    /// Moves just enough to show a node.
    pub fn reveal(self, name: &NodeName) {
        if let Some(rect) = self.rect_of(name, false) {
            let viewport = self.viewport.get_untracked();
            // Before the canvas has its size there is nothing to move: it will fit itself.
            if viewport.screen.width < 2.0 {
                return;
            }
            let revealed = viewport.revealing(rect, MARGIN);
            if revealed != viewport {
                self.is_moved.set(true);
                self.viewport.set(revealed);
            }
        }
    }

    /// Zooms around the middle.
    pub fn zoom(self, is_in: bool) {
        let screen = self.viewport.get_untracked().screen;
        let factor = if is_in { measure::ZOOM_STEP } else { 1.0 / measure::ZOOM_STEP };
        self.zoom_at(factor, Point::new(screen.width / 2.0, screen.height / 2.0));
    }

    /// Zooms around a screen point.
    pub fn zoom_at(self, factor: f64, at: Point) {
        self.is_moved.set(true);
        self.viewport.update(|viewport| *viewport = viewport.zoomed(factor, at));
    }

    /// The name of the node that is drawn at a place.
    pub fn node_at(self, place: Place) -> Option<NodeName> {
        self.shown.picture.with_untracked(|picture| {
            let item = picture.items.get(place.item.place())?;
            match place.lane {
                Some(lane) => Some(item.lanes.get(lane)?.node.clone()),
                None => Some(item.node.clone()),
            }
        })
    }

    /// The rectangle of a node: with `whole` its frame, else its card or header.
    pub fn rect_of(self, name: &NodeName, whole: bool) -> Option<Rect> {
        let place = untrack(|| self.shown.place(name))?;
        self.shown.layout.with_untracked(|layout| {
            let item = layout.items.get(place.item.place())?;
            Some(match place.lane {
                Some(lane) => item.lanes.get(lane)?.content,
                None if whole => item.frame,
                None => item.leaf.or(item.header).unwrap_or(item.frame),
            })
        })
    }
}

/// What a hit belongs to.
pub fn place_of(hit: Hit) -> Option<Place> {
    match hit {
        Hit::Header(item) | Hit::Leaf(item) | Hit::Body(item) => Some(Place { item, lane: None }),
        Hit::Pill { owner, lane } | Hit::Chip { owner, lane } | Hit::Bracket { owner, lane } => {
            Some(Place { item: owner, lane: Some(lane) })
        }
        Hit::Nothing => None,
    }
}

/// Fits a part of the graph into what the tools leave free.
fn below_tools(screen: Size, part: Rect) -> Viewport {
    let free = Size::new(screen.width, (screen.height - TOOLS_HEIGHT + MARGIN).max(1.0));
    let is_narrow = window()
        .inner_width()
        .ok()
        .and_then(|width| width.as_f64())
        .is_some_and(|width| width < NARROW_BELOW);
    let fitted = if is_narrow {
        Viewport::focus(free, part, MARGIN, NARROW_ZOOM_LEAST)
    } else {
        Viewport::fit(free, part, MARGIN)
    };
    let shift = (TOOLS_HEIGHT - MARGIN) / fitted.zoom;
    Viewport { screen, origin: Point::new(fitted.origin.x, fitted.origin.y - shift), ..fitted }
}
