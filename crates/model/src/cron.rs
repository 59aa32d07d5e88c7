//! The `CronWorkflow` object.
//! Source: Argo `cron_workflow_types.go`, `CronWorkflow`, `CronWorkflowSpec`, `CronWorkflowStatus`.

use serde::{Deserialize, Serialize, Serializer};

use crate::spec::WorkflowSpec;
use crate::time::Timestamp;
use crate::wire::{Other, is_default, null_default, text, texts, through_value};
use crate::workflow::ObjectMeta;

/// A workflow that is to be run at given times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CronWorkflow {
    /// `argoproj.io/v1alpha1`; some answers of Argo leave it out.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// `CronWorkflow`; some answers of Argo leave it out.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Name, labels and so on.
    #[serde(default, deserialize_with = "through_value")]
    pub metadata: ObjectMeta,
    /// What is to be run, and when.
    #[serde(default, deserialize_with = "through_value")]
    pub spec: CronWorkflowSpec,
    /// What has been run.
    #[serde(default, deserialize_with = "through_value")]
    pub status: CronWorkflowStatus,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

/// The spec of a `CronWorkflow`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CronWorkflowSpec {
    /// Spec of the workflows to be made.
    #[serde(default, deserialize_with = "through_value")]
    pub workflow_spec: WorkflowSpec,
    /// When it is due, one or several, in cron's form.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<String>,
    /// `Allow`, `Forbid` or `Replace`; empty means `Allow`. Kept as text, since a wrong word is no
    /// reason to refuse the document.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub concurrency_policy: String,
    /// True while nothing is to be run.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "is_default")]
    pub suspend: bool,
    /// Seconds for which a missed run is made up for; absent means never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starting_deadline_seconds: Option<i64>,
    /// How many succeeded workflows are kept (3 when absent or negative).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successful_jobs_history_limit: Option<i32>,
    /// How many failed workflows are kept (1 when absent or negative).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_jobs_history_limit: Option<i32>,
    /// Time zone of the schedules; empty means that of the controller.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub timezone: String,
    /// Labels, annotations and finalizers of the workflows to be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_metadata: Option<ObjectMeta>,
    /// When to make no more workflows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_strategy: Option<StopStrategy>,
    /// Condition of each run.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub when: String,
    /// Everything else, unchanged (`schedule`, of Argo before version 4).
    #[serde(flatten)]
    pub other: Other,
}

/// When a `CronWorkflow` makes no more workflows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StopStrategy {
    /// Expression over `cronworkflow.failed`, `cronworkflow.succeeded` and so on.
    #[serde(default, deserialize_with = "text")]
    pub expression: String,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

/// The status of a `CronWorkflow`. Go writes all its fields, empty lists as `null`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CronWorkflowStatus {
    /// The workflows it made that are under way, oldest first.
    #[serde(default, deserialize_with = "null_default", serialize_with = "list_or_null")]
    pub active: Vec<ObjectReference>,
    /// For which time the last workflow was made.
    #[serde(default)]
    pub last_scheduled_time: Option<Timestamp>,
    /// What is wrong, if anything.
    #[serde(default, deserialize_with = "null_default", serialize_with = "list_or_null")]
    pub conditions: Vec<Condition>,
    /// Workflows that ended well.
    #[serde(default, deserialize_with = "null_default")]
    pub succeeded: i64,
    /// Workflows that ended badly or could not be made.
    #[serde(default, deserialize_with = "null_default")]
    pub failed: i64,
    /// Whether its stop strategy has ended it.
    #[serde(default, deserialize_with = "null_default")]
    pub phase: CronPhase,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

/// Whether a `CronWorkflow` makes workflows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CronPhase {
    /// It has made none yet.
    #[default]
    #[serde(rename = "")]
    Unset,
    /// It has made one.
    Active,
    /// Its stop strategy has ended it.
    Stopped,
}

/// Points at an object. Source: Kubernetes `core/v1`, `ObjectReference`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectReference {
    /// Kind of the object.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Namespace.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// Name.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Unique id.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// Group and version of the kind.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Version of the object when it was pointed at.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// Everything else, unchanged.
    #[serde(flatten)]
    pub other: Other,
}

/// One observation about an object. Source: Argo `workflow_types.go`, `Condition`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// What it is about, for example `Completed`, `SubmissionError` or `SpecError`.
    #[serde(default, rename = "type", deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// More about it.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl CronWorkflowSpec {
    /// The schedules, each with the time zone in front when there is one.
    /// Source: Argo `cron_workflow_types.go`, `GetSchedulesWithTimezone`.
    pub fn zoned_schedules(&self) -> Vec<String> {
        let zoned = |schedule: &String| match self.timezone.as_str() {
            "" => schedule.clone(),
            zone => format!("CRON_TZ={zone} {schedule}"),
        };
        self.schedules.iter().map(zoned).collect()
    }
}

/// Puts a condition in the place of the one of its kind, or at the end.
/// Source: Argo `workflow_types.go`, `Conditions.UpsertCondition`.
pub fn set_condition(conditions: &mut Vec<Condition>, condition: Condition) {
    match conditions.iter_mut().find(|old| old.kind == condition.kind) {
        Some(old) => *old = condition,
        None => conditions.push(condition),
    }
}

fn list_or_null<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    if list.is_empty() { serializer.serialize_none() } else { list.serialize(serializer) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cron_workflow_goes_in_and_out_as_go_writes_it() {
        let text = r#"{"metadata":{"name":"nightly"},"spec":{"workflowSpec":{"entrypoint":"main"},"schedules":["0 3 * * *"],"concurrencyPolicy":"Forbid","startingDeadlineSeconds":0,"timezone":"Europe/Berlin"},"status":{"active":null,"lastScheduledTime":null,"conditions":null,"succeeded":0,"failed":0,"phase":""}}"#;
        let cron: CronWorkflow = crate::json::read(text).expect("a cron workflow");
        assert_eq!(serde_json::to_string(&cron).expect("text"), text);
        assert_eq!(cron.spec.zoned_schedules(), ["CRON_TZ=Europe/Berlin 0 3 * * *"]);
    }

    #[test]
    fn unknown_fields_stay() {
        let text = r#"{"spec":{"schedule":"* * * * *","workflowSpec":{"x":1}},"status":{"active":[{"uid":"u","fieldPath":"p"}],"phase":"Stopped"},"y":2}"#;
        let cron: CronWorkflow = crate::json::read(text).expect("a cron workflow");
        let back = serde_json::to_value(&cron).expect("value");
        assert_eq!(back["spec"]["schedule"], "* * * * *");
        assert_eq!(back["spec"]["workflowSpec"]["x"], 1);
        assert_eq!(back["status"]["active"][0]["fieldPath"], "p");
        assert_eq!(cron.status.phase, CronPhase::Stopped);
        assert_eq!(back["y"], 2);
    }
}
