//! Callouts and error boxes.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use super::glyph::Icon;

/// Soft ground, glyph, text. `tone` is `unknown`, `broken` or `plain`.
#[component]
pub fn Callout(
    /// The look.
    #[prop(into)]
    tone: String,
    /// Its glyph.
    glyph: Glyph,
    /// The text.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="callout" data-tone=tone>
            <Icon glyph=glyph />
            <p>{children()}</p>
        </div>
    }
}

/// An error: what cannot be done, then place and next step.
#[component]
pub fn ErrorBox(
    /// What cannot be done.
    #[prop(into)]
    title: String,
    /// The rest.
    children: Children,
) -> impl IntoView {
    let name = title.clone();
    view! {
        <div class="errbox" data-tone="broken" role="alert" aria-label=name>
            <Icon glyph=Glyph::Failed size=16 />
            <div>
                <h2>{title}</h2>
                {children()}
            </div>
        </div>
    }
}

/// An empty place: what is not there, then what belongs here and how it gets here.
#[component]
pub fn Empty(
    /// Its glyph.
    glyph: Glyph,
    /// What is not there.
    #[prop(into)]
    title: String,
    /// The rest.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="emp">
            <Icon glyph=glyph size=20 />
            <h2>{title}</h2>
            {children()}
        </div>
    }
}
