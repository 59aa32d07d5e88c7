//! The header of a workflow: name, phase, live mark, actions; truth line and facts below.

use leptos::prelude::*;
use unwind_engine::Way;
use unwind_present::capability::{self, Reason};
use unwind_present::format;
use unwind_present::glyph::Glyph;
use unwind_present::graph::Clock;
use unwind_present::phase::Look;
use unwind_present::truth::{TruthKind, truth_line};
use unwind_present::unwinding::Unwinding;
use unwind_present::words;

use super::link::Link;
use super::rich::RichText;
use crate::reactive::memo;
use crate::routes::{Address, Route};
use crate::state::shown::Origin;
use crate::state::{State, use_state};
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::{LiveMark, PhaseMark};

/// The header. `children`: further actions, left of Stop.
#[component]
pub fn Header(#[prop(optional)] children: Option<Children>) -> impl IntoView {
    let state = use_state();
    let shown = state.shown;
    let name = move || shown.study.get().map(|study| study.roster.workflow.clone());
    let place = move || match shown.origin.get() {
        Origin::Server(run) => {
            let list = Address::new(Route::List { namespace: Some(run.namespace.clone()) });
            view! { <Link to=list class="ns">{run.namespace}</Link> }.into_any()
        }
        Origin::Rehearsal => view! { <span class="ns">"Rehearsal"</span> }.into_any(),
        Origin::File | Origin::None => {
            let file = state.documents.open.get().map(|open| open.file.clone());
            view! { <span class="ns">{file}</span> }.into_any()
        }
    };
    let look =
        memo(move || shown.workflow.get().map_or(Look::Pending, |workflow| Look::of_workflow(&workflow)));
    let freshness = Signal::derive(move || state.freshness());
    let live_look = Signal::derive(move || freshness.get().attribute().to_owned());
    let live_word = Signal::derive(move || freshness.get().text(state.wall_clock.get(), shown.zone.get()));
    view! {
        <header class="wfhead">
            <div class="wf-1">
                {dynamic(place)}
                <span class="sl" aria-hidden="true">"/"</span>
                <h1>{dynamic(name)}</h1>
                <PhaseMark look=Signal::derive(move || look.get().word().to_owned())
                    glyph=Signal::derive(move || look.get().glyph())
                    word=Signal::derive(move || look.get().word().to_owned()) pill=true />
                <LiveMark look=live_look word=live_word />
                <span class="grow"></span>
                <div class="actions">
                    {children.map(|children| children())}
                    <Ending />
                </div>
            </div>
            <div class="wf-2">
                <Truth />
                <span class="grow"></span>
                <Facts />
            </div>
        </header>
    }
}

/// Where the workflow comes from, as far as it decides what may be done.
pub fn capability_origin(state: State) -> capability::Origin {
    match state.shown.origin.get() {
        Origin::Server(_) => capability::Origin::Server,
        Origin::Rehearsal => capability::Origin::Page,
        Origin::File | Origin::None => capability::Origin::File,
    }
}

/// Why a way is not possible now, in words.
pub fn refusal(
    state: State,
    may: fn(&unwind_model::Workflow, capability::Origin) -> Result<(), Reason>,
) -> Option<String> {
    let workflow = state.shown.workflow.get()?;
    may(&workflow, capability_origin(state)).err().map(|reason| reason.text(state.shown.zone.get()))
}

/// Stop and, while a stop is under way, its state with Terminate beside it.
#[component]
fn Ending() -> impl IntoView {
    let state = use_state();
    let shown = state.shown;
    let unwinding = memo(move || shown.study.get().and_then(|study| Unwinding::of(&study)));
    let stop_reason = Signal::derive(move || refusal(state, capability::stop));
    let terminate_reason = Signal::derive(move || refusal(state, capability::terminate));
    let is_stopping = memo(move || unwinding.get().is_some() || shown.asked.get().is_some());
    dynamic(move || {
        if is_stopping.get() {
            view! {
                <Stopping />
                <Button label="Terminate…" class="quiet" reason=terminate_reason
                    on_press=move || shown.preview.set(Some(Way::Terminate)) />
            }
            .into_any()
        } else {
            view! {
                <Button label="Stop…" glyph=Glyph::Stop class="stop" reason=stop_reason
                    on_press=move || shown.preview.set(Some(Way::Stop)) />
            }
            .into_any()
        }
    })
}

/// The Stop button while a stop is under way: which turn, and how far.
#[component]
fn Stopping() -> impl IntoView {
    let shown = use_state().shown;
    let unwinding = memo(move || shown.study.get().and_then(|study| Unwinding::of(&study)));
    let turn = move || {
        unwinding
            .get()
            .filter(|unwinding| unwinding.of > 0)
            .map(|unwinding| (unwinding.turn.max(1), unwinding.of))
    };
    let text = move || words::shutdown::stopping(turn());
    let done = move || {
        turn().map_or(5.0, |(turn, of)| f64::from(turn.saturating_sub(1)) / f64::from(of) * 100.0 + 5.0)
    };
    view! {
        <span class="btn stopping" role="status">
            <Icon glyph=Glyph::Stop size=13 />
            <span>{dynamic(text)}</span>
            <i style:width=move || format!("{:.0}%", done().min(100.0))></i>
        </span>
    }
}

#[component]
fn Truth() -> impl IntoView {
    let shown = use_state().shown;
    let line =
        memo(move || shown.study.get().map(|study| truth_line(&study, shown.now.get(), shown.zone.get())));
    dynamic(move || {
        line.get().map(|line| {
            let (kind, class) = match line.kind {
                TruthKind::Same => ("same", "dim"),
                TruthKind::Stopping => ("stop", "stopink"),
                TruthKind::Kept => ("kept", "ok"),
                TruthKind::Broken => ("broken", "bad"),
                TruthKind::CannotTell => ("unknown", "warn"),
                TruthKind::Differs => ("differs", "bad"),
                TruthKind::Cause => ("cause", "bad"),
            };
            view! {
                <p class="truth" data-truth=kind>
                    <Icon glyph=line.glyph class=class />
                    <span><RichText text=line.text /></span>
                </p>
            }
        })
    })
}

#[component]
fn Facts() -> impl IntoView {
    let shown = use_state().shown;
    let progress = move || {
        let study = shown.study.get()?;
        let counts = unwind_present::progress::Progress::of(&study);
        let bars = counts
            .looks
            .iter()
            .map(|(look, number)| {
                view! { <i data-phase=look.word() style:flex-grow=number.to_string()></i> }
            })
            .collect::<Vec<_>>();
        Some(view! {
            <div>
                <dt>"Progress"</dt>
                <dd><span class="progress" aria-hidden="true">{bars}</span><span>{counts.text}</span></dd>
            </div>
        })
    };
    let since = move || {
        let workflow = shown.workflow.get()?;
        let begun = workflow.status.started_at?;
        let clock = Clock { begun, ended: workflow.status.finished_at };
        Some(view! {
            <div>
                <dt>"Since"</dt>
                <dd>
                    <span>{shown.zone.get().time(begun)}</span>
                    <span class="dim">{dynamic(move || format::duration_clock(clock.ms(shown.now.get())))}</span>
                </dd>
            </div>
        })
    };
    view! { <dl class="facts">{dynamic(progress)}{dynamic(since)}</dl> }
}
