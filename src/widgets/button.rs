//! Buttons. A control that cannot be used now stays focusable and says why.

use leptos::prelude::*;

use super::dynamic::dynamic;
use unwind_present::glyph::Glyph;

use super::glyph::Icon;

/// A button with a glyph, a word, or both.
#[component]
pub fn Button(
    /// The visible word; with `only_glyph` it is the name for screen readers and the tooltip.
    #[prop(into)]
    label: Signal<String>,
    /// Glyph before the word.
    #[prop(optional)]
    glyph: Option<Glyph>,
    /// Class names beside `btn`, for example `quiet` or `stop`.
    #[prop(default = "")]
    class: &'static str,
    /// Shows the glyph alone.
    #[prop(default = false)]
    only_glyph: bool,
    /// Why it cannot be used now; `None` when it can.
    #[prop(optional, into)]
    reason: Signal<Option<String>>,
    /// `aria-pressed`, for a switch.
    #[prop(optional, into)]
    pressed: Option<Signal<bool>>,
    /// What it does. Not called while there is a reason.
    on_press: impl Fn() + 'static,
) -> impl IntoView {
    let press = move |_| {
        if reason.with_untracked(Option::is_none) {
            on_press();
        }
    };
    let class = format!("btn {class}{}", if only_glyph { " only" } else { "" });
    let size = if only_glyph { 14 } else { 13 };
    view! {
        <span class="tipwrap">
            <button class=class type="button" on:click=press
                aria-label=Signal::derive(move || label.get())
                title=Signal::derive(move || (only_glyph && reason.with(Option::is_none)).then(|| label.get()))
                aria-pressed=Signal::derive(move || pressed.map(|pressed| pressed.get().to_string()))
                aria-disabled=Signal::derive(move || reason.with(Option::is_some).then_some("true"))
                aria-description=Signal::derive(move || reason.get())>
                {glyph.map(|glyph| view! { <Icon glyph=glyph size=size /> })}
                {(!only_glyph).then(|| view! { <span>{dynamic(move || label.get())}</span> })}
            </button>
            {dynamic(move || reason.get().map(|reason| view! { <span class="tip" role="tooltip">{reason}</span> }))}
        </span>
    }
}
