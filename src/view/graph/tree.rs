//! The tree of the same nodes as on the canvas: for screen readers always, for everybody as a view.

use leptos::attr::custom::custom_attribute;
use leptos::html;
use leptos::prelude::*;
use unwind_model::NodeName;
use unwind_present::hook_state::HookState;
use unwind_present::tree::{TreeItem, TreePlace, items, places};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::keys::toggle_fold;
use super::pane::Pane;
use crate::reactive::memo;
use crate::view::window::rows_in_view;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::Turn;

/// Height of a row, in px. Source: `.tree-row`.
const ROW: f64 = 28.0;
/// Items on either side of the selected one that are in the document while the canvas is shown.
const AROUND: usize = 20;

/// The tree.
#[component]
pub fn Tree(
    /// What it shows.
    pane: Pane,
) -> impl IntoView {
    let shown = pane.shown;
    let all = memo(move || {
        let Some(study) = shown.study.get() else { return Vec::new() };
        shown.folding.with(|folding| places(&study, folding))
    });
    let list = NodeRef::<html::Div>::new();
    let in_view = rows_in_view(list, ROW, move || all.with(Vec::len));
    // The first place that is in the document, and the items from there on.
    let made = memo(move || {
        let Some(study) = shown.study.get() else { return (0, Vec::new()) };
        let marks = shown.prediction.get();
        let now = shown.now.get();
        let seen = in_view.get();
        all.with(|all| {
            let range = if pane.shows_tree.get() {
                seen.start.min(all.len())..seen.end.min(all.len())
            } else {
                let at = place_of(pane, all, shown.selected.get().as_ref()).unwrap_or(0);
                at.saturating_sub(AROUND)..all.len().min(at + AROUND)
            };
            let marks = marks.as_ref().map(|preview| &preview.marks);
            (range.start, items(&study, &all[range], marks, now))
        })
    });
    let item = move |place: usize| made.with(|(first, items)| items.get(place.checked_sub(*first)?).cloned());
    let in_document = move || made.with(|(first, items)| *first..first + items.len());
    let label = move || shown.study.get().map(|study| format!("Nodes of {}", study.roster.workflow));
    let rows = move |rows: usize| format!("{}px", rows as f64 * ROW);
    view! {
        <div class="tree" role="tree" aria-label=label class:sr-only=move || !pane.shows_tree.get()
            on:keydown=move |event| press(&event, pane, all)>
            <div role="none" node_ref=list style:padding-top=move || rows(in_document().start)
                style:padding-bottom=move || rows(all.with(Vec::len).saturating_sub(in_document().end))>
                <For each=in_document key=|place| *place let(place)>
                    <Row pane=pane item=Signal::derive(move || item(place)) />
                </For>
            </div>
        </div>
    }
}

/// Where a node stands in the tree.
fn place_of(pane: Pane, all: &[TreePlace], name: Option<&NodeName>) -> Option<usize> {
    let member = pane.shown.study.get_untracked()?.roster.find(name?)?;
    all.iter().position(|place| place.member == member)
}

#[component]
fn Row(pane: Pane, item: Signal<Option<TreeItem>>) -> impl IntoView {
    let shown = pane.shown;
    let is_selected = memo(move || {
        let selected = shown.selected.get();
        item.with(|item| item.as_ref().is_some_and(|item| Some(&item.node) == selected.as_ref()))
    });
    let is_tab_stop = move || {
        let is_first =
            item.with(|item| item.as_ref().is_some_and(|item| item.level == 1 && item.position == 1));
        is_selected.get() || is_first && shown.selected.with(Option::is_none)
    };
    let select = move || {
        if let Some(item) = item.get_untracked() {
            shown.select(&item.node);
        }
    };
    let text = move |get: fn(&TreeItem) -> String| item.with(|item| item.as_ref().map(get));
    view! {
        <div class="tree-row" role="treeitem" data-selected=Signal::derive(move || is_selected.get().then_some(""))
            {..custom_attribute("aria-level", move || text(|item| item.level.to_string()))}
            aria-setsize=Signal::derive(move || text(|item| item.set_size.to_string()))
            aria-posinset=Signal::derive(move || text(|item| item.position.to_string()))
            aria-expanded=Signal::derive(move || item.with(|item| item.as_ref().and_then(|item| item.is_open).map(|open| open.to_string())))
            aria-selected=Signal::derive(move || is_selected.get().to_string())
            tabindex=Signal::derive(move || if is_tab_stop() { "0" } else { "-1" })
            on:click=move |_| select() on:focus=move |_| select()
            style:padding-left=move || {
                format!("{}px", 10 + item.with(|item| item.as_ref().map_or(0, |item| item.level.min(16) - 1)) * 18)
            }>
            {dynamic(move || item.get().map(|item| {
                let chip = item.chip.clone();
                let glyph_state = item.state.is_some_and(|state| state == HookState::NeverRan);
                view! {
                    <span class="ph" data-phase=item.look.word() class:bad=glyph_state><Icon glyph=item.look.glyph() /></span>
                    {item.hook_glyph.map(|glyph| view! { <Icon glyph=glyph class="dim" /> })}
                    <span class="nm">{item.title.clone()}</span>
                    <span aria-hidden="true">
                        {chip.map(|chip| view! { <Turn text=chip.text state=chip.state.attribute() /> })}
                    </span>
                    <span class="sr-only">", "</span>
                    <span class="dim">{rest(&item)}</span>
                }
            }))}
        </div>
    }
}

/// What the label says after the name.
fn rest(item: &TreeItem) -> String {
    let rest = item.label.strip_prefix(&item.title).unwrap_or(&item.label);
    rest.trim_start_matches(", ").to_owned()
}

/// Up, down, Home, End; left and right close, open, or go out and in.
fn press(event: &KeyboardEvent, pane: Pane, all: Memo<Vec<TreePlace>>) {
    let shown = pane.shown;
    let Some(study) = shown.study.get_untracked() else { return };
    let selected = shown.selected.get_untracked();
    let places = all.get_untracked();
    let at = place_of(pane, &places, selected.as_ref()).unwrap_or(0);
    let Some(place) = places.get(at) else { return };
    let toggle = || toggle_fold(pane, &study.roster.member(place.member).name);
    let next = match event.key().as_str() {
        "ArrowDown" => Some(at + 1),
        "ArrowUp" => at.checked_sub(1),
        "Home" => Some(0),
        "End" => places.len().checked_sub(1),
        "ArrowRight" if place.is_open == Some(false) => {
            toggle();
            None
        }
        "ArrowRight" => place.is_open.map(|_| at + 1),
        "ArrowLeft" if place.is_open == Some(true) => {
            toggle();
            None
        }
        "ArrowLeft" => places[..at].iter().rposition(|above| above.level < place.level),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some((row, next)) = next.and_then(|next| Some((next, places.get(next)?))) {
        shown.select(&study.roster.member(next.member).name);
        scroll_to(row);
        // The rows around it come with the frame after the scroll.
        request_animation_frame(|| request_animation_frame(focus_selected));
    }
}

/// Brings a row into the part that is seen.
fn scroll_to(row: usize) {
    let Some(tree) = document().query_selector(".tree:not(.sr-only)").ok().flatten() else { return };
    let (top, seen) = (row as f64 * ROW, f64::from(tree.client_height()));
    let (first, last) = (top + ROW - seen, top);
    let now = f64::from(tree.scroll_top());
    tree.set_scroll_top(now.clamp(first.min(last), last.max(first)).max(0.0) as i32);
}

fn focus_selected() {
    let row = document().query_selector(".tree [data-selected]").ok().flatten();
    if let Some(row) = row.and_then(|row| row.dyn_into::<HtmlElement>().ok()) {
        let _ = row.focus();
    }
}
