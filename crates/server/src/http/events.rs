//! The event stream of whole objects, byte for byte as a real Argo Server frames it.
//! Source: `argo-api.md`, sections 10 and 10.1.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream;
use unwind_api::field::Projection;
use unwind_api::request::WatchQuery;
use unwind_api::response::{Envelope, EventKind, WorkflowEvent, to_json};
use unwind_api::select::{FieldSelector, LabelSelector};
use unwind_api::{ApiError, Code};
use unwind_model::Workflow;

use super::answer::Refusal;
use super::live::{self, Framing};
use super::router::Asked;
use super::workflows;
use crate::backend::{WatchEvent, WatchKind};

/// `GET /api/v1/workflow-events/{ns}`.
pub fn watch(asked: &Asked<'_>, namespace: &str) -> Result<Response, Refusal> {
    let query = WatchQuery::read(&asked.query, namespace)?;
    let of_selector = query.fields.namespace.as_deref().unwrap_or("");
    let namespace = if namespace.is_empty() { of_selector } else { namespace };
    let mut fields = query.fields.clone();
    let mut name = None;
    if let Some(asked_name) = query.fields.exact_name() {
        // Argo looks the workflow up first: an unknown one is an error, not a silent stream.
        let found = workflows::find(&asked.app.backend, namespace, asked_name)?;
        name = Some(found.metadata.name.clone());
        fields.name = None;
    }
    let own = Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty());
    let events = asked.app.backend.watch(own, name, query.since);
    // Argo's status for it; the words are what clients look for.
    let events = events.map_err(|gone| ApiError::invalid(gone.to_string()))?;

    let framing = Framing::asked(&asked.parts.headers);
    let projection = Projection::parse(&query.projection);
    let mut selection = Selection { labels: query.labels, fields, seen: BTreeMap::new() };
    let messages = events.filter_map(move |event| {
        let selected = selection.select(&event);
        let json = selected.and_then(|event| message(event, &projection));
        std::future::ready(json.map(|json| framing.frame(&json)))
    });
    let timeout = query.timeout_seconds.map(Duration::from_secs);
    let closed = asked.app.closed();
    let over = async move {
        match timeout {
            Some(timeout) => drop(tokio::time::timeout(timeout, closed).await),
            None => closed.await,
        }
    };
    let end = framing.last_frame(&ApiError::new(Code::ResourceExhausted, "EOF").frame());
    let last = stream::once(std::future::ready(end));
    Ok(live::response(framing, messages.take_until(over).chain(last).boxed()))
}

fn message(event: WorkflowEvent, projection: &Projection) -> Option<String> {
    if projection.keeps_all() {
        return to_json(&Envelope::Result(event)).ok();
    }
    let mut value = serde_json::to_value(Envelope::Result(event)).ok()?;
    projection.apply(&mut value);
    to_json(&value).ok()
}

/// Which events a watch is told, in the words of a Kubernetes watch: an object that begins to match
/// is `ADDED`, one that no longer matches is `DELETED` with its last matching state.
struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
    /// By uid: the last matching state, or `None` once it was told that it matches no longer.
    seen: BTreeMap<String, Option<Arc<Workflow>>>,
}

impl Selection {
    fn select(&mut self, event: &WatchEvent) -> Option<WorkflowEvent> {
        if self.labels.is_empty() {
            return self.fields.matches(&event.workflow).then(|| told(event.kind.into(), &event.workflow));
        }
        let uid = event.workflow.metadata.uid.clone();
        let matches =
            self.fields.matches(&event.workflow) && self.labels.matches(&event.workflow.metadata.labels);
        let before = self.seen.get(&uid).cloned();
        if event.kind == WatchKind::Deleted {
            self.seen.remove(&uid);
            return (matches && before != Some(None)).then(|| told(EventKind::Deleted, &event.workflow));
        }
        let is_new = event.kind == WatchKind::Added;
        self.seen.insert(uid, matches.then(|| event.workflow.clone()));
        match (matches, before) {
            (true, Some(Some(_))) => Some(told(EventKind::Modified, &event.workflow)),
            (true, Some(None)) => Some(told(EventKind::Added, &event.workflow)),
            (true, None) => Some(told(event.kind.into(), &event.workflow)),
            (false, Some(Some(last))) => {
                let mut gone = told(EventKind::Deleted, &last);
                gone.object.metadata.resource_version = event.resource_version.to_string();
                Some(gone)
            }
            // Resumed from a version: whether it matched before is not known, and being told of the
            // end of something unknown does no harm.
            (false, None) if !is_new => Some(told(EventKind::Deleted, &event.workflow)),
            (false, Some(None) | None) => None,
        }
    }
}

fn told(kind: EventKind, workflow: &Workflow) -> WorkflowEvent {
    WorkflowEvent { kind, object: workflows::argo(workflow) }
}

impl From<WatchKind> for EventKind {
    fn from(kind: WatchKind) -> Self {
        match kind {
            WatchKind::Added => Self::Added,
            WatchKind::Modified => Self::Modified,
            WatchKind::Deleted => Self::Deleted,
        }
    }
}
