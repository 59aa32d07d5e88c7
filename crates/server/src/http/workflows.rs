//! Workflows one by one and in lists: create, get, list, delete.
//! Source: Argo `server/workflow/workflow_server.go`.

use std::cmp::Reverse;
use std::sync::Arc;

use axum::response::Response;
use serde_json::json;
use unwind_api::ApiError;
use unwind_api::request::{CreateRequest, ListQuery};
use unwind_api::response::{ListMeta, WorkflowList};
use unwind_engine::Severity;
use unwind_model::{Timestamp, Workflow};

use super::answer::{self, Refusal};
use super::diagnostic;
use super::router::Asked;
use crate::backend::{BackendError, LocalBackend};

/// The name that means the newest workflow.
const LATEST: &str = "@latest";

/// An object as Argo's answers carry it: whole seconds, no `kind`, no `apiVersion`, always a status.
pub(super) fn argo(workflow: &Workflow) -> Workflow {
    let mut object = workflow.clone().to_whole_seconds();
    object.api_version.clear();
    object.kind.clear();
    if object.status.nodes.is_empty() {
        // Clients look into the status of what they have just created, and into its nodes.
        object.status.other.insert("nodes".to_owned(), json!({}));
    }
    object
}

/// A workflow by its name or by `@latest`.
pub(super) fn find(backend: &LocalBackend, namespace: &str, name: &str) -> Result<Arc<Workflow>, Refusal> {
    if name != LATEST {
        return Ok(backend.get(namespace, name)?);
    }
    let (all, _) = backend.list(Some(namespace));
    let newest = all.into_iter().max_by_key(|workflow| workflow.metadata.creation_timestamp);
    newest.ok_or_else(|| Refusal(ApiError::no_workflow(name)))
}

/// `GET /api/v1/workflows/{ns}`.
pub fn list(asked: &Asked<'_>, namespace: &str) -> Result<Response, Refusal> {
    let query = ListQuery::read(&asked.query, namespace)?;
    let own = Some(namespace).filter(|namespace| !namespace.is_empty());
    let (all, version) = asked.app.backend.list(own);
    let mut rows: Vec<Arc<Workflow>> =
        all.into_iter().filter(|workflow| is_listed(&query, workflow)).collect();
    rows.sort_by_key(|workflow| order(workflow));
    let after = rows.len().saturating_sub(query.offset);
    let count = query.limit.map_or(after, |limit| limit.min(after));
    let remaining = after - count;
    let next = if remaining > 0 { (query.offset + count).to_string() } else { String::new() };
    let items = rows.iter().skip(query.offset).take(count).map(|workflow| argo(workflow)).collect();
    let list = WorkflowList {
        metadata: ListMeta {
            resource_version: version.to_string(),
            next,
            remaining_item_count: query.fields.show_remaining.then_some(remaining),
        },
        items,
    };
    Ok(answer::projected(&list, &query.projection)?)
}

fn is_listed(query: &ListQuery, workflow: &Workflow) -> bool {
    let created = workflow.metadata.creation_timestamp;
    let finished = workflow.status.finished_at;
    let after = query.created_after;
    let before = query.finished_before;
    query.fields.matches(workflow)
        && query.labels.matches(&workflow.metadata.labels)
        && after.is_none_or(|limit| created.is_some_and(|at| at > limit))
        && before.is_none_or(|limit| finished.is_some_and(|at| at < limit))
}

/// Unfinished first, the newest of them at the top; then the latest to end.
fn order(workflow: &Workflow) -> (bool, Reverse<Option<Timestamp>>, Reverse<Option<Timestamp>>, String) {
    let finished = workflow.status.finished_at;
    let created = workflow.metadata.creation_timestamp;
    (finished.is_some(), Reverse(finished), Reverse(created), workflow.metadata.name.clone())
}

/// `GET /api/v1/workflows/{ns}/{name}`.
pub fn get(asked: &Asked<'_>, namespace: &str, name: &str) -> Result<Response, Refusal> {
    let workflow = find(&asked.app.backend, namespace, name)?;
    let uid = asked.query.text("uid").unwrap_or("");
    if !uid.is_empty() && uid != workflow.metadata.uid {
        return Err(Refusal(ApiError::no_workflow(name)));
    }
    let fields = asked.query.text("fields").unwrap_or("");
    Ok(answer::projected(&argo(&workflow), fields)?)
}

/// `POST /api/v1/workflows/{ns}`.
pub async fn create(asked: &Asked<'_>, namespace: &str) -> Result<Response, Refusal> {
    let request = CreateRequest::read(&asked.body)?;
    let is_dry_run = request.is_dry_run();
    let Some(mut workflow) = request.workflow else {
        return Err(Refusal(ApiError::invalid("workflow body not specified")));
    };
    if namespace.is_empty() {
        let message =
            "an empty namespace may not be set during creation: post to `/api/v1/workflows/NAMESPACE`";
        return Err(Refusal(ApiError::invalid(message)));
    }
    let metadata = &mut workflow.metadata;
    if metadata.namespace.is_empty() {
        namespace.clone_into(&mut metadata.namespace);
    } else if metadata.namespace != namespace {
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        return Err(Refusal(ApiError::invalid(message)));
    }
    if is_dry_run {
        let diagnostics = asked.app.backend.examine(&workflow);
        if diagnostics.iter().any(|one| one.severity == Severity::Error) {
            return Err(Refusal(ApiError::invalid(diagnostic::sentence(&diagnostics))));
        }
        return Ok(answer::json(&argo(&workflow))?);
    }
    let has_both = !workflow.metadata.generate_name.is_empty() && !workflow.metadata.name.is_empty();
    match asked.app.backend.submit(workflow).await {
        Ok(workflow) => Ok(answer::json(&argo(&workflow))?),
        Err(error @ BackendError::AlreadyExists { .. }) if has_both => {
            let Refusal(refused) = Refusal::from(error);
            let tail = "the server was not able to generate a unique name for the object";
            Err(Refusal(ApiError::new(refused.code, format!("{}, {tail}", refused.message))))
        }
        Err(error) => Err(error.into()),
    }
}

/// `DELETE /api/v1/workflows/{ns}/{name}`.
pub async fn delete(asked: &Asked<'_>, namespace: &str, name: &str) -> Result<Response, Refusal> {
    let workflow = find(&asked.app.backend, namespace, name)?;
    asked.app.backend.delete(namespace, &workflow.metadata.name).await?;
    Ok(answer::json(&json!({}))?)
}
