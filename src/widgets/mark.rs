//! Small marks: phase, verdict, number chip, live.

use leptos::prelude::*;

use super::dynamic::dynamic;
use unwind_present::glyph::Glyph;

use super::glyph::Icon;

/// A glyph and a word in the colour of a phase.
#[component]
pub fn PhaseMark(
    /// `data-phase`: the look.
    #[prop(into)]
    look: Signal<String>,
    /// Its glyph.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// Its word.
    #[prop(into)]
    word: Signal<String>,
    /// On soft ground, for the header.
    #[prop(default = false)]
    pill: bool,
) -> impl IntoView {
    let class = if pill { "phase pill" } else { "phase" };
    view! {
        <span class=class data-phase=Signal::derive(move || look.get())>
            <Icon glyph=glyph />
            <span>{dynamic(move || word.get())}</span>
        </span>
    }
}

/// A number chip: `state` is `expected`, `done`, `running`, `kept`, `broken`, `unknown` or `never`.
#[component]
pub fn Turn(
    /// What stands in it.
    #[prop(into)]
    text: String,
    /// How it looks.
    #[prop(into)]
    state: String,
) -> impl IntoView {
    view! { <span class="turn" data-state=state>{text}</span> }
}

/// A verdict chip: bracket glyph and word.
#[component]
pub fn VerdictMark(
    /// `kept`, `broken` or `unknown`.
    #[prop(into)]
    look: String,
    /// Its glyph.
    glyph: Glyph,
    /// Its word.
    #[prop(into)]
    word: String,
) -> impl IntoView {
    view! {
        <span class="verdict" data-verdict=look>
            <Icon glyph=glyph />
            <span class="vlabel">{word}</span>
        </span>
    }
}

/// The live mark: a dot and a word, announced when the word changes.
#[component]
pub fn LiveMark(
    /// `live`, `re`, `stale` or `file`.
    #[prop(into)]
    look: Signal<String>,
    /// Its word.
    #[prop(into)]
    word: Signal<String>,
) -> impl IntoView {
    view! {
        <span class="livemark" role="status" data-live=Signal::derive(move || look.get())>
            <i></i>
            <span>{dynamic(move || word.get())}</span>
        </span>
    }
}
