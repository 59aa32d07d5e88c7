//! An address that no page has.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use crate::routes::{Address, Route};
use crate::view::link::Link;
use crate::widgets::notice::Empty;

/// Says so, and where to go.
#[component]
pub fn Unknown(
    /// The path.
    path: String,
) -> impl IntoView {
    view! {
        <Empty glyph=Glyph::Search title="There is no such page">
            <p>{format!("Nothing is at /{}.", path.trim_start_matches('/'))}</p>
            <div class="ea"><Link to=Address::new(Route::Start) class="btn">"To the start"</Link></div>
        </Empty>
    }
}
