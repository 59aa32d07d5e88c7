//! Workflows from kept documents, and workflows that are only looked at.
//! Source: Argo `server/workflow/workflow_server.go`, `SubmitWorkflow`, `LintWorkflow`;
//! `workflow/util/util.go`, `ApplySubmitOpts`; `argo-api.md`, section 8.

use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use unwind_api::request::{DocumentRequest, SubmitOptions, SubmitRequest};
use unwind_api::{ApiError, Code};
use unwind_engine::Severity;
use unwind_engine::cron::workflow_now;
use unwind_model::cron::CronWorkflow;
use unwind_model::params::Parameter;
use unwind_model::workflow::API_VERSION;
use unwind_model::{Workflow, WorkflowSpec};

use super::answer::{self, Refusal};
use super::diagnostic;
use super::router::Asked;
use super::workflows::argo;
use crate::backend::documents::Kind;
use crate::backend::kept::key_of;
use crate::clock;

/// Labels with the document that a workflow was made from. Source: Argo `workflow/common/common.go`.
const FROM_TEMPLATE: &str = "workflows.argoproj.io/workflow-template";
const FROM_CLUSTER_TEMPLATE: &str = "workflows.argoproj.io/cluster-workflow-template";

/// `POST /api/v1/workflows/{ns}/lint`.
pub fn lint(asked: &Asked<'_>, namespace: &str) -> Result<Response, Refusal> {
    let request = DocumentRequest::read(&asked.body)?;
    let unknown = |message: String| Refusal(ApiError::new(Code::Unknown, message));
    let Some(sent) = request.workflow else { return Err(unknown("unable to get a workflow".to_owned())) };
    let mut workflow: Workflow =
        serde_json::from_value(sent).map_err(|error| Refusal(ApiError::invalid(error.to_string())))?;
    namespace.clone_into(&mut workflow.metadata.namespace);
    asked.app.backend.lint(&workflow).map_err(|invalid| unknown(invalid.message))?;
    Ok(answer::json(&argo(&workflow))?)
}

/// `POST /api/v1/workflows/{ns}/submit`.
pub async fn submit(asked: &Asked<'_>, namespace: &str) -> Result<Response, Refusal> {
    let request = SubmitRequest::read(&asked.body)?;
    let options = request.submit_options.unwrap_or_default();
    let name = &request.resource_name;
    let backend = &asked.app.backend;
    let kind = match request.resource_kind.as_str() {
        "WorkflowTemplate" | "workflowtemplate" | "workflowtemplates" | "wftmpl" => Kind::WorkflowTemplate,
        "ClusterWorkflowTemplate" | "clusterworkflowtemplate" | "clusterworkflowtemplates" | "cwftmpl" => {
            Kind::ClusterWorkflowTemplate
        }
        "CronWorkflow" | "cronworkflow" | "cronworkflows" | "cronwf" => Kind::CronWorkflow,
        other => {
            let message = format!("Resource kind '{other}' is not supported for submitting");
            return Err(Refusal(ApiError::invalid(message)));
        }
    };
    let document = backend.document(&key_of(kind, namespace, name))?;
    let mut workflow = if kind == Kind::CronWorkflow {
        let cron = CronWorkflow::deserialize(&*document)
            .map_err(|error| Refusal(ApiError::internal(error.to_string())))?;
        workflow_now(&cron, clock::now())
    } else {
        from_template(kind, name, &document)
    };
    namespace.clone_into(&mut workflow.metadata.namespace);
    apply(&mut workflow, &options)?;
    if options.dry_run || options.server_dry_run {
        let diagnostics = backend.examine(&workflow);
        if diagnostics.iter().any(|one| one.severity == Severity::Error) {
            return Err(Refusal(ApiError::invalid(diagnostic::sentence(&diagnostics))));
        }
        return Ok(answer::json(&argo(&workflow))?);
    }
    Ok(answer::json(&argo(&*backend.submit(workflow).await?))?)
}

/// Source: Argo `workflow/common/convert.go`, `NewWorkflowFromWorkflowTemplate`.
fn from_template(kind: Kind, name: &str, document: &Value) -> Workflow {
    let mut workflow = Workflow {
        api_version: API_VERSION.to_owned(),
        kind: "Workflow".to_owned(),
        spec: WorkflowSpec::default(),
        ..Workflow::default()
    };
    workflow.metadata.generate_name = format!("{name}-");
    let is_of_all = kind.is_of_all();
    let label = if is_of_all { FROM_CLUSTER_TEMPLATE } else { FROM_TEMPLATE };
    workflow.metadata.labels.insert(label.to_owned(), name.to_owned());
    let more = &document["spec"]["workflowMetadata"];
    for (field, into) in
        [("labels", &mut workflow.metadata.labels), ("annotations", &mut workflow.metadata.annotations)]
    {
        for (key, value) in more[field].as_object().into_iter().flatten() {
            into.insert(key.clone(), value.as_str().unwrap_or_default().to_owned());
        }
    }
    let mut reference = json!({"name": name});
    if is_of_all {
        reference["clusterScope"] = json!(true);
    }
    workflow.spec.other.insert("workflowTemplateRef".to_owned(), reference);
    workflow
}

/// Source: Argo `workflow/util/util.go`, `ApplySubmitOpts`, `overrideParameters`.
fn apply(workflow: &mut Workflow, options: &SubmitOptions) -> Result<(), ApiError> {
    let metadata = &mut workflow.metadata;
    if !options.generate_name.is_empty() {
        metadata.generate_name.clone_from(&options.generate_name);
    }
    if !options.name.is_empty() {
        metadata.name.clone_from(&options.name);
    }
    for (text, into) in
        [(&options.labels, &mut metadata.labels), (&options.annotations, &mut metadata.annotations)]
    {
        for pair in text.split(',').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| ApiError::invalid(format!("expected `name=value`, found `{pair}`")))?;
            into.insert(key.to_owned(), value.to_owned());
        }
    }
    if !options.entry_point.is_empty() {
        workflow.spec.entrypoint.clone_from(&options.entry_point);
    }
    if let Some(priority) = options.priority {
        workflow.spec.other.insert("priority".to_owned(), json!(priority));
    }
    let parameters = &mut workflow.spec.arguments.parameters;
    for text in &options.parameters {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            ApiError::invalid(format!("expected parameter of the form: NAME=VALUE. Received: {text}"))
        })?;
        let value = Some(value.to_owned());
        match parameters.iter_mut().find(|parameter| parameter.name == name) {
            Some(known) => {
                known.value = value;
                known.value_from = None;
            }
            None => parameters.push(Parameter { name: name.to_owned(), value, ..Parameter::default() }),
        }
    }
    Ok(())
}
