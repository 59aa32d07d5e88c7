//! What lasts: submitted workflows and the journal of their events, in one redb file.
//!
//! In: writes, each batch durable before it is answered. Out: everything back after a restart. All
//! writes go through one thread, which puts what waits into one commit.

mod journal;

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;

use redb::Database;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;
use unwind_engine::Event;
use unwind_model::{Timestamp, Workflow};

use crate::backend::documents::DocumentKey;

/// Version of the interpreter, written beside every event: a journal of another version may replay
/// differently.
pub const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// Most writes that go into one commit.
const BATCH: usize = 1024;

pub(crate) use journal::versioned;

/// One journalled event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Number of the operation over all workflows.
    pub operation: u64,
    /// When it was applied.
    pub at_ms: i64,
    /// Version of the engine that applied it.
    pub engine: String,
    /// The event.
    pub event: Event,
}

impl Entry {
    /// When it was applied.
    pub fn at(&self) -> Timestamp {
        Timestamp(self.at_ms)
    }
}

/// One thing to write.
#[derive(Clone, Debug)]
pub enum Write {
    /// A workflow was submitted. One operation.
    Submit {
        /// The workflow with name, uid and time.
        workflow: Arc<Workflow>,
        /// The documents that it refers to.
        documents: Vec<Value>,
    },
    /// An event is about to be applied. One operation.
    Event {
        /// Whose.
        uid: String,
        /// Its place among the events of the workflow.
        sequence: u64,
        /// When.
        at: Timestamp,
        /// The event.
        event: Event,
    },
    /// A workflow that was over goes on. No operation; the event that makes it go on is one.
    Reopen {
        /// Whose.
        uid: String,
    },
    /// A workflow is over and looks like this. No operation.
    Over {
        /// The workflow with its status.
        workflow: Arc<Workflow>,
    },
    /// A workflow is gone. One operation.
    Delete {
        /// Whose.
        uid: String,
    },
    /// A document is kept, or takes the place of another. One operation, whose number becomes its version.
    Keep {
        /// Which.
        key: DocumentKey,
        /// The document.
        document: Value,
    },
    /// A document is gone. One operation.
    Forget {
        /// Which.
        key: DocumentKey,
    },
}

/// What is kept of one workflow.
#[derive(Clone, Debug)]
pub struct Saved {
    /// As it was submitted.
    pub workflow: Workflow,
    /// The documents that it refers to, as they were then.
    pub documents: Vec<Value>,
    /// Number of the operation that submitted it.
    pub submitted: u64,
    /// Its events in order.
    pub entries: Vec<Entry>,
    /// As it looked when it was over.
    pub over: Option<Workflow>,
}

/// Counters over all workflows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Number of the last operation.
    pub operation: u64,
    /// Number of the last operation that deleted a workflow.
    pub last_delete: u64,
}

/// Why the store failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is in use by another process.
    #[error("in use by another server")]
    InUse,
    /// The file cannot be read or written.
    #[error("{0}")]
    Database(Arc<redb::Error>),
    /// A value cannot be read.
    #[error("{what} cannot be read: {why}")]
    Value {
        /// Which.
        what: String,
        /// Why.
        why: String,
    },
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}

struct Request {
    writes: Vec<Write>,
    answer: oneshot::Sender<Result<Range<u64>, StoreError>>,
}

/// The store. Dropping it closes it.
#[derive(Debug)]
pub struct Store {
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    database: Arc<Database>,
    requests: mpsc::Sender<Request>,
    writer: JoinHandle<()>,
}

impl Store {
    /// Opens or makes the file.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let database = Arc::new(journal::open(path)?);
        let counters = journal::counters(&database)?;
        let (requests, inbox) = mpsc::channel();
        let writing = Arc::clone(&database);
        let writer = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || write_all(&writing, &inbox, counters))
            .map_err(|error| StoreError::Value {
                what: "the journal's thread".to_owned(),
                why: error.to_string(),
            })?;
        let open = Open { database, requests, writer };
        Ok(Self { open: Mutex::new(Some(open)) })
    }

    /// Writes all of it or nothing. Once this answers, it is on disk. Gives the numbers of the
    /// operations in it, in order.
    pub async fn commit(&self, writes: Vec<Write>) -> Result<Range<u64>, StoreError> {
        let (answer, answered) = oneshot::channel();
        let request = Request { writes, answer };
        let requests = self.with(|open| Ok(open.requests.clone()))?;
        requests.send(request).map_err(|_| StoreError::Closed)?;
        drop(requests);
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// The counters as they are on disk.
    pub fn counters(&self) -> Result<Counters, StoreError> {
        self.with(|open| journal::counters(&open.database))
    }

    /// Uids of all workflows.
    pub fn uids(&self) -> Result<Vec<String>, StoreError> {
        self.with(|open| journal::uids(&open.database))
    }

    /// Everything of one workflow; `None` when there is none of that uid.
    pub fn load(&self, uid: &str) -> Result<Option<Saved>, StoreError> {
        self.with(|open| journal::load(&open.database, uid))
    }

    /// All documents that are kept.
    pub fn documents(&self) -> Result<Vec<Value>, StoreError> {
        self.with(|open| journal::documents(&open.database))
    }

    /// Writes what was asked, then lets go of the file. Everything asked later is refused.
    pub fn close(&self) {
        let open = self.lock().take();
        if let Some(Open { database, requests, writer }) = open {
            drop(requests);
            // A panic of the writer was told by every commit since.
            let _ = writer.join();
            drop(database);
        }
    }

    fn with<T>(&self, ask: impl FnOnce(&Open) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.lock().as_ref().map_or(Err(StoreError::Closed), ask)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

fn write_all(database: &Database, inbox: &mpsc::Receiver<Request>, mut counters: Counters) {
    while let Ok(first) = inbox.recv() {
        let mut waiting = vec![first];
        let mut size = waiting[0].writes.len();
        while size < BATCH {
            let Ok(next) = inbox.try_recv() else { break };
            size += next.writes.len();
            waiting.push(next);
        }
        let batches: Vec<&[Write]> = waiting.iter().map(|r| r.writes.as_slice()).collect();
        match journal::commit(database, counters, &batches) {
            Ok((after, ranges)) => {
                counters = after;
                for (request, range) in waiting.into_iter().zip(ranges) {
                    // Nobody waits any more: it is written all the same.
                    let _ = request.answer.send(Ok(range));
                }
            }
            Err(error) => {
                tracing::error!(%error, "cannot write the journal");
                for request in waiting {
                    let _ = request.answer.send(Err(error.clone()));
                }
            }
        }
    }
}
