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
    /// It stands inside a page that has a title of its own.
    #[prop(default = false)]
    is_part: bool,
    /// The rest.
    children: Children,
) -> impl IntoView {
    let heading =
        if is_part { view! { <h2>{title}</h2> }.into_any() } else { view! { <h1>{title}</h1> }.into_any() };
    view! {
        <div class="emp">
            <Icon glyph=glyph size=20 />
            {heading}
            {children()}
        </div>
    }
}
