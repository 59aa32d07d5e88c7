//! The tools that float over the graph: where it is focused, view, search, zoom.

use leptos::html;
use leptos::prelude::*;
use unwind_layout::Direction;
use unwind_present::glyph::Glyph;

use super::minimap::Minimap;
use super::pane::Pane;
use super::search;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;

/// Above the graph.
#[component]
pub fn UpperTools(
    /// What they act on.
    pane: Pane,
    /// The search field, so that a key can reach it.
    field: NodeRef<html::Input>,
) -> impl IntoView {
    let name = move || pane.shown.study.get().map(|study| study.roster.workflow.clone());
    let pressed = move |tree: bool| (pane.shows_tree.get() == tree).to_string();
    let found = move || {
        pane.search.track();
        let count = search::matches(pane).len();
        (!pane.search.get().trim().is_empty()).then(|| {
            view! { <span class="dim num" role="status">{if count == 1 { "1 hit".to_owned() } else { format!("{count} hits") }}</span> }
        })
    };
    view! {
        <div class="g-tools g-top">
            <ol class="crumbs hide-s" aria-label="Focus"><li>{dynamic(name)}</li></ol>
            <div class="seg" role="group" aria-label="View">
                <button type="button" aria-pressed=Signal::derive(move || pressed(false))
                    on:click=move |_| pane.shows_tree.set(false)>"Graph"</button>
                <button type="button" aria-pressed=Signal::derive(move || pressed(true))
                    on:click=move |_| pane.shows_tree.set(true)>"Tree"</button>
            </div>
            <span class="grow"></span>
            <label class="find">
                <Icon glyph=Glyph::Search size=13 />
                <input node_ref=field type="search" placeholder="Find a node" aria-label="Find a node"
                    prop:value=move || pane.search.get()
                    on:input=move |event| pane.search.set(event_target_value(&event))
                    on:keydown=move |event| match event.key().as_str() {
                        "Enter" => search::select_next(pane),
                        "Escape" => pane.search.set(String::new()),
                        _ => {}
                    } />
                {dynamic(found)}
                <kbd>"/"</kbd>
            </label>
        </div>
    }
}

/// Below the graph.
#[component]
pub fn LowerTools(
    /// What they act on.
    pane: Pane,
) -> impl IntoView {
    let percent = move || format!("{} %", (pane.viewport.get().zoom * 100.0).round());
    let direction = Signal::derive(move || {
        match pane.shown.direction.get() {
            Direction::TopDown => "Top-down",
            Direction::LeftRight => "Left-right",
        }
        .to_owned()
    });
    let turn = move || {
        pane.shown.direction.update(|direction| {
            *direction = match direction {
                Direction::TopDown => Direction::LeftRight,
                Direction::LeftRight => Direction::TopDown,
            };
        });
        pane.is_moved.set(false);
    };
    view! {
        <div class="g-tools g-bottom">
            <Minimap pane=pane />
            <div class="zoom" role="group" aria-label="Zoom">
                <Button label="Zoom out" glyph=Glyph::Minus class="quiet s" only_glyph=true
                    on_press=move || pane.zoom(false) />
                <span class="num">{dynamic(percent)}</span>
                <Button label="Zoom in" glyph=Glyph::Plus class="quiet s" only_glyph=true
                    on_press=move || pane.zoom(true) />
                <Button label="Fit" glyph=Glyph::Fit class="quiet s" only_glyph=true on_press=move || pane.fit() />
                <span class="sep"></span>
                <Button label=direction class="quiet s" on_press=turn />
            </div>
        </div>
    }
}
