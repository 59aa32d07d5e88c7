//! Tabs by their roles, with the arrow keys moving between them.

use leptos::prelude::*;

use super::dynamic::dynamic;
use wasm_bindgen::JsCast;

/// One tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tab {
    /// What it is called in code and address.
    pub id: String,
    /// The visible word.
    pub label: String,
    /// A quiet number or word after it.
    pub count: String,
}

impl Tab {
    /// A tab without a count.
    pub fn new(id: &str, label: &str) -> Self {
        Self { id: id.to_owned(), label: label.to_owned(), count: String::new() }
    }
}

/// A row of tabs.
#[component]
pub fn Tabs(
    /// The tabs from left to right.
    #[prop(into)]
    tabs: Signal<Vec<Tab>>,
    /// Id of the one that is open.
    #[prop(into)]
    open: Signal<String>,
    /// Name of the row for screen readers.
    label: &'static str,
    /// Class of the row.
    #[prop(default = "tabs")]
    class: &'static str,
    /// Called with the id of the pressed tab.
    #[prop(into)]
    on_open: Callback<String>,
) -> impl IntoView {
    let row = move || {
        tabs.get()
            .into_iter()
            .map(|tab| {
                let id = tab.id.clone();
                let is_open = Memo::new(move |_| open.get() == tab.id);
                view! {
                    <button type="button" role="tab" aria-selected=Signal::derive(move || is_open.get().to_string())
                        tabindex=Signal::derive(move || if is_open.get() { "0" } else { "-1" })
                        on:click=move |_| on_open.run(id.clone())>
                        {tab.label}
                        {(!tab.count.is_empty()).then(|| view! { " " <span class="count">{tab.count}</span> })}
                    </button>
                }
            })
            .collect::<Vec<_>>()
    };
    view! { <div class=class role="tablist" aria-label=label on:keydown=|event| move_focus(&event)>{dynamic(row)}</div> }
}

/// Left and right arrow go to the neighbour and open it.
fn move_focus(event: &web_sys::KeyboardEvent) {
    let forward = match event.key().as_str() {
        "ArrowRight" => true,
        "ArrowLeft" => false,
        _ => return,
    };
    let Some(tab) = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok()) else {
        return;
    };
    let neighbour = if forward { tab.next_element_sibling() } else { tab.previous_element_sibling() };
    if let Some(neighbour) = neighbour.and_then(|tab| tab.dyn_into::<web_sys::HtmlElement>().ok()) {
        event.prevent_default();
        neighbour.click();
        let _ = neighbour.focus();
    }
}
