//! The rows that are in view: name with its brackets, expected and actual number, verdict and sentence.

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use unwind_layout::measure::TIMELINE_ROW_HEIGHT;
use unwind_layout::timeline::{BracketPiece, BracketRows, Gutter, PieceKind, gutters};
use unwind_present::glyph::Glyph;
use unwind_present::hook_state::{Chip, HookState};
use unwind_present::phase::{verdict_glyph, verdict_word};
use unwind_present::timeline::{Row, Timeline, Told};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::{Pane, hook_icon};
use crate::reactive::memo;
use crate::state::State;
use crate::view::window::entries;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::{Turn, VerdictMark};

/// Where the column of sentences is too narrow for them. Source: the same query in `timeline.css`.
const NARROW: &str = "(max-width: 720px)";

/// The rows that are in view.
#[component]
pub fn Rows(pane: Pane) -> impl IntoView {
    dynamic(move || {
        pane.data.with(|data| {
            let Some(data) = data else { return Vec::new() };
            let gutters = gutters_of(data);
            let states: Vec<HookState> = data.brackets.iter().map(|bracket| bracket.state).collect();
            let in_view = pane.rows.get();
            let rows = data.rows.get(in_view.clone()).unwrap_or_default();
            let gutters = gutters.into_iter().skip(in_view.start);
            let rows = pane.told(rows, rows.len(), |_| true).into_iter().zip(gutters).zip(in_view);
            rows.map(|(((row, told), gutter), place)| {
                view! { <OneRow state=pane.state place=place row=row told=told gutter=gutter states=states.clone() /> }
            })
            .collect::<Vec<_>>()
        })
    })
}

fn gutters_of(data: &Timeline) -> Vec<Gutter> {
    let brackets: Vec<BracketRows> = data
        .brackets
        .iter()
        .map(|bracket| BracketRows { opens: bracket.opens, closes: bracket.closes })
        .collect();
    gutters(data.rows.len(), &brackets)
}

#[component]
fn OneRow(
    state: State,
    place: usize,
    row: Row,
    told: Told,
    gutter: Gutter,
    states: Vec<HookState>,
) -> impl IntoView {
    let shown = state.shown;
    let (node, hovered) = (row.node.clone(), row.node.clone());
    let (selected_name, hovered_name) = (row.node.clone(), row.node.clone());
    let is_selected = memo(move || shown.selected.with(|name| name.as_ref() == Some(&selected_name)));
    let is_hovered = memo(move || shown.hovered.with(|name| name.as_ref() == Some(&hovered_name)));
    let select = move || shown.select(&node);
    let on_focus = select.clone();
    let look = row.look;
    let rule = told.rule;
    let verdict = row.verdict.map(|holds| {
        view! { <VerdictMark look=verdict_word(holds) glyph=verdict_glyph(holds) word=verdict_word(holds) /> }
    });
    let why_class = match (row.verdict, row.state) {
        (None, Some(HookState::Active)) => "why now",
        (None, _) => "why dim",
        (Some(_), _) => "why",
    };
    view! {
        <div class="tl-row" role="row" tabindex=if place == 0 { "0" } else { "-1" }
            aria-rowindex=place + 2 {..custom_attribute("aria-level", row.level + 1)}
            aria-selected=Signal::derive(move || is_selected.get().to_string())
            data-selected=Signal::derive(move || is_selected.get().then_some(""))
            data-hovered=Signal::derive(move || is_hovered.get().then_some(""))
            on:click=move |_| select() on:focus=move |_| on_focus() on:keydown=|event| press(&event)
            on:pointerenter=move |_| shown.hovered.set(Some(hovered.clone()))
            on:pointerleave=move |_| shown.hovered.set(None)>
            <div class="tl-name" role="rowheader" data-phase=look.word()>
                {gutter_svg(&gutter, &states)}
                <span class="ph" data-phase=look.word()><Icon glyph=look.glyph() size=13 /></span>
                {hook_icon(row.hook_glyph)}
                <span class="nm" title=row.node.0.clone()>{row.title}</span>
            </div>
            <div class="tl-c" role="gridcell">{row.expected.map(chip)}</div>
            <div class="tl-c" role="gridcell">
                {row.actual.map(|actual| {
                    let tie = actual.is_tied.then(|| {
                        view! {
                            <Icon glyph=Glyph::Tie size=10 class="tiemark" />
                            <span class="sr-only">" together with another"</span>
                        }
                    });
                    view! { {chip(actual)} {tie} }
                })}
            </div>
            <div class="tl-b" role="gridcell"><span class="sr-only">{told.bar}</span></div>
            <div class="tl-v" role="gridcell" title=rule>
                <span class="verdict-slot">{verdict}</span>
                " "
                <span class=why_class title=told.sentence.clone()>{told.sentence.clone()}</span>
            </div>
        </div>
    }
}

fn chip(chip: Chip) -> impl IntoView {
    view! { <Turn text=chip.text state=chip.state.attribute() /> }
}

/// Up and down go from row to row.
fn press(event: &KeyboardEvent) {
    let Some(row) = event.current_target().and_then(|row| row.dyn_into::<HtmlElement>().ok()) else { return };
    let next = match event.key().as_str() {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        _ => return,
    };
    let next = next.and_then(|next| next.dyn_into::<HtmlElement>().ok());
    if let Some(next) = next.filter(|next| next.has_attribute("tabindex")) {
        event.prevent_default();
        let _ = next.focus();
    }
}

/// The brackets beside a name.
fn gutter_svg(gutter: &Gutter, states: &[HookState]) -> impl IntoView + use<> {
    let width = gutter.width_px;
    let paths = gutter
        .pieces
        .iter()
        .map(|piece| {
            let state = states.get(piece.bracket).copied().unwrap_or(HookState::Planned);
            view! { <path d=piece_path(piece, state, width) class="bracket" data-state=state.attribute() /> }
        })
        .collect::<Vec<_>>();
    let joined =
        (gutter.joined > 1).then(|| view! { <text x="1" y="10" class="joined">{gutter.joined}</text> });
    view! {
        <svg class="gutter" width=width height=TIMELINE_ROW_HEIGHT aria-hidden="true">{paths}{joined}</svg>
    }
}

fn piece_path(piece: &BracketPiece, state: HookState, width: f64) -> String {
    let x = piece.x;
    let middle = TIMELINE_ROW_HEIGHT / 2.0;
    let foot = (x + 8.0).min(width);
    match piece.kind {
        PieceKind::Opens => {
            format!("M{foot} {middle}H{}a3 3 0 0 0 -3 3V{TIMELINE_ROW_HEIGHT}", x + 3.0)
        }
        PieceKind::Passes => format!("M{x} 0V{TIMELINE_ROW_HEIGHT}"),
        PieceKind::Closes => {
            let kink = if state.bracket().has_kink { "l4 4l-4 4" } else { "" };
            format!("M{x} 0{kink}V{}a3 3 0 0 0 3 3H{foot}", middle - 3.0)
        }
    }
}

/// The sentences as a list below the rows, where the page is too narrow for a column of them.
#[component]
pub fn Findings(pane: Pane) -> impl IntoView {
    let shows_all = RwSignal::new(false);
    let items = move || {
        // Its width changes with that of the page.
        pane.scale.track();
        if !is_narrow() {
            return Vec::new();
        }
        let most = entries(shows_all);
        let rows = pane.data.with(|data| data.as_ref().map(|data| data.rows.clone())).unwrap_or_default();
        let told = pane.told(&rows, most.saturating_add(1), |told| !told.sentence.is_empty());
        let mut items: Vec<AnyView> = told.iter().take(most).map(|(row, told)| finding(row, told)).collect();
        if told.len() > most {
            let more = view! {
                <li><button type="button" class="link" on:click=move |_| shows_all.set(true)>"Show all"</button></li>
            };
            items.push(more.into_any());
        }
        items
    };
    view! { <ul class="tl-findings">{dynamic(items)}</ul> }
}

/// As the style sheet has it where it shows the list.
fn is_narrow() -> bool {
    let query = window().match_media(NARROW).ok().flatten();
    query.is_some_and(|query| query.matches())
}

fn finding(row: &Row, told: &Told) -> AnyView {
    let verdict = row.verdict.map(|holds| {
        view! { <VerdictMark look=verdict_word(holds) glyph=verdict_glyph(holds) word=verdict_word(holds) /> }
    });
    view! {
        <li>
            <span class="verdict-slot">{verdict}</span>
            <p><b>{row.title.clone()}</b> " " {told.sentence.clone()}</p>
        </li>
    }
    .into_any()
}
