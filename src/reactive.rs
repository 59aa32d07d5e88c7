//! Memos and effects by one type each.
//!
//! A closure has a type of its own, and leptos compiles a memo or effect anew for each of them. Here
//! closures are boxed, so that there is one memo for each kind of value and one effect in all, which
//! keeps the page small.

use leptos::prelude::*;

/// A value that is worked out again when what it reads changes.
pub fn memo<T: PartialEq + Send + Sync + 'static>(
    work_out: impl Fn() -> T + Send + Sync + 'static,
) -> Memo<T> {
    boxed_memo(Box::new(work_out))
}

fn boxed_memo<T: PartialEq + Send + Sync + 'static>(work_out: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
    Memo::new(move |_| work_out())
}

/// Something that is done again when what it reads changes.
pub fn effect(act: impl Fn() + 'static) {
    boxed_effect(Box::new(act));
}

fn boxed_effect(act: Box<dyn Fn()>) {
    Effect::new(move |_| act());
}
