//! The ruler: ticks with their times, and the flags of stop, end and now.

use leptos::prelude::*;
use unwind_layout::timeline::{Tick, TimeScale, labels_beside, ticks};
use unwind_model::Timestamp;
use unwind_present::format::Zone;
use unwind_present::glyph::Glyph;
use unwind_present::text_width::{Face, width};
use unwind_present::timeline::{Flag, FlagKind};

use super::Pane;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;

/// Room that a label of the ruler takes, in px.
const LABEL_PX: f64 = 44.0;
const SECOND_MS: f64 = 1_000.0;
const MINUTE_MS: f64 = 60_000.0;

/// Ticks and flags.
#[component]
pub fn Ruler(pane: Pane) -> impl IntoView {
    let zone = pane.state.shown.zone;
    let flags =
        move || pane.data.with(|data| data.as_ref().map(|data| data.flags.clone()).unwrap_or_default());
    let labels = move || {
        let scale = pane.scale.get();
        let zone = zone.get();
        let beside = [(f64::NEG_INFINITY, 0.0), (scale.width_px(), f64::INFINITY)];
        let taken: Vec<(f64, f64)> = flags()
            .iter()
            .map(|flag| {
                let left = flag_left(flag, &scale);
                (left, left + flag_width(flag))
            })
            .chain(beside)
            .collect();
        let all = ticks(&scale, f64::from(zone.offset_minutes) * MINUTE_MS);
        labels_beside(&all, LABEL_PX, &taken)
            .into_iter()
            .map(|tick| {
                view! { <span class="tick-l" style:left=format!("{:.1}px", tick.x)>{tick_text(&tick, zone)}</span> }
            })
            .collect::<Vec<_>>()
    };
    let flag_views = move || {
        let scale = pane.scale.get();
        flags()
            .into_iter()
            .filter_map(|flag| {
                let x = scale.x_from_time(flag.at.millis() as f64);
                (-1.0..=scale.width_px() + 1.0).contains(&x).then(|| flag_view(flag, &scale))
            })
            .collect::<Vec<_>>()
    };
    view! { {dynamic(labels)} {dynamic(flag_views)} }
}

fn flag_width(flag: &Flag) -> f64 {
    let glyph = if is_shutdown(flag.kind) { 15.0 } else { 0.0 };
    width(&flag.label, Face { size_px: 10.5, weight: 600 }) + 14.0 + glyph
}

fn is_shutdown(kind: FlagKind) -> bool {
    match kind {
        FlagKind::Stop | FlagKind::Terminate => true,
        FlagKind::Over | FlagKind::Now => false,
    }
}

/// A flag stands right of its line, or left of it where it would leave the ruler.
fn flag_left(flag: &Flag, scale: &TimeScale) -> f64 {
    let (x, width) = (scale.x_from_time(flag.at.millis() as f64), flag_width(flag));
    if x + width > scale.width_px() { (x - width).max(0.0) } else { x }
}

fn flag_view(flag: Flag, scale: &TimeScale) -> impl IntoView + use<> {
    let class = match flag.kind {
        FlagKind::Stop | FlagKind::Terminate => "flag stopflag",
        FlagKind::Over => "flag endflag",
        FlagKind::Now => "flag nowflag",
    };
    let left = flag_left(&flag, scale);
    let glyph = match flag.kind {
        FlagKind::Stop => Some(Glyph::Stop),
        FlagKind::Terminate => Some(Glyph::Terminate),
        FlagKind::Over | FlagKind::Now => None,
    };
    view! {
        <span class=class style:left=format!("{left:.1}px")>
            {glyph.map(|glyph| view! { <Icon glyph=glyph size=11 /> })}
            {flag.label}
        </span>
    }
}

/// Whole minutes and every second label in full, others short.
fn tick_text(tick: &Tick, zone: Zone) -> String {
    let at = Timestamp(tick.at_ms.round() as i64);
    if tick.step_ms >= MINUTE_MS {
        return zone.minute(at);
    }
    if tick.step_ms < SECOND_MS {
        let text = zone.time_ms(at);
        return if tick.is_full { text[..10].to_owned() } else { text[8..10].to_owned() };
    }
    let text = zone.time(at);
    if tick.is_full { text } else { text[5..].to_owned() }
}
