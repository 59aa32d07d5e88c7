//! One workflow: header, graph, panel or preview, hook order. The same for server, rehearsal and file.

use leptos::html;
use leptos::prelude::*;
use unwind_engine::Way;
use unwind_model::NodeName;
use unwind_present::capability;
use wasm_bindgen::JsCast;

use super::graph::{Graph, Pane};
use super::header::{Header, refusal};
use super::keys::{PageKeys, listen};
use super::panels::node::NodePanel;
use super::panels::preview::StopPreview;
use super::timeline::{Announcer, Strip, Timeline, is_open};
use crate::reactive::{effect, memo};
use crate::state::{State, use_state};
use crate::widgets::dynamic::dynamic;
use crate::widgets::tabs::{Tab, Tabs};

/// The view. `actions`: further actions in the header; `left`: what stands left of the graph; `below`:
/// what stands below the graph.
#[component]
pub fn RunView(
    #[prop(optional)] actions: Option<Children>,
    #[prop(optional)] left: Option<Children>,
    #[prop(optional)] below: Option<Children>,
) -> impl IntoView {
    let state = use_state();
    let shown = state.shown;
    let pane = Pane::new(shown);
    let field = NodeRef::<html::Input>::new();
    let tab = RwSignal::new("graph".to_owned());
    let has_left = left.is_some();
    listen(PageKeys { state, pane, field });
    keep_in_address(state);
    // What the reader asked for is shown, also where only one part fits.
    effect(move || {
        if shown.preview.get().is_some() {
            tab.set("node".to_owned());
        } else if tab.get_untracked() == "node" && shown.selected.get_untracked().is_none() {
            tab.set("graph".to_owned());
        }
    });
    // The focus comes back to where the preview was asked for.
    Effect::new(move |was_open: Option<bool>| {
        let is_open = shown.preview.get().is_some();
        if was_open == Some(true) && !is_open {
            request_animation_frame(focus_actions);
        }
        is_open
    });
    let tabs = move || {
        let mut tabs =
            vec![Tab::new("graph", "Graph"), Tab::new("order", "Hook order"), Tab::new("node", "Node")];
        if has_left {
            tabs.push(Tab::new("left", "Manifest"));
        }
        tabs
    };
    let side_kind = memo(move || match (shown.preview.get(), shown.selected.get()) {
        (Some(_), _) => Side::Preview,
        (None, Some(_)) => Side::Node,
        (None, None) => Side::Nothing,
    });
    let side = move |kind: Side| match kind {
        Side::Preview => view! { <StopPreview /> }.into_any(),
        Side::Node => view! { <NodePanel /> }.into_any(),
        Side::Nothing => view! {
            <div class="panel nothing-selected">
                <p class="note">"Select a node in the graph or in the hook order."</p>
            </div>
        }
        .into_any(),
    };
    let order = memo(move || is_open(state));
    view! {
        <div class="run" data-ntab=Signal::derive(move || tab.get()) data-preview=Signal::derive(move || shown.preview.get().is_some().then_some(""))
            data-side=Signal::derive(move || (side_kind.get() != Side::Nothing).then_some(""))>
            {match actions {
                Some(actions) => view! { <Header>{actions()}</Header> }.into_any(),
                None => view! { <Header /> }.into_any(),
            }}
            <Tabs tabs=Signal::derive(tabs) open=Signal::derive(move || tab.get()) label="Parts" class="narrowtabs"
                on_open=move |id| tab.set(id) />
            <div class="work">
                {left.map(|left| left())}
                <Graph pane=pane field=field />
                {dynamic(move || side(side_kind.get()))}
            </div>
            {below.map(|below| below())}
            {dynamic(move || if order.get() {
                view! { <Timeline /> }.into_any()
            } else {
                view! { <Strip /> }.into_any()
            })}
            <Announcer />
        </div>
    }
}

/// The selected node is part of the address, so that a view can be shared.
fn keep_in_address(state: State) {
    const NODE: &str = "node";
    let shown = state.shown;
    let router = state.router;
    let wanted =
        StoredValue::new(router.address.with_untracked(|address| address.get(NODE).map(NodeName::from)));
    effect(move || {
        if let Some(study) = shown.study.get()
            && let Some(name) = wanted.try_update_value(Option::take).flatten()
            && study.roster.find(&name).is_some()
        {
            shown.select(&name);
        }
    });
    effect(move || {
        let selected = shown.selected.get();
        if wanted.with_value(Option::is_some) {
            return;
        }
        let address = router.address.get_untracked();
        router.replace(match selected {
            Some(name) => address.with(NODE, name.as_str()),
            None => address.without(NODE),
        });
    });
}

fn focus_actions() {
    let actions = document().query_selector(".wfhead .actions button").ok().flatten();
    if let Some(actions) = actions.and_then(|actions| actions.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = actions.focus();
    }
}

/// What stands at the right of the graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Preview,
    Node,
    Nothing,
}

/// Opens a preview when that way is possible now.
pub fn open_preview(state: State, way: Way) {
    let may = match way {
        Way::Terminate => capability::terminate,
        Way::Stop | Way::GoOn => capability::stop,
    };
    if untrack(|| refusal(state, may)).is_none() {
        state.shown.preview.set(Some(way));
    }
}
