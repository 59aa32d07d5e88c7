//! The preview of Stop and Terminate: what ends, what runs in which order, what will not run.
//!
//! It takes the place of the node panel and is never a modal. The consequence comes before the press.

use leptos::html;
use leptos::prelude::*;
use unwind_engine::Way;
use unwind_present::glyph::Glyph;
use unwind_present::preview::{CalloutTone, EndLine, HookLine, ListBracket, NotRunLine, Preview};
use unwind_present::words;
use wasm_bindgen::JsCast;

use super::bracket_list::gutter;
use crate::reactive::{effect, memo};
use crate::state::engine::Stage;
use crate::state::shown::Shared;
use crate::state::{actions, use_state};
use crate::view::engine_stage::EngineStage;
use crate::view::rich::RichText;
use crate::view::window::{all_entries, entries};
use crate::widgets::button::Button;
use crate::widgets::dynamic::dynamic;
use crate::widgets::glyph::Icon;
use crate::widgets::mark::Turn;
use crate::widgets::notice::Callout;
use crate::widgets::tabs::{Tab, Tabs};

/// The preview that is open.
#[component]
pub fn StopPreview() -> impl IntoView {
    let state = use_state();
    let shown = state.shown;
    let head = NodeRef::<html::H2>::new();
    effect(move || {
        if let Some(head) = head.get() {
            let _ = head.focus();
        }
    });
    let close = move || shown.preview.set(None);
    let on_key = move |event: web_sys::KeyboardEvent| {
        let is_on_head = event.target().is_some_and(|target| {
            head.get_untracked().is_some_and(|head| head.is_same_node(target.dyn_ref::<web_sys::Node>()))
        });
        // Confirming takes a press on its button: Enter is on Keep running at first.
        if event.key() == "Escape" || event.key() == "Enter" && is_on_head {
            event.stop_propagation();
            close();
        }
    };
    let way = move || shown.preview.get().unwrap_or(Way::Stop);
    let label = move || {
        let study = shown.study.get();
        study.map(|study| words::shutdown::head(way(), &study.roster.workflow))
    };
    let tabs = [Way::Stop, Way::Terminate].map(|way| Tab::new(way_id(way), words::shutdown::tab(way)));
    view! {
        <aside class="panel preview" role="complementary" aria-label=label on:keydown=on_key>
            <header class="p-h">
                <div class="p-t">
                    {dynamic(move || view! { <Icon glyph=way_glyph(way()) class="stopink" size=16 /> })}
                    <h2 node_ref=head tabindex="-1">{dynamic(label)}</h2>
                    <span class="grow"></span>
                    <Button label="Close" glyph=Glyph::Close class="quiet s" only_glyph=true on_press=close />
                </div>
                <p class="lead">{dynamic(move || words::shutdown::lead(way()))}</p>
            </header>
            <Tabs tabs=tabs.to_vec() open=Signal::derive(move || way_id(way()).to_owned()) label="Ways to end"
                on_open=move |id: String| shown.preview.set(Some(way_of(&id))) />
            {dynamic(move || match shown.prediction.get().filter(|preview| preview.way == way()) {
                Some(preview) => view! { <Body preview=preview /> }.into_any(),
                None => view! { <Unforeseen way=way() /> }.into_any(),
            })}
        </aside>
    }
}

fn way_glyph(way: Way) -> Glyph {
    match way {
        Way::Stop | Way::GoOn => Glyph::Stop,
        Way::Terminate => Glyph::Terminate,
    }
}

fn way_id(way: Way) -> &'static str {
    match way {
        Way::Stop => "stop",
        Way::Terminate => "terminate",
        Way::GoOn => "go-on",
    }
}

fn way_of(id: &str) -> Way {
    if id == "terminate" { Way::Terminate } else { Way::Stop }
}

/// What stands there while nothing is foreseen. Without the engine a run can still be ended.
#[component]
fn Unforeseen(way: Way) -> impl IntoView {
    let state = use_state();
    let has_failed = memo(move || matches!(state.engine.stage.get(), Stage::Failed { .. }));
    let buttons = move || {
        view! {
            <footer class="p-f">
                <div class="p-fa">
                    <Button label=words::shutdown::confirm_unforeseen(way) glyph=way_glyph(way) class="stop big"
                        on_press=move || actions::end(state, way) />
                    <button class="btn" type="button" on:click=move |_| state.shown.preview.set(None)>
                        {words::shutdown::DISMISS}
                    </button>
                </div>
            </footer>
        }
    };
    view! {
        <div class="p-b"><EngineStage /></div>
        {dynamic(move || has_failed.get().then(buttons))}
    }
}

/// Sums, lists and buttons of one preview.
#[component]
fn Body(preview: Shared<Preview>) -> impl IntoView {
    let state = use_state();
    let shown = state.shown;
    let way = preview.way;
    let sums = preview.sums.clone().map(|sum| {
        view! { <span><b class="num">{sum.number}</b> " " {sum.text}</span> }
    });
    let callout = preview.callout.clone().map(|callout| {
        let tone = match callout.tone {
            CalloutTone::Kept => "plain",
            CalloutTone::Unsure => "unknown",
            CalloutTone::Broken => "broken",
        };
        view! { <Callout tone=tone glyph=callout.glyph><RichText text=callout.text /></Callout> }
    });
    let other = if way == Way::Terminate { Way::Stop } else { Way::Terminate };
    view! {
        <div class="pv-sum">{sums}</div>
        <div class="p-b" tabindex="0" role="tabpanel" aria-label="What will happen">
            {callout}
            <Ends lines=preview.ends.clone() />
            <Hooks lines=preview.hooks.clone() brackets=preview.brackets.clone() hint=preview.hint />
            <NotRun lines=preview.will_not_run.clone() />
        </div>
        <footer class="p-f">
            <p class="say">{preview.foot.clone()}</p>
            <div class="p-fa">
                <Button label=preview.confirm.clone() glyph=way_glyph(way) class="stop big"
                    on_press=move || actions::end(state, way) />
                <button class="btn" type="button" on:click=move |_| shown.preview.set(None)>
                    {preview.dismiss}
                </button>
                <span class="grow"></span>
                <Button label=preview.other_way class="quiet" on_press=move || shown.preview.set(Some(other)) />
            </div>
        </footer>
    }
}

#[component]
fn Ends(lines: Vec<EndLine>) -> impl IntoView {
    let shown = use_state().shown;
    let number = lines.len();
    let (wants_all, more) = all_entries(number);
    let rows = move || {
        let lines = lines.iter().take(entries(wants_all)).cloned();
        lines.map(|line| {
            let node = line.node.clone();
            view! {
                <li>
                    <span class="phase" data-phase=line.look.word()><Icon glyph=line.look.glyph() /></span>
                    <button type="button" class="link nm" on:click=move |_| shown.select(&node)>{line.title}</button>
                    <span class="dim">{line.text}</span>
                </li>
            }
        })
        .collect::<Vec<_>>()
    };
    (number > 0).then(|| {
        view! {
            <h3>"Ends at once " <span class="count">{number}</span></h3>
            <ul class="plain">{dynamic(rows)}</ul>
            {more}
        }
    })
}

#[component]
fn Hooks(lines: Vec<HookLine>, brackets: Vec<ListBracket>, hint: Option<&'static str>) -> impl IntoView {
    let shown = use_state().shown;
    let number = lines.len();
    let height = if number > 6 { 37 } else { 40 };
    let (wants_all, more) = all_entries(number);
    let rows = move || {
        let lines = lines.iter().take(entries(wants_all)).cloned().enumerate();
        lines.map(|(row, line)| {
            let (node, hovered) = (line.node.clone(), line.node.clone());
            let note = (!line.note.is_empty()).then(|| {
                view! { <span class="any"><Icon glyph=Glyph::Tie size=11 />{line.note}</span> }
            });
            view! {
                <li class="ul-row" style:height=format!("{height}px")
                    on:pointerenter=move |_| shown.hovered.set(Some(hovered.clone()))
                    on:pointerleave=move |_| shown.hovered.set(None)>
                    {gutter(&brackets, row, height)}
                    <Turn text=line.chip.text state=line.chip.state.attribute() />
                    <div class="ul-t">
                        <div class="ul-n">
                            <Icon glyph=line.glyph class="dim" />
                            <button type="button" class="link plainlink" on:click=move |_| shown.select(&node)>
                                <b>{line.title}</b>
                            </button>
                            {note}
                        </div>
                        <div class="ul-p">{line.path}</div>
                    </div>
                    <div class="ul-m">{line.estimate}</div>
                </li>
            }
        })
        .collect::<Vec<_>>()
    };
    (number > 0).then(|| {
        view! {
            <h3>"Will run, in this order " <span class="count">{number}</span></h3>
            <ol class="unwindlist">{dynamic(rows)}</ol>
            {more}
            {hint.map(|hint| view! { <p class="note">{hint}</p> })}
        }
    })
}

#[component]
fn NotRun(lines: Vec<NotRunLine>) -> impl IntoView {
    let shown = use_state().shown;
    let number = lines.len();
    let (wants_all, more) = all_entries(number);
    let rows = move || {
        let lines = lines.iter().take(entries(wants_all)).cloned();
        lines.map(|line| {
            let node = line.node.clone();
            view! {
                <li>
                    <Icon glyph=line.glyph class="dim" />
                    <div>
                        <button type="button" class="link plainlink" on:click=move |_| shown.select(&node)>
                            <b>{line.title}</b>
                        </button>
                        " " <span class="dim">{line.what}</span>
                        <p>{line.reason}</p>
                    </div>
                </li>
            }
        })
        .collect::<Vec<_>>()
    };
    (number > 0).then(|| {
        view! {
            <h3>"Will not run " <span class="count">{number}</span></h3>
            <ul class="wont">{dynamic(rows)}</ul>
            {more}
        }
    })
}
