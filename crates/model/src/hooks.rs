//! Lifecycle hooks of workflows, tasks and steps.
//! Source: Argo `workflow_types.go`, `LifecycleHook`, `LifecycleHooks`, `ExitLifecycleEvent`.

use serde::{Deserialize, Serialize};

use crate::params::Arguments;
use crate::wire::{Other, is_default, null_default, optional_text, text};

/// The name of the one lifecycle hook that is an exit hook.
pub const EXIT: &str = "exit";

/// One hook: the template it runs, its arguments, and when (named hooks only).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LifecycleHook {
    /// Template of the same spec; empty with `templateRef`.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "is_default")]
    pub template: String,
    /// Arguments given to the template.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub arguments: Arguments,
    /// Condition of a named hook; an exit hook needs none.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// Everything else, unchanged (`templateRef`).
    #[serde(flatten)]
    pub other: Other,
}

/// Hooks by name, in the order of the document. The one named `exit` is the exit hook.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LifecycleHooks(pub Other);

impl LifecycleHooks {
    /// True when there is no hook at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hooks one by one; the error is what does not fit the shape of a hook.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Result<LifecycleHook, serde_json::Error>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), LifecycleHook::deserialize(value)))
    }
}
