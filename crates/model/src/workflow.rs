//! The Workflow object as a whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::spec::WorkflowSpec;
use crate::status::WorkflowStatus;
use crate::time::Timestamp;
use crate::wire::{Other, is_default, text, text_map, through_value};

/// `apiVersion` of every object of Argo Workflows.
pub const API_VERSION: &str = "argoproj.io/v1alpha1";

/// Metadata of a Kubernetes object, as far as it is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectMeta {
    /// Name; empty before the server has made one from `generateName`.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Start of the name that the server is to complete.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub generate_name: String,
    /// Namespace.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Unique id given by the server.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Version of this state of the object.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// When it was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<Timestamp>,
    /// Labels, sorted.
    #[serde(default, deserialize_with = "text_map", skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations, sorted.
    #[serde(default, deserialize_with = "text_map", skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

/// A Workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Workflow {
    /// `argoproj.io/v1alpha1`; some answers of Argo leave it out.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// `Workflow`; some answers of Argo leave it out.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Name, labels and so on.
    #[serde(default, deserialize_with = "through_value")]
    pub metadata: ObjectMeta,
    /// What is to be done.
    #[serde(default, deserialize_with = "through_value")]
    pub spec: WorkflowSpec,
    /// What has happened.
    #[serde(default, deserialize_with = "through_value", skip_serializing_if = "is_default")]
    pub status: WorkflowStatus,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

impl Workflow {
    /// Drops fractions of seconds from all times, as Argo's objects have none.
    #[must_use]
    pub fn to_whole_seconds(mut self) -> Self {
        let cut = |time: &mut Option<Timestamp>| *time = time.map(Timestamp::whole_seconds);
        cut(&mut self.metadata.creation_timestamp);
        cut(&mut self.status.started_at);
        cut(&mut self.status.finished_at);
        for node in self.status.nodes.values_mut() {
            cut(&mut node.started_at);
            cut(&mut node.finished_at);
        }
        self
    }
}
