//! A link to another page of this page.

use leptos::prelude::*;

use crate::routes::{Address, Router};

/// A link that works as an address too: it can be copied, and opened in a new tab.
#[component]
pub fn Link(
    /// Where it leads.
    #[prop(into)]
    to: Signal<Address>,
    /// Class names.
    #[prop(default = "")]
    class: &'static str,
    /// True when this is the page that is shown.
    #[prop(optional, into)]
    current: Signal<bool>,
    /// The visible words.
    children: Children,
) -> impl IntoView {
    let router = expect_context::<Router>();
    view! {
        <a class=class href=Signal::derive(move || router.href(&to.get())) data-route=Signal::derive(move || to.get().text())
            aria-current=Signal::derive(move || current.get().then_some("page"))>{children()}</a>
    }
}
