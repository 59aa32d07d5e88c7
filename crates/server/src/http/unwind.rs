//! Our own extension: what the server is, one stream of deltas, previews.

use axum::http::header;
use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream;
use unwind_api::response::to_json;
use unwind_api::sse;
use unwind_api::unwind::{About, BackEnd, PRODUCT, Preview, RunKey, StreamMessage, Subscriptions};
use unwind_engine::{Behaviour, Run, Way, predict};
use unwind_model::Workflow;
use unwind_model::delta::{DeltaChange, WorkflowDelta, without_nodes};

use super::answer::{self, Refusal};
use super::live::{self, Framing};
use super::router::Asked;
use super::workflows;

/// `GET /unwind/v1/about`; needs no token.
pub fn about(asked: &Asked<'_>) -> Result<Response, Refusal> {
    Ok(answer::json(&About {
        product: PRODUCT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        back_end: BackEnd::Local,
        features: vec!["stream".to_owned(), "preview".to_owned()],
        signed_in: asked.app.auth.allows(&asked.parts.headers),
    })?)
}

/// `GET /unwind/v1/stream`: without `since` everything there is, then `synced`, then changes; with
/// it only what came after. Always server-sent events.
pub fn stream(asked: &Asked<'_>) -> Result<Response, Refusal> {
    let (subscriptions, since) = Subscriptions::read(&asked.query)?;
    let (namespace, name) = narrowest(&subscriptions);
    let backend = &asked.app.backend;
    let mut begin = Vec::new();
    let since = if let Some(since) = since {
        since
    } else {
        let (all, version) = backend.list(namespace.as_deref());
        let all = all.iter().map(|workflow| WorkflowDelta::whole(workflow));
        begin.extend(all.filter_map(|delta| message(&subscriptions, &delta)));
        let synced = StreamMessage::Synced { resource_version: version.to_string() };
        begin.extend(frame(Some(version), &synced));
        version
    };
    let changes = backend.watch(namespace, name, Some(since))?;
    let changes = changes.filter_map(move |event| std::future::ready(message(&subscriptions, &event.delta)));
    let messages = stream::iter(begin).chain(changes).take_until(asked.app.closed());
    let mut response = live::response(Framing::Events, messages.boxed());
    let vary = header::HeaderValue::from_static("cookie, authorization");
    response.headers_mut().insert(header::VARY, vary);
    Ok(response)
}

/// The smallest part of the back end that covers what is asked.
fn narrowest(subscriptions: &Subscriptions) -> (Option<String>, Option<String>) {
    let runs = &subscriptions.runs;
    match (&subscriptions.list, runs.as_slice()) {
        (None, [RunKey { namespace, name }]) => (Some(namespace.clone()), Some(name.clone())),
        (Some(list), _) if list.is_empty() || runs.iter().any(|run| run.namespace != *list) => (None, None),
        (Some(list), _) => (Some(list.clone()), None),
        (None, _) => (None, None),
    }
}

/// What a page that asked for `subscriptions` is told of a change.
fn message(subscriptions: &Subscriptions, delta: &WorkflowDelta) -> Option<String> {
    let version = delta.resource_version.parse().ok();
    if subscriptions.follows(&delta.namespace, &delta.name) {
        return frame(version, &StreamMessage::Delta { row: false, delta: delta.clone() });
    }
    if !subscriptions.lists(&delta.namespace) {
        return None;
    }
    let change = match &delta.change {
        DeltaChange::Whole { workflow } => {
            let mut row: Workflow = without_nodes(workflow);
            row.spec.templates.clear();
            DeltaChange::Whole { workflow: Box::new(row) }
        }
        DeltaChange::Changed { fields, .. } => {
            DeltaChange::Changed { fields: fields.clone(), nodes: Vec::new() }
        }
        DeltaChange::Deleted => DeltaChange::Deleted,
    };
    let delta = WorkflowDelta { change, ..head(delta) };
    frame(version, &StreamMessage::Delta { row: true, delta })
}

/// A delta's names and version, without its change.
fn head(delta: &WorkflowDelta) -> WorkflowDelta {
    WorkflowDelta {
        namespace: delta.namespace.clone(),
        name: delta.name.clone(),
        uid: delta.uid.clone(),
        resource_version: delta.resource_version.clone(),
        change: DeltaChange::Deleted,
    }
}

fn frame(version: Option<u64>, message: &StreamMessage) -> Option<String> {
    to_json(message).ok().map(|json| sse::event_frame(version, &json))
}

/// `GET /unwind/v1/preview/{ns}/{name}`: what the ways to end this run would do, by the same call
/// that the page makes.
pub fn preview(asked: &Asked<'_>, namespace: &str, name: &str) -> Result<Response, Refusal> {
    let workflow = workflows::find(&asked.app.backend, namespace, name)?;
    let library = asked.app.backend.library(&workflow);
    let (run, _) = Run::from_status(&workflow, library, Behaviour::UNWIND);
    let predictions = [Way::Stop, Way::Terminate].map(|way| predict(&run, way));
    Ok(answer::json(&Preview {
        resource_version: workflow.metadata.resource_version.clone(),
        predictions: predictions.into(),
    })?)
}
