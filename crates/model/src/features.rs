//! The parts of a spec that few documents have, read on demand.
//!
//! `spec.rs` keeps them raw in `other`; here they have types. Every accessor gives `None` for a field
//! that is absent or `null`, and serde's error for one of the wrong shape. Texts may hold tags, so what
//! Argo types as `IntOrString` is text here. Nothing is written back: that is what `other` is for.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::hooks::LifecycleHook;
use crate::spec::{Container, Task, Template, WorkflowSpec};
use crate::wire::{null_default, optional_text, text, texts};

mod synchronization;

pub use synchronization::{ConfigMapKey, Memoize, Mutex, Semaphore, Synchronization};

/// What serde says of a field of the wrong shape.
pub type ShapeError = serde_json::Error;

/// The field `name` of an object; `None` when it is absent or `null`.
pub fn field<T: DeserializeOwned>(object: &Map<String, Value>, name: &str) -> Result<Option<T>, ShapeError> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => T::deserialize(value).map(Some),
    }
}

/// The field `name` as a text; numbers and booleans as Go writes them. `None` when it is absent or `null`.
pub fn text_field(object: &Map<String, Value>, name: &str) -> Result<Option<String>, ShapeError> {
    match object.get(name) {
        None => Ok(None),
        Some(value) => optional_text(value),
    }
}

fn raw<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// When and how often something is tried again.
/// Source: Argo `workflow_types.go`, `RetryStrategy`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetryStrategy {
    /// Most retries after the first try; `None` is no limit.
    #[serde(default, deserialize_with = "optional_text")]
    pub limit: Option<String>,
    /// `Always`, `OnFailure`, `OnError` or `OnTransientError`; empty means Argo's default.
    #[serde(default, deserialize_with = "text")]
    pub retry_policy: String,
    /// How long to wait between tries.
    #[serde(default)]
    pub backoff: Option<Backoff>,
    /// Retry only while this holds; empty means always.
    #[serde(default, deserialize_with = "text")]
    pub expression: String,
    /// Where tries may run (raw).
    #[serde(default)]
    pub affinity: Option<Value>,
}

/// Waiting times between tries.
/// Source: Argo `workflow_types.go`, `Backoff`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Backoff {
    /// First wait: seconds or a duration.
    #[serde(default, deserialize_with = "text")]
    pub duration: String,
    /// By what each wait is longer than the one before.
    #[serde(default, deserialize_with = "optional_text")]
    pub factor: Option<String>,
    /// Longest wait: seconds or a duration.
    #[serde(default, deserialize_with = "text")]
    pub cap: String,
    /// No try begins later than this after the first one: seconds or a duration.
    #[serde(default, deserialize_with = "text")]
    pub max_duration: String,
}

/// Which bad ends of a task others may take for good ones.
/// Source: Argo `workflow_types.go`, `ContinueOn`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ContinueOn {
    /// Phase Error.
    #[serde(default, deserialize_with = "null_default")]
    pub error: bool,
    /// Phase Failed.
    #[serde(default, deserialize_with = "null_default")]
    pub failed: bool,
}

/// A range of numbers to loop over.
/// Source: Argo `workflow_types.go`, `Sequence`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Sequence {
    /// How many; not together with `end`.
    #[serde(default, deserialize_with = "optional_text")]
    pub count: Option<String>,
    /// The first number, 0 without.
    #[serde(default, deserialize_with = "optional_text")]
    pub start: Option<String>,
    /// The last number; not together with `count`.
    #[serde(default, deserialize_with = "optional_text")]
    pub end: Option<String>,
    /// A Go verb that writes the number, for example `host%02d`; empty means plain.
    #[serde(default, deserialize_with = "text")]
    pub format: String,
}

/// A template of a `WorkflowTemplate` or `ClusterWorkflowTemplate`.
/// Source: Argo `workflow_types.go`, `TemplateRef`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateRef {
    /// Name of the object.
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// Name of the template in it.
    #[serde(default, deserialize_with = "text")]
    pub template: String,
    /// Whether the object is a `ClusterWorkflowTemplate`.
    #[serde(default, deserialize_with = "null_default")]
    pub cluster_scope: bool,
}

/// The `WorkflowTemplate` that a workflow is made of.
/// Source: Argo `workflow_types.go`, `WorkflowTemplateRef`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowTemplateRef {
    /// Name of the object.
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// Whether the object is a `ClusterWorkflowTemplate`.
    #[serde(default, deserialize_with = "null_default")]
    pub cluster_scope: bool,
}

/// Several containers of one pod with dependencies.
/// Source: Argo `container_set_template_types.go`, `ContainerSetTemplate`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerSet {
    /// The containers in document order; each has a name, see [`ContainerSet::name`].
    #[serde(default, deserialize_with = "null_default")]
    pub containers: Vec<Container>,
    /// Volume mounts of all of them (raw).
    #[serde(default, deserialize_with = "null_default")]
    pub volume_mounts: Vec<Value>,
    /// How often a container is tried again inside the pod.
    #[serde(default)]
    pub retry_strategy: Option<ContainerSetRetry>,
}

impl ContainerSet {
    /// The name of one of the containers.
    pub fn name(container: &Container) -> &str {
        container.other.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// Names of the containers that must have ended well before this one.
    pub fn dependencies(container: &Container) -> Result<Vec<String>, ShapeError> {
        Ok(field(&container.other, "dependencies")?.unwrap_or_default())
    }
}

/// How often a container of a container set is tried again.
/// Source: Argo `container_set_template_types.go`, `ContainerSetRetryStrategy`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ContainerSetRetry {
    /// Wait between tries.
    #[serde(default, deserialize_with = "text")]
    pub duration: String,
    /// Most retries.
    #[serde(default, deserialize_with = "optional_text")]
    pub retries: Option<String>,
}

/// A request that the agent makes.
/// Source: Argo `http_types.go`, `HTTP`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Http {
    /// Where to.
    #[serde(default, deserialize_with = "text")]
    pub url: String,
    /// Verb; empty means GET.
    #[serde(default, deserialize_with = "text")]
    pub method: String,
    /// Headers (raw: `name` with `value` or `valueFrom`).
    #[serde(default, deserialize_with = "null_default")]
    pub headers: Vec<Value>,
    /// Seconds to wait for the answer.
    #[serde(default, deserialize_with = "optional_text")]
    pub timeout_seconds: Option<String>,
    /// When the answer is a success; empty means a status code of 2xx.
    #[serde(default, deserialize_with = "text")]
    pub success_condition: String,
    /// What is sent.
    #[serde(default, deserialize_with = "text")]
    pub body: String,
    /// Where what is sent comes from (raw).
    #[serde(default)]
    pub body_from: Option<Value>,
    /// Whether any certificate will do.
    #[serde(default, deserialize_with = "null_default")]
    pub insecure_skip_verify: bool,
}

/// Something done to an object of the cluster.
/// Source: Argo `workflow_types.go`, `ResourceTemplate`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// `get`, `create`, `apply`, `delete`, `replace` or `patch`.
    #[serde(default, deserialize_with = "text")]
    pub action: String,
    /// How a patch is merged; empty means `strategic`.
    #[serde(default, deserialize_with = "text")]
    pub merge_strategy: String,
    /// The object as YAML.
    #[serde(default, deserialize_with = "text")]
    pub manifest: String,
    /// Where the object comes from (raw).
    #[serde(default)]
    pub manifest_from: Option<Value>,
    /// Whether the workflow's pod owns the object.
    #[serde(default, deserialize_with = "null_default")]
    pub set_owner_reference: bool,
    /// When the object is as wished.
    #[serde(default, deserialize_with = "text")]
    pub success_condition: String,
    /// When the object has failed.
    #[serde(default, deserialize_with = "text")]
    pub failure_condition: String,
    /// Further arguments of the command.
    #[serde(default, deserialize_with = "texts")]
    pub flags: Vec<String>,
}

/// When pods are deleted.
/// Source: Argo `workflow_types.go`, `PodGC`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodGc {
    /// `OnPodCompletion`, `OnPodSuccess`, `OnWorkflowCompletion` or `OnWorkflowSuccess`; empty means never.
    #[serde(default, deserialize_with = "text")]
    pub strategy: String,
    /// Which pods (raw label selector).
    #[serde(default)]
    pub label_selector: Option<Value>,
    /// How long they are kept.
    #[serde(default, deserialize_with = "text")]
    pub delete_delay_duration: String,
}

impl Template {
    /// `retryStrategy`.
    pub fn retry_strategy(&self) -> Result<Option<RetryStrategy>, ShapeError> {
        field(&self.other, "retryStrategy")
    }
    /// `synchronization`.
    pub fn synchronization(&self) -> Result<Option<Synchronization>, ShapeError> {
        field(&self.other, "synchronization")
    }
    /// `memoize`.
    pub fn memoize(&self) -> Result<Option<Memoize>, ShapeError> {
        field(&self.other, "memoize")
    }
    /// `containerSet`.
    pub fn container_set(&self) -> Result<Option<ContainerSet>, ShapeError> {
        field(&self.other, "containerSet")
    }
    /// `http`.
    pub fn http(&self) -> Result<Option<Http>, ShapeError> {
        field(&self.other, "http")
    }
    /// `resource`.
    pub fn resource(&self) -> Result<Option<Resource>, ShapeError> {
        field(&self.other, "resource")
    }
    /// `data` (raw).
    pub fn data(&self) -> Option<&Value> {
        raw(&self.other, "data")
    }
    /// `plugin` (raw: the plug-in's name with what it is given).
    pub fn plugin(&self) -> Option<&Value> {
        raw(&self.other, "plugin")
    }
    /// `daemon`; false without.
    pub fn is_daemon(&self) -> Result<bool, ShapeError> {
        Ok(field(&self.other, "daemon")?.unwrap_or_default())
    }
    /// `parallelism`: most pods or children at once.
    pub fn parallelism(&self) -> Result<Option<i64>, ShapeError> {
        field(&self.other, "parallelism")
    }
    /// `failFast` of the template itself (that of a DAG is another); false without.
    pub fn fail_fast(&self) -> Result<bool, ShapeError> {
        Ok(field(&self.other, "failFast")?.unwrap_or_default())
    }
    /// `activeDeadlineSeconds`: seconds, or a text with tags.
    pub fn active_deadline_seconds(&self) -> Result<Option<String>, ShapeError> {
        text_field(&self.other, "activeDeadlineSeconds")
    }
    /// `timeout`: a duration.
    pub fn timeout(&self) -> Result<Option<String>, ShapeError> {
        text_field(&self.other, "timeout")
    }
    /// `pendingTimeout`: a duration.
    pub fn pending_timeout(&self) -> Result<Option<String>, ShapeError> {
        text_field(&self.other, "pendingTimeout")
    }
    /// `suspend.duration`: seconds or a duration; `None` waits for a resume.
    pub fn suspend_duration(&self) -> Result<Option<String>, ShapeError> {
        match self.suspend.as_ref().and_then(Value::as_object) {
            None => Ok(None),
            Some(suspend) => text_field(suspend, "duration"),
        }
    }
}

impl Task {
    /// `templateRef`.
    pub fn template_ref(&self) -> Result<Option<TemplateRef>, ShapeError> {
        field(&self.other, "templateRef")
    }
    /// `withItems`: the items as written. Argo takes an empty list for none.
    pub fn with_items(&self) -> Result<Option<Vec<Value>>, ShapeError> {
        field(&self.other, "withItems")
    }
    /// `withParam`: a JSON list as text.
    pub fn with_param(&self) -> Result<Option<String>, ShapeError> {
        text_field(&self.other, "withParam")
    }
    /// `withSequence`.
    pub fn with_sequence(&self) -> Result<Option<Sequence>, ShapeError> {
        field(&self.other, "withSequence")
    }
    /// `continueOn`.
    pub fn continue_on(&self) -> Result<Option<ContinueOn>, ShapeError> {
        field(&self.other, "continueOn")
    }
}

impl LifecycleHook {
    /// `templateRef`.
    pub fn template_ref(&self) -> Result<Option<TemplateRef>, ShapeError> {
        field(&self.other, "templateRef")
    }
}

impl WorkflowSpec {
    /// `workflowTemplateRef`.
    pub fn workflow_template_ref(&self) -> Result<Option<WorkflowTemplateRef>, ShapeError> {
        field(&self.other, "workflowTemplateRef")
    }
    /// `templateDefaults`: what every template has unless it says otherwise.
    pub fn template_defaults(&self) -> Result<Option<Template>, ShapeError> {
        field(&self.other, "templateDefaults")
    }
    /// `retryStrategy` of all templates that have none.
    pub fn retry_strategy(&self) -> Result<Option<RetryStrategy>, ShapeError> {
        field(&self.other, "retryStrategy")
    }
    /// `synchronization` of the whole workflow.
    pub fn synchronization(&self) -> Result<Option<Synchronization>, ShapeError> {
        field(&self.other, "synchronization")
    }
    /// `parallelism`: most pods at once.
    pub fn parallelism(&self) -> Result<Option<i64>, ShapeError> {
        field(&self.other, "parallelism")
    }
    /// `priority`: higher ones get locks first; 0 without.
    pub fn priority(&self) -> Result<i64, ShapeError> {
        Ok(field(&self.other, "priority")?.unwrap_or_default())
    }
    /// `podGC`.
    pub fn pod_gc(&self) -> Result<Option<PodGc>, ShapeError> {
        field(&self.other, "podGC")
    }
}

#[cfg(test)]
mod tests;
