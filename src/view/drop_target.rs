//! Files dropped or pasted anywhere on the page.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;
use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::prelude::*;
use web_sys::{ClipboardEvent, DragEvent, Element};

use crate::state::use_state;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;

/// Listens on the whole document and shows where a file may be let go.
#[component]
pub fn DropTarget() -> impl IntoView {
    let state = use_state();
    let is_over = RwSignal::new(false);
    listen("dragover", move |event: DragEvent| {
        if carries_files(&event) {
            event.prevent_default();
            is_over.set(true);
        }
    });
    listen("dragleave", move |event: DragEvent| {
        if event.related_target().is_none() {
            is_over.set(false);
        }
    });
    listen("drop", move |event: DragEvent| {
        is_over.set(false);
        if state.documents.open_transfer(event.data_transfer()) {
            event.prevent_default();
        }
    });
    listen("paste", move |event: ClipboardEvent| {
        let transfer = event.clipboard_data();
        if in_text_field(&event) || state.documents.open_transfer(transfer.clone()) {
            return;
        }
        let text = transfer.and_then(|data| data.get_data("text/plain").ok());
        if let Some(text) = text.filter(|text| text.lines().count() > 1) {
            state.documents.open_pasted(text);
        }
    });
    dynamic(move || {
        is_over.get().then(|| {
            view! {
                <div class="drop-over" aria-hidden="true">
                    <div><Icon glyph=Glyph::Drop size=22 /><p>"Let go to open"</p></div>
                </div>
            }
        })
    })
}

/// Adds a listener for as long as the tab lives.
fn listen<E: FromWasmAbi + 'static>(name: &str, handler: impl Fn(E) + 'static) {
    let closure = Closure::<dyn Fn(E)>::new(handler);
    let _ = document().add_event_listener_with_callback(name, closure.as_ref().unchecked_ref());
    closure.forget();
}

fn carries_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| {
        transfer.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files"))
    })
}

/// True when what is pasted belongs to a text field.
fn in_text_field(event: &ClipboardEvent) -> bool {
    event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok())
        .is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"))
}
