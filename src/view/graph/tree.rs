//! The tree of the same nodes as on the canvas: for screen readers always, for everybody as a view.

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;
use unwind_present::hook_state::HookState;
use unwind_present::tree::{TreeItem, tree};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::keys::toggle_fold;
use super::pane::Pane;
use crate::reactive::memo;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::Turn;

/// Items that are in the document at once, around the selected one.
const WINDOW: usize = 400;

/// The tree.
#[component]
pub fn Tree(
    /// What it shows.
    pane: Pane,
) -> impl IntoView {
    let shown = pane.shown;
    let items = memo(move || {
        let Some(study) = shown.study.get() else { return Vec::new() };
        let marks = shown.prediction.get();
        let now = shown.now.get();
        shown.folding.with(|folding| tree(&study, folding, marks.as_ref().map(|preview| &preview.marks), now))
    });
    // Rows are keyed by what they say of shape; what moves in them are signals of their own.
    let window = memo(move || {
        let selected = shown.selected.get();
        items.with(|items| {
            let at = selected.and_then(|name| items.iter().position(|item| item.node == name)).unwrap_or(0);
            let first = if items.len() <= WINDOW { 0 } else { at.saturating_sub(WINDOW / 2) };
            (first..items.len().min(first + WINDOW)).collect::<Vec<usize>>()
        })
    });
    let label = move || shown.study.get().map(|study| format!("Nodes of {}", study.roster.workflow));
    view! {
        <div class="tree" role="tree" aria-label=label class:sr-only=move || !pane.shows_tree.get()
            on:keydown=move |event| press(&event, pane, items)>
            <For each=move || window.get() key=|place| *place let(place)>
                <Row pane=pane item=Signal::derive(move || items.with(|items| items.get(place).cloned())) />
            </For>
        </div>
    }
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
fn press(event: &KeyboardEvent, pane: Pane, items: Memo<Vec<TreeItem>>) {
    let shown = pane.shown;
    let items = items.get_untracked();
    let selected = shown.selected.get_untracked();
    let at = selected.and_then(|name| items.iter().position(|item| item.node == name)).unwrap_or(0);
    let Some(item) = items.get(at) else { return };
    let next = match event.key().as_str() {
        "ArrowDown" => Some(at + 1),
        "ArrowUp" => at.checked_sub(1),
        "Home" => Some(0),
        "End" => items.len().checked_sub(1),
        "ArrowRight" if item.is_open == Some(false) => {
            toggle_fold(pane, &item.node);
            None
        }
        "ArrowRight" => item.is_open.map(|_| at + 1),
        "ArrowLeft" if item.is_open == Some(true) => {
            toggle_fold(pane, &item.node);
            None
        }
        "ArrowLeft" => items[..at].iter().rposition(|above| above.level < item.level),
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    if let Some(next) = next.and_then(|next| items.get(next)) {
        shown.select(&next.node);
        request_animation_frame(focus_selected);
    }
}

fn focus_selected() {
    let row = document().query_selector(".tree [data-selected]").ok().flatten();
    if let Some(row) = row.and_then(|row| row.dyn_into::<HtmlElement>().ok()) {
        let _ = row.focus();
    }
}
