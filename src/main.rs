//! The dashboard of Unwind, in WASM.
//!
//! `data` talks, `state` keeps, `unwind-present` computes, `view` draws, `widgets` know nothing of
//! workflows. `state::reduce` is the only writer of what is shown of a workflow. It runs in a browser
//! only; natively it is compiled for the tests of what needs no browser.

mod app;
mod data;
mod reactive;
mod routes;
mod state;
mod view;
mod widgets;

fn main() {
    // A panic ends the page; its message would be lost otherwise.
    std::panic::set_hook(Box::new(|info| leptos::logging::error!("{info}")));
    leptos::mount::mount_to_body(app::App);
}
