//! One workflow of the server, live.

use leptos::prelude::*;
use unwind_api::watch::Link as WatchLink;
use unwind_present::glyph::Glyph;
use unwind_present::words::notice;

use crate::reactive::memo;
use crate::routes::{Address, Route};
use crate::state::connection::Behind;
use crate::state::shown::Origin;
use crate::state::use_state;
use crate::view::gate::Gate;
use crate::view::link::Link;
use crate::view::run::RunView;
use crate::widgets::dynamic::dynamic;
use crate::widgets::notice::Empty;

/// The page of a workflow.
#[component]
pub fn Workflow() -> impl IntoView {
    let state = use_state();
    let is_there = memo(move || state.shown.workflow.get().is_some());
    // Of one run to the next the view is made anew, so that nothing of the last one stays.
    let run = memo(move || match state.shown.origin.get() {
        Origin::Server(run) => Some(run),
        Origin::None | Origin::Rehearsal | Origin::File => None,
    });
    let is_refused = memo(move || matches!(state.connection.link.get(), WatchLink::Refused(_)));
    let is_asking = memo(move || !matches!(state.connection.behind.get(), Behind::Known(_)));
    view! {
        <Gate>
            {dynamic(move || {
                let Some(run) = run.get() else { return ().into_any() };
                if is_there.get() {
                    view! { <RunView /> }.into_any()
                } else if is_refused.get() {
                    let notice = notice::not_found(&run.namespace, &run.name);
                    let list = Address::new(Route::List { namespace: None });
                    view! {
                        <Empty glyph=Glyph::Search title=notice.title>
                            <p>{notice.text}</p>
                            <div class="ea"><Link to=list class="btn">"All workflows"</Link></div>
                        </Empty>
                    }
                    .into_any()
                } else {
                    let text = if is_asking.get() { "Connecting…" } else { "Loading…" };
                    view! { <p class="loading" role="status">{text}</p> }.into_any()
                }
            })}
        </Gate>
    }
}
