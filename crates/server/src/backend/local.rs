//! The local back end: the embedded engine, real processes, a durable store.
//!
//! In: submits, stops, deletes, questions. Out: workflows, watch events, log lines. It finds the
//! supervisor of a workflow and asks it; what happens next is the supervisor's.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Notify, Semaphore, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use unwind_engine::again::{self, NodeValues, OldHooks, ResubmitOptions, RetryOptions, SetError};
use unwind_engine::library::Library;
use unwind_engine::validate::{Invalid, ValidateOptions, validate};
use unwind_engine::{Diagnostic, Event, Severity};
use unwind_model::{NodeId, Workflow, WorkflowPhase, WorkflowStatus};

use super::documents::{Documents, library_of};
use super::{BackendError, Gone, LogOptions, LogStream, WatchStream, admission};
use crate::clock;
use crate::hub::{Hub, Key, key_of};
use crate::runner::logs;
use crate::runner::projection::Projection;
use crate::runner::recover::{Course, Recovered, recover, reopen};
use crate::runner::sharing::Sharing;
use crate::runner::supervisor::{Command, Inbox, Request, RequestError, Supervisor, Surroundings};
use crate::runner::workspace::RunFolder;
use crate::store::{Store, StoreError, Write};

/// How long a server that is just ending is waited for.
const IN_USE_PATIENCE: Duration = Duration::from_secs(2);
const IN_USE_PAUSE: Duration = Duration::from_millis(50);

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
    /// How many programs may run at once, over all workflows; the others wait as Pending.
    pub places: usize,
    /// Number of past changes that a watch can be taken up from.
    pub window: usize,
    /// Most workflows of one namespace that run at once; the others wait.
    pub parallelism: Option<usize>,
    /// Documents that workflows may refer to, beside those that are kept: config maps, templates.
    pub resources: Vec<Value>,
}

impl LocalConfig {
    /// The usual settings: 10 s of grace, 256 programs at once, 4096 changes.
    pub fn new(data: PathBuf, shim: ShimProgram) -> Self {
        Self {
            data,
            shim,
            grace_ms: 10_000,
            places: 256,
            window: 4096,
            parallelism: None,
            resources: Vec::new(),
        }
    }
}

/// Why the data folder could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another server uses it.
    #[error("data folder `{}` is in use by another server; stop that one or choose another folder with `--data`", .data.display())]
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
        source: io::Error,
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

/// The local back end. Clones share one. It closes when the last one is dropped.
#[derive(Clone)]
pub struct LocalBackend(Arc<Inner>);

pub(super) struct Inner {
    around: Arc<Surroundings>,
    /// Every name that is taken.
    runs: Mutex<BTreeMap<Key, Place>>,
    supervisors: Mutex<JoinSet<()>>,
    closing: watch::Sender<bool>,
}

/// What stands behind a name.
enum Place {
    /// A workflow that is just being made or removed.
    Held,
    /// A workflow that is over since before the server began.
    Over,
    /// A workflow with a supervisor; its inbox closes when the run is over.
    Supervised(Inbox),
}

impl LocalBackend {
    /// Opens the data folder, takes up what runs, and goes on with it.
    pub async fn open(config: LocalConfig) -> Result<Self, OpenError> {
        let data = make_folder(&config.data)?;
        let path = data.join("journal.redb");
        let store = open_store(&data, &path).await?;
        let journal_error =
            |error: StoreError| OpenError::Journal { path: path.clone(), message: error.to_string() };
        let counters = store.counters().map_err(journal_error)?;
        let window = u64::try_from(config.window).unwrap_or(u64::MAX);
        let floor = counters.last_delete.max(counters.operation.saturating_sub(window));
        let hub = Arc::new(Hub::new(counters.operation, floor, config.window));
        let mut documents = config.resources;
        documents.extend(store.documents().map_err(journal_error)?);
        let mut workflows = Vec::new();
        let mut events = Vec::new();
        let mut courses = Vec::new();
        let mut sharing = Sharing::new(config.parallelism);
        for uid in store.uids().map_err(journal_error)? {
            let Some(saved) = store.load(&uid).map_err(journal_error)? else {
                continue;
            };
            match recover(saved, floor) {
                Recovered::Over(workflow) => workflows.push(Arc::new(*workflow)),
                Recovered::Replayed(course, seen) => {
                    workflows.push(Arc::clone(course.projection.workflow()));
                    if course.run.phase() != WorkflowPhase::Unset && !course.over {
                        let namespace = &course.projection.workflow().metadata.namespace;
                        sharing.restore(namespace, course.run_name(), course.run.lock_uses());
                    }
                    events.extend(seen);
                    courses.push(*course);
                }
            }
        }
        let runs = workflows.iter().map(|w| (key_of(w), Place::Over)).collect();
        hub.restore(workflows, events);
        let inner = Inner {
            around: Arc::new(Surroundings {
                store,
                hub,
                documents: Documents::new(documents),
                sharing: tokio::sync::Mutex::new(sharing),
                writing: tokio::sync::Mutex::new(()),
                documents_moved: Notify::new(),
                data,
                shim: config.shim,
                grace: Duration::from_millis(config.grace_ms),
                places: Arc::new(Semaphore::new(config.places.clamp(1, Semaphore::MAX_PERMITS))),
            }),
            runs: Mutex::new(runs),
            supervisors: Mutex::new(JoinSet::new()),
            closing: watch::Sender::new(false),
        };
        for course in courses {
            inner.supervise(course);
        }
        let inner = Arc::new(inner);
        tokio::spawn(super::cron::follow(Arc::downgrade(&inner), inner.closing.subscribe()));
        Ok(Self(inner))
    }

    pub(super) fn of(inner: Arc<Inner>) -> Self {
        Self(inner)
    }

    pub(super) fn around(&self) -> &Arc<Surroundings> {
        &self.0.around
    }

    /// Takes in a workflow and begins it. Gives it a name (from `generateName`), uid and time.
    pub async fn submit(&self, workflow: Workflow) -> Result<Arc<Workflow>, BackendError> {
        let inner = Arc::clone(&self.0);
        // A task of its own: whoever asked may go away in the middle.
        finished(tokio::spawn(async move { inner.submit(workflow, false).await })).await
    }

    /// What is wrong with a workflow; with an error it would not be taken in.
    pub fn examine(&self, workflow: &Workflow) -> Vec<Diagnostic> {
        admission::examine(workflow, &self.library(workflow))
    }

    /// The documents that a workflow refers to, as they are kept now.
    pub fn library(&self, workflow: &Workflow) -> Library {
        library_of(&self.0.around.documents.referred(workflow))
    }

    /// What Argo's validation finds in a workflow that is only looked at.
    pub fn lint(&self, workflow: &Workflow) -> Result<(), Invalid> {
        let options = ValidateOptions { lint: true, ..ValidateOptions::default() };
        validate(workflow, &self.library(workflow), options)
    }

    /// All workflows (of one namespace) by namespace and name, and the version of that state.
    pub fn list(&self, namespace: Option<&str>) -> (Vec<Arc<Workflow>>, u64) {
        self.0.around.hub.list(namespace)
    }

    /// One workflow as it is now, with milliseconds.
    pub fn get(&self, namespace: &str, name: &str) -> Result<Arc<Workflow>, BackendError> {
        self.0.get(namespace, name)
    }

    /// Asks for a stop. The answer shows the request; the stop itself goes on after it.
    pub async fn stop(&self, namespace: &str, name: &str) -> Result<Arc<Workflow>, BackendError> {
        self.0.ask(namespace, name, Request::Stop).await
    }

    /// Asks for a terminate. The answer shows the request; the end itself comes after it.
    pub async fn terminate(&self, namespace: &str, name: &str) -> Result<Arc<Workflow>, BackendError> {
        self.0.ask(namespace, name, Request::Terminate).await
    }

    /// Asks that nothing more begins. What runs goes on.
    pub async fn suspend(&self, namespace: &str, name: &str) -> Result<Arc<Workflow>, BackendError> {
        match self.0.ask(namespace, name, Request::Suspend).await {
            Err(BackendError::Completed { .. }) => {
                let message = "timed out waiting for the condition: cannot suspend completed workflows";
                Err(BackendError::Refused { message: message.to_owned(), is_bad_request: true })
            }
            other => other,
        }
    }

    /// Asks to go on, suspend nodes too. One that is over stays as it is.
    pub async fn resume(&self, namespace: &str, name: &str) -> Result<Arc<Workflow>, BackendError> {
        match self.0.ask(namespace, name, Request::Resume).await {
            Err(BackendError::Completed { .. }) => self.get(namespace, name),
            other => other,
        }
    }

    /// Changes suspended nodes: resumes them, fails them, gives them outputs.
    pub async fn set(
        &self,
        namespace: &str,
        name: &str,
        selector: String,
        values: NodeValues,
    ) -> Result<Arc<Workflow>, BackendError> {
        let message = SetError::NoNode(selector.clone()).to_string();
        match self.0.ask(namespace, name, Request::Set { selector, values }).await {
            Err(BackendError::Completed { .. }) => {
                Err(BackendError::Refused { message, is_bad_request: false })
            }
            other => other,
        }
    }

    /// Goes on with a workflow that is over: what failed begins anew.
    pub async fn retry(
        &self,
        namespace: &str,
        name: &str,
        options: RetryOptions,
    ) -> Result<Arc<Workflow>, BackendError> {
        let inner = Arc::clone(&self.0);
        let key = (namespace.to_owned(), name.to_owned());
        finished(tokio::spawn(async move { inner.retry(key, options).await })).await
    }

    /// Begins a new workflow like this one.
    pub async fn resubmit(
        &self,
        namespace: &str,
        name: &str,
        memoized: bool,
        parameters: Vec<String>,
    ) -> Result<Arc<Workflow>, BackendError> {
        let old = self.get(namespace, name)?;
        let suffix = admission::random_suffix()?;
        let options = ResubmitOptions { memoized, parameters, suffix };
        let new = again::resubmit(&old, &options, clock::now())
            .map_err(|error| BackendError::Refused { message: error.to_string(), is_bad_request: true })?;
        let inner = Arc::clone(&self.0);
        finished(tokio::spawn(async move { inner.submit(new, memoized).await })).await
    }

    /// Removes a workflow, its journal and its files. One that runs is terminated first, and waited
    /// for.
    pub async fn delete(&self, namespace: &str, name: &str) -> Result<(), BackendError> {
        let inner = Arc::clone(&self.0);
        let key = (namespace.to_owned(), name.to_owned());
        finished(tokio::spawn(async move { inner.delete(key).await })).await
    }

    /// What happens to the workflows of a namespace, or to one of them. Without `since` every
    /// workflow there is comes first as `Added`; with it only what came after that version.
    pub fn watch(
        &self,
        namespace: Option<String>,
        name: Option<String>,
        since: Option<u64>,
    ) -> Result<WatchStream, Gone> {
        self.0.around.hub.watch(namespace, name, since)
    }

    /// The log of one node, or of all nodes of a workflow.
    #[expect(clippy::unused_async, reason = "back ends that ask over a network have to wait here")]
    pub async fn logs(
        &self,
        namespace: &str,
        name: &str,
        node: Option<&NodeId>,
        options: LogOptions,
    ) -> Result<LogStream, BackendError> {
        let workflow = self.get(namespace, name)?;
        if let Some(node) = node.filter(|node| !workflow.status.nodes.contains_key(*node)) {
            return Err(BackendError::NoSuchNode { workflow: name.to_owned(), node: node.clone() });
        }
        let around = &self.0.around;
        let hub = Arc::clone(&around.hub);
        Ok(logs::stream(hub, &around.data, &workflow, node.cloned(), options))
    }

    /// Ends the back end: what was accepted is on disk, processes go on under their shims.
    pub async fn close(&self) {
        self.0.closing.send_replace(true);
        let mut supervisors = std::mem::take(&mut *lock(&self.0.supervisors));
        while supervisors.join_next().await.is_some() {}
        self.0.around.hub.close();
        let around = Arc::clone(&self.0.around);
        // Waits for the last write. The error would be a panic in it, which is told already.
        let _ = tokio::task::spawn_blocking(move || around.store.close()).await;
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.closing.send_replace(true);
        self.around.hub.close();
        lock(&self.supervisors).detach_all();
    }
}

impl Inner {
    /// `keeps_status`: it begins with what another one has done.
    async fn submit(&self, workflow: Workflow, keeps_status: bool) -> Result<Arc<Workflow>, BackendError> {
        let done = if keeps_status { workflow.status.clone() } else { WorkflowStatus::default() };
        let mut workflow = Workflow { status: done, ..admission::admit(workflow)? };
        let documents = self.around.documents.referred(&workflow);
        let library = library_of(&documents);
        let diagnostics = admission::examine(&workflow, &library);
        if diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return Err(BackendError::Invalid(diagnostics));
        }
        let key = self.reserve(&mut workflow)?;
        let submitted = Arc::new(workflow);
        let write = Write::Submit { workflow: Arc::clone(&submitted), documents: documents.clone() };
        let operations = match self.around.store.commit(vec![write]).await {
            Ok(operations) => operations,
            Err(error) => {
                lock(&self.runs).remove(&key);
                return Err(internal("cannot journal the workflow", &error));
            }
        };
        let ticket = self.around.hub.ticket(operations);
        let version = ticket.version();
        let mut workflow = Arc::unwrap_or_clone(submitted);
        workflow.metadata.resource_version = version.to_string();
        let course = Course::new(workflow, &documents);
        let added = course.projection.added(version);
        let answer = Arc::clone(&added.workflow);
        ticket.settle(Some(added));
        self.supervise(course);
        self.around.hub.reached(version).await;
        Ok(answer)
    }

    /// Keeps the name for this workflow; makes one when only its start is given.
    fn reserve(&self, workflow: &mut Workflow) -> Result<Key, BackendError> {
        let mut runs = lock(&self.runs);
        for _ in 0..admission::NAME_TRIES {
            let named = !workflow.metadata.name.is_empty();
            let key = if named {
                key_of(workflow)
            } else {
                (
                    workflow.metadata.namespace.clone(),
                    admission::generate_name(&workflow.metadata.generate_name)?,
                )
            };
            if !runs.contains_key(&key) {
                runs.insert(key.clone(), Place::Held);
                workflow.metadata.name.clone_from(&key.1);
                return Ok(key);
            }
            if named {
                break;
            }
        }
        Err(BackendError::AlreadyExists {
            namespace: workflow.metadata.namespace.clone(),
            name: match workflow.metadata.name.as_str() {
                "" => workflow.metadata.generate_name.clone(),
                name => name.to_owned(),
            },
        })
    }

    fn supervise(&self, course: Course) {
        let key = key_of(course.projection.workflow());
        let (supervisor, inbox) = Supervisor::new(Arc::clone(&self.around), course);
        lock(&self.runs).insert(key, Place::Supervised(inbox));
        let mut supervisors = lock(&self.supervisors);
        while supervisors.try_join_next().is_some() {}
        supervisors.spawn(supervisor.run(self.closing.subscribe()));
    }

    fn get(&self, namespace: &str, name: &str) -> Result<Arc<Workflow>, BackendError> {
        self.around.hub.get(namespace, name).ok_or_else(|| not_found(namespace, name))
    }

    async fn ask(
        &self,
        namespace: &str,
        name: &str,
        request: Request,
    ) -> Result<Arc<Workflow>, BackendError> {
        let key = (namespace.to_owned(), name.to_owned());
        let inbox = match lock(&self.runs).get(&key) {
            None => return Err(not_found(namespace, name)),
            Some(Place::Supervised(inbox)) => Some(inbox.clone()),
            Some(Place::Held | Place::Over) => None,
        };
        if self.get(namespace, name)?.status.phase.is_final() {
            return Err(completed(namespace, name));
        }
        let (reply, answer) = oneshot::channel();
        let sent = inbox.is_some_and(|inbox| inbox.send(Command::Ask(request, reply)).is_ok());
        let answer = if sent { answer.await.ok() } else { None };
        match answer {
            Some(Ok(workflow)) => {
                let version = workflow.metadata.resource_version.parse().unwrap_or_default();
                self.around.hub.reached(version).await;
                Ok(workflow)
            }
            Some(Err(RequestError::Refused(message))) => {
                Err(BackendError::Refused { message, is_bad_request: false })
            }
            Some(Err(error @ RequestError::Store(_))) => {
                Err(BackendError::Internal { message: error.to_string() })
            }
            None if self.get(namespace, name)?.status.phase.is_final() => Err(completed(namespace, name)),
            None => Err(busy(name)),
        }
    }

    async fn retry(&self, key: Key, options: RetryOptions) -> Result<Arc<Workflow>, BackendError> {
        // Under the right order a hook comes again with what it belongs to.
        let options = RetryOptions { hooks: OldHooks::RunAgain, ..options };
        let over = self.get(&key.0, &key.1)?;
        let retried = again::retry(&over, &options, clock::now()).map_err(|error| BackendError::Refused {
            message: error.to_string(),
            is_bad_request: error.is_bad_request(),
        })?;
        let inbox = match lock(&self.runs).get(&key) {
            None | Some(Place::Held) => return Err(not_found(&key.0, &key.1)),
            Some(Place::Over) => None,
            Some(Place::Supervised(inbox)) => Some(inbox.clone()),
        };
        if let Some(inbox) = inbox {
            // It is over, so the supervisor goes as soon as that is on disk.
            inbox.closed().await;
        }
        match lock(&self.runs).get_mut(&key) {
            None | Some(Place::Held) => return Err(not_found(&key.0, &key.1)),
            Some(Place::Supervised(inbox)) if !inbox.is_closed() => return Err(busy(&key.1)),
            Some(place) => *place = Place::Held,
        }
        let reopened = self.reopen(&over, &retried.workflow, options).await;
        match reopened {
            Ok(course) => {
                let version = course.projection.workflow().metadata.resource_version.parse();
                let answer = Arc::clone(course.projection.workflow());
                self.supervise(course);
                self.around.hub.reached(version.unwrap_or_default()).await;
                Ok(answer)
            }
            Err(error) => {
                lock(&self.runs).insert(key, Place::Over);
                Err(error)
            }
        }
    }

    /// Journals and applies a retry of a workflow whose name is held. `next` is how it will look.
    async fn reopen(
        &self,
        over: &Workflow,
        next: &Workflow,
        options: RetryOptions,
    ) -> Result<Course, BackendError> {
        let uid = &over.metadata.uid;
        let saved =
            self.around.store.load(uid).map_err(|error| internal("cannot read the journal", &error))?;
        let saved = saved.ok_or_else(|| not_found(&over.metadata.namespace, &over.metadata.name))?;
        let mut course = reopen(saved);
        // Files of what begins anew go first: with them it would count as begun, and ended.
        let folder = RunFolder::of(&self.around.data, uid);
        for id in over.status.nodes.keys() {
            if next.status.nodes.get(id).is_none_or(|node| !node.phase.is_final()) {
                let removed = folder.leaf(id).remove();
                removed.map_err(|error| BackendError::Internal {
                    message: format!("cannot remove the files of node `{id}`: {error}"),
                })?;
            }
        }
        let mut sharing = self.around.sharing.lock().await;
        let mut events = Vec::new();
        if course.asks_for_locks {
            let others = sharing.others(&course.run_name());
            events.push((course.stamp.give(clock::now()), Event::LocksSeen { others }));
        }
        events.push((course.stamp.give(clock::now()), Event::RetryRequested { options }));
        let mut writes = vec![Write::Reopen { uid: uid.clone() }];
        writes.extend((course.sequence..).zip(&events).map(|(sequence, (at, event))| Write::Event {
            uid: uid.clone(),
            sequence,
            at: *at,
            event: event.clone(),
        }));
        let operations = self.around.store.commit(writes).await;
        let operations = operations.map_err(|error| internal("cannot journal the retry", &error))?;
        let ticket = self.around.hub.ticket(operations);
        let applied: Result<Vec<_>, _> = events.iter().map(|(at, event)| course.apply(*at, event)).collect();
        let seen = course.show(&BTreeSet::new(), ticket.version());
        ticket.settle(seen);
        sharing.update(&course.run_name(), course.run.lock_uses());
        applied.map_err(|message| BackendError::Refused { message, is_bad_request: false })?;
        Ok(course)
    }

    async fn delete(&self, key: Key) -> Result<(), BackendError> {
        let inbox = match lock(&self.runs).get(&key) {
            None | Some(Place::Held) => return Err(not_found(&key.0, &key.1)),
            Some(Place::Over) => None,
            Some(Place::Supervised(inbox)) => Some(inbox.clone()),
        };
        if let Some(inbox) = inbox {
            let (remover, over) = oneshot::channel();
            // A closed inbox, or no answer, is a run that is over, or a server that closes.
            if inbox.send(Command::Remove(remover)).is_ok() {
                let _ = over.await;
            }
        }
        let last = self.get(&key.0, &key.1)?;
        if !last.status.phase.is_final() {
            return Err(BackendError::Internal {
                message: format!("workflow `{}` could not be ended now; ask again", key.1),
            });
        }
        match lock(&self.runs).get_mut(&key) {
            // Somebody else was faster.
            None | Some(Place::Held) => return Err(not_found(&key.0, &key.1)),
            Some(place) => *place = Place::Held,
        }
        let removed = self.remove(last).await;
        match &removed {
            Ok(()) => lock(&self.runs).remove(&key),
            Err(_) => lock(&self.runs).insert(key, Place::Over),
        };
        removed
    }

    /// Removes a workflow that is over and whose name is held.
    async fn remove(&self, last: Arc<Workflow>) -> Result<(), BackendError> {
        let uid = last.metadata.uid.clone();
        // Files first: without them the journal still tells of the run, but not the other way round.
        let folder = RunFolder::of(&self.around.data, &uid);
        folder.remove().map_err(|error| BackendError::Internal {
            message: format!("cannot remove the files of the run: {error}"),
        })?;
        let operations = self
            .around
            .store
            .commit(vec![Write::Delete { uid }])
            .await
            .map_err(|error| internal("cannot journal the deletion", &error))?;
        let ticket = self.around.hub.ticket(operations);
        let version = ticket.version();
        let event = Projection::new(Arc::unwrap_or_clone(last)).deleted(version);
        ticket.settle(Some(event));
        self.around.hub.reached(version).await;
        Ok(())
    }
}

async fn open_store(data: &Path, path: &Path) -> Result<Store, OpenError> {
    let deadline = Instant::now() + IN_USE_PATIENCE;
    loop {
        match Store::open(path) {
            Ok(store) => return Ok(store),
            Err(StoreError::InUse) if Instant::now() < deadline => {
                tokio::time::sleep(IN_USE_PAUSE).await;
            }
            Err(StoreError::InUse) => {
                return Err(OpenError::InUse { data: data.to_owned() });
            }
            Err(error) => {
                return Err(OpenError::Journal { path: path.to_owned(), message: error.to_string() });
            }
        }
    }
}

/// Makes the data folder, for its owner only: orders of leaves hold their environment. Gives its
/// whole path, because shims work in other folders.
fn make_folder(path: &Path) -> Result<PathBuf, OpenError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .and_then(|()| path.canonicalize())
        .map_err(|source| OpenError::Io { path: path.to_owned(), source })
}

/// What a task of our own came to.
async fn finished<T>(task: tokio::task::JoinHandle<Result<T, BackendError>>) -> Result<T, BackendError> {
    match task.await {
        Ok(result) => result,
        Err(error) => {
            Err(BackendError::Internal { message: format!("the request was not finished: {error}") })
        }
    }
}

fn not_found(namespace: &str, name: &str) -> BackendError {
    BackendError::NotFound { namespace: namespace.to_owned(), name: name.to_owned() }
}

fn busy(name: &str) -> BackendError {
    BackendError::Internal { message: format!("workflow `{name}` takes no requests now; ask again") }
}

fn completed(namespace: &str, name: &str) -> BackendError {
    BackendError::Completed { namespace: namespace.to_owned(), name: name.to_owned() }
}

fn internal(what: &str, error: &StoreError) -> BackendError {
    BackendError::Internal { message: format!("{what}: {error}") }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while one of these is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
