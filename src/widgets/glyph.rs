//! A glyph as inline SVG, from the table in `unwind-present`.

use leptos::prelude::*;

use super::dynamic::dynamic;
use unwind_present::glyph::{Glyph, PartKind};

/// A glyph of `size` px in the current colour. Without a `title` it is hidden from screen readers.
#[component]
pub fn Icon(
    /// Which.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// Edge length in px.
    #[prop(default = 14)]
    size: u32,
    /// Further class names.
    #[prop(default = "")]
    class: &'static str,
    /// What it says, where no word stands beside it.
    #[prop(optional, into)]
    title: Option<String>,
) -> impl IntoView {
    let hidden = title.is_none().then_some("true");
    let role = title.is_some().then_some("img");
    view! {
        <svg class=format!("icon {class}") viewBox="0 0 16 16" width=size height=size role=role
            aria-hidden=hidden aria-label=title focusable="false">
            {dynamic(move || paths(glyph.get()))}
        </svg>
    }
}

fn paths(glyph: Glyph) -> Vec<impl IntoView> {
    glyph
        .parts()
        .iter()
        .map(|part| {
            let class = match part.kind {
                PartKind::Stroke => "gs",
                PartKind::Fill => "gf",
                PartKind::Knock => "gk",
            };
            let dash = (!part.dash.is_empty())
                .then(|| part.dash.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
            view! { <path class=class d=part.path stroke-dasharray=dash /> }
        })
        .collect()
}
