//! Placeholder.

use leptos::prelude::*;

/// Workflow.
#[component]
pub fn Workflow() -> impl IntoView {
    view! { <p>"Workflow"</p> }
}
