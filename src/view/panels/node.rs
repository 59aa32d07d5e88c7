//! The panel of the selected node: summary, what went in and out, its log, its JSON.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;
use unwind_present::hook_state::Chip;
use unwind_present::panel::{Fact, FactValue, HookFact, Panel, Parameter, TryFact, panel};
use unwind_present::phase::{Look, verdict_glyph, verdict_word};
use unwind_present::preview::CalloutTone;

use super::log::{Log, LogTail};
use crate::reactive::memo;
use crate::state::shown::Shared;
use crate::state::use_state;
use crate::view::rich::RichText;
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::{PhaseMark, Turn, VerdictMark};
use crate::widgets::notice::Callout;
use crate::widgets::tabs::{Tab, Tabs};

/// The panel of the selected node.
#[component]
pub fn NodePanel() -> impl IntoView {
    let shown = use_state().shown;
    let tab = RwSignal::new("summary".to_owned());
    let panel = memo(move || {
        let study = shown.study.get()?;
        let member = study.roster.find(&shown.selected.get()?)?;
        let (now, zone) = (shown.now.get(), shown.zone.get());
        Some(panel(&study, member, now, zone, &shown.estimates.get()))
    });
    let tabs = vec![
        Tab::new("summary", "Summary"),
        Tab::new("values", "In and out"),
        Tab::new("log", "Log"),
        Tab::new("json", "JSON"),
    ];
    let title = move || panel.get().map(|panel| panel.title);
    let on_key = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            shown.deselect();
        }
    };
    view! {
        <aside class="panel node" role="complementary" aria-label=Signal::derive(move || title().map(|title| format!("Node {title}")))
            on:keydown=on_key>
            <header class="p-h">
                <div class="p-t">
                    {dynamic(move || panel.get().map(|panel| view! {
                        <span class="ph" data-phase=panel.look.word()><Icon glyph=panel.look.glyph() size=16 /></span>
                    }))}
                    <h2>{dynamic(title)}</h2>
                    <span class="grow"></span>
                    <Button label="Close" glyph=Glyph::Close class="quiet s" only_glyph=true
                        on_press=move || shown.deselect() />
                </div>
                {dynamic(move || panel.get().map(|panel| view! { <Path panel=panel /> }))}
            </header>
            <Tabs tabs=tabs open=Signal::derive(move || tab.get()) label="Node" on_open=move |id| tab.set(id) />
            <div class="p-b" tabindex="0" role="tabpanel" aria-label="Node">
                {dynamic(move || {
                    let panel = panel.get()?;
                    Some(match tab.get().as_str() {
                        "values" => view! { <Values panel=panel /> }.into_any(),
                        "log" => view! { <Log node=panel.log_node.clone() title=panel.title.clone() /> }.into_any(),
                        "json" => view! { <Json panel=panel /> }.into_any(),
                        _ => view! { <Summary panel=panel open_log=move |()| tab.set("log".to_owned()) /> }.into_any(),
                    })
                })}
            </div>
        </aside>
    }
}

/// Where the node is, as links.
#[component]
fn Path(panel: Panel) -> impl IntoView {
    let shown = use_state().shown;
    let links = panel
        .path
        .into_iter()
        .map(|(node, label)| {
            view! {
                <button type="button" class="link" on:click=move |_| shown.select(&node)>{label}</button> " / "
            }
        })
        .collect::<Vec<_>>();
    view! { <p class="path">{links}{panel.path_end}</p> }
}

#[component]
fn Summary(panel: Panel, #[prop(into)] open_log: Callback<()>) -> impl IntoView {
    let callout = panel.callout.map(|callout| {
        let tone = match callout.tone {
            CalloutTone::Kept => "plain",
            CalloutTone::Unsure => "unknown",
            CalloutTone::Broken => "broken",
        };
        view! { <Callout tone=tone glyph=callout.glyph><RichText text=callout.text /></Callout> }
    });
    let facts = panel.facts.into_iter().map(|fact| view! { <FactRow fact=fact /> }).collect::<Vec<_>>();
    let has_hooks = !panel.hooks.is_empty();
    let hooks = panel.hooks.into_iter().map(|hook| view! { <HookRow hook=hook /> }).collect::<Vec<_>>();
    let tries = panel.tries;
    view! {
        {callout}
        <dl class="kv">{facts}</dl>
        {(!panel.why.is_empty()).then(|| view! { <h3>"Why now"</h3> <p class="note">{panel.why}</p> })}
        {(!tries.is_empty()).then(|| view! { <h3>"Tries"</h3> <Tries tries=tries /> })}
        {has_hooks.then(|| view! {
            <h3>"Hooks"</h3>
            <ul class="hooklist">{hooks}</ul>
            <p class="note">{panel.hooks_note}</p>
        })}
        <LogTail node=panel.log_node open=open_log />
    }
}

#[component]
fn FactRow(fact: Fact) -> impl IntoView {
    let shown = use_state().shown;
    let phase = |look: Look| {
        view! { <PhaseMark look=look.word().to_owned() glyph=look.glyph() word=look.word().to_owned() /> }
    };
    let value = match fact.value {
        FactValue::Text { text, more } => view! { {text} " " <span class="dim">{more}</span> }.into_any(),
        FactValue::Phase(look) => phase(look).into_any(),
        FactValue::Node { node, label, look } => view! {
            <button type="button" class="link" on:click=move |_| shown.select(&node)>{label}</button> " " {phase(look)}
        }
        .into_any(),
        FactValue::Turn { expected, actual, of, verdict } => {
            let chip = |chip: Chip| view! { <Turn text=chip.text state=chip.state.attribute() /> };
            let verdict = verdict.map(|holds| {
                view! { <VerdictMark look=verdict_word(holds) glyph=verdict_glyph(holds) word=verdict_word(holds) /> }
            });
            match (expected, actual) {
                (Some(expected), None) => view! { {chip(expected)} {format!(" of {of} ")} {verdict} }.into_any(),
                (expected, actual) => view! {
                    {expected.map(|expected| view! { "expected " {chip(expected)} " " })}
                    {actual.map(|actual| view! { "actual " {chip(actual)} " " })}
                    {verdict}
                }
                .into_any(),
            }
        }
    };
    view! { <div><dt>{fact.key}</dt><dd>{value}</dd></div> }
}

#[component]
fn HookRow(hook: HookFact) -> impl IntoView {
    let shown = use_state().shown;
    let look = hook.look;
    view! {
        <li>
            {hook.chip.map(|chip| view! { <Turn text=chip.text state=chip.state.attribute() /> })}
            <Icon glyph=hook.glyph class="dim" />
            <button type="button" class="link plainlink nm" on:click=move |_| shown.select(&hook.node)>{hook.title}</button>
            <span class="dim">{hook.when}</span>
            <PhaseMark look=look.word().to_owned() glyph=look.glyph() word=look.word().to_owned() />
        </li>
    }
}

#[component]
fn Tries(tries: Vec<TryFact>) -> impl IntoView {
    let rows = tries
        .into_iter()
        .map(|one| {
            view! {
                <li>
                    <span class="num">{one.number}</span>
                    <PhaseMark look=one.look.word().to_owned() glyph=one.look.glyph() word=one.look.word().to_owned() />
                    <span class="dim num">{one.duration}</span>
                    <span class="dim">{one.message}</span>
                </li>
            }
        })
        .collect::<Vec<_>>();
    view! { <ul class="plain">{rows}</ul> }
}

#[component]
fn Values(panel: Panel) -> impl IntoView {
    view! {
        <h3>"In"</h3>
        <Parameters parameters=panel.inputs />
        <h3>"Out"</h3>
        <Parameters parameters=panel.outputs />
    }
}

#[component]
fn Parameters(parameters: Vec<Parameter>) -> impl IntoView {
    if parameters.is_empty() {
        return view! { <p class="note">"Nothing"</p> }.into_any();
    }
    let rows = parameters
        .into_iter()
        .map(|parameter| {
            view! { <div><dt>{parameter.name}</dt><dd class="mono">{parameter.value}</dd></div> }
        })
        .collect::<Vec<_>>();
    view! { <dl class="kv">{rows}</dl> }.into_any()
}

/// The node as the server stores it.
#[component]
fn Json(panel: Panel) -> impl IntoView {
    let shown = use_state().shown;
    let text = move || {
        let workflow: Shared<_> = shown.workflow.get()?;
        let node = workflow.status.nodes.get(panel.id.as_ref()?)?;
        serde_json::to_string_pretty(node).ok()
    };
    dynamic(move || match text() {
        Some(text) => view! { <pre class="source-text">{text}</pre> }.into_any(),
        None => view! { <p class="note">"It is only planned: no node exists yet."</p> }.into_any(),
    })
}
