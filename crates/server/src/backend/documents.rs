//! Documents that workflows refer to: templates, cron workflows, config maps.
//!
//! In: documents that are kept, or given at the start. Out: one of them, all of a kind, those that a
//! workflow refers to. A run keeps a copy of its own of what it refers to, so that it goes on the same
//! after a restart.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unwind_engine::library::Library;
use unwind_model::Workflow;

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Kind {
    /// Templates of one namespace.
    WorkflowTemplate,
    /// Templates of all namespaces.
    ClusterWorkflowTemplate,
    /// A workflow that is run at given times.
    CronWorkflow,
    /// Texts: limits of semaphores, values of parameters.
    ConfigMap,
}

impl Kind {
    const ALL: [Self; 4] =
        [Self::WorkflowTemplate, Self::ClusterWorkflowTemplate, Self::CronWorkflow, Self::ConfigMap];

    /// Its name, as `kind` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WorkflowTemplate => "WorkflowTemplate",
            Self::ClusterWorkflowTemplate => "ClusterWorkflowTemplate",
            Self::CronWorkflow => "CronWorkflow",
            Self::ConfigMap => "ConfigMap",
        }
    }

    /// Its name in addresses and errors.
    pub fn plural(self) -> &'static str {
        match self {
            Self::WorkflowTemplate => "workflowtemplates.argoproj.io",
            Self::ClusterWorkflowTemplate => "clusterworkflowtemplates.argoproj.io",
            Self::CronWorkflow => "cronworkflows.argoproj.io",
            Self::ConfigMap => "configmaps",
        }
    }

    /// Whether it belongs to no namespace.
    pub fn is_of_all(self) -> bool {
        match self {
            Self::ClusterWorkflowTemplate => true,
            Self::WorkflowTemplate | Self::CronWorkflow | Self::ConfigMap => false,
        }
    }

    fn of(document: &Value) -> Option<Self> {
        let kind = document.get("kind").and_then(Value::as_str)?;
        Self::ALL.into_iter().find(|one| one.as_str() == kind)
    }
}

/// What tells documents apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DocumentKey {
    /// What it is.
    pub kind: Kind,
    /// Its namespace; empty for a document of all namespaces.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl DocumentKey {
    /// The key of a document; a namespace that it does not name is `default`. `None`: no kind that is
    /// kept, or no name.
    pub fn of(document: &Value) -> Option<Self> {
        let kind = Kind::of(document)?;
        let text = |name: &str| document.pointer(name).and_then(Value::as_str).unwrap_or_default();
        let name = text("/metadata/name").to_owned();
        let namespace = match text("/metadata/namespace") {
            _ if kind.is_of_all() => String::new(),
            "" => "default".to_owned(),
            namespace => namespace.to_owned(),
        };
        (!name.is_empty()).then_some(Self { kind, namespace, name })
    }
}

/// All documents.
#[derive(Debug, Default)]
pub struct Documents {
    by_key: Mutex<BTreeMap<DocumentKey, Arc<Value>>>,
}

impl Documents {
    /// Begins with documents; a later one of the same key stands.
    pub fn new(documents: impl IntoIterator<Item = Value>) -> Self {
        let keyed = documents.into_iter().filter_map(|one| Some((DocumentKey::of(&one)?, Arc::new(one))));
        Self { by_key: Mutex::new(keyed.collect()) }
    }

    /// One of them.
    pub fn get(&self, key: &DocumentKey) -> Option<Arc<Value>> {
        self.lock().get(key).cloned()
    }

    /// All of a kind, by namespace and name; `None`: of all namespaces.
    pub fn list(&self, kind: Kind, namespace: Option<&str>) -> Vec<Arc<Value>> {
        let first = DocumentKey { kind, namespace: String::new(), name: String::new() };
        let all = self.lock();
        let of_kind =
            all.range((Bound::Included(first), Bound::Unbounded)).take_while(|(key, _)| key.kind == kind);
        let own = of_kind.filter(|(key, _)| namespace.is_none_or(|namespace| key.namespace == namespace));
        own.map(|(_, document)| Arc::clone(document)).collect()
    }

    /// Puts one in; gives the one before.
    pub fn put(&self, key: DocumentKey, document: Value) -> Option<Arc<Value>> {
        self.lock().insert(key, Arc::new(document))
    }

    /// Takes one out.
    pub fn remove(&self, key: &DocumentKey) -> Option<Arc<Value>> {
        self.lock().remove(key)
    }

    /// Those that a workflow refers to, and those that they refer to: what is named anywhere in them.
    pub fn referred(&self, workflow: &Workflow) -> Vec<Value> {
        let namespace = match workflow.metadata.namespace.as_str() {
            "" => "default",
            namespace => namespace,
        };
        let mut rest: Vec<(DocumentKey, Arc<Value>)> = self
            .lock()
            .iter()
            .filter(|(key, _)| key.kind != Kind::CronWorkflow)
            .filter(|(key, _)| key.kind.is_of_all() || key.namespace == namespace)
            .map(|(key, document)| (key.clone(), Arc::clone(document)))
            .collect();
        let mut texts = vec![serde_json::to_string(&workflow.spec).unwrap_or_default()];
        let mut found = Vec::new();
        while let Some(text) = texts.pop() {
            // A name may come from a parameter, so any config map may be meant.
            let any_map = ["configMap", "memoize"].iter().any(|word| text.contains(word));
            let (named, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(key, _)| {
                key.kind == Kind::ConfigMap && any_map || text.contains(&format!("\"{}\"", key.name))
            });
            rest = others;
            for (_, document) in named {
                texts.push(document.to_string());
                found.push(Value::clone(&document));
            }
        }
        found
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<DocumentKey, Arc<Value>>> {
        // Nothing panics while it is held.
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Documents as the engine looks them up. One that does not fit is left out: then it is not found, and
/// that is said.
pub fn library_of(documents: &[Value]) -> Library {
    let mut library = Library::default();
    for document in documents {
        if let Err(error) = library.add(document) {
            let name = document.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            tracing::warn!(name, %error, "a document does not fit and is not used");
        }
    }
    library
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(kind: &str, name: &str, spec: &Value) -> Value {
        json!({"kind": kind, "metadata": {"name": name}, "spec": spec})
    }

    #[test]
    fn a_workflow_takes_along_what_it_names_and_what_that_names() {
        let task = |name: &str| json!({"dag": {"tasks": [{"templateRef": {"name": name}}]}});
        let documents = Documents::new([
            document("WorkflowTemplate", "first", &json!({"templates": [task("second")]})),
            document("ClusterWorkflowTemplate", "second", &json!({})),
            document("WorkflowTemplate", "other", &json!({})),
            document("Secret", "first", &json!({})),
            document("ConfigMap", "limits", &json!({})),
        ]);
        let named = |spec: Value| {
            let workflow: Workflow = serde_json::from_value(json!({"spec": spec})).expect("a workflow");
            let found = documents.referred(&workflow);
            found.iter().map(|one| one["metadata"]["name"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(named(json!({"workflowTemplateRef": {"name": "first"}})), ["first", "second"]);
        let limit = json!({"semaphores": [{"configMapKeyRef": {"name": "{{workflow.parameters.x}}"}}]});
        assert_eq!(named(json!({"synchronization": limit})), ["limits"]);
        assert!(named(json!({"entrypoint": "other-one"})).is_empty());
    }
}
