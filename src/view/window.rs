//! Long lists: only the rows in view and some around them are in the document.

use std::ops::Range;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use crate::reactive::effect;
use crate::widgets::dynamic::dynamic;

/// Lists of up to so many rows are in the document as a whole.
const WHOLE: usize = 40;
/// Rows come and go in groups of this size; one group stands above and below what is in view.
const STEP: usize = 8;
/// So many entries of a list are shown before more are asked for.
const FIRST_ENTRIES: usize = 60;

/// The rows of `list` that are in the document. All rows have the height `row_px`; the first one stands at the
/// upper edge of `list`, whatever scrolls it.
pub fn rows_in_view(
    list: NodeRef<html::Div>,
    row_px: f64,
    count: impl Fn() -> usize + Copy + 'static,
) -> RwSignal<Range<usize>> {
    let rows = RwSignal::new(0..0);
    let look = move || {
        let Some(Some(element)) = list.try_get_untracked() else { return };
        let top = element.get_bounding_client_rect().top();
        let screen = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        let now = in_view((-top, screen - top), row_px, untrack(count));
        if rows.try_with_untracked(|before| *before != now) == Some(true) {
            rows.set(now);
        }
    };
    effect(move || {
        count();
        list.track();
        look();
        request_animation_frame(look);
    });
    listen(look);
    rows
}

/// The rows between two heights below the upper edge of the list.
fn in_view((top, bottom): (f64, f64), row_px: f64, count: usize) -> Range<usize> {
    if count <= WHOLE {
        return 0..count;
    }
    let row = |y: f64| (y / row_px).max(0.0) as usize;
    let first = (row(top) / STEP * STEP).saturating_sub(STEP);
    let last = (row(bottom) / STEP + 2) * STEP;
    first.min(count)..last.min(count)
}

/// Calls `look` whenever anything is scrolled or the window changes its size, for as long as the owner lives.
fn listen(look: impl Fn() + Copy + 'static) {
    let look = Closure::<dyn Fn()>::new(look);
    let call = look.as_ref().unchecked_ref::<js_sys::Function>();
    let _ = window().add_event_listener_with_callback_and_bool("scroll", call, true);
    let _ = window().add_event_listener_with_callback("resize", call);
    let look = StoredValue::new_local(Some(look));
    on_cleanup(move || {
        look.try_update_value(|look| {
            if let Some(look) = look.take() {
                let call = look.as_ref().unchecked_ref::<js_sys::Function>();
                let _ = window().remove_event_listener_with_callback_and_bool("scroll", call, true);
                let _ = window().remove_event_listener_with_callback("resize", call);
            }
        });
    });
}

/// Of `total` entries the first are shown: true once all of them are wanted, and the button for that.
pub fn all_entries(total: usize) -> (RwSignal<bool>, AnyView) {
    let wants_all = RwSignal::new(total <= FIRST_ENTRIES);
    let button = move || {
        (!wants_all.get()).then(|| {
            view! {
                <button type="button" class="link more" on:click=move |_| wants_all.set(true)>
                    {format!("Show {} more", total - FIRST_ENTRIES)}
                </button>
            }
        })
    };
    (wants_all, dynamic(button))
}

/// How many entries are shown.
pub fn entries(wants_all: RwSignal<bool>) -> usize {
    if wants_all.get() { usize::MAX } else { FIRST_ENTRIES }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lists_are_there_as_a_whole() {
        assert_eq!(in_view((0.0, 0.0), 26.0, 40), 0..40);
    }

    #[test]
    fn of_long_lists_what_is_in_view_and_a_group_around_it() {
        assert_eq!(in_view((-500.0, 220.0), 26.0, 1000), 0..24);
        assert_eq!(in_view((2_600.0, 3_400.0), 26.0, 1000), 88..144);
        assert_eq!(in_view((26_000.0, 26_800.0), 26.0, 1000), 992..1000);
        assert_eq!(in_view((99_999.0, 100_799.0), 26.0, 1000), 1000..1000);
    }
}
