//! Bodies and queries of requests.
//!
//! Bodies are read as Go's decoder reads them: an empty body is an empty object, names match
//! whatever their case, what follows the first value is ignored, unknown names too
//! (`argo-api.md`, section 1).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unwind_model::{Timestamp, Workflow};

use crate::error::ApiError;
use crate::query::Query;
use crate::select::{FieldSelector, LabelSelector};

/// Body of a create.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateRequest {
    /// Namespace; the path's counts.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// The workflow to create.
    pub workflow: Option<Workflow>,
    /// Only says what would be made.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub server_dry_run: bool,
    /// Options of Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_options: Option<CreateOptions>,
}

/// Options of Kubernetes for a create.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreateOptions {
    /// `["All"]`: nothing is stored.
    pub dry_run: Option<Vec<String>>,
}

impl CreateRequest {
    const NAMES: [&str; 4] = ["namespace", "workflow", "serverDryRun", "createOptions"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowCreateRequest", &Self::NAMES)
    }

    /// True when nothing is to be stored.
    pub fn is_dry_run(&self) -> bool {
        let options = self.create_options.as_ref();
        let dry_run = options.and_then(|options| options.dry_run.as_ref());
        self.server_dry_run || dry_run.is_some_and(|list| !list.is_empty())
    }
}

/// Body of a stop. With a selector Argo fails matching suspend nodes and shuts nothing down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StopRequest {
    /// Which suspend nodes; empty: the workflow is stopped.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node_field_selector: String,
    /// Message for the suspend nodes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl StopRequest {
    const NAMES: [&str; 2] = ["nodeFieldSelector", "message"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowStopRequest", &Self::NAMES)
    }
}

/// Body of a terminate; nothing in it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminateRequest {}

impl TerminateRequest {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowTerminateRequest", &[])
    }
}

/// Body of a suspend; nothing in it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuspendRequest {}

impl SuspendRequest {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowSuspendRequest", &[])
    }
}

/// Body of a resume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResumeRequest {
    /// Which suspend nodes; empty: the workflow and all of them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node_field_selector: String,
}

impl ResumeRequest {
    const NAMES: [&str; 1] = ["nodeFieldSelector"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowResumeRequest", &Self::NAMES)
    }
}

/// Body of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SetRequest {
    /// Which suspend nodes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node_field_selector: String,
    /// Their new message; empty: as before.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// `Succeeded`, `Failed`, `Error`, or empty: as before.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// JSON object of names and values; empty: none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub output_parameters: String,
}

impl SetRequest {
    const NAMES: [&str; 4] = ["nodeFieldSelector", "message", "phase", "outputParameters"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowSetRequest", &Self::NAMES)
    }
}

/// Body of a retry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetryRequest {
    /// Whether nodes that succeeded begin anew too, when the selector names them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub restart_successful: bool,
    /// Nodes that begin anew with all below them.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node_field_selector: String,
    /// `name=value` texts that replace arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
}

impl RetryRequest {
    const NAMES: [&str; 3] = ["restartSuccessful", "nodeFieldSelector", "parameters"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowRetryRequest", &Self::NAMES)
    }
}

/// Body of a resubmit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResubmitRequest {
    /// Whether what succeeded counts as done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub memoized: bool,
    /// `name=value` texts that replace arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
}

impl ResubmitRequest {
    const NAMES: [&str; 2] = ["memoized", "parameters"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowResubmitRequest", &Self::NAMES)
    }
}

/// Body that holds a document, or a workflow to be checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DocumentRequest {
    /// A workflow template or cluster workflow template.
    pub template: Option<Value>,
    /// A cron workflow.
    pub cron_workflow: Option<Value>,
    /// A workflow.
    pub workflow: Option<Value>,
    /// Options of Kubernetes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_options: Option<CreateOptions>,
}

impl DocumentRequest {
    const NAMES: [&str; 4] = ["template", "cronWorkflow", "workflow", "createOptions"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflowtemplate.WorkflowTemplateCreateRequest", &Self::NAMES)
    }

    /// True when nothing is to be stored.
    pub fn is_dry_run(&self) -> bool {
        let options = self.create_options.as_ref().and_then(|options| options.dry_run.as_ref());
        options.is_some_and(|list| !list.is_empty())
    }
}

/// Body of a submit: a workflow from a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubmitRequest {
    /// What the document is.
    pub resource_kind: String,
    /// Its name.
    pub resource_name: String,
    /// How the workflow differs.
    pub submit_options: Option<SubmitOptions>,
}

/// How a submitted workflow differs from its document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SubmitOptions {
    /// Its name.
    pub name: String,
    /// The start of its name.
    pub generate_name: String,
    /// Its entrypoint.
    pub entry_point: String,
    /// `name=value` texts.
    pub parameters: Vec<String>,
    /// `a=b,c=d`.
    pub labels: String,
    /// `a=b,c=d`.
    pub annotations: String,
    /// Its priority.
    pub priority: Option<i32>,
    /// Only says what would be made.
    pub dry_run: bool,
    /// The same.
    pub server_dry_run: bool,
}

impl SubmitRequest {
    const NAMES: [&str; 3] = ["resourceKind", "resourceName", "submitOptions"];

    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, ApiError> {
        read_body(body, "workflow.WorkflowSubmitRequest", &Self::NAMES)
    }
}

/// Query of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListQuery {
    /// Which labels.
    pub labels: LabelSelector,
    /// Which names and namespaces.
    pub fields: FieldSelector,
    /// How many at most.
    pub limit: Option<usize>,
    /// How many to leave out at the beginning.
    pub offset: usize,
    /// Which members of the answer; empty: all.
    pub projection: String,
    /// Created after this.
    pub created_after: Option<Timestamp>,
    /// Finished before this.
    pub finished_before: Option<Timestamp>,
}

impl ListQuery {
    /// Reads a query; `namespace` is the path's.
    pub fn read(query: &Query, namespace: &str) -> Result<Self, ApiError> {
        let limit = query.integer("listOptions.limit")?;
        let offset = match query.text("listOptions.continue") {
            None | Some("") => 0,
            Some(text) => text.parse().map_err(|_| ApiError::invalid("listOptions.continue must be int"))?,
        };
        let mut fields = FieldSelector::parse(text(query, "listOptions.fieldSelector"))?;
        fields.name_filter(text(query, "nameFilter"));
        fields.check_namespace(namespace)?;
        Ok(Self {
            labels: LabelSelector::parse(text(query, "listOptions.labelSelector"))?,
            fields,
            limit: limit.and_then(|limit| usize::try_from(limit).ok()).filter(|limit| *limit > 0),
            offset,
            projection: text(query, "fields").to_owned(),
            created_after: query.time("createdAfter")?,
            finished_before: query.time("finishedBefore")?,
        })
    }
}

/// Query of the event stream of whole objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WatchQuery {
    /// Which labels.
    pub labels: LabelSelector,
    /// Which names and namespaces.
    pub fields: FieldSelector,
    /// Only what came after this version; `None`: everything there is, then changes.
    pub since: Option<u64>,
    /// Close after this many seconds.
    pub timeout_seconds: Option<u64>,
    /// Which members of a message, from `result.` on; empty: all.
    pub projection: String,
}

impl WatchQuery {
    /// Reads a query; `namespace` is the path's.
    pub fn read(query: &Query, namespace: &str) -> Result<Self, ApiError> {
        let since = match query.text("listOptions.resourceVersion") {
            None | Some("" | "0") => None,
            Some(text) => Some(text.parse().map_err(|_| {
                ApiError::internal(format!(
                    "resource version {text:?} is not a number: take it from `metadata.resourceVersion` of a list"
                ))
            })?),
        };
        let fields = FieldSelector::parse(text(query, "listOptions.fieldSelector"))?;
        fields.check_namespace(namespace)?;
        query.integer("listOptions.limit")?;
        let timeout = query.integer("listOptions.timeoutSeconds")?;
        Ok(Self {
            labels: LabelSelector::parse(text(query, "listOptions.labelSelector"))?,
            fields,
            since,
            timeout_seconds: timeout
                .and_then(|seconds| u64::try_from(seconds).ok())
                .filter(|seconds| *seconds > 0),
            projection: text(query, "fields").to_owned(),
        })
    }
}

/// Query of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// Of one pod only.
    pub pod: Option<String>,
    /// Of this container; our leaves have one, `main`.
    pub container: Option<String>,
    /// Go on until the workflow is over.
    pub follow: bool,
    /// Only so many lines from the end, of each pod.
    pub tail_lines: Option<usize>,
    /// Only so many bytes.
    pub limit_bytes: Option<u64>,
}

impl LogQuery {
    /// Reads a query; `pod` is the path's, in the older form. Forms that are not answered yet are
    /// refused by name rather than ignored.
    pub fn read(query: &Query, pod: Option<&str>) -> Result<Self, ApiError> {
        let refused = [
            "grep",
            "selector",
            "logOptions.sinceSeconds",
            "logOptions.sinceTime",
            "logOptions.sinceTime.seconds",
            "logOptions.timestamps",
        ];
        let asked = |name: &&&str| !matches!(query.text(name), None | Some("" | "0" | "false"));
        if let Some(name) = refused.iter().find(asked) {
            return Err(ApiError::invalid(format!(
                "`{name}` is not supported for logs here: leave it out and filter the lines yourself"
            )));
        }
        let filled = |name: &str| query.text(name).filter(|text| !text.is_empty());
        Ok(Self {
            pod: pod.or_else(|| filled("podName")).map(str::to_owned),
            container: filled("logOptions.container").map(str::to_owned),
            follow: query.flag("logOptions.follow")?,
            tail_lines: query
                .integer("logOptions.tailLines")?
                .map(|lines| usize::try_from(lines).unwrap_or(0)),
            limit_bytes: query.integer("logOptions.limitBytes")?.and_then(|bytes| u64::try_from(bytes).ok()),
        })
    }
}

fn text<'a>(query: &'a Query, name: &'a str) -> &'a str {
    query.text(name).unwrap_or("")
}

/// Reads the first JSON value of `body` into `T`, names of the top level in any case.
fn read_body<T: Default + serde::de::DeserializeOwned>(
    body: &[u8],
    go_type: &str,
    names: &[&str],
) -> Result<T, ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(T::default());
    }
    let mut values = serde_json::Deserializer::from_slice(body).into_iter::<Value>();
    let value = match values.next() {
        Some(Ok(value)) => value,
        Some(Err(error)) => {
            return Err(ApiError::invalid(format!("the request body is not JSON: {error}")));
        }
        None => return Ok(T::default()),
    };
    let object = match value {
        Value::Object(object) => object,
        Value::Null => return Ok(T::default()),
        other => {
            return Err(ApiError::invalid(format!(
                "json: cannot unmarshal {} into Go value of type {go_type}",
                kind_of(&other)
            )));
        }
    };
    let renamed = object.into_iter().filter(|(_, value)| !value.is_null());
    let renamed = renamed.map(|(name, value)| {
        let known = names.iter().find(|known| known.eq_ignore_ascii_case(&name));
        (known.map_or(name, |known| (*known).to_owned()), value)
    });
    serde_json::from_value(Value::Object(renamed.collect()))
        .map_err(|error| ApiError::invalid(format!("json: cannot read the request body: {error}")))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_read_as_go_reads_them() {
        assert_eq!(StopRequest::read(b""), Ok(StopRequest::default()));
        assert_eq!(StopRequest::read(b" null "), Ok(StopRequest::default()));
        let body = br#"{"Message":"enough","other":1} trailing"#;
        assert_eq!(StopRequest::read(body).map(|request| request.message), Ok("enough".to_owned()));
        let body = br#"{"Workflow":{"metadata":{"name":"x"}}}"#;
        let request = CreateRequest::read(body).expect("a request");
        assert_eq!(request.workflow.expect("a workflow").metadata.name, "x");
    }

    #[test]
    fn bad_bodies_are_told() {
        let message = |body: &[u8]| CreateRequest::read(body).map_err(|error| error.message);
        assert_eq!(
            message(b"[]"),
            Err("json: cannot unmarshal array into Go value of type workflow.WorkflowCreateRequest"
                .to_owned())
        );
        assert_eq!(
            message(b"{bad"),
            Err("the request body is not JSON: key must be a string at line 1 column 2".to_owned())
        );
        assert!(message(br#"{"workflow":{"spec":"text"}}"#).is_err());
    }

    #[test]
    fn both_forms_of_a_dry_run_are_seen() {
        for body in [r#"{"serverDryRun":true}"#, r#"{"createOptions":{"dryRun":["All"]}}"#] {
            let request = CreateRequest::read(body.as_bytes()).expect("a request");
            assert!(request.is_dry_run(), "{body}");
        }
        let request = CreateRequest::read(br#"{"createOptions":{}}"#).expect("a request");
        assert!(!request.is_dry_run());
    }

    #[test]
    fn a_watch_from_zero_is_a_watch_of_everything() {
        let read =
            |text: &str| WatchQuery::read(&Query::parse(text).expect("a query"), "default").map(|q| q.since);
        assert_eq!(read("listOptions.resourceVersion=0"), Ok(None));
        assert_eq!(read("listOptions.resourceVersion=57"), Ok(Some(57)));
        assert_eq!(read("listOptions.resourceVersion=abc").map_err(|e| e.status()), Err(500));
    }

    #[test]
    fn what_a_log_cannot_do_is_refused_by_name() {
        let query = Query::parse("grep=x&logOptions.follow=true").expect("a query");
        let error = LogQuery::read(&query, None).expect_err("refused");
        assert!(error.message.contains("`grep`"), "{error}");
        let query = Query::parse("logOptions.container=main&logOptions.tailLines=2&podName=p");
        let read = LogQuery::read(&query.expect("a query"), None).expect("a log query");
        assert_eq!((read.pod.as_deref(), read.tail_lines), (Some("p"), Some(2)));
    }
}
