//! A manifest that runs in this page: its text, the run, the transport. With `?report` only the report
//! that `unwind rehearse --json` prints.

use leptos::prelude::*;
use unwind_engine::host::{Answer, Request};
use unwind_model::Workflow;
use unwind_present::glyph::Glyph;

use crate::reactive::{effect, memo};
use crate::routes::Router;
use crate::state::engine::Stage;
use crate::state::{actions, use_state};
use crate::view::engine_stage::EngineStage;
use crate::view::rehearse::manifest::Manifest;
use crate::view::rehearse::transport::Transport;
use crate::view::run::RunView;
use crate::view::samples::SampleList;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::notice::Empty;

/// The page of a rehearsal.
#[component]
pub fn Rehearse() -> impl IntoView {
    let state = use_state();
    let router = expect_context::<Router>();
    effect(move || {
        if let Some(id) = router.address.get().get("sample") {
            state.documents.open_sample(id);
        }
    });
    let manifest = memo(move || {
        state.documents.open.get().filter(|open| !open.is_run()).map(crate::state::shown::Shared)
    });
    let wants_report = memo(move || router.address.get().get("report").is_some());
    effect(move || {
        if let Some(open) = manifest.get().filter(|_| !wants_report.get()) {
            state.rehearsal.begin(std::sync::Arc::new(open.workflow.clone()));
        }
    });
    let is_there = memo(move || state.shown.workflow.get().is_some());
    dynamic(move || {
        let Some(open) = manifest.get() else { return nothing_open(state).into_any() };
        if wants_report.get() {
            let stop_at = router.address.get().get("stop-at").map(str::to_owned);
            return report(state, &open.workflow, stop_at).into_any();
        }
        if !is_there.get() {
            return ().into_any();
        }
        view! {
            <RunView actions=Box::new(move || submit_button(state).into_any())
                left=Box::new(|| view! { <Manifest /> }.into_any())
                below=Box::new(|| view! { <Transport /> }.into_any()) />
        }
        .into_any()
    })
}

/// What `unwind rehearse --json` prints of the workflow.
fn report(state: crate::state::State, workflow: &Workflow, stop_at: Option<String>) -> impl IntoView {
    let engine = state.engine;
    engine.want();
    let request = Request::Report { workflow: Box::new(workflow.clone()), stop_at };
    let text = RwSignal::new(None::<String>);
    effect(move || {
        if engine.stage.get() != Stage::Ready {
            return;
        }
        engine.ask(&request, move |answer| {
            text.set(match answer {
                Answer::Reported { text } => Some(text),
                Answer::Refused { message } => Some(message),
                Answer::Moved(_) | Answer::Predicted(_) | Answer::Foreseen { .. } => None,
            });
        });
    });
    view! {
        <EngineStage />
        {dynamic(move || text.get().map(|text| view! { <pre class="report">{text}</pre> }))}
    }
}

fn submit_button(state: crate::state::State) -> impl IntoView {
    let submit = move || {
        if let Some(open) = state.documents.open.get_untracked() {
            actions::submit(state, open.workflow.clone());
        }
    };
    let reason =
        Signal::derive(move || state.is_submitting.get().then(|| "It is being submitted".to_owned()));
    dynamic(move || {
        state.has_server().then(|| {
            view! { <Button label="Submit" glyph=Glyph::Plus reason=reason on_press=submit /> }
        })
    })
}

fn nothing_open(state: crate::state::State) -> impl IntoView {
    view! {
        <Empty glyph=Glyph::Resume title="Nothing to rehearse yet">
            <p>"Drop a manifest here: it runs in this page with made-up durations, and can be stopped at any instant."</p>
            <div class="ea">
                <Button label="Open a manifest…" glyph=Glyph::Open on_press=move || state.documents.pick() />
            </div>
            <SampleList only_runs=false />
        </Empty>
    }
}
