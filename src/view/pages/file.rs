//! Placeholder.

use leptos::prelude::*;

/// File.
#[component]
pub fn File() -> impl IntoView {
    view! { <p>"File"</p> }
}
