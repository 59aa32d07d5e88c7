//! Workflow spec and templates, as far as the engine reads them; all else is kept.
//! Source: Argo `workflow_types.go`, `WorkflowSpec`, `Template`, `DAGTemplate`, `DAGTask`, `WorkflowStep`.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::hooks::LifecycleHooks;
use crate::params::{Arguments, Inputs, Outputs};
use crate::tasks::Tasks;
use crate::wire::{Other, is_default, null_default, optional_text, text, texts};

/// How a workflow was asked to end (`spec.shutdown`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Shutdown {
    /// Ends what runs, lets exit hooks run.
    Stop,
    /// Ends what runs, exit hooks too.
    Terminate,
}

impl Shutdown {
    /// Argo's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::Terminate => "Terminate",
        }
    }
}

/// The spec of a workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowSpec {
    /// Name of the template that runs first.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub entrypoint: String,
    /// Template of the workflow's own handler (older form of `hooks.exit`).
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub on_exit: String,
    /// Hooks of the workflow.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "LifecycleHooks::is_empty")]
    pub hooks: LifecycleHooks,
    /// Workflow parameters.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub arguments: Arguments,
    /// Templates in document order.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    pub templates: Vec<Template>,
    /// Set once a stop or terminate was asked.
    #[serde(default, deserialize_with = "shutdown", skip_serializing_if = "Option::is_none")]
    pub shutdown: Option<Shutdown>,
    /// True while the whole workflow is suspended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// Seconds after which the workflow's main work is ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_deadline_seconds: Option<i64>,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

impl WorkflowSpec {
    /// The same but for its templates, of which it has none.
    #[must_use]
    pub fn without_templates(&self) -> Self {
        Self {
            entrypoint: self.entrypoint.clone(),
            on_exit: self.on_exit.clone(),
            hooks: self.hooks.clone(),
            arguments: self.arguments.clone(),
            templates: Vec::new(),
            shutdown: self.shutdown,
            suspend: self.suspend,
            active_deadline_seconds: self.active_deadline_seconds,
            other: self.other.clone(),
        }
    }
}

/// A template: exactly one of `container`, `script`, `dag`, `steps`, `suspend` or another type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// Name; empty for an inline template.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it takes.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub inputs: Inputs,
    /// What it gives.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub outputs: Outputs,
    /// A container leaf.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Container>,
    /// A script leaf: a container whose `source` is given to `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<Container>,
    /// Tasks with dependencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dag: Option<Dag>,
    /// Groups of steps: groups run one after the other, steps of a group at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<StepGroup>>,
    /// Waits for a resume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspend: Option<Value>,
    /// Everything else, unchanged (other template types, `retryStrategy`, `timeout`, …).
    #[serde(flatten)]
    pub other: Other,
}

/// One program to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    /// Image name; the local runner uses it only when no command is given.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub image: String,
    /// Program and first arguments.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Further arguments.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Environment (raw entries: `name` with `value` or `valueFrom`).
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<Value>,
    /// Script text (script templates only).
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Working directory.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

/// A DAG template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dag {
    /// Tasks in document order.
    #[serde(default, deserialize_with = "null_default")]
    pub tasks: Tasks,
    /// Names of the tasks to reach, split on spaces; empty means all that nobody depends on.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Whether the DAG may fail without waiting for targets that have no node yet (default true).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_fast: Option<bool>,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

/// One group of steps that run at once. In documents a plain list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepGroup(#[serde(deserialize_with = "null_default")] pub Tasks);

/// A task of a DAG or a step of a group (a step has no dependencies).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Name, unique in its DAG or steps.
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// Template of the same spec; empty with `templateRef` or `inline`.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub template: String,
    /// A template written in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inline: Option<Box<Template>>,
    /// Arguments given to the template.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub arguments: Arguments,
    /// Tasks that must be over before.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// Logic over tasks that must hold before.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub depends: String,
    /// Condition.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub when: String,
    /// Template of the exit hook (older form of `hooks.exit`).
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub on_exit: String,
    /// Hooks of the task.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "LifecycleHooks::is_empty")]
    pub hooks: LifecycleHooks,
    /// Everything else, unchanged (`templateRef`, `withItems`, `continueOn`, …).
    #[serde(flatten)]
    pub other: Other,
}

fn shutdown<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Shutdown>, D::Error> {
    match Option::<String>::deserialize(deserializer)?.as_deref() {
        None | Some("") => Ok(None),
        Some("Stop") => Ok(Some(Shutdown::Stop)),
        Some("Terminate") => Ok(Some(Shutdown::Terminate)),
        Some(other) => {
            Err(serde::de::Error::custom(format!("expected `Stop` or `Terminate`, found `{other}`")))
        }
    }
}
