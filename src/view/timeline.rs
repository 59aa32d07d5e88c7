//! The hook order: what was expected beside what happened, row by row, with verdict and rule.
//!
//! Rows are DOM, bars one SVG over them. Measures: `ui.md` section 11; times become px in one place,
//! the scale of `unwind-layout`.

mod bars;
mod rows;
mod ruler;
mod strip;

use std::ops::Range;

use leptos::html;
use leptos::prelude::*;
use unwind_layout::measure::TIMELINE_ROW_HEIGHT;
use unwind_layout::timeline::{TimeScale, y_of_row};
use unwind_model::Timestamp;
use unwind_present::glyph::Glyph;
use unwind_present::phase::{verdict_glyph, verdict_word};
use unwind_present::study::Study;
use unwind_present::timeline::{Extent, Row, Timeline as Data, Told, View, tell, timeline};
use unwind_present::words;
use wasm_bindgen::prelude::*;
use web_sys::{ResizeObserver, WheelEvent};

use crate::reactive::{effect, memo};
use crate::state::shown::Origin;
use crate::state::{State, use_state};
use crate::view::window::rows_in_view;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::VerdictMark;
use bars::Bars;
use rows::{Findings, Rows};
use ruler::Ruler;
pub use strip::Strip;

/// What the parts of the timeline share.
#[derive(Clone, Copy)]
struct Pane {
    data: Memo<Option<Data>>,
    /// The rows that are in the document.
    rows: RwSignal<Range<usize>>,
    /// Every node has a row.
    shows_all: RwSignal<bool>,
    scale: Memo<TimeScale>,
    extent: RwSignal<Option<Extent>>,
    state: State,
}

/// True when the timeline is open: as the reader chose, else once there is something to judge.
pub fn is_open(state: State) -> bool {
    let shown = state.shown;
    shown.timeline_open.get().unwrap_or_else(|| {
        shown.study.get().is_some_and(|study| study.is_shut_down() || !study.judgement.findings.is_empty())
    })
}

/// The open timeline.
#[component]
pub fn Timeline() -> impl IntoView {
    let state = use_state();
    let shows_all = RwSignal::new(false);
    let width = RwSignal::new(600.0);
    let extent = RwSignal::new(None::<Extent>);
    let data = memo(move || viewed(state, shows_all, timeline));
    let scale = memo(move || {
        let opening = data.with(|data| data.as_ref().map(|data| data.opening));
        let extent = extent.get().or(opening).unwrap_or(Extent { from: Timestamp(0), to: Timestamp(1) });
        let ms = |at: Timestamp| at.millis() as f64;
        TimeScale::new(ms(extent.from), ms(extent.to), width.get())
    });
    let row_count = move || data.with(|data| data.as_ref().map_or(0, |data| data.rows.len()));
    let list = NodeRef::<html::Div>::new();
    let rows = rows_in_view(list, TIMELINE_ROW_HEIGHT, row_count);
    let pane = Pane { data, rows, shows_all, scale, extent, state };
    let above = move || format!("{}px", y_of_row(rows.get().start));
    let below = move || format!("{}px", y_of_row(row_count().saturating_sub(rows.get().end)));
    let bars = NodeRef::<html::Div>::new();
    watch_width(bars, width);
    view! {
        <section class="timeline" aria-label="Hook order">
            <Bar pane=pane />
            <div class="tl-scroll">
                <div class="tl-grid" role="treegrid" aria-label="Hook order"
                    aria-rowcount=Signal::derive(move || (row_count() + 1).to_string())>
                    <div class="tl-row tl-head" role="row">
                        <div class="tl-h" role="columnheader">"Owner and exit hook"</div>
                        <div class="tl-h c" role="columnheader">"Expected"</div>
                        <div class="tl-h c" role="columnheader">"Actual"</div>
                        <div class="tl-h ruler" role="columnheader"><Ruler pane=pane /></div>
                        <div class="tl-h tl-hv" role="columnheader">"Verdict and rule"</div>
                    </div>
                    <div class="tl-rows" role="rowgroup" node_ref=list style:padding-top=above style:padding-bottom=below>
                        <Rows pane=pane />
                        <div class="bars" node_ref=bars aria-hidden="true"
                            on:wheel=move |event| zoom(&event, pane)>
                            <Bars pane=pane />
                        </div>
                    </div>
                </div>
            </div>
            <Findings pane=pane />
        </section>
    }
}

/// Makes something of the study as it is viewed now.
fn viewed<T>(state: State, shows_all: RwSignal<bool>, make: impl FnOnce(&Study, &View) -> T) -> Option<T> {
    let shown = state.shown;
    let study = shown.study.get()?;
    let estimates = shown.estimates.get();
    let is_live = match shown.origin.get() {
        Origin::Server(_) | Origin::Rehearsal => !study.is_over(),
        Origin::File | Origin::None => false,
    };
    let view = View {
        now: shown.now.get(),
        zone: shown.zone.get(),
        is_live,
        shows_all: shows_all.get(),
        estimates: &estimates,
    };
    Some(make(&study, &view))
}

impl Pane {
    /// What is told of some rows, the first `most` of which `is_wanted` says yes.
    fn told(self, rows: &[Row], most: usize, is_wanted: impl Fn(&Told) -> bool) -> Vec<(Row, Told)> {
        let told = viewed(self.state, self.shows_all, |study, view| {
            let told = rows.iter().zip(tell(study, view, rows));
            let wanted = told.filter(|(_, told)| is_wanted(told)).take(most);
            wanted.map(|(row, told)| (row.clone(), told)).collect()
        });
        told.unwrap_or_default()
    }
}

/// Keeps `width` as wide as the column of bars.
fn watch_width(bars: NodeRef<html::Div>, width: RwSignal<f64>) {
    let observer = StoredValue::new_local(None::<ResizeObserver>);
    effect(move || {
        let Some(element) = bars.get() else { return };
        let measured = element.clone();
        let resized = Closure::<dyn Fn()>::new(move || {
            let now = f64::from(measured.client_width());
            if now > 0.0 && width.try_get_untracked().is_some_and(|before| (before - now).abs() > 0.5) {
                width.try_set(now);
            }
        });
        if let Ok(new) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            new.observe(&element);
            observer.set_value(Some(new));
        }
        resized.forget();
    });
    on_cleanup(move || {
        observer.try_with_value(|observer| observer.as_ref().map(ResizeObserver::disconnect));
    });
}

/// Ctrl and wheel zoom around the pointer.
fn zoom(event: &WheelEvent, pane: Pane) {
    if !event.ctrl_key() && !event.meta_key() {
        return;
    }
    event.prevent_default();
    let Some(whole) = pane.data.with_untracked(|data| data.as_ref().map(|data| data.whole)) else { return };
    let scale = pane.scale.get_untracked();
    let whole = TimeScale::new(whole.from.millis() as f64, whole.to.millis() as f64, scale.width_px());
    let factor = js_sys::Math::pow(1.2, -event.delta_y() / 120.0);
    set_extent(pane, &scale.zoomed(factor, f64::from(event.offset_x()), &whole));
}

fn set_extent(pane: Pane, scale: &TimeScale) {
    let at = |ms: f64| Timestamp(ms.round() as i64);
    pane.extent.set(Some(Extent { from: at(scale.begin_ms()), to: at(scale.end_ms()) }));
}

/// The bar above: what is in view, and the summary.
#[component]
fn Bar(pane: Pane) -> impl IntoView {
    let shows_all = pane.shows_all;
    let shown = pane.state.shown;
    let is_whole = move || {
        let whole = pane.data.with(|data| data.as_ref().map(|data| data.whole));
        pane.extent.get().is_some() && pane.extent.get() == whole
    };
    let show_whole = move |_| {
        pane.extent.set(pane.data.with_untracked(|data| data.as_ref().map(|data| data.whole)));
    };
    let sum = move || {
        pane.data.get().map(|data| {
            let sum = data.sum;
            let class = if sum.is_unwinding { "now" } else { "" };
            view! {
                <span class="tl-sum">
                    {sum.verdict.map(|holds| view! {
                        <VerdictMark look=verdict_word(holds) glyph=verdict_glyph(holds) word=verdict_word(holds) />
                    })}
                    <span class=class>{sum.text}</span>
                    <span class="dim hide-m">{sum.note}</span>
                </span>
            }
        })
    };
    view! {
        <header class="tl-bar">
            <h2>"Hook order"</h2>
            <div class="seg" role="group" aria-label="Part of the run">
                <button type="button" aria-pressed=Signal::derive(move || pane.extent.get().is_none().to_string())
                    on:click=move |_| pane.extent.set(None)>"Around the stop"</button>
                <button type="button" aria-pressed=Signal::derive(move || is_whole().to_string()) on:click=show_whole>"Whole run"</button>
            </div>
            <label class="sw">
                <input type="checkbox" prop:checked=move || shows_all.get()
                    on:change=move |event| shows_all.set(event_target_checked(&event)) />
                "All nodes"
            </label>
            {dynamic(sum)}
            <Button label="Close hook order" glyph=Glyph::Fold class="quiet s hide-s" only_glyph=true
                on_press=move || shown.timeline_open.set(Some(false)) />
        </header>
    }
}

/// Announces turns and the end, for those who do not look.
#[component]
pub fn Announcer() -> impl IntoView {
    use unwind_present::unwinding::Unwinding;
    let state = use_state();
    let shown = state.shown;
    let text = memo(move || {
        let study = shown.study.get()?;
        if let Some(unwinding) = Unwinding::of(&study) {
            let hook = unwinding.running.first()?;
            let label = study.roster.member(*hook).label.clone();
            return Some(words::live::turn_begins(unwinding.turn.max(1), unwinding.of, &label));
        }
        (study.is_shut_down() && study.is_over()).then(|| {
            let phase = study.workflow.status.phase.as_str();
            let verdict = study.judgement.holds.map_or("", verdict_word).to_ascii_lowercase();
            words::live::all_over(phase, &verdict)
        })
    });
    view! { <p class="sr-only" role="status">{dynamic(move || text.get())}</p> }
}

/// The glyph of a hook beside its name.
fn hook_icon(glyph: Option<Glyph>) -> Option<impl IntoView> {
    glyph.map(|glyph| view! { <Icon glyph=glyph size=12 class="dim" /> })
}
