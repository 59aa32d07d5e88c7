//! A sentence in pieces as `unwind-present` makes it; names of nodes select them.

use leptos::prelude::*;
use unwind_present::rich::{Rich, Tone};

use crate::state::use_state;

/// Draws a sentence.
#[component]
pub fn RichText(
    /// The sentence.
    text: Rich,
) -> impl IntoView {
    let shown = use_state().shown;
    text.0
        .into_iter()
        .map(|piece| match (piece.node, piece.tone) {
            (Some(node), _) => view! {
                <button type="button" class="link" on:click=move |_| shown.select(&node)>{piece.text}</button>
            }
            .into_any(),
            (None, Tone::Plain) => piece.text.into_any(),
            (None, Tone::Strong) => view! { <b>{piece.text}</b> }.into_any(),
            (None, Tone::Wrong) => view! { <b class="wrong">{piece.text}</b> }.into_any(),
            (None, Tone::Code) => view! { <code>{piece.text}</code> }.into_any(),
        })
        .collect::<Vec<_>>()
}
