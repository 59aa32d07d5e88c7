//! The transport of a rehearsal: play, step, pace, clock, past events, and how its leaves go.

use std::collections::BTreeMap;

use leptos::prelude::*;
use unwind_model::{NodeName, Timestamp};
use unwind_present::format;
use unwind_present::glyph::Glyph;

use crate::reactive::memo;
use crate::state::rehearsal::{LeafPlan, Speed};
use crate::state::use_state;
use crate::view::engine_stage::EngineStage;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;

/// Durations that can be chosen, in s.
const SECONDS: [i64; 5] = [3, 12, 60, 600, 3_600];

/// Two lines below the graph.
#[component]
pub fn Transport() -> impl IntoView {
    let rehearsal = use_state().rehearsal;
    let play = Signal::derive(move || if rehearsal.is_playing.get() { "Pause" } else { "Play" }.to_owned());
    let over = Signal::derive(move || match (rehearsal.has_more.get(), rehearsal.awaits_resume.get()) {
        (true, _) => None,
        (false, true) => Some("It waits until it is resumed".to_owned()),
        (false, false) => Some("Nothing more will happen".to_owned()),
    });
    let play_button = move || {
        let glyph = if rehearsal.is_playing.get() { Glyph::Suspend } else { Glyph::Resume };
        view! {
            <Button label=play glyph=glyph class="quiet" only_glyph=true reason=over
                on_press=move || rehearsal.is_playing.update(|is_playing| *is_playing = !*is_playing) />
        }
    };
    let speeds = Speed::ALL
        .map(|speed| {
            view! {
                <button type="button" aria-pressed=Signal::derive(move || (rehearsal.speed.get() == speed).to_string())
                    on:click=move |_| rehearsal.speed.set(speed)>{format!("{}×", speed.factor())}</button>
            }
        })
        .collect_view();
    let clock = move || format::duration_clock(rehearsal.now.get() - rehearsal.begun.get());
    view! {
        <section class="transport" aria-label="Rehearsal">
            <div class="tr-1">
                {dynamic(play_button)}
                <Button label="One event on" glyph=Glyph::Step class="quiet" only_glyph=true reason=over
                    on_press=move || rehearsal.step() />
                <div class="seg" role="group" aria-label="Speed">
                    {speeds}
                    <button type="button" on:click=move |_| rehearsal.to_the_end()>"To the end"</button>
                </div>
                {dynamic(move || rehearsal.awaits_resume.get().then(|| view! {
                    <Button label="Resume" glyph=Glyph::Resume class="resume" on_press=move || rehearsal.resume() />
                }))}
                <span class="clock num">{dynamic(clock)}</span>
                <Track />
                <Button label="Start over" glyph=Glyph::Retry class="quiet start-over" on_press=move || {
                    rehearsal.start_over();
                    rehearsal.is_playing.set(true);
                } />
            </div>
            <EngineStage />
            <Outcomes />
        </section>
    }
}

/// A line from the begin to the last instant, with a tick for each event.
#[component]
fn Track() -> impl IntoView {
    let rehearsal = use_state().rehearsal;
    let ticks = move || {
        let begun = rehearsal.begun.get();
        let span = (rehearsal.now.get() - begun).max(1) as f64;
        rehearsal.events.with(|events| {
            let last: Vec<Timestamp> = events.iter().rev().take(200).copied().collect();
            last.into_iter()
                .map(|at| {
                    let x = (at - begun) as f64 / span * 96.0;
                    let x = format!("{x:.2}%");
                    view! { <line x1=x.clone() x2=x y1="4" y2="16" class="sl-ev" /> }
                })
                .collect::<Vec<_>>()
        })
    };
    view! {
        <svg class="scrub" height="20" aria-hidden="true">
            <line x1="0" x2="100%" y1="10" y2="10" class="sl-base" />
            <line x1="0" x2="96%" y1="10" y2="10" class="sl-done" />
            {dynamic(ticks)}
            <circle cx="96%" cy="10" r="6" class="sl-knob" />
        </svg>
    }
}

/// How the leaves go, one choice for each template.
#[component]
fn Outcomes() -> impl IntoView {
    let state = use_state();
    let groups = memo(move || {
        let mut groups: BTreeMap<String, Vec<NodeName>> = BTreeMap::new();
        let Some(study) = state.shown.study.get() else { return groups };
        for name in state.rehearsal.leaves.get().into_keys() {
            if let Some(member) = study.roster.find(&name) {
                groups.entry(study.roster.member(member).template.clone()).or_default().push(name);
            }
        }
        groups
    });
    let choices = move || {
        groups
            .get()
            .into_iter()
            .map(|(template, names)| view! { <Outcome template=template names=names /> })
            .collect::<Vec<_>>()
    };
    view! { <div class="tr-2"><span class="lbl">"Outcome of leaves"</span>{dynamic(choices)}</div> }
}

#[component]
fn Outcome(template: String, names: Vec<NodeName>) -> impl IntoView {
    let rehearsal = use_state().rehearsal;
    let title = match names.len() {
        1 => template.clone(),
        number => format!("{template}, {number} times"),
    };
    let label = format!("Outcome of {template}");
    let first = names.first().cloned();
    let value = move || {
        let leaf = first.as_ref().and_then(|name| rehearsal.leaves.with(|leaves| leaves.get(name).copied()));
        leaf.map(write).unwrap_or_default()
    };
    let choose = move |event| {
        if let Some(leaf) = read(&event_target_value(&event)) {
            rehearsal.set_leaves(&names, leaf);
        }
    };
    let options = [0, 1].into_iter().flat_map(|exit_code| SECONDS.map(|s| (exit_code, s))).map(|(exit_code, s)| {
        let leaf = LeafPlan { duration_ms: s * 1000, exit_code };
        let end = if exit_code == 0 { "ends Succeeded" } else { "ends Failed" };
        view! { <option value=write(leaf)>{format!("{end} after {}", format::duration(s * 1000))}</option> }
    });
    view! {
        <label class="oc-leaf">
            <span>{title}</span>
            <select aria-label=label prop:value=value on:change=choose>{options.collect::<Vec<_>>()}</select>
        </label>
    }
}

fn write(leaf: LeafPlan) -> String {
    format!("{}/{}", leaf.exit_code, leaf.duration_ms)
}

fn read(text: &str) -> Option<LeafPlan> {
    let (exit_code, duration_ms) = text.split_once('/')?;
    Some(LeafPlan { duration_ms: duration_ms.parse().ok()?, exit_code: exit_code.parse().ok()? })
}
