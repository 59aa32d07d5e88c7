//! Bars, rails, lines over all rows, and what proves a broken order.

use std::ops::Range;

use leptos::prelude::*;

use crate::widgets::dynamic::dynamic;
use unwind_layout::measure::{TIMELINE_BAR_HEIGHT, TIMELINE_BAR_Y, TIMELINE_RAIL_Y, TIMELINE_ROW_HEIGHT};
use unwind_layout::timeline::{LabelPlace, Span, TimeScale, place_label, ticks, y_of_row};
use unwind_model::Timestamp;
use unwind_present::hook_state::HookState;
use unwind_present::text_width::{Face, width};
use unwind_present::timeline::{BarPiece, FlagKind, PieceKind, Row, Timeline};

use super::Pane;

/// A slot that never ran is at least this wide, in px.
const NEVER_WIDTH: f64 = 48.0;
/// Least width of a bar, in px.
const BAR_WIDTH_MIN: f64 = 2.0;

/// Everything in the column of bars.
#[component]
pub fn Bars(pane: Pane) -> impl IntoView {
    let shown = pane.state.shown;
    let zone_ms = move || f64::from(shown.zone.get().offset_minutes) * 60_000.0;
    let parts = move || {
        let scale = pane.scale.get();
        pane.data.with(|data| {
            let data = data.as_ref()?;
            let selected = shown.selected.get();
            let selected_row = data.rows.iter().position(|row| Some(&row.node) == selected.as_ref());
            let now = shown.now.get();
            let in_view = pane.rows.get();
            let sketch = Sketch { data, in_view, scale, now, height: y_of_row(data.rows.len()) };
            Some(sketch.draw(zone_ms(), selected_row))
        })
    };
    view! { {dynamic(parts)} }
}

struct Sketch<'a> {
    data: &'a Timeline,
    in_view: Range<usize>,
    scale: TimeScale,
    now: Timestamp,
    height: f64,
}

impl Sketch<'_> {
    fn x(&self, at: Timestamp) -> f64 {
        self.scale.x_from_time(at.millis() as f64)
    }

    fn draw(&self, zone_ms: f64, selected_row: Option<usize>) -> AnyView {
        let width = self.scale.width_px();
        let height = self.height;
        let tick_lines = ticks(&self.scale, zone_ms)
            .into_iter()
            .map(|tick| view! { <line class="tick" x1=tick.x x2=tick.x y1="0" y2=height /> })
            .collect::<Vec<_>>();
        let band = selected_row.map(|row| {
            view! { <rect class="selband" x="0" width=width y=y_of_row(row) height=TIMELINE_ROW_HEIGHT - 1.0 /> }
        });
        let rows = self.data.rows.iter().enumerate().skip(self.in_view.start).take(self.in_view.len());
        let rows = rows.map(|(place, row)| self.row(place, row)).collect::<Vec<_>>();
        view! {
            <svg class="tl-svg" width=width height=height>
                <defs>
                    <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <path d="M0 0V5" class="hatchline" />
                    </pattern>
                    <pattern id="hatchbad" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                        <path d="M0 0V5" class="hatchbadline" />
                    </pattern>
                </defs>
                {band}
                {tick_lines}
                {self.flags()}
                {rows}
                {self.overlaps()}
                {self.arrows(selected_row)}
                {self.ties()}
            </svg>
        }
        .into_any()
    }

    /// Where a piece stands: never outside of the view by more than a little.
    fn span(&self, piece: &BarPiece) -> Span {
        let right = self.scale.width_px();
        let x0 = self.x(piece.from).max(-4.0);
        let x1 = match piece.to {
            Some(to) => self.x(to),
            None if piece.kind == PieceKind::LeftOpen => right,
            None => self.x(self.now),
        };
        let least = if piece.kind == PieceKind::NeverRan { NEVER_WIDTH } else { BAR_WIDTH_MIN };
        Span { x0, x1: x1.max(x0 + least).min(right + 4.0) }
    }

    fn row(&self, place: usize, row: &Row) -> AnyView {
        let y = y_of_row(place);
        let pieces = row.pieces.iter().map(|piece| self.piece(piece, row, y)).collect::<Vec<_>>();
        let label = if row.is_rail { None } else { self.label(row, y) };
        view! { <g data-phase=row.look.word()>{pieces}{label}</g> }.into_any()
    }

    fn piece(&self, piece: &BarPiece, row: &Row, y: f64) -> AnyView {
        let span = self.span(piece);
        if row.is_rail {
            return rail(piece, span, y + TIMELINE_RAIL_Y, piece.to.is_some());
        }
        let class = match piece.kind {
            PieceKind::Waiting => "bar wait",
            PieceKind::Ran => "bar",
            PieceKind::Planned => "bar ghost",
            PieceKind::NeverRan => "bar never",
            PieceKind::LeftOpen => return rail(piece, span, y + TIMELINE_RAIL_Y, false),
        };
        let state = row.state.map(HookState::attribute);
        view! {
            <rect class=class data-state=state x=span.x0 width=span.x1 - span.x0 y=y + TIMELINE_BAR_Y
                height=TIMELINE_BAR_HEIGHT rx="3" />
        }
        .into_any()
    }

    /// The duration, right of the bar, inside where it fits, never over another bar.
    fn label(&self, row: &Row, y: f64) -> Option<AnyView> {
        let spans: Vec<Span> = row.pieces.iter().map(|piece| self.span(piece)).collect();
        let (bar, others) = spans.split_last()?;
        if row.label.is_empty() || bar.x1 < 0.0 {
            return None;
        }
        let room = width(&row.label, Face::META);
        let view = Span { x0: 0.0, x1: self.scale.width_px() };
        let x = match place_label(*bar, room, others, view) {
            LabelPlace::Right(x) | LabelPlace::Inside(x) | LabelPlace::Left(x) => x,
            LabelPlace::Hidden => return None,
        };
        let y = y + TIMELINE_RAIL_Y + 3.5;
        let text = row.label.clone();
        Some(view! { <text class="tlabel" x=x y=y>{text}</text> }.into_any())
    }

    fn flags(&self) -> Vec<AnyView> {
        let line = |kind: FlagKind| match kind {
            FlagKind::Stop | FlagKind::Terminate => "stopline",
            FlagKind::Over => "endline",
            FlagKind::Now => "nowline",
        };
        let flags = self.data.flags.iter();
        flags
            .map(|flag| {
                let x = self.x(flag.at);
                view! { <line class=line(flag.kind) x1=x x2=x y1="0" y2=self.height /> }.into_any()
            })
            .collect()
    }

    fn overlaps(&self) -> Vec<AnyView> {
        let overlaps = self.data.overlaps.iter();
        overlaps
            .map(|overlap| {
                let (x0, x1) = (self.x(overlap.extent.from), self.x(overlap.extent.to));
                let top = y_of_row(overlap.rows.0) + TIMELINE_BAR_Y;
                let bottom = y_of_row(overlap.rows.1) + TIMELINE_BAR_Y + TIMELINE_BAR_HEIGHT;
                view! {
                    <rect class="overlap" x=x0 width=(x1 - x0).max(1.0) y=top height=bottom - top />
                }
                .into_any()
            })
            .collect()
    }

    /// Of more than three arrows only those of the selected row.
    fn arrows(&self, selected_row: Option<usize>) -> Vec<AnyView> {
        let all = &self.data.arrows;
        let is_drawn = |from: usize| all.len() <= 3 || Some(from) == selected_row;
        all.iter()
            .filter(|arrow| is_drawn(arrow.from))
            .map(|arrow| {
                let x = self.x(arrow.at);
                let root = y_of_row(arrow.from) + TIMELINE_RAIL_Y;
                let is_up = arrow.to < arrow.from;
                let edge =
                    if is_up { TIMELINE_BAR_Y + TIMELINE_BAR_HEIGHT + 1.0 } else { TIMELINE_BAR_Y - 1.0 };
                let tip = y_of_row(arrow.to) + edge;
                let back = if is_up { 6.0 } else { -6.0 };
                let head = format!("M{x} {tip}l-3.5 {back}h7z");
                view! {
                    <g class="proof">
                        <line x1=x x2=x y1=root y2=tip + back />
                        <circle cx=x cy=root r="2.5" />
                        <path d=head />
                    </g>
                }
                .into_any()
            })
            .collect()
    }

    fn ties(&self) -> Vec<AnyView> {
        let ties = self.data.ties.iter();
        ties.map(|tie| {
            let x = self.x(tie.at);
            let (top, bottom) =
                (y_of_row(tie.rows.0) + TIMELINE_RAIL_Y, y_of_row(tie.rows.1) + TIMELINE_RAIL_Y);
            let middle = f64::midpoint(top, bottom);
            let sign = format!("M{} {}h6M{} {}h6", x - 3.0, middle - 1.8, x - 3.0, middle + 1.8);
            view! {
                <g class="tieline">
                    <line x1=x x2=x y1=top y2=bottom />
                    <rect x=x - 8.0 y=middle - 7.0 width="16" height="14" rx="3" />
                    <path d=sign />
                </g>
            }
            .into_any()
        })
        .collect()
    }
}

/// A rail with a tick at its end, or dots where it never ended.
fn rail(piece: &BarPiece, span: Span, y: f64, has_end: bool) -> AnyView {
    let class = match piece.kind {
        PieceKind::LeftOpen => "rail openend",
        PieceKind::Planned | PieceKind::NeverRan => "rail ghost",
        PieceKind::Waiting | PieceKind::Ran => "rail",
    };
    let end = (has_end && piece.kind == PieceKind::Ran)
        .then(|| view! { <line x1=span.x1 x2=span.x1 y1=y - 5.0 y2=y + 5.0 /> });
    let begin = (span.x0 > 0.0 && piece.kind == PieceKind::Ran)
        .then(|| view! { <line x1=span.x0 x2=span.x0 y1=y - 5.0 y2=y + 5.0 /> });
    view! {
        <g class=class>
            <line x1=span.x0 x2=span.x1 y1=y y2=y />
            {begin}{end}
        </g>
    }
    .into_any()
}
