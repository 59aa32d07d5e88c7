//! What every back end speaks: events of a watch, lines of a log, errors.
//!
//! In: nothing. Out: the types that `http` and the back ends share. No I/O here.

mod admission;
mod cron;
pub mod documents;
pub mod kept;
mod limits;
pub mod local;
mod zones;

use std::sync::Arc;

use futures_util::stream::BoxStream;
use unwind_engine::Diagnostic;
use unwind_model::delta::WorkflowDelta;
use unwind_model::{NodeId, Workflow};

pub use local::{LocalBackend, LocalConfig, OpenError, ShimProgram};

/// The events of a watch, oldest first. Ends when the back end closes, or when the reader fell out
/// of the replay window and has to list again.
pub type WatchStream = BoxStream<'static, Arc<WatchEvent>>;

/// The lines of a log. Ends with the log, or when a followed node is over.
pub type LogStream = BoxStream<'static, LogLine>;

/// What happened to a workflow, in the words of a Kubernetes watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchKind {
    /// It came to be, or is seen for the first time.
    Added,
    /// Anything of it moved.
    Modified,
    /// It is gone.
    Deleted,
}

impl WatchKind {
    /// The word in a watch event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// One event of a watch.
#[derive(Clone, Debug)]
pub struct WatchEvent {
    /// What happened.
    pub kind: WatchKind,
    /// Version that this event leads to; grows over all workflows of the back end.
    pub resource_version: u64,
    /// The whole object with milliseconds (for `Deleted` its last state).
    pub workflow: Arc<Workflow>,
    /// The same as a change.
    pub delta: Arc<WorkflowDelta>,
}

/// A version that the replay window does not reach back to, or that was never given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too old resource version: {asked} ({current})")]
pub struct Gone {
    /// The version asked for.
    pub asked: u64,
    /// The newest version.
    pub current: u64,
}

/// Which part of a log is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// Go on until the node, or the workflow, is over.
    pub follow: bool,
    /// Begin with the last lines of each node; `None`: from the start.
    pub tail_lines: Option<usize>,
    /// End after this many bytes of text.
    pub limit_bytes: Option<u64>,
}

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// The node that wrote it.
    pub node_id: NodeId,
    /// The name its pod would have.
    pub pod_name: String,
    /// The line without its end.
    pub content: String,
}

/// Why a request was refused.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// No such workflow.
    #[error("workflows.argoproj.io \"{name}\" not found")]
    NotFound {
        /// Namespace asked for.
        namespace: String,
        /// Name asked for.
        name: String,
    },
    /// A workflow of that name is there already.
    #[error("workflows.argoproj.io \"{name}\" already exists")]
    AlreadyExists {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// The workflow cannot run; the diagnostics of severity `Error` say why.
    #[error("the workflow cannot run: {} of its parts cannot be read or are missing", .0.len())]
    Invalid(Vec<Diagnostic>),
    /// The metadata does not fit.
    #[error("Workflow.argoproj.io \"{name}\" is invalid: {field}: {expected}")]
    BadMetadata {
        /// Name of the workflow; may be empty.
        name: String,
        /// JSON path of the field.
        field: &'static str,
        /// What was found and what is expected.
        expected: String,
    },
    /// A shutdown of a workflow that is over.
    #[error("cannot shutdown a completed workflow: workflow: \"{name}\", namespace: \"{namespace}\"")]
    Completed {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// A request that does not fit the state of the workflow, in Argo's words.
    #[error("{message}")]
    Refused {
        /// Why.
        message: String,
        /// Whether the request is to blame, and not the state.
        is_bad_request: bool,
    },
    /// No such document.
    #[error("{plural} \"{name}\" not found")]
    NoDocument {
        /// What it would be.
        plural: &'static str,
        /// Name asked for.
        name: String,
    },
    /// A document of that name is there already.
    #[error("{plural} \"{name}\" already exists")]
    DocumentExists {
        /// What it is.
        plural: &'static str,
        /// Its name.
        name: String,
    },
    /// A change of a document that has changed since.
    #[error(
        "Operation cannot be fulfilled on {plural} \"{name}\": the object has been modified; please apply your \
         changes to the latest version and try again"
    )]
    Stale {
        /// What it is.
        plural: &'static str,
        /// Its name.
        name: String,
    },
    /// No node of that id in the workflow.
    #[error("workflow \"{workflow}\" has no node \"{node}\"")]
    NoSuchNode {
        /// Name of the workflow.
        workflow: String,
        /// Node asked for.
        node: NodeId,
    },
    /// The back end itself failed.
    #[error("{message}")]
    Internal {
        /// What failed, on what.
        message: String,
    },
}
