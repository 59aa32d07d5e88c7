//! Parts of a view that are made anew when what they read changes.
//!
//! A closure in a view has a type of its own, and leptos compiles all it can do with it for each. Here
//! they become one type, which keeps the page small.

use leptos::prelude::*;

/// A part of a view that follows what `make` reads.
pub fn dynamic<V: IntoView + 'static>(make: impl Fn() -> V + Send + 'static) -> AnyView {
    erased(Box::new(move || make().into_any()))
}

fn erased(make: Box<dyn Fn() -> AnyView + Send>) -> AnyView {
    (move || make()).into_any()
}
