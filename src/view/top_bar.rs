//! The top bar: mark, pages, data source, open, theme, keys.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use super::link::Link;
use crate::reactive::memo;
use crate::routes::{Address, Route, Router};
use crate::state::use_state;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;

/// The top bar.
#[component]
pub fn TopBar() -> impl IntoView {
    let router = expect_context::<Router>();
    let state = use_state();
    let menu_open = RwSignal::new(false);
    let route = memo(move || router.address.with(|address| address.route.clone()));
    let in_workflows =
        Signal::derive(move || matches!(route.get(), Route::List { .. } | Route::Workflow { .. }));
    let in_rehearse = Signal::derive(move || route.get() == Route::Rehearse);
    let in_start = Signal::derive(move || route.get() == Route::Start);
    let theme = Signal::derive(move || {
        if state.settings.is_dark() { "Light theme" } else { "Dark theme" }.to_owned()
    });
    let pages = move |class: &'static str| {
        view! {
            <nav class=class aria-label="Main" on:click=move |_| menu_open.set(false)>
                <Link to=Address::new(Route::Start) class="narrow-link" current=in_start>"Start"</Link>
                <Link to=Address::new(Route::List { namespace: None }) current=in_workflows>"Workflows"</Link>
                <Link to=Address::new(Route::Rehearse) current=in_rehearse>"Rehearse"</Link>
            </nav>
        }
    };
    view! {
        <header class="top">
            <button class="btn quiet only narrow-only" type="button" aria-label="Menu"
                aria-expanded=Signal::derive(move || menu_open.get().to_string())
                on:click=move |_| menu_open.update(|open| *open = !*open)>
                <Icon glyph=Glyph::Menu />
            </button>
            <Link to=Address::new(Route::Start) class="brand">
                <Icon glyph=Glyph::Mark size=20 /><span>"Unwind"</span>
            </Link>
            {pages("")}
            <span class="grow"></span>
            <span class="source" title="Data source">
                <Icon glyph=Glyph::Http size=13 /><span>{dynamic(move || state.source_name())}</span>
            </span>
            <Button label="Open file…" glyph=Glyph::Open class="quiet hide-s" on_press=move || state.documents.pick() />
            <Button label=theme glyph=Glyph::Theme class="quiet" only_glyph=true
                on_press=move || state.settings.toggle_theme() />
            <Button label="Keys" glyph=Glyph::Help class="quiet hide-s" only_glyph=true
                on_press=move || state.help_open.set(true) />
            {dynamic(move || menu_open.get().then(|| pages("menu")))}
        </header>
    }
}
