//! Logs of a workflow or of one node, as a stream of lines.
//! Source: Argo `util/logs/workflow-logger.go`; `argo-api.md`, section 10.3.

use axum::response::Response;
use futures_util::StreamExt as _;
use futures_util::stream;
use unwind_api::pod::node_of_pod;
use unwind_api::request::LogQuery;
use unwind_api::response::{Envelope, LogEntry, to_json};

use super::answer::Refusal;
use super::live::{self, Framing};
use super::router::Asked;
use super::workflows;
use crate::backend::LogOptions;

/// The one container that a leaf has.
const MAIN: &str = "main";

/// `GET /api/v1/workflows/{ns}/{name}/log`.
pub async fn log(
    asked: &Asked<'_>,
    namespace: &str,
    name: &str,
    pod: Option<&str>,
) -> Result<Response, Refusal> {
    let query = LogQuery::read(&asked.query, pod)?;
    let workflow = workflows::find(&asked.app.backend, namespace, name)?;
    let framing = Framing::asked(&asked.parts.headers);
    let node = query.pod.as_deref().map(|pod| node_of_pod(&workflow, pod).map(|node| node.id.clone()));
    let is_main = query.container.as_deref().is_none_or(|container| container == MAIN);
    // An unknown pod or container is a log without lines, as Argo has it.
    if node == Some(None) || !is_main {
        return Ok(live::response(framing, stream::empty().boxed()));
    }
    let options =
        LogOptions { follow: query.follow, tail_lines: query.tail_lines, limit_bytes: query.limit_bytes };
    let name = &workflow.metadata.name;
    let lines = asked.app.backend.logs(namespace, name, node.flatten().as_ref(), options).await?;
    let messages = lines.filter_map(move |line| {
        let entry = LogEntry { content: line.content, pod_name: line.pod_name };
        let json = to_json(&Envelope::Result(entry));
        std::future::ready(json.ok().map(|json| framing.frame(&json)))
    });
    Ok(live::response(framing, messages.take_until(asked.app.closed()).boxed()))
}
