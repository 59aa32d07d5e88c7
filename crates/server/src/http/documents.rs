//! Templates and cron workflows: list, create, get, update, delete, lint; cron workflows are suspended and
//! resumed. Sources: Argo `server/workflowtemplate`, `server/clusterworkflowtemplate`,
//! `server/cronworkflow`; `argo-api.md`, sections 3 and 5.

use std::collections::BTreeMap;

use axum::response::Response;
use serde_json::{Value, json};
use unwind_api::request::{DocumentRequest, ListQuery};
use unwind_api::response::ListMeta;
use unwind_api::{ApiError, Collection, Verb};

use super::answer::{self, Refusal};
use super::router::Asked;
use crate::backend::documents::Kind;
use crate::backend::kept::key_of;

/// What a collection holds.
fn kind_of(collection: Collection) -> Kind {
    match collection {
        Collection::WorkflowTemplates => Kind::WorkflowTemplate,
        Collection::ClusterWorkflowTemplates => Kind::ClusterWorkflowTemplate,
        Collection::CronWorkflows => Kind::CronWorkflow,
    }
}

/// A document as Argo's answers carry it: no `kind`, no `apiVersion`, times in whole seconds.
fn argo(document: &Value) -> Value {
    let mut object = document.clone();
    if let Some(members) = object.as_object_mut() {
        members.remove("kind");
        members.remove("apiVersion");
    }
    object
}

/// `GET /api/v1/{collection}/{ns}`.
pub fn list(asked: &Asked<'_>, collection: Collection, namespace: &str) -> Result<Response, Refusal> {
    let query = ListQuery::read(&asked.query, namespace)?;
    let pattern = asked.query.text("namePattern").unwrap_or("");
    let own = Some(namespace).filter(|namespace| !namespace.is_empty());
    let (all, version) = asked.app.backend.documents(kind_of(collection), own);
    let all: Vec<_> = all
        .into_iter()
        .filter(|document| {
            let labels: BTreeMap<String, String> =
                serde_json::from_value(document["metadata"]["labels"].clone()).unwrap_or_default();
            let name = document["metadata"]["name"].as_str().unwrap_or_default();
            query.labels.matches(&labels) && name.contains(pattern)
        })
        .collect();
    let after = all.len().saturating_sub(query.offset);
    let count = query.limit.map_or(after, |limit| limit.min(after));
    let next = if after > count { (query.offset + count).to_string() } else { String::new() };
    let items: Vec<Value> = all.iter().skip(query.offset).take(count).map(|one| argo(one)).collect();
    let metadata = ListMeta { resource_version: version.to_string(), next, remaining_item_count: None };
    let items = if items.is_empty() { Value::Null } else { Value::Array(items) };
    Ok(answer::json(&json!({"metadata": metadata, "items": items}))?)
}

/// The document in a body.
fn sent(asked: &Asked<'_>, collection: Collection, is_update: bool) -> Result<(Value, bool), Refusal> {
    let request = DocumentRequest::read(&asked.body)?;
    let is_dry_run = request.is_dry_run();
    let (document, missing) = match collection {
        Collection::WorkflowTemplates if is_update => {
            (request.template, ApiError::invalid("WorkflowTemplate is not found in Request body"))
        }
        Collection::WorkflowTemplates => {
            (request.template, ApiError::invalid("workflow template was not found in the request body"))
        }
        Collection::ClusterWorkflowTemplates if is_update => {
            (request.template, ApiError::invalid("ClusterWorkflowTemplate is not found in Request body"))
        }
        Collection::ClusterWorkflowTemplates => (
            request.template,
            ApiError::invalid("cluster workflow template was not found in the request body"),
        ),
        Collection::CronWorkflows => (
            request.cron_workflow,
            ApiError::new(
                unwind_api::Code::NotFound,
                "cron workflow was not found in the request body".to_owned(),
            ),
        ),
    };
    document.map(|document| (document, is_dry_run)).ok_or(Refusal(missing))
}

/// `POST /api/v1/{collection}/{ns}`.
pub async fn create(asked: &Asked<'_>, collection: Collection, namespace: &str) -> Result<Response, Refusal> {
    let (document, is_dry_run) = sent(asked, collection, false)?;
    let backend = &asked.app.backend;
    let kind = kind_of(collection);
    if is_dry_run {
        return Ok(answer::json(&argo(&backend.examine_document(kind, namespace, document)?))?);
    }
    let kept = backend.create_document(kind, namespace, document).await?;
    Ok(answer::json(&argo(&kept))?)
}

/// `POST /api/v1/{collection}/{ns}/lint`.
pub fn lint(asked: &Asked<'_>, collection: Collection, namespace: &str) -> Result<Response, Refusal> {
    let (document, _) = sent(asked, collection, false)?;
    let checked = asked.app.backend.examine_document(kind_of(collection), namespace, document)?;
    Ok(answer::json(&argo(&checked))?)
}

/// `GET /api/v1/{collection}/{ns}/{name}`.
pub fn get(
    asked: &Asked<'_>,
    collection: Collection,
    namespace: &str,
    name: &str,
) -> Result<Response, Refusal> {
    let document = asked.app.backend.document(&key_of(kind_of(collection), namespace, name))?;
    Ok(answer::json(&argo(&document))?)
}

/// `PUT /api/v1/{collection}/{ns}/{name}`.
pub async fn update(
    asked: &Asked<'_>,
    collection: Collection,
    namespace: &str,
    name: &str,
) -> Result<Response, Refusal> {
    let (document, _) = sent(asked, collection, true)?;
    let kept = asked.app.backend.update_document(kind_of(collection), namespace, name, document).await?;
    Ok(answer::json(&argo(&kept))?)
}

/// `DELETE /api/v1/{collection}/{ns}/{name}`.
pub async fn delete(
    asked: &Asked<'_>,
    collection: Collection,
    namespace: &str,
    name: &str,
) -> Result<Response, Refusal> {
    asked.app.backend.delete_document(&key_of(kind_of(collection), namespace, name)).await?;
    Ok(answer::json(&json!({}))?)
}

/// `PUT /api/v1/cron-workflows/{ns}/{name}/{suspend|resume}`.
pub async fn act_on_cron(
    asked: &Asked<'_>,
    namespace: &str,
    name: &str,
    verb: Verb,
) -> Result<Response, Refusal> {
    let key = key_of(Kind::CronWorkflow, namespace, name);
    let suspends = verb == Verb::Suspend;
    let kept = asked.app.backend.change_document(key, |document| {
        if let Some(spec) = document["spec"].as_object_mut() {
            spec.remove("suspend");
            if suspends {
                spec.insert("suspend".to_owned(), json!(true));
            }
        }
    });
    Ok(answer::json(&argo(&*kept.await?))?)
}
