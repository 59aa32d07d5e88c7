//! The dashboard of Unwind, in WASM.
//!
//! `data` talks, `state` keeps, `unwind-present` computes, `view` draws, `widgets` know nothing of
//! workflows. `state::reduce` is the only writer of what is shown of a workflow. It runs in a browser
//! only; natively the program says so, and the modules that need no browser are tested.

mod app;
mod data;
mod routes;
mod state;
mod view;
mod widgets;

#[cfg(target_arch = "wasm32")]
fn main() {
    // A panic ends the page; its message would be lost otherwise.
    std::panic::set_hook(Box::new(|info| leptos::logging::error!("{info}")));
    leptos::mount::mount_to_body(app::App);
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("this program is the page and runs in a browser: build it with `cargo xtask page`");
    std::process::exit(2);
}
