//! The local back end: the embedded engine, real processes, a durable store.
//!
//! In: submits, stops, deletes, questions. Out: workflows, watch events, log lines.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use unwind_model::{NodeId, Workflow};

use super::{BackendError, Gone, LogOptions, LogStream, WatchStream};

/// The program that runs one leaf: this path, with these arguments before the shim's own. It must
/// hand what follows to `runner::shim_main`.
#[derive(Clone, Debug)]
pub struct ShimProgram {
    /// Path of the program.
    pub program: PathBuf,
    /// Its first arguments, for example `shim`.
    pub args: Vec<OsString>,
}

/// Settings of the local back end.
#[derive(Clone, Debug)]
pub struct LocalConfig {
    /// Folder of everything that lasts: the journal and the runs' files.
    pub data: PathBuf,
    /// Program that runs the leaves.
    pub shim: ShimProgram,
    /// Milliseconds between TERM and KILL.
    pub grace_ms: u64,
    /// Number of past changes that a watch can be taken up from.
    pub window: usize,
}

impl LocalConfig {
    /// The usual settings: 10 s of grace, 4096 changes.
    pub fn new(data: PathBuf, shim: ShimProgram) -> Self {
        Self { data, shim, grace_ms: 10_000, window: 4096 }
    }
}

/// Why the data folder could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another server uses it.
    #[error("data folder `{}` is in use by another server; stop that one or choose another folder with --data", .data.display())]
    InUse {
        /// The folder.
        data: PathBuf,
    },
    /// A file or folder could not be made or read.
    #[error("cannot use `{}`", .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The journal cannot be read.
    #[error("cannot read the journal `{}`: {message}", .path.display())]
    Journal {
        /// Its file.
        path: PathBuf,
        /// Why.
        message: String,
    },
}

/// The local back end. Clones share one.
#[derive(Clone)]
pub struct LocalBackend(#[expect(dead_code, reason = "filled by open")] Arc<Inner>);

struct Inner {}

impl LocalBackend {
    /// Opens the data folder, takes up what runs, and goes on with it.
    #[expect(clippy::unused_async, reason = "recovery will wait for the store")]
    pub async fn open(_config: LocalConfig) -> Result<Self, OpenError> {
        unimplemented!()
    }

    /// Takes in a workflow and begins it. Gives it a name (from `generateName`), uid and time.
    pub async fn submit(&self, _workflow: Workflow) -> Result<Arc<Workflow>, BackendError> {
        unimplemented!()
    }

    /// All workflows (of one namespace) by namespace and name, and the version of that state.
    pub fn list(&self, _namespace: Option<&str>) -> (Vec<Arc<Workflow>>, u64) {
        unimplemented!()
    }

    /// One workflow as it is now, with milliseconds.
    pub fn get(&self, _namespace: &str, _name: &str) -> Result<Arc<Workflow>, BackendError> {
        unimplemented!()
    }

    /// Asks for a stop. The answer shows the request; the stop itself goes on after it.
    pub async fn stop(&self, _namespace: &str, _name: &str) -> Result<Arc<Workflow>, BackendError> {
        unimplemented!()
    }

    /// Asks for a terminate. The answer shows the request; the end itself comes after it.
    pub async fn terminate(&self, _namespace: &str, _name: &str) -> Result<Arc<Workflow>, BackendError> {
        unimplemented!()
    }

    /// Removes a workflow, its journal and its files. One that runs is terminated first.
    pub async fn delete(&self, _namespace: &str, _name: &str) -> Result<(), BackendError> {
        unimplemented!()
    }

    /// What happens to the workflows of a namespace, or to one of them. Without `since` every
    /// workflow there is comes first as `Added`; with it only what came after that version.
    pub fn watch(
        &self,
        _namespace: Option<String>,
        _name: Option<String>,
        _since: Option<u64>,
    ) -> Result<WatchStream, Gone> {
        unimplemented!()
    }

    /// The log of one node, or of all nodes of a workflow.
    pub async fn logs(
        &self,
        _namespace: &str,
        _name: &str,
        _node: Option<&NodeId>,
        _options: LogOptions,
    ) -> Result<LogStream, BackendError> {
        unimplemented!()
    }

    /// Ends the back end: what was accepted is on disk, processes go on under their shims.
    pub async fn close(&self) {
        unimplemented!()
    }
}
