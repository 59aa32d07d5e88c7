//! What is done to one workflow by `PUT`: stop, terminate, suspend, resume, set, retry, resubmit.
//! Source: Argo `server/workflow/workflow_server.go`, `workflow/util/util.go`.

use std::collections::BTreeMap;

use axum::response::Response;
use unwind_api::request::{
    ResubmitRequest, ResumeRequest, RetryRequest, SetRequest, StopRequest, SuspendRequest, TerminateRequest,
};
use unwind_api::{ApiError, Verb};
use unwind_engine::again::{NodeValues, OldHooks, RetryOptions};
use unwind_model::NodePhase;

use super::answer::{self, Refusal};
use super::router::Asked;
use super::workflows::{argo, find};

/// `PUT /api/v1/workflows/{ns}/{name}/{verb}`.
pub async fn act(asked: &Asked<'_>, namespace: &str, name: &str, verb: Verb) -> Result<Response, Refusal> {
    let backend = &asked.app.backend;
    let body = &asked.body;
    let found = find(backend, namespace, name);
    let workflow = match verb {
        Verb::Stop => {
            let request = StopRequest::read(body)?;
            let name = &found?.metadata.name;
            if request.node_field_selector.is_empty() {
                backend.stop(namespace, name).await?
            } else {
                let phase = Some(NodePhase::Failed);
                let values = NodeValues { phase, message: request.message, ..NodeValues::default() };
                backend.set(namespace, name, request.node_field_selector, values).await?
            }
        }
        Verb::Terminate => {
            TerminateRequest::read(body)?;
            backend.terminate(namespace, &found?.metadata.name).await?
        }
        Verb::Suspend => {
            SuspendRequest::read(body)?;
            backend.suspend(namespace, &found?.metadata.name).await?
        }
        Verb::Resume => {
            let selector = ResumeRequest::read(body)?.node_field_selector;
            let name = &found?.metadata.name;
            if selector.is_empty() {
                backend.resume(namespace, name).await?
            } else {
                let values = NodeValues { phase: Some(NodePhase::Succeeded), ..NodeValues::default() };
                backend.set(namespace, name, selector, values).await?
            }
        }
        Verb::Set => {
            let request = SetRequest::read(body)?;
            let name = &found?.metadata.name;
            let values = values(&request)?;
            if request.node_field_selector.is_empty() {
                let message =
                    "'set' currently only targets suspend nodes, use a node field selector to target them";
                return Err(Refusal(ApiError::internal(message)));
            }
            backend.set(namespace, name, request.node_field_selector, values).await?
        }
        Verb::Retry => {
            let request = RetryRequest::read(body)?;
            let options = RetryOptions {
                restart_successful: request.restart_successful,
                node_field_selector: request.node_field_selector,
                parameters: request.parameters,
                hooks: OldHooks::RunAgain,
            };
            backend.retry(namespace, &found?.metadata.name, options).await?
        }
        Verb::Resubmit => {
            let ResubmitRequest { memoized, parameters } = ResubmitRequest::read(body)?;
            backend.resubmit(namespace, &found?.metadata.name, memoized, parameters).await?
        }
    };
    Ok(answer::json(&argo(&workflow))?)
}

/// What a set makes of nodes.
fn values(request: &SetRequest) -> Result<NodeValues, ApiError> {
    let phase = match request.phase.as_str() {
        "" => None,
        "Succeeded" => Some(NodePhase::Succeeded),
        "Failed" => Some(NodePhase::Failed),
        "Error" => Some(NodePhase::Error),
        other => return Err(ApiError::invalid(format!("{other} is an invalid phase to set to"))),
    };
    let output_parameters = if request.output_parameters.is_empty() {
        BTreeMap::new()
    } else {
        serde_json::from_str::<BTreeMap<String, String>>(&request.output_parameters).map_err(|error| {
            ApiError::invalid(format!("unable to parse output parameter set request: {error}"))
        })?
    };
    let output_parameters = output_parameters.into_iter().collect();
    Ok(NodeValues { phase, message: request.message.clone(), output_parameters })
}
