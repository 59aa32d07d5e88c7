//! The graph: one canvas, its tools, its keys, and the tree of the same nodes.

mod canvas;
mod draw;
mod draw_box;
mod draw_edge;
mod draw_lane;
mod draw_leaf;
mod keys;
mod minimap;
mod palette;
mod pane;
mod pen;
mod search;
mod tools;
mod tree;

use leptos::html;
use leptos::prelude::*;

use canvas::Canvas;
pub use pane::Pane;
use tools::{LowerTools, UpperTools};
use tree::Tree;

/// The graph of the workflow that is looked at.
#[component]
pub fn Graph(
    /// Shared with the page's own keys.
    pane: Pane,
    /// The search field, so that a key can reach it.
    field: NodeRef<html::Input>,
) -> impl IntoView {
    let press = move |event: web_sys::KeyboardEvent| {
        let is_typing = event.target().is_some_and(|target| {
            use wasm_bindgen::JsCast;
            target.dyn_ref::<web_sys::HtmlInputElement>().is_some()
                || target.dyn_ref::<web_sys::HtmlButtonElement>().is_some()
        });
        if !is_typing && keys::press(&event, pane) {
            event.prevent_default();
        }
    };
    view! {
        <section class="graphpane" aria-label="Graph" on:keydown=press>
            <UpperTools pane=pane field=field />
            <Canvas pane=pane />
            <Tree pane=pane />
            <LowerTools pane=pane />
        </section>
    }
}
