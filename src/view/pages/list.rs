//! The list of workflows, live.

use std::sync::Arc;

use leptos::prelude::*;
use unwind_api::unwind::RunKey;
use unwind_model::Workflow;
use unwind_present::format;
use unwind_present::glyph::Glyph;
use unwind_present::graph::Clock;
use unwind_present::phase::Look;
use unwind_present::words::live::{no_workflows, nothing_matches};

use crate::reactive::memo;
use crate::routes::{Address, Route, Router};
use crate::state::use_state;
use crate::view::gate::Gate;
use crate::view::link::Link;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::{LiveMark, PhaseMark};
use crate::widgets::notice::Empty;

/// Phases that can be filtered for.
const FILTERS: [Look; 6] =
    [Look::Running, Look::Suspended, Look::Pending, Look::Failed, Look::Error, Look::Succeeded];
/// Rows that are drawn at most; the rest is found by filters.
const ROWS_MAX: usize = 500;

type Rows = Vec<(RunKey, Arc<Workflow>)>;

/// The page of the list.
#[component]
pub fn List() -> impl IntoView {
    view! { <Gate><Workflows /></Gate> }
}

#[component]
fn Workflows() -> impl IntoView {
    let state = use_state();
    let router = expect_context::<Router>();
    let search = RwSignal::new(String::new());
    let phase = RwSignal::new(None::<Look>);
    let namespace = memo(move || match router.address.with(|address| address.route.clone()) {
        Route::List { namespace } => namespace.unwrap_or_default(),
        Route::Start | Route::Workflow { .. } | Route::Rehearse | Route::File | Route::Unknown { .. } => {
            String::new()
        }
    });
    let all = memo(move || {
        let namespace = namespace.get();
        let rows = state.connection.known.with(crate::state::reduce::Known::rows);
        rows.into_iter()
            .filter(|(key, _)| namespace.is_empty() || key.namespace == namespace)
            .collect::<Rows>()
    });
    let rows = memo(move || {
        let (search, phase) = (search.get().trim().to_ascii_lowercase(), phase.get());
        let matches = |key: &RunKey, workflow: &Workflow| {
            phase.is_none_or(|phase| Look::of_workflow(workflow) == phase)
                && (search.is_empty()
                    || key.name.to_ascii_lowercase().contains(&search)
                    || workflow.status.message.to_ascii_lowercase().contains(&search))
        };
        all.get().into_iter().filter(|(key, workflow)| matches(key, workflow)).collect::<Rows>()
    });
    let freshness = Signal::derive(move || state.connection.freshness(state.wall_clock.get()));
    let zone = move || state.shown.zone.get();
    let shown = memo(move || (rows.with(Vec::len), all.with(Vec::len)));
    view! {
        <div class="listhead">
            <h1>"Workflows"{dynamic(move || {
                let namespace = namespace.get();
                (!namespace.is_empty()).then(|| view! { <span class="ns">" in " {namespace}</span> })
            })}</h1>
            <LiveMark look=Signal::derive(move || freshness.get().attribute().to_owned())
                word=Signal::derive(move || freshness.get().text(state.wall_clock.get(), zone())) />
            <span class="grow"></span>
            <Link to=Address::new(Route::Rehearse) class="btn primary"><Icon glyph=Glyph::Plus size=13 /><span>"Submit…"</span></Link>
        </div>
        <div class="filters">
            <label class="find wide">
                <Icon glyph=Glyph::Search size=13 />
                <input type="search" placeholder="Name or message" aria-label="Find a workflow"
                    prop:value=move || search.get() on:input=move |event| search.set(event_target_value(&event)) />
            </label>
            <div class="pfs" role="group" aria-label="Phase">
                <button type="button" class="pf" aria-pressed=Signal::derive(move || phase.get().is_none().to_string())
                    on:click=move |_| phase.set(None)>"All " <b class="num">{dynamic(move || all.with(Vec::len))}</b></button>
                {FILTERS.map(|look| view! { <Filter look=look phase=phase all=all /> }).collect_view()}
            </div>
        </div>
        {dynamic(move || {
            let (here, of) = shown.get();
            if here > 0 {
                view! { <Table rows=rows /> }.into_any()
            } else {
                let empty = if of == 0 { no_workflows(&namespace.get()) } else {
                    let filter = phase.get().map_or_else(|| search.get(), |look| look.word().to_owned());
                    nothing_matches(&filter, of)
                };
                view! { <div class="tablewrap"><Empty glyph=empty.glyph title=empty.title is_part=true><p>{empty.text}</p></Empty></div> }.into_any()
            }
        })}
        <footer class="status">
            <span>{dynamic(move || {
                let (here, of) = shown.get();
                format!("{}, {here} shown", format::count(of, "workflow", "workflows"))
            })}</span>
            <span class="grow"></span>
        </footer>
    }
}

#[component]
fn Filter(look: Look, phase: RwSignal<Option<Look>>, all: Memo<Rows>) -> impl IntoView {
    let number = memo(move || {
        all.with(|all| all.iter().filter(|(_, workflow)| Look::of_workflow(workflow) == look).count())
    });
    let toggle = move |_| phase.update(|phase| *phase = if *phase == Some(look) { None } else { Some(look) });
    view! {
        <button type="button" class="pf" aria-pressed=Signal::derive(move || (phase.get() == Some(look)).to_string()) on:click=toggle>
            <span class="ph" data-phase=look.word()><Icon glyph=look.glyph() size=13 /></span>
            {look.word()} " " <b class="num">{dynamic(move || number.get())}</b>
        </button>
    }
}

#[component]
fn Table(rows: Memo<Rows>) -> impl IntoView {
    let each = move || rows.get().into_iter().take(ROWS_MAX).map(|(key, _)| key).collect::<Vec<_>>();
    view! {
        <div class="tablewrap" tabindex="0" role="region" aria-label="List of workflows">
            <table class="wl">
                <thead>
                    <tr>
                        <th class="ph" scope="col">"Phase"</th>
                        <th class="nm" scope="col">"Name"</th>
                        <th class="ns" scope="col">"Namespace"</th>
                        <th class="pr" scope="col">"Progress"</th>
                        <th class="st" scope="col">"Started"</th>
                        <th class="du" scope="col">"Duration"</th>
                        <th class="msg" scope="col">"Message"</th>
                    </tr>
                </thead>
                <tbody>
                    <For each=each key=|key| key.clone() let(key)><Row key=key rows=rows /></For>
                </tbody>
            </table>
        </div>
    }
}

#[component]
fn Row(key: RunKey, rows: Memo<Rows>) -> impl IntoView {
    let state = use_state();
    let wanted = key.clone();
    let workflow = memo(move || {
        rows.with(|rows| rows.iter().find(|(key, _)| *key == wanted).map(|(_, workflow)| workflow.clone()))
    });
    let look = memo(move || workflow.get().map_or(Look::Pending, |workflow| Look::of_workflow(&workflow)));
    let status = move |get: fn(&Workflow) -> String| workflow.get().map(|workflow| get(&workflow));
    let begun = move || workflow.get().and_then(|workflow| workflow.status.started_at);
    let started = move || begun().map(|at| state.shown.zone.get().moment(at, state.wall_clock.get()));
    let duration = move || {
        let workflow = workflow.get()?;
        let clock = Clock { begun: workflow.status.started_at?, ended: workflow.status.finished_at };
        Some(clock.text(state.wall_clock.get()))
    };
    let to = Address::new(Route::Workflow { namespace: key.namespace.clone(), name: key.name.clone() });
    view! {
        <tr>
            <td class="ph">
                <PhaseMark look=Signal::derive(move || look.get().word().to_owned())
                    glyph=Signal::derive(move || look.get().glyph())
                    word=Signal::derive(move || look.get().word().to_owned()) />
            </td>
            <td class="nm"><Link to=to>{key.name}</Link></td>
            <td class="ns">{key.namespace}</td>
            <td class="pr num">{dynamic(move || status(|workflow| workflow.status.progress.clone()))}</td>
            <td class="st num">{dynamic(started)}</td>
            <td class="du num">{dynamic(duration)}</td>
            <td class="msg">{dynamic(move || status(|workflow| workflow.status.message.clone()))}</td>
        </tr>
    }
}
