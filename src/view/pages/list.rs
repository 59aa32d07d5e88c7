//! Placeholder.

use leptos::prelude::*;

/// List.
#[component]
pub fn List() -> impl IntoView {
    view! { <p>"List"</p> }
}
