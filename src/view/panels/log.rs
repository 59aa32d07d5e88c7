//! The log of one node: the last lines in the summary, more in a tab of its own.

use leptos::prelude::*;
use unwind_model::NodeId;
use unwind_present::words::live::no_log;

use crate::reactive::effect;
use crate::state::shown::Origin;
use crate::state::{actions, use_state};
use crate::widgets::dynamic::dynamic;
use crate::widgets::notice::Empty;

/// Lines in the summary.
const TAIL_LINES: usize = 5;
/// Lines in the tab.
const TAB_LINES: usize = 1_000;

/// What is known of a log.
#[derive(Clone, Debug, PartialEq)]
enum Lines {
    Loading,
    Here(Vec<String>),
    Failed(String),
}

/// The last `count` lines, got anew whenever the workflow moves.
fn lines_of(node: Option<NodeId>, count: usize) -> RwSignal<Lines> {
    let state = use_state();
    let lines = RwSignal::new(Lines::Loading);
    effect(move || {
        state.shown.workflow.with(|_| ());
        let (Origin::Server(run), Some(node)) = (state.shown.origin.get(), node.clone()) else {
            lines.set(Lines::Here(Vec::new()));
            return;
        };
        actions::log_tail(state, run, node, count, move |tail| {
            lines.try_set(match tail {
                Ok(tail) => Lines::Here(tail),
                Err(message) => Lines::Failed(message),
            });
        });
    });
    lines
}

/// The end of the log, in the summary; nothing where there is no log.
#[component]
pub fn LogTail(
    /// Whose log.
    node: Option<NodeId>,
    /// Opens the whole.
    #[prop(into)]
    open: Callback<()>,
) -> impl IntoView {
    let lines = lines_of(node, TAIL_LINES);
    dynamic(move || match lines.get() {
        Lines::Here(lines) if !lines.is_empty() => Some(view! {
            <h3>"Log" <button type="button" class="link more" on:click=move |_| open.run(())>"Open"</button></h3>
            <pre class="logtail">{rows(lines)}</pre>
        }),
        Lines::Loading | Lines::Here(_) | Lines::Failed(_) => None,
    })
}

/// The log in a tab.
#[component]
pub fn Log(
    /// Whose log.
    node: Option<NodeId>,
    /// What it is called.
    title: String,
) -> impl IntoView {
    let shown = use_state().shown;
    let lines = lines_of(node, TAB_LINES);
    dynamic(move || match lines.get() {
        Lines::Loading => view! { <p class="note">"Loading…"</p> }.into_any(),
        Lines::Failed(message) => view! { <p class="note">{message}</p> }.into_any(),
        Lines::Here(lines) if lines.is_empty() => {
            let is_server = matches!(shown.origin.get(), Origin::Server(_));
            let empty = no_log(&title, None);
            let text = if is_server {
                empty.text
            } else {
                "Nothing wrote one: there is no server behind it.".to_owned()
            };
            view! { <Empty glyph=empty.glyph title=empty.title is_part=true><p>{text}</p></Empty> }.into_any()
        }
        Lines::Here(lines) => view! { <pre class="logtail whole">{rows(lines)}</pre> }.into_any(),
    })
}

fn rows(lines: Vec<String>) -> Vec<impl IntoView> {
    lines.into_iter().map(|line| view! { <span class="ll">{line}</span> }).collect()
}
