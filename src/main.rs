//! The dashboard of Unwind. It runs in a browser only; natively the program says so, and the modules that
//! need no browser are tested.

#[cfg(target_arch = "wasm32")]
fn main() {
    use leptos::{mount::mount_to_body, prelude::*};
    mount_to_body(|| view! { <main><h1>"Unwind"</h1></main> });
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("this program is the page and runs in a browser: build it with `cargo xtask page`");
    std::process::exit(2);
}
