//! The whole graph in small, with the part that is on screen; there when not everything is in view.

use leptos::html;
use leptos::prelude::*;
use unwind_layout::{Point, Rect};
use unwind_present::graph::ItemKind;
use unwind_present::hook_state::LineStyle;
use unwind_present::token::Token;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, PointerEvent};

use super::palette::Palette;
use super::pane::Pane;
use super::pen::{Pen, Stock};
use crate::reactive::{effect, memo};
use crate::state::use_state;
use crate::widgets::dynamic::dynamic;

/// Greatest width and height, in px.
const WIDTH: f64 = 160.0;
const HEIGHT: f64 = 110.0;
/// From this many items on it is always there.
const ALWAYS_FROM: usize = 40;

/// The small graph.
#[component]
pub fn Minimap(
    /// Whose.
    pane: Pane,
) -> impl IntoView {
    let state = use_state();
    let canvas = NodeRef::<html::Canvas>::new();
    let shown = pane.shown;
    let is_needed = memo(move || {
        let layout = shown.layout.get();
        let whole = Rect::new(0.0, 0.0, layout.size.width, layout.size.height);
        let is_there = layout.items.len() > 1;
        is_there && (layout.items.len() >= ALWAYS_FROM || !pane.viewport.get().visible().encloses(&whole))
    });
    let palette = StoredValue::new(None::<(bool, Palette)>);
    effect(move || {
        let is_dark = state.settings.is_dark();
        shown.layout.with(|_| ());
        shown.picture.with(|_| ());
        pane.viewport.with(|_| ());
        let canvas = canvas.get();
        request_animation_frame(move || {
            // Reading the colours makes the browser work out styles, so they are read once a theme.
            palette.try_update_value(|palette| {
                if palette.as_ref().is_none_or(|(of_dark, _)| *of_dark != is_dark) {
                    *palette = Some((is_dark, Palette::read()));
                }
                if let (Some(canvas), Some((_, palette))) = (canvas, palette) {
                    draw(&canvas, pane, palette);
                }
            });
        });
    });
    let go = move |event: &PointerEvent| {
        let Some(scale) = scale(pane) else { return };
        let at = Point::new(f64::from(event.offset_x()) / scale, f64::from(event.offset_y()) / scale);
        pane.is_moved.set(true);
        pane.viewport.update(|viewport| *viewport = viewport.centred_on(at));
    };
    let style = move || {
        let size = shown.layout.with(|layout| layout.size);
        let scale = scale(pane).unwrap_or(1.0);
        (format!("{:.0}px", size.width * scale), format!("{:.0}px", size.height * scale))
    };
    dynamic(move || {
        is_needed.get().then(|| {
            view! {
                <div class="minimap" aria-hidden="true">
                    <canvas node_ref=canvas style:width=move || style().0 style:height=move || style().1
                        on:pointerdown=move |event| {
                            capture(&event);
                            go(&event);
                        }
                        on:pointermove=move |event| if event.buttons() & 1 == 1 { go(&event) }></canvas>
                </div>
            }
        })
    })
}

/// Small px per graph px.
fn scale(pane: Pane) -> Option<f64> {
    let size = pane.shown.layout.with_untracked(|layout| layout.size);
    (size.width > 0.0 && size.height > 0.0).then(|| (WIDTH / size.width).min(HEIGHT / size.height))
}

fn capture(event: &PointerEvent) {
    if let Some(target) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) {
        let _ = target.set_pointer_capture(event.pointer_id());
    }
}

fn draw(canvas: &HtmlCanvasElement, pane: Pane, palette: &Palette) {
    let (Some(scale), Ok(Some(context))) = (scale(pane), canvas.get_context("2d")) else { return };
    let Ok(ctx) = context.dyn_into::<CanvasRenderingContext2d>() else { return };
    let (layout, picture) = (pane.shown.layout.get_untracked(), pane.shown.picture.get_untracked());
    let structure = pane.shown.structure.get_untracked();
    let ratio = window().device_pixel_ratio();
    canvas.set_width((layout.size.width * scale * ratio).round() as u32);
    canvas.set_height((layout.size.height * scale * ratio).round() as u32);
    let _ = ctx.scale(scale * ratio, scale * ratio);
    let stock = Stock::default();
    let pen = Pen::new(&ctx, palette, &stock);
    let line = |token: Token, px: f64| LineStyle { token, width_px: px / scale, dash: &[], has_kink: false };
    for ((item, place), paint) in structure.items.iter().zip(&layout.items).zip(&picture.items) {
        match (item.kind, place.leaf) {
            (ItemKind::Box, _) | (_, None) => pen.plate(place.frame, 8.0, None, line(Token::BoxBorder, 0.75)),
            (ItemKind::Leaf | ItemKind::Folded, Some(leaf)) => pen.area(leaf, 6.0, paint.look.token()),
        }
        for (lane, paint) in place.lanes.iter().zip(&paint.lanes) {
            if lane.item.is_none() {
                pen.area(lane.content, 14.0, paint.look.token());
            }
        }
    }
    let view = pane.viewport.get_untracked().visible();
    pen.plate(view, 0.0, None, line(Token::Accent, 1.5));
}
