//! Documents of all kinds that hold a workflow.
//! Source: Argo `workflow/validate/validate.go`, `WorkflowTemplate`, `ClusterWorkflowTemplate`,
//! `CronWorkflow`; `workflow/common/convert.go`, `ConvertCronWorkflowToWorkflow`.

use serde::Deserialize;
use serde_json::Value;
use unwind_model::cron::CronWorkflow;
use unwind_model::{ObjectMeta, Timestamp, Workflow};

use super::workflow::{self, MAX_NAME, Subject, too_long};
use super::{Invalid, ValidateOptions, artifact};
use crate::cron::{Schedule, zone_error};
use crate::lang::go::quote;
use crate::library::Library;

/// Longest name of a `CronWorkflow`: the names of its workflows end with a time.
const MAX_CRON_NAME: usize = 52;

/// The first thing that Argo finds wrong with a `Workflow`, `WorkflowTemplate`, `ClusterWorkflowTemplate`
/// or `CronWorkflow`. Whether it is a template document is taken from its kind; other kinds are an error.
pub fn validate_document(
    document: &Value,
    library: &Library,
    options: ValidateOptions,
) -> Result<(), Invalid> {
    match artifact::text(document, "kind") {
        "" | "Workflow" => {
            let workflow: Workflow = read(document)?;
            workflow::validate(&Subject {
                workflow: &workflow,
                library,
                options,
                spec_path: "spec",
                may_lack_reference: false,
            })
        }
        "WorkflowTemplate" => template(document, "workflow template", library, options),
        "ClusterWorkflowTemplate" => template(document, "cluster workflow template", library, options),
        "CronWorkflow" => cron(document, library),
        other => Err(Invalid::new(
            "kind",
            format!(
                "expected Workflow, WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow, found `{other}`"
            ),
        )),
    }
}

fn read<T: for<'de> Deserialize<'de>>(document: &Value) -> Result<T, Invalid> {
    T::deserialize(document).map_err(|error| Invalid::new("", error.to_string()))
}

fn template(
    document: &Value,
    what: &str,
    library: &Library,
    options: ValidateOptions,
) -> Result<(), Invalid> {
    let mut workflow: Workflow = read(document)?;
    let name = std::mem::take(&mut workflow.metadata.name);
    if name.len() > MAX_NAME {
        return Err(Invalid::new("metadata.name", too_long(what, &name, MAX_NAME)));
    }
    let options = ValidateOptions {
        ignore_entrypoint: workflow.spec.entrypoint.is_empty(),
        workflow_template: true,
        ..options
    };
    workflow::validate(&Subject {
        workflow: &workflow,
        library,
        options,
        spec_path: "spec",
        may_lack_reference: false,
    })
}

/// Whether a text has only what names of time zones are made of.
fn may_be_zone(zone: &str) -> bool {
    zone.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+'))
}

fn cron(document: &Value, library: &Library) -> Result<(), Invalid> {
    let CronWorkflow { metadata, spec, .. } = read(document)?;
    if metadata.name.len() > MAX_CRON_NAME {
        return Err(Invalid::new("metadata.name", too_long("cron workflow", &metadata.name, MAX_CRON_NAME)));
    }
    if spec.schedules.is_empty() {
        return Err(Invalid::new("spec", "cron workflow must have at least one schedule"));
    }
    // Which zones there are is known only where it runs; what can be no name of one is known here.
    let zones = |zone: &str, _: Timestamp| may_be_zone(zone).then_some(0);
    for (index, schedule) in spec.schedules.iter().enumerate() {
        Schedule::parse(schedule, &zones).map_err(|error| {
            let path = format!("spec.schedules[{index}]");
            Invalid::new(path, format!("cron schedule {schedule} is malformed: {error}"))
        })?;
    }
    if let Some(error) = zone_error(&zones, &spec.timezone) {
        let text = format!("invalid timezone {}: {error}", quote(&spec.timezone));
        return Err(Invalid::new("spec.timezone", text));
    }
    let policy = spec.concurrency_policy.as_str();
    if !matches!(policy, "" | "Allow" | "Forbid" | "Replace") {
        return Err(Invalid::new(
            "spec.concurrencyPolicy",
            format!("'{policy}' is not a valid concurrencyPolicy"),
        ));
    }
    if spec.starting_deadline_seconds.is_some_and(|seconds| seconds < 0) {
        return Err(Invalid::new("spec.startingDeadlineSeconds", "startingDeadlineSeconds must be positive"));
    }
    // Its workflows have the metadata that the spec gives them, and a name that fits.
    let own = spec.workflow_metadata.unwrap_or_default();
    let metadata = ObjectMeta { labels: own.labels, annotations: own.annotations, ..ObjectMeta::default() };
    let workflow = Workflow { metadata, spec: spec.workflow_spec, ..Workflow::default() };
    // As in Argo, no option makes it milder.
    workflow::validate(&Subject {
        workflow: &workflow,
        library,
        options: ValidateOptions::default(),
        spec_path: "spec.workflowSpec",
        may_lack_reference: false,
    })
    .map_err(|error| error.within("cannot validate Workflow:"))
}
