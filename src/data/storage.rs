//! What the page remembers between visits, in the browser's local storage.
//!
//! Every value may be missing: storage can be switched off, and from disk some browsers refuse it.

use leptos::prelude::window;

const PREFIX: &str = "unwind.";

/// Reads a remembered value.
pub fn load(name: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(&format!("{PREFIX}{name}")).ok()?
}

/// Remembers a value; nothing happens where storage is refused.
pub fn save(name: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(&format!("{PREFIX}{name}"), value);
    }
}
