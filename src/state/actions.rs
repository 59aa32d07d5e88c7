//! What the reader asks for: one function each, talking to `data` and writing through the reducer.

use leptos::prelude::*;
use leptos::task::spawn_local;
use unwind_api::ApiError;
use unwind_api::paths::Verb;
use unwind_api::unwind::RunKey;
use unwind_engine::Way;
use unwind_model::{NodeId, Workflow};
use unwind_present::words::notice::{self, Notice};

use super::State;
use super::connection::Behind;
use super::shown::Origin;
use crate::data::files;
use crate::data::server::Kind;
use crate::routes::{Address, Route};

/// Asks for a stop or terminate of the workflow that is looked at.
pub fn end(state: State, way: Way) {
    let shown = state.shown;
    shown.preview.set(None);
    shown.follows_hooks.set(way == Way::Stop);
    match shown.origin.get_untracked() {
        Origin::Rehearsal => {
            state.rehearsal.end(way);
            state.rehearsal.is_playing.set(true);
        }
        Origin::Server(run) => {
            shown.asked.set(Some(way));
            spawn_local(async move {
                let verb = match way {
                    Way::Stop => Verb::Stop,
                    Way::Terminate => Verb::Terminate,
                    Way::GoOn => return,
                };
                match state.connection.server().act(&run, verb).await {
                    Ok(answer) => take_answer(state, answer),
                    Err(error) => {
                        shown.asked.set(None);
                        state.tell(failure(&format!("{} {}", verb.as_str(), run.name), &error));
                    }
                }
            });
        }
        Origin::File | Origin::None => {}
    }
}

/// Takes in what an Argo Server answered. Our own server's answer is left out: it has whole seconds,
/// and the stream tells the same with milliseconds.
fn take_answer(state: State, answer: Workflow) {
    match state.connection.behind.get_untracked() {
        Behind::Known(Kind::Unwind(_)) => {}
        Behind::Known(Kind::Argo { .. } | Kind::Nothing) | Behind::Asking | Behind::Unasked => {
            state.connection.known.update(|known| known.take_in(answer));
        }
    }
}

/// Creates a workflow on the server and goes to it.
pub fn submit(state: State, workflow: Workflow) {
    let namespace = if workflow.metadata.namespace.is_empty() {
        "default".to_owned()
    } else {
        workflow.metadata.namespace.clone()
    };
    let name = workflow.metadata.name.clone();
    state.is_submitting.set(true);
    spawn_local(async move {
        let answer = state.connection.server().create(&namespace, &workflow).await;
        state.is_submitting.set(false);
        match answer {
            Ok(created) => {
                let route = Route::Workflow {
                    namespace: created.metadata.namespace.clone(),
                    name: created.metadata.name.clone(),
                };
                state.router.go(Address::new(route));
            }
            Err(error) => state.tell(failure(&format!("submit {name}"), &error)),
        }
    });
}

/// Puts the address of the view on the clipboard.
pub fn copy_address() {
    if let Ok(address) = window().location().href() {
        files::copy(&address);
    }
}

/// Gets the last lines of a node's log and hands them to `then`.
pub fn log_tail(
    state: State,
    run: RunKey,
    node: NodeId,
    lines: usize,
    then: impl FnOnce(Result<Vec<String>, String>) + 'static,
) {
    spawn_local(async move {
        let tail = state.connection.server().log_tail(&run, &node, lines).await;
        then(tail.map_err(|error| error.message));
    });
}

fn failure(what: &str, error: &ApiError) -> Notice {
    if error.status() == 503 || error.message.is_empty() {
        notice::unreachable(what)
    } else {
        notice::refused(what, &error.message)
    }
}
