//! The three things that can be watched: their URLs and the meaning of their messages.

use serde::Deserialize;
use serde_json::Value;
use unwind_model::Workflow;
use unwind_model::delta::WorkflowDelta;

use crate::error::{ApiError, FrameError};
use crate::paths::Route;
use crate::response::{EventKind, WorkflowEvent, WorkflowList};
use crate::unwind::{RunKey, StreamMessage, Subscriptions};

/// What is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Our own server's one stream.
    Unwind(Subscriptions),
    /// The list of a namespace of a real Argo Server (empty: all), as rows without nodes.
    ArgoList {
        /// The namespace.
        namespace: String,
    },
    /// One run of a real Argo Server.
    ArgoRun(RunKey),
}

/// What to open next.
pub(super) enum Plan {
    /// Get this, then watch.
    Fetch(String),
    /// A stream that first tells everything there is.
    Tell(String),
    /// A stream of changes.
    Follow(String),
}

/// What a stream said.
pub(super) enum Message {
    /// A change; `row`: of a workflow that is only in the list.
    Delta { row: bool, delta: WorkflowDelta },
    /// A whole object.
    Object(Box<Workflow>),
    /// An object that is gone.
    Gone(Box<Workflow>),
    /// Everything there is has been told, up to this version.
    Synced(Option<u64>),
    /// Nothing happened up to this version.
    Bookmark(Option<u64>),
}

/// What the rows of a list can do without. Members of an object, below `items` or `result.object`.
const NOT_IN_ROWS: [&str; 6] = [
    "metadata.managedFields",
    "spec.templates",
    "status.nodes",
    "status.compressedNodes",
    "status.storedTemplates",
    "status.storedWorkflowTemplateSpec",
];

impl Source {
    /// What to open, given the version up to which everything is known.
    pub(super) fn plan(&self, since: Option<u64>) -> Plan {
        match (self, since) {
            (Self::Unwind(subscriptions), None) => Plan::Tell(subscriptions.url(None)),
            (Self::Unwind(subscriptions), since) => Plan::Follow(subscriptions.url(since)),
            (Self::ArgoList { namespace }, None) => {
                let route = Route::Workflows { namespace: namespace.clone() };
                Plan::Fetch(route.url(&[("fields", &without("items"))]))
            }
            (Self::ArgoRun(run), None) => {
                let route = Route::Workflow { namespace: run.namespace.clone(), name: run.name.clone() };
                Plan::Fetch(route.path())
            }
            (Self::ArgoList { .. } | Self::ArgoRun(_), since) => Plan::Follow(self.watch_url(since)),
        }
    }

    /// The stream of changes. Without a version a run is told once more, which does no harm; the
    /// version of an object that was got may be older than what the server keeps.
    pub(super) fn watch_url(&self, since: Option<u64>) -> String {
        let since = since.map(|version| version.to_string());
        let version = since.as_deref().map(|version| ("listOptions.resourceVersion", version));
        match self {
            Self::Unwind(subscriptions) => subscriptions.url(since.and_then(|version| version.parse().ok())),
            Self::ArgoList { namespace } => {
                let fields = without("result.object");
                let mut pairs: Vec<(&str, &str)> = version.into_iter().collect();
                pairs.push(("fields", &fields));
                let namespace = namespace.clone();
                Route::WorkflowEvents { namespace }.url(&pairs)
            }
            Self::ArgoRun(run) => {
                let selector = format!("metadata.namespace={},metadata.name={}", run.namespace, run.name);
                let mut pairs = vec![("listOptions.fieldSelector", selector.as_str())];
                pairs.extend(version);
                let namespace = run.namespace.clone();
                Route::WorkflowEvents { namespace }.url(&pairs)
            }
        }
    }

    /// The one run that is watched, when it is one.
    pub(super) fn run(&self) -> Option<&RunKey> {
        match self {
            Self::ArgoRun(run) => Some(run),
            Self::Unwind(_) | Self::ArgoList { .. } => None,
        }
    }

    /// True when this workflow is asked for.
    pub(super) fn covers(&self, key: &RunKey) -> bool {
        match self {
            Self::Unwind(subscriptions) => {
                subscriptions.lists(&key.namespace) || subscriptions.follows(&key.namespace, &key.name)
            }
            Self::ArgoList { namespace } => namespace.is_empty() || *namespace == key.namespace,
            Self::ArgoRun(run) => run == key,
        }
    }

    /// Reads what a fetch gave: the objects there are, and the version to watch from.
    pub(super) fn read_answer(&self, body: &str) -> Result<(Vec<Workflow>, Option<u64>), ApiError> {
        match self {
            Self::ArgoRun(_) => Ok((vec![read(body)?], None)),
            Self::Unwind(_) | Self::ArgoList { .. } => {
                let list: WorkflowList = read(body)?;
                let version = super::version_of(&list.metadata.resource_version);
                Ok((list.items, version))
            }
        }
    }

    /// Reads one message of a stream.
    pub(super) fn read_message(&self, data: &str) -> Result<Message, ApiError> {
        match self {
            Self::Unwind(_) => match unwind_model::json::read(data) {
                Ok(StreamMessage::Delta { row, delta }) => Ok(Message::Delta { row, delta }),
                Ok(StreamMessage::Synced { resource_version }) => {
                    Ok(Message::Synced(super::version_of(&resource_version)))
                }
                Err(_) => Err(said::<Value>(data).err().unwrap_or_else(|| strange(data))),
            },
            Self::ArgoList { .. } | Self::ArgoRun(_) => {
                let event: WorkflowEvent = said(data)?;
                Ok(match event.kind {
                    EventKind::Added | EventKind::Modified => Message::Object(Box::new(event.object)),
                    EventKind::Deleted => Message::Gone(Box::new(event.object)),
                    EventKind::Bookmark => {
                        let version = &event.object.metadata.resource_version;
                        Message::Bookmark(super::version_of(version))
                    }
                })
            }
        }
    }
}

/// A message of a stream of a real Argo Server. With an inclusive `fields` both members can be absent.
#[derive(Deserialize)]
struct Said<T> {
    result: Option<T>,
    error: Option<FrameError>,
}

fn said<T: serde::de::DeserializeOwned>(data: &str) -> Result<T, ApiError> {
    let said: Said<T> = read(data)?;
    match (said.result, said.error) {
        (_, Some(error)) => Err(error.into()),
        (Some(result), None) => Ok(result),
        (None, None) => Err(strange(data)),
    }
}

fn strange(data: &str) -> ApiError {
    let begin: String = data.chars().take(80).collect();
    ApiError::internal(format!("the server sent what cannot be read: `{begin}`"))
}

fn without(prefix: &str) -> String {
    let paths: Vec<String> = NOT_IN_ROWS.iter().map(|path| format!("{prefix}.{path}")).collect();
    format!("-{}", paths.join(","))
}

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    unwind_model::json::read(text).map_err(|error| {
        let begin: String = text.chars().take(80).collect();
        ApiError::internal(format!("the server sent what cannot be read: {error}, in `{begin}`"))
    })
}
