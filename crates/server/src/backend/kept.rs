//! Templates and cron workflows that the back end keeps: made, changed, removed, looked for.
//!
//! In: documents as clients send them. Out: the same with name, uid, time and version, on disk before it
//! is answered. Sources: Argo `server/workflowtemplate/workflow_template_server.go`,
//! `server/clusterworkflowtemplate`, `server/cronworkflow`.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use unwind_engine::validate::{ValidateOptions, validate_document};
use unwind_model::cron::CronWorkflow;
use unwind_model::workflow::API_VERSION;
use unwind_model::{Workflow, WorkflowSpec};

use super::documents::{DocumentKey, Kind, library_of};
use super::local::LocalBackend;
use super::{BackendError, admission};
use crate::clock;
use crate::store::{StoreError, Write, versioned};

impl LocalBackend {
    /// All documents of a kind (of one namespace) by namespace and name, and the version of that state.
    pub fn documents(&self, kind: Kind, namespace: Option<&str>) -> (Vec<Arc<Value>>, u64) {
        let around = self.around();
        let (_, version) = around.hub.list(Some(""));
        (around.documents.list(kind, namespace), version)
    }

    /// One document.
    pub fn document(&self, key: &DocumentKey) -> Result<Arc<Value>, BackendError> {
        self.around().documents.get(key).ok_or_else(|| not_found(key))
    }

    /// What a document would be kept as, or what is wrong with it.
    pub fn examine_document(&self, kind: Kind, namespace: &str, sent: Value) -> Result<Value, BackendError> {
        let document = normal(kind, namespace, sent)?;
        self.validate_document(kind, namespace, &document)?;
        Ok(document)
    }

    /// Keeps a new document. Gives it a name (from `generateName`), uid, time and version.
    pub async fn create_document(
        &self,
        kind: Kind,
        namespace: &str,
        sent: Value,
    ) -> Result<Arc<Value>, BackendError> {
        let mut document = self.examine_document(kind, namespace, sent)?;
        let around = self.around();
        let _writing = around.writing.lock().await;
        let metadata = metadata_of(&mut document);
        let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (mut name, start) = (text("name"), text("generateName"));
        if name.is_empty() {
            name = admission::generate_name(&start)?;
        }
        metadata.insert("name".to_owned(), json!(name));
        metadata.insert("uid".to_owned(), json!(admission::new_uid()?));
        metadata.insert("generation".to_owned(), json!(1));
        metadata.insert("creationTimestamp".to_owned(), json!(clock::now().whole_seconds().to_string()));
        let key = key_of(kind, namespace, &name);
        if around.documents.get(&key).is_some() {
            return Err(BackendError::DocumentExists { plural: kind.plural(), name });
        }
        self.keep(key, document).await
    }

    /// Puts a document in the place of the one of its version.
    pub async fn update_document(
        &self,
        kind: Kind,
        namespace: &str,
        name: &str,
        sent: Value,
    ) -> Result<Arc<Value>, BackendError> {
        let mut document = normal(kind, namespace, sent)?;
        let own = document.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let name = if own.is_empty() { name.to_owned() } else { own.to_owned() };
        self.validate_document(kind, namespace, &document)?;
        let around = self.around();
        let _writing = around.writing.lock().await;
        let key = key_of(kind, namespace, &name);
        let before = self.document(&key)?;
        let version = |of: &Value| of.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
        if version(&document).as_str().is_none_or(str::is_empty) {
            let message = format!(
                "{} \"{name}\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an \
                 update",
                kind.plural()
            );
            return Err(BackendError::Refused { message, is_bad_request: true });
        }
        if version(&document) != version(&before) {
            return Err(BackendError::Stale { plural: kind.plural(), name });
        }
        let metadata = metadata_of(&mut document);
        for field in ["uid", "creationTimestamp"] {
            metadata.insert(field.to_owned(), before["metadata"][field].clone());
        }
        let generation = before["metadata"]["generation"].as_i64().unwrap_or(1);
        metadata.insert("generation".to_owned(), json!(generation + 1));
        metadata.insert("name".to_owned(), json!(name));
        if kind == Kind::CronWorkflow && document.get("status").is_none() {
            document["status"] = before["status"].clone();
        }
        self.keep(key, document).await
    }

    /// Changes a document as it is now.
    pub async fn change_document(
        &self,
        key: DocumentKey,
        change: impl FnOnce(&mut Value),
    ) -> Result<Arc<Value>, BackendError> {
        let around = self.around();
        let _writing = around.writing.lock().await;
        let mut document = Value::clone(&*self.document(&key)?);
        change(&mut document);
        self.keep(key, document).await
    }

    /// Removes a document. Runs that refer to it go on with their copy.
    pub async fn delete_document(&self, key: &DocumentKey) -> Result<(), BackendError> {
        let around = self.around();
        let _writing = around.writing.lock().await;
        self.document(key)?;
        let write = Write::Forget { key: key.clone() };
        let operations = around.store.commit(vec![write]).await.map_err(|error| not_kept(&error))?;
        around.hub.ticket(operations).settle(None);
        around.documents.remove(key);
        around.documents_moved.notify_one();
        Ok(())
    }

    /// Writes a document; `writing` is held.
    async fn keep(&self, key: DocumentKey, document: Value) -> Result<Arc<Value>, BackendError> {
        let around = self.around();
        let write = Write::Keep { key: key.clone(), document: document.clone() };
        let operations = around.store.commit(vec![write]).await.map_err(|error| not_kept(&error))?;
        let ticket = around.hub.ticket(operations);
        let kept = versioned(document, ticket.version());
        ticket.settle(None);
        around.documents.put(key.clone(), kept);
        around.documents_moved.notify_one();
        self.document(&key)
    }

    fn validate_document(&self, kind: Kind, namespace: &str, document: &Value) -> Result<(), BackendError> {
        let around = self.around();
        let own = Some(namespace);
        let lists = [
            around.documents.list(Kind::WorkflowTemplate, own),
            around.documents.list(Kind::ClusterWorkflowTemplate, None),
            around.documents.list(Kind::ConfigMap, own),
        ];
        let all: Vec<Value> = lists.iter().flatten().map(|one| Value::clone(one)).collect();
        let is_template = matches!(kind, Kind::WorkflowTemplate | Kind::ClusterWorkflowTemplate);
        let options = ValidateOptions { workflow_template: is_template, ..ValidateOptions::default() };
        validate_document(document, &library_of(&all), options)
            .map_err(|invalid| BackendError::Refused { message: invalid.message, is_bad_request: true })
    }
}

/// The key of a document.
pub fn key_of(kind: Kind, namespace: &str, name: &str) -> DocumentKey {
    let namespace = if kind.is_of_all() { String::new() } else { namespace.to_owned() };
    DocumentKey { kind, namespace, name: name.to_owned() }
}

/// A document as it is kept: its fields read and written by their types, its place named.
fn normal(kind: Kind, namespace: &str, sent: Value) -> Result<Value, BackendError> {
    let misfit = |error: serde_json::Error| BackendError::Refused {
        message: format!("json: cannot read the request body: {error}"),
        is_bad_request: true,
    };
    let mut document = if kind == Kind::CronWorkflow {
        let cron: CronWorkflow = serde_json::from_value(sent).map_err(misfit)?;
        serde_json::to_value(cron).map_err(misfit)?
    } else {
        let mut template: Workflow = serde_json::from_value(sent).map_err(misfit)?;
        template.status = unwind_model::WorkflowStatus::default();
        let mut value = serde_json::to_value(&template).map_err(misfit)?;
        if template.spec == WorkflowSpec::default() {
            value["spec"] = json!({});
        }
        if let Some(object) = value.as_object_mut() {
            object.remove("status");
        }
        value
    };
    document["apiVersion"] = json!(API_VERSION);
    document["kind"] = json!(kind.as_str());
    let metadata = metadata_of(&mut document);
    metadata.remove("managedFields");
    if kind.is_of_all() {
        metadata.remove("namespace");
    } else {
        let own = metadata.get("namespace").and_then(Value::as_str).unwrap_or_default();
        if !own.is_empty() && own != namespace {
            let message =
                "the namespace of the provided object does not match the namespace sent on the request";
            return Err(BackendError::Refused { message: message.to_owned(), is_bad_request: true });
        }
        metadata.insert("namespace".to_owned(), json!(namespace));
    }
    Ok(document)
}

fn metadata_of(document: &mut Value) -> &mut Map<String, Value> {
    if !document["metadata"].is_object() {
        document["metadata"] = json!({});
    }
    document["metadata"].as_object_mut().expect("it was just made an object")
}

fn not_found(key: &DocumentKey) -> BackendError {
    BackendError::NoDocument { plural: key.kind.plural(), name: key.name.clone() }
}

fn not_kept(error: &StoreError) -> BackendError {
    BackendError::Internal { message: format!("cannot write the document: {error}") }
}
