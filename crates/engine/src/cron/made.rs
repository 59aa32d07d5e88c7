//! The workflows that a `CronWorkflow` makes.
//! Source: Argo `workflow/common/convert.go`, `ConvertCronWorkflowToWorkflowWithProperties`,
//! `ConvertCronWorkflowToWorkflow`, `toWorkflow`; `workflow/cron/operator.go`, `getChildWorkflowName`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use unwind_model::cron::CronWorkflow;
use unwind_model::workflow::{API_VERSION, ObjectMeta};
use unwind_model::{Timestamp, Workflow};

/// Label with the name of the `CronWorkflow`.
const CRON_WORKFLOW: &str = "workflows.argoproj.io/cron-workflow";
/// Annotation with the time for which a workflow was made.
const SCHEDULED_TIME: &str = "workflows.argoproj.io/scheduled-time";
/// Label that tells controllers apart.
const INSTANCE: &str = "workflows.argoproj.io/controller-instanceid";
/// Labels with the user who made the object, which go over to its workflows.
const CREATOR: [&str; 3] = [
    "workflows.argoproj.io/creator",
    "workflows.argoproj.io/creator-email",
    "workflows.argoproj.io/creator-preferred-username",
];

/// The workflow for one time of the schedule, named for it.
pub fn workflow_at(cron: &CronWorkflow, scheduled: Timestamp) -> Workflow {
    let mut labels = BTreeMap::new();
    for key in CREATOR {
        if let Some(value) = cron.metadata.labels.get(key) {
            labels.insert(key.to_owned(), value.clone());
        }
    }
    let meta = ObjectMeta { name: name_at(cron, scheduled), labels, ..ObjectMeta::default() };
    workflow(cron, meta, scheduled)
}

/// The workflow that a user asks for beside the schedule; the server completes its name.
pub fn workflow_now(cron: &CronWorkflow, now: Timestamp) -> Workflow {
    let generate_name = format!("{}-", cron.metadata.name);
    workflow(cron, ObjectMeta { generate_name, ..ObjectMeta::default() }, now)
}

/// `<name>-<seconds since the epoch>`.
pub(super) fn name_at(cron: &CronWorkflow, scheduled: Timestamp) -> String {
    format!("{}-{}", cron.metadata.name, scheduled.millis().div_euclid(1000))
}

fn workflow(cron: &CronWorkflow, mut meta: ObjectMeta, scheduled: Timestamp) -> Workflow {
    meta.namespace.clone_from(&cron.metadata.namespace);
    meta.annotations.insert(SCHEDULED_TIME.into(), scheduled.whole_seconds().to_string());
    if let Some(instance) = cron.metadata.labels.get(INSTANCE) {
        meta.labels.insert(INSTANCE.into(), instance.clone());
    }
    meta.labels.insert(CRON_WORKFLOW.into(), cron.metadata.name.clone());
    if let Some(more) = &cron.spec.workflow_metadata {
        meta.labels.extend(more.labels.clone());
        meta.annotations.extend(more.annotations.clone());
        if let Some(finalizers) = more.other.get("finalizers").filter(|list| list.is_array()) {
            meta.other.insert("finalizers".into(), finalizers.clone());
        }
    }
    meta.other.insert("ownerReferences".into(), Value::Array(vec![owner(cron)]));
    let api_version = match cron.api_version.as_str() {
        "" => API_VERSION.to_owned(),
        version => version.to_owned(),
    };
    let (kind, spec) = ("Workflow".to_owned(), cron.spec.workflow_spec.clone());
    Workflow { api_version, kind, metadata: meta, spec, ..Workflow::default() }
}

fn owner(cron: &CronWorkflow) -> Value {
    json!({"apiVersion": API_VERSION, "kind": "CronWorkflow", "name": cron.metadata.name,
        "uid": cron.metadata.uid, "controller": true, "blockOwnerDeletion": true})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workflows_are_named_and_labelled_for_their_time() {
        let cron: CronWorkflow = unwind_model::json::read(
            r#"{"metadata":{"name":"nightly","namespace":"ns","uid":"u","labels":{"team":"x",
                "workflows.argoproj.io/creator":"c","workflows.argoproj.io/controller-instanceid":"i"}},
                "spec":{"schedules":["@daily"],"workflowSpec":{"entrypoint":"main"},
                "workflowMetadata":{"labels":{"a":"b"},"annotations":{"c":"d"},"finalizers":["f"]}}}"#,
        )
        .expect("a cron workflow");
        let at = Timestamp(1_615_836_720_000);
        let mut expected = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
            "metadata": {"name": "nightly-1615836720", "namespace": "ns",
                "labels": {"a": "b", "workflows.argoproj.io/creator": "c",
                    "workflows.argoproj.io/controller-instanceid": "i",
                    "workflows.argoproj.io/cron-workflow": "nightly"},
                "annotations": {"c": "d", "workflows.argoproj.io/scheduled-time": "2021-03-15T19:32:00Z"},
                "finalizers": ["f"],
                "ownerReferences": [{"apiVersion": "argoproj.io/v1alpha1", "kind": "CronWorkflow",
                    "name": "nightly", "uid": "u", "controller": true, "blockOwnerDeletion": true}]},
            "spec": {"entrypoint": "main"}});
        assert_eq!(serde_json::to_value(workflow_at(&cron, at)).expect("value"), expected);
        let meta = expected["metadata"].as_object_mut().expect("an object");
        meta.remove("name");
        meta.insert("generateName".into(), "nightly-".into());
        meta["labels"].as_object_mut().expect("an object").remove("workflows.argoproj.io/creator");
        assert_eq!(serde_json::to_value(workflow_now(&cron, at)).expect("value"), expected);
    }
}
