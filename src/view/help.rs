//! The overview of keys, over everything.

use leptos::html;
use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use crate::reactive::effect;
use crate::widgets::button::Button;

/// A key or several, and what they do.
type Line = (&'static [&'static str], &'static str);

const GROUPS: [(&str, &[Line]); 4] = [
    (
        "Move",
        &[
            (&["←", "↑", "→", "↓"], "from node to node"),
            (&["Shift", "←", "→"], "out of, into a box"),
            (&["Home"], "to the root"),
            (&["N", "P"], "next, previous finding"),
        ],
    ),
    (
        "Look",
        &[
            (&["Space"], "fold or open a box"),
            (&["F"], "focus on the selected node"),
            (&["0"], "fit all"),
            (&["+", "-"], "zoom"),
            (&["/"], "find a node"),
        ],
    ),
    ("Time", &[(&["T"], "open or close the hook order"), (&["K"], "play or pause"), (&["]"], "next event")]),
    (
        "Act",
        &[
            (&["S"], "stop, shows the preview"),
            (&["Shift", "S"], "terminate, shows the preview"),
            (&["C"], "copy the address"),
            (&["Esc"], "close, step by step"),
        ],
    ),
];

/// The overview, while it is open.
#[component]
pub fn Help(
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    effect(move || {
        let Some(dialog) = dialog.get() else { return };
        if open.get() {
            let _ = dialog.show_modal();
        } else {
            dialog.close();
        }
    });
    let group = |(title, lines): (&'static str, &'static [Line])| {
        let rows = lines
            .iter()
            .map(|(keys, does)| {
                let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd> }).collect::<Vec<_>>();
                view! { <div><dt>{keys}</dt><dd>{*does}</dd></div> }
            })
            .collect::<Vec<_>>();
        view! { <section><h3>{title}</h3><dl>{rows}</dl></section> }
    };
    view! {
        <dialog node_ref=dialog class="keys" aria-label="Keys" on:close=move |_| open.set(false)>
            <header>
                <h2>"Keys"</h2>
                <span class="grow"></span>
                <Button label="Close" glyph=Glyph::Close class="quiet s" only_glyph=true on_press=move || open.set(false) />
            </header>
            <div class="kg">{GROUPS.map(group).collect_view()}</div>
        </dialog>
    }
}
