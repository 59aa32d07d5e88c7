//! The frame around all pages: contexts, top bar, what is dropped anywhere, and the page of the route.

use leptos::prelude::*;

use crate::reactive::{effect, memo};
use crate::routes::{Address, Route, Router};
use crate::state::State;
use crate::view::drop_target::DropTarget;
use crate::view::help::Help;
use crate::view::notices::Notices;
use crate::view::pages;
use crate::view::top_bar::TopBar;
use crate::widgets::dynamic::dynamic;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let router = Router::start();
    let state = State::new(router);
    provide_context(router);
    provide_context(state);
    effect(move || {
        document().set_title(&title_of(&router.address.get()));
    });
    let route = memo(move || router.address.with(|address| address.route.clone()));
    let page = move || match route.get() {
        Route::Start => pages::start::Start().into_any(),
        Route::Rehearse => pages::rehearse::Rehearse().into_any(),
        Route::File => pages::file::File().into_any(),
        Route::List { .. } => pages::list::List().into_any(),
        Route::Workflow { .. } => pages::workflow::Workflow().into_any(),
        Route::Unknown { path } => view! { <pages::unknown::Unknown path=path /> }.into_any(),
    };
    let class = move || match route.get() {
        Route::Start | Route::Unknown { .. } => "screen",
        Route::Rehearse | Route::File | Route::List { .. } | Route::Workflow { .. } => "screen wf",
    };
    view! {
        <a class="skip" href="#main" on:click=|event| {
            event.prevent_default();
            focus_main();
        }>"Skip to content"</a>
        <div class=class>
            <TopBar />
            <Notices />
            <main id="main" tabindex="-1">{dynamic(page)}</main>
        </div>
        <DropTarget />
        <Help open=state.help_open />
    }
}

fn focus_main() {
    use wasm_bindgen::JsCast;
    if let Some(main) = document().get_element_by_id("main") {
        let _ = main.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}

fn title_of(address: &Address) -> String {
    match &address.route {
        Route::Start => "Unwind".to_owned(),
        Route::List { namespace: None } => "Workflows, Unwind".to_owned(),
        Route::List { namespace: Some(namespace) } => format!("Workflows in {namespace}, Unwind"),
        Route::Workflow { name, .. } => format!("{name}, Unwind"),
        Route::Rehearse => "Rehearsal, Unwind".to_owned(),
        Route::File => "From a file, Unwind".to_owned(),
        Route::Unknown { .. } => "Not found, Unwind".to_owned(),
    }
}
