//! A saved run, from a file or a sample.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use crate::reactive::{effect, memo};
use crate::routes::Router;
use crate::state::use_state;
use crate::view::run::RunView;
use crate::view::samples::SampleList;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::notice::Empty;

/// The page of a saved run.
#[component]
pub fn File() -> impl IntoView {
    let state = use_state();
    let router = expect_context::<Router>();
    effect(move || {
        if let Some(id) = router.address.get().get("sample") {
            state.documents.open_sample(id);
        }
    });
    let is_there = memo(move || state.shown.workflow.get().is_some());
    dynamic(move || {
        if is_there.get() {
            view! { <RunView /> }.into_any()
        } else {
            view! {
                <Empty glyph=Glyph::Open title="No saved run is open">
                    <p>"Drop the status of a run here, as argo get -o json writes it."</p>
                    <div class="ea">
                        <Button label="Open a file…" glyph=Glyph::Open on_press=move || state.documents.pick() />
                    </div>
                    <SampleList only_runs=true />
                </Empty>
            }
            .into_any()
        }
    })
}
