//! What is said while the engine is not there: that it is on its way, or why it did not come.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use crate::state::engine::Stage;
use crate::state::use_state;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::notice::Callout;

/// Nothing once the engine is ready.
#[component]
pub fn EngineStage() -> impl IntoView {
    let engine = use_state().engine;
    dynamic(move || match engine.stage.get() {
        Stage::Ready => ().into_any(),
        Stage::Absent | Stage::Loading => {
            view! { <p class="note engine-stage" role="status">"Loading the engine…"</p> }.into_any()
        }
        Stage::Failed { message } => view! {
            <div class="engine-stage" role="alert">
                <Callout tone="broken" glyph=Glyph::Failed>
                    {format!("The engine cannot be used: {message}. Nothing that runs is touched by this. ")}
                    <Button label="Load it again" class="s" on_press=move || engine.load() />
                </Callout>
            </div>
        }
        .into_any(),
    })
}
