//! What stands before the pages of a server: nothing behind the page, or no right to ask.

use leptos::prelude::*;
use unwind_present::glyph::Glyph;

use super::link::Link;
use crate::reactive::memo;
use crate::routes::{Address, Route};
use crate::state::connection::{Behind, Kind};
use crate::state::use_state;
use crate::widgets::dynamic::dynamic;
use crate::widgets::notice::Empty;

/// Shows its children when a server answers, else why not and what to do.
#[component]
pub fn Gate(children: ChildrenFn) -> impl IntoView {
    let state = use_state();
    let children = StoredValue::new(children);
    let stop = memo(move || match state.connection.behind.get() {
        Behind::Known(Kind::Nothing) => Some(Stop::NoServer),
        Behind::Known(Kind::Unwind(about)) if !about.signed_in => Some(Stop::SignIn),
        Behind::Unasked | Behind::Asking | Behind::Known(Kind::Unwind(_) | Kind::Argo { .. }) => None,
    });
    dynamic(move || {
        match stop.get() {
        None => children.with_value(|children| children()).into_any(),
        Some(Stop::NoServer) => view! {
            <Empty glyph=Glyph::Http title="No server behind this page">
                <p>"Workflows of this machine appear here when the page comes from " <code>"unwind serve"</code>
                    ", those of a cluster when it stands beside an Argo Server."</p>
                <div class="ea">
                    <Link to=Address::new(Route::Rehearse) class="btn primary">"Rehearse in this page"</Link>
                    <Link to=Address::new(Route::Start) class="btn">"To the start"</Link>
                </div>
            </Empty>
        }
        .into_any(),
        Some(Stop::SignIn) => view! {
            <Empty glyph=Glyph::Lock title="This server does not know you yet">
                <p>"Open the address that " <code>"unwind serve"</code>
                    " printed: it signs this browser in. It holds for one visit; " <code>"unwind token"</code>
                    " prints what other programs need."</p>
            </Empty>
        }
        .into_any(),
    }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    NoServer,
    SignIn,
}
