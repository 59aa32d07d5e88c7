//! Placeholder.

use leptos::prelude::*;

/// Rehearse.
#[component]
pub fn Rehearse() -> impl IntoView {
    view! { <p>"Rehearse"</p> }
}
