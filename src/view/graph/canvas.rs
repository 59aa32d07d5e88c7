//! The canvas: draws when something changed, pans, zooms and tells what is under the pointer.

use std::time::Duration;

use leptos::html;
use leptos::prelude::*;
use unwind_layout::viewport::{Hit, Pointer};
use unwind_layout::{Point, Size, measure};
use unwind_present::graph::Place;
use wasm_bindgen::prelude::*;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, PointerEvent, ResizeObserver, WheelEvent};

use super::draw::{Scene, draw};
use super::palette::Palette;
use super::pane::{Pane, place_of};
use super::pen::Stock;
use super::search;
use crate::reactive::effect;
use crate::state::use_state;

/// A press that moves less than this is a click, in screen px.
const CLICK_REACH: f64 = 4.0;
/// Time between two drawings while lamps beat.
const BEAT_STEP: Duration = Duration::from_millis(66);
/// Lamps do not beat where a drawing takes longer than this, in ms: a page that shows a lot stays calm.
const BEAT_COST_MAX: f64 = 6.0;
/// One beat of a lamp, in ms. Source: `--time-pulse`.
const BEAT_MS: f64 = 2_000.0;

/// What is kept between two drawings.
struct Painter {
    ctx: CanvasRenderingContext2d,
    stock: Stock,
    palette: Palette,
    is_asked: bool,
    is_beating: bool,
    /// How long the last drawing took, in ms.
    took: f64,
}

/// What the pointers do.
#[derive(Clone, Debug, Default)]
struct Press {
    pointers: Vec<(i32, Point)>,
    is_moved: bool,
    begun: Point,
}

/// The canvas of a pane.
#[component]
pub fn Canvas(
    /// What it draws and how it moves.
    pane: Pane,
) -> impl IntoView {
    let state = use_state();
    let canvas = NodeRef::<html::Canvas>::new();
    let painter = StoredValue::new_local(None::<Painter>);
    let press = StoredValue::new(Press::default());
    let observer = StoredValue::new_local(None::<ResizeObserver>);
    let shown = pane.shown;

    effect(move || {
        let Some(element) = canvas.get() else { return };
        painter.set_value(context_of(&element).map(|ctx| Painter {
            ctx,
            stock: Stock::default(),
            palette: Palette::default(),
            is_asked: false,
            is_beating: false,
            took: 0.0,
        }));
        observer.set_value(watch_size(&element, pane));
    });
    on_cleanup(move || {
        observer.try_with_value(|observer| observer.as_ref().map(ResizeObserver::disconnect));
    });
    // The theme: colours are read anew once it is in the style sheet.
    effect(move || {
        state.settings.is_dark();
        canvas.track();
        request_animation_frame(move || {
            painter.try_update_value(|painter| {
                if let Some(painter) = painter {
                    painter.palette = Palette::read();
                    painter.stock.forget_widths();
                }
            });
            ask(painter, canvas, pane);
        });
    });
    effect(move || {
        shown.layout.with(|_| ());
        pane.fit_unless_moved();
    });
    effect(move || {
        if let Some(name) = shown.selected.get() {
            pane.reveal(&name);
        }
    });
    effect(move || {
        shown.layout.with(|_| ());
        shown.picture.with(|_| ());
        shown.selected.track();
        shown.hovered.track();
        shown.now.track();
        pane.viewport.track();
        pane.search.track();
        ask(painter, canvas, pane);
    });

    let label = move || shown.picture.with(|picture| picture.label.clone());
    let title = move || shown.hovered.get().map(|name| name.0);
    view! {
        <canvas node_ref=canvas class="graph" tabindex="0" role="img" aria-label=label title=title
            on:wheel=move |event| wheel(&event, pane)
            on:pointerdown=move |event| pressed(&event, press)
            on:pointermove=move |event| moved(&event, press, pane)
            on:pointerup=move |event| released(&event, press, pane)
            on:pointercancel=move |event| press.update_value(|press| press.forget(&event))
            on:pointerleave=move |_| shown.hovered.set(None)>
        </canvas>
    }
}

fn context_of(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// Keeps the viewport as large as the canvas.
fn watch_size(canvas: &HtmlCanvasElement, pane: Pane) -> Option<ResizeObserver> {
    let element = canvas.clone();
    let resized = Closure::<dyn Fn()>::new(move || {
        let size = Size::new(f64::from(element.client_width()), f64::from(element.client_height()));
        if size.width < 1.0 || size.height < 1.0 {
            return;
        }
        pane.viewport.try_update(|viewport| *viewport = viewport.resized(size));
        if pane.is_moved.try_get_untracked() == Some(false) {
            pane.fit_unless_moved();
        }
    });
    let observer = ResizeObserver::new(resized.as_ref().unchecked_ref()).ok()?;
    observer.observe(canvas);
    resized.forget();
    Some(observer)
}

type Painters = StoredValue<Option<Painter>, LocalStorage>;

/// Asks for one drawing in the next frame.
fn ask(painter: Painters, canvas: NodeRef<html::Canvas>, pane: Pane) {
    let is_new = painter.try_update_value(|painter| {
        painter.as_mut().is_some_and(|painter| !std::mem::replace(&mut painter.is_asked, true))
    });
    if is_new == Some(true) {
        request_animation_frame(move || {
            painter.try_update_value(|painter| {
                if let (Some(painter), Some(Some(canvas))) = (painter, canvas.try_get_untracked()) {
                    painter.is_asked = false;
                    let begun = milliseconds();
                    paint(painter, &canvas, pane);
                    painter.took = milliseconds() - begun;
                }
            });
            beat(painter, canvas, pane);
        });
    }
}

/// Draws again after a while for as long as something runs and motion is wanted.
fn beat(painter: Painters, canvas: NodeRef<html::Canvas>, pane: Pane) {
    let is_moving = pane.shown.picture.try_with_untracked(|picture| picture.is_moving) == Some(true);
    if !is_moving || is_motion_reduced() {
        return;
    }
    let is_new = painter.try_update_value(|painter| {
        painter.as_mut().is_some_and(|painter| {
            painter.took <= BEAT_COST_MAX && !std::mem::replace(&mut painter.is_beating, true)
        })
    });
    if is_new == Some(true) {
        set_timeout(
            move || {
                painter.try_update_value(|painter| {
                    if let Some(painter) = painter {
                        painter.is_beating = false;
                    }
                });
                ask(painter, canvas, pane);
            },
            BEAT_STEP,
        );
    }
}

fn is_motion_reduced() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    query.is_some_and(|query| query.matches())
}

fn paint(painter: &Painter, canvas: &HtmlCanvasElement, pane: Pane) {
    let viewport = pane.viewport.get_untracked();
    let ratio = window().device_pixel_ratio();
    let device = |px: f64| (px * ratio).round() as u32;
    let (width, height) = (device(viewport.screen.width), device(viewport.screen.height));
    if canvas.width() != width || canvas.height() != height {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let shown = pane.shown;
    let (structure, layout) = (shown.structure.get_untracked(), shown.layout.get_untracked());
    let picture = shown.picture.get_untracked();
    let place = |name: Option<unwind_model::NodeName>| -> Option<Place> {
        name.and_then(|name| untrack(|| shown.place(&name)))
    };
    let scene = Scene {
        structure: &structure,
        layout: &layout,
        picture: &picture,
        viewport,
        now: untrack(|| shown.now.get()),
        beat: if painter.took <= BEAT_COST_MAX { lamp() } else { 1.0 },
        selected: place(shown.selected.get_untracked()),
        hovered: place(shown.hovered.get_untracked()),
        dimmed: &search::dimmed(pane),
    };
    draw(&painter.ctx, &painter.palette, &painter.stock, &scene, ratio);
}

/// Opacity of a running lamp now: from 1 to 0.35 and back.
fn lamp() -> f64 {
    if is_motion_reduced() {
        return 1.0;
    }
    0.675 + 0.325 * js_sys::Math::cos(milliseconds() / BEAT_MS * std::f64::consts::TAU)
}

/// Time since the page was opened.
fn milliseconds() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

impl Press {
    fn forget(&mut self, event: &PointerEvent) {
        self.pointers.retain(|(id, _)| *id != event.pointer_id());
    }
}

fn at(event: &web_sys::MouseEvent) -> Point {
    Point::new(f64::from(event.offset_x()), f64::from(event.offset_y()))
}

fn wheel(event: &WheelEvent, pane: Pane) {
    event.prevent_default();
    // Lines and pages of old mice, pixels of everything else; a pinch comes with ctrl and is finer.
    let unit = match event.delta_mode() {
        WheelEvent::DOM_DELTA_LINE => 24.0,
        WheelEvent::DOM_DELTA_PAGE => 240.0,
        _ => 1.0,
    };
    let steps = event.delta_y() * unit * if event.ctrl_key() { 4.0 } else { 1.0 } / 240.0;
    pane.zoom_at(js_sys::Math::pow(measure::ZOOM_STEP, -steps * 2.0), at(event));
}

fn pressed(event: &PointerEvent, press: StoredValue<Press>) {
    if event.button() != 0 {
        return;
    }
    if let Some(target) = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok()) {
        let _ = target.set_pointer_capture(event.pointer_id());
    }
    press.update_value(|press| {
        press.forget(event);
        if press.pointers.is_empty() {
            press.is_moved = false;
            press.begun = at(event);
        }
        press.pointers.push((event.pointer_id(), at(event)));
    });
}

fn moved(event: &PointerEvent, press: StoredValue<Press>, pane: Pane) {
    let now = at(event);
    let mut state = press.get_value();
    let place = state.pointers.iter().position(|(id, _)| *id == event.pointer_id());
    let Some(place) = place else {
        let hovered = hit(event, pane).and_then(|place| pane.node_at(place));
        if pane.shown.hovered.with_untracked(|before| *before != hovered) {
            pane.shown.hovered.set(hovered);
        }
        return;
    };
    let before = state.pointers[place].1;
    state.pointers[place].1 = now;
    match state.pointers[..] {
        [_] => {
            let far = (now.x - state.begun.x).hypot(now.y - state.begun.y);
            if state.is_moved || far > CLICK_REACH {
                let from = if state.is_moved { before } else { state.begun };
                state.is_moved = true;
                pane.is_moved.set(true);
                pane.viewport.update(|viewport| *viewport = viewport.panned(now.x - from.x, now.y - from.y));
            }
        }
        [(_, left), (_, right)] => {
            state.is_moved = true;
            let other = state.pointers[1 - place].1;
            let spread = |point: Point| (point.x - other.x).hypot(point.y - other.y).max(1.0);
            let middle = Point::new(f64::midpoint(left.x, right.x), f64::midpoint(left.y, right.y));
            pane.zoom_at(spread(now) / spread(before), middle);
            let (dx, dy) = ((now.x - before.x) / 2.0, (now.y - before.y) / 2.0);
            pane.viewport.update(|viewport| *viewport = viewport.panned(dx, dy));
        }
        _ => {}
    }
    press.set_value(state);
}

fn released(event: &PointerEvent, press: StoredValue<Press>, pane: Pane) {
    let was_click = press.with_value(|press| {
        press.pointers.len() == 1 && press.pointers[0].0 == event.pointer_id() && !press.is_moved
    });
    press.update_value(|press| press.forget(event));
    if was_click {
        clicked(event, pane);
    }
}

fn hit(event: &PointerEvent, pane: Pane) -> Option<Place> {
    place_of(raw_hit(event, pane)).filter(|_| !matches!(raw_hit(event, pane), Hit::Body(_)))
}

fn raw_hit(event: &PointerEvent, pane: Pane) -> Hit {
    let pointer = if event.pointer_type() == "touch" { Pointer::Touch } else { Pointer::Mouse };
    let layout = pane.shown.layout.get_untracked();
    pane.viewport.with_untracked(|viewport| viewport.hit(&layout, at(event), pointer))
}

fn clicked(event: &PointerEvent, pane: Pane) {
    let hit = raw_hit(event, pane);
    if is_fold_arrow(event, hit, pane) {
        if let Some(name) = place_of(hit).and_then(|place| pane.node_at(place)) {
            super::keys::toggle_fold(pane, &name);
        }
        return;
    }
    match place_of(hit).and_then(|place| pane.node_at(place)) {
        Some(name) if pane.shown.selected.with_untracked(|selected| selected.as_ref() == Some(&name)) => {
            if let Some(rect) = pane.rect_of(&name, false) {
                pane.is_moved.set(true);
                pane.viewport.update(|viewport| *viewport = viewport.centred_on(rect.centre()));
            }
        }
        Some(name) => pane.shown.select(&name),
        None => pane.shown.deselect(),
    }
}

/// True on the arrow at the left end of a box's header or of a folded card.
fn is_fold_arrow(event: &PointerEvent, hit: Hit, pane: Pane) -> bool {
    let (Hit::Header(index) | Hit::Leaf(index)) = hit else { return false };
    let point = pane.viewport.with_untracked(|viewport| viewport.graph_from_screen(at(event)));
    pane.shown.layout.with_untracked(|layout| {
        let Some(item) = layout.items.get(index.place()) else { return false };
        let is_folded = pane.shown.structure.with_untracked(|structure| {
            let kind = structure.items.get(index.place()).map(|item| item.kind);
            kind == Some(unwind_present::graph::ItemKind::Folded)
        });
        let card = if is_folded { item.leaf } else { item.header };
        card.is_some_and(|card| point.x < card.x + 22.0 && point.y < card.y + 28.0)
    })
}
