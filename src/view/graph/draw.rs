//! One drawing of the whole graph: what is in view, at the level of detail that the zoom asks for.
//!
//! In: layout, picture and viewport. Out: pixels. It must never decide what a thing looks like: that
//! comes from the picture. Measures and levels: `ui.md` section 10.

use unwind_layout::viewport::Viewport;
use unwind_layout::{ItemIndex, ItemLayout, Layout, Point, Rect};
use unwind_model::Timestamp;
use unwind_present::graph::{Item, ItemKind, ItemPaint, Picture, Place, Structure};
use unwind_present::hook_state::LineStyle;
use unwind_present::phase::Look;
use unwind_present::token::Token;

use super::palette::Palette;
use super::pen::{Pen, Stock};
use super::{draw_box, draw_edge, draw_lane, draw_leaf};

/// What a zoom leaves of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Blocks in full colour.
    Blocks,
    /// Cards on soft ground, no text.
    Cards,
    /// Names and glyphs.
    Names,
    /// Everything.
    Full,
}

impl Detail {
    /// The level of a zoom.
    pub fn at(zoom: f64) -> Self {
        if zoom >= 0.76 {
            Self::Full
        } else if zoom >= 0.45 {
            Self::Names
        } else if zoom >= 0.18 {
            Self::Cards
        } else {
            Self::Blocks
        }
    }
}

/// Everything that one drawing needs.
pub struct Scene<'a> {
    /// What each item shows.
    pub structure: &'a Structure,
    /// Where each item stands.
    pub layout: &'a Layout,
    /// How each item looks.
    pub picture: &'a Picture,
    /// What part is on screen.
    pub viewport: Viewport,
    /// For durations that grow.
    pub now: Timestamp,
    /// Opacity of running lamps.
    pub beat: f64,
    /// What is selected.
    pub selected: Option<Place>,
    /// What the pointer is on.
    pub hovered: Option<Place>,
    /// Items that a search dims; empty when nothing is searched.
    pub dimmed: &'a [bool],
}

/// One item with all that is known of it.
#[derive(Clone, Copy)]
pub struct Drawn<'a> {
    /// Its names and lanes.
    pub item: &'a Item,
    /// Its place.
    pub layout: &'a ItemLayout,
    /// Its look.
    pub paint: &'a ItemPaint,
}

impl<'a> Scene<'a> {
    /// The parts of one item; `None` while structure and picture are of different states.
    pub fn drawn(&self, index: ItemIndex) -> Option<Drawn<'a>> {
        Some(Drawn {
            item: self.structure.items.get(index.place())?,
            layout: self.layout.items.get(index.place())?,
            paint: self.picture.items.get(index.place())?,
        })
    }

    /// The level of detail.
    pub fn detail(&self) -> Detail {
        Detail::at(self.viewport.zoom)
    }

    /// The opacity of a lamp.
    pub fn lamp(&self, look: Look) -> f64 {
        if look == Look::Running && self.detail() >= Detail::Names { self.beat } else { 1.0 }
    }
}

/// Draws the scene on a canvas of `ratio` device px per screen px.
pub fn draw(
    ctx: &web_sys::CanvasRenderingContext2d,
    palette: &Palette,
    stock: &Stock,
    scene: &Scene,
    ratio: f64,
) {
    let viewport = scene.viewport;
    let _ = ctx.reset_transform();
    ctx.clear_rect(0.0, 0.0, viewport.screen.width * ratio, viewport.screen.height * ratio);
    let scale = viewport.zoom * ratio;
    let _ = ctx.set_transform(scale, 0.0, 0.0, scale, -viewport.origin.x * scale, -viewport.origin.y * scale);
    let pen = Pen::new(ctx, palette, stock);
    let visible = viewport.visible_items(scene.layout, 24.0);
    let items: Vec<(ItemIndex, Drawn)> =
        visible.into_iter().filter_map(|index| Some((index, scene.drawn(index)?))).collect();
    let with_opacity = |index: ItemIndex, draw: &dyn Fn()| {
        let is_dimmed = scene.dimmed.get(index.place()).copied().unwrap_or(false);
        ctx.set_global_alpha(if is_dimmed { 0.25 } else { 1.0 });
        draw();
        ctx.set_global_alpha(1.0);
    };
    for (index, drawn) in &items {
        if drawn.item.kind == ItemKind::Box {
            with_opacity(*index, &|| draw_box::draw(&pen, scene, drawn));
        } else if !drawn.item.lanes.is_empty() {
            with_opacity(*index, &|| draw_leaf::frame(&pen, drawn));
        }
    }
    draw_edge::draw(&pen, scene);
    for (index, drawn) in &items {
        with_opacity(*index, &|| draw_lane::brackets(&pen, scene, drawn));
    }
    for (index, drawn) in &items {
        with_opacity(*index, &|| {
            match drawn.item.kind {
                ItemKind::Box => {}
                ItemKind::Leaf => draw_leaf::leaf(&pen, scene, drawn),
                ItemKind::Folded => draw_leaf::folded(&pen, scene, drawn),
            }
            draw_lane::pills(&pen, scene, drawn);
        });
    }
    for (_, drawn) in &items {
        draw_leaf::badge(&pen, scene, drawn);
    }
    ring(&pen, scene, scene.hovered, Token::Ink3, 1.5);
    ring(&pen, scene, scene.selected, Token::Accent, 2.0);
}

/// A ring 3 px outside of a place, never thinner than its width on screen.
fn ring(pen: &Pen, scene: &Scene, place: Option<Place>, token: Token, width_px: f64) {
    let Some((rect, radius)) = place.and_then(|place| outline_of(scene, place)) else { return };
    let width_px = width_px / scene.viewport.zoom.min(1.0);
    let gap = 3.0 / scene.viewport.zoom.min(1.0);
    let line = LineStyle { token, width_px, dash: &[], has_kink: false };
    pen.plate(rect.grown(gap + width_px / 2.0), radius + gap, None, line);
}

/// The outline of a place: of a lane its pill, of a leaf its card.
fn outline_of(scene: &Scene, place: Place) -> Option<(Rect, f64)> {
    let item = scene.layout.items.get(place.item.place())?;
    if let Some(lane) = place.lane {
        return Some((item.lanes.get(lane)?.content, 14.0));
    }
    match item.leaf {
        Some(leaf) => Some((leaf, 6.0)),
        None => Some((item.frame, 8.0)),
    }
}

/// A rectangle of at least 3 screen px, so that what matters is never lost.
pub fn at_least_visible(rect: Rect, zoom: f64) -> Rect {
    let least = 3.0 / zoom;
    let (width, height) = (rect.width.max(least), rect.height.max(least));
    let centre: Point = rect.centre();
    Rect::new(centre.x - width / 2.0, centre.y - height / 2.0, width, height)
}
