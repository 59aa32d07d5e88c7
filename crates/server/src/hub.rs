//! Fan-out of changes: one growing version over all workflows and a window to take a watch up from.
//!
//! In: for every journalled operation, in any order, what became of it. Out: the current workflows,
//! and streams of watch events in the order of the operations. The version of an event is the number
//! of its operation, so it grows over restarts and a replayed journal gives the same versions.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use futures_util::stream;
use tokio::sync::watch;
use unwind_model::Workflow;
use unwind_model::delta::WorkflowDelta;

use crate::backend::{Gone, WatchEvent, WatchKind, WatchStream};

/// Namespace and name of a workflow.
pub type Key = (String, String);

/// The key of a workflow.
pub fn key_of(workflow: &Workflow) -> Key {
    (workflow.metadata.namespace.clone(), workflow.metadata.name.clone())
}

/// The hub. One for a back end.
#[derive(Debug)]
pub struct Hub {
    state: Mutex<State>,
    progress: watch::Sender<Progress>,
}

#[derive(Clone, Copy, Debug)]
struct Progress {
    version: u64,
    closed: bool,
}

#[derive(Debug)]
struct State {
    workflows: BTreeMap<Key, Arc<Workflow>>,
    /// Events with a version above `floor`, oldest first.
    window: VecDeque<Arc<WatchEvent>>,
    capacity: usize,
    floor: u64,
    /// All operations up to this one are settled and out.
    version: u64,
    /// Settled operations that wait for an earlier one.
    waiting: BTreeMap<u64, Option<WatchEvent>>,
}

impl Hub {
    /// A hub that goes on after operation `version`. Watches can be taken up from `floor` on, when
    /// the events since then are given to `restore`.
    pub fn new(version: u64, floor: u64, capacity: usize) -> Self {
        Self {
            state: Mutex::new(State {
                workflows: BTreeMap::new(),
                window: VecDeque::new(),
                capacity,
                floor,
                version,
                waiting: BTreeMap::new(),
            }),
            progress: watch::Sender::new(Progress { version, closed: false }),
        }
    }

    /// Puts in what the journal gave: the workflows, and their events since the floor in any order.
    pub fn restore(&self, workflows: Vec<Arc<Workflow>>, mut events: Vec<WatchEvent>) {
        events.sort_by_key(|event| event.resource_version);
        let mut state = self.lock();
        for workflow in workflows {
            state.workflows.insert(key_of(&workflow), workflow);
        }
        for event in events {
            state.keep(Arc::new(event));
        }
    }

    /// The workflows of one namespace, or all, by namespace and name; and the version of that state.
    pub fn list(&self, namespace: Option<&str>) -> (Vec<Arc<Workflow>>, u64) {
        let state = self.lock();
        let wanted = |key: &Key| namespace.is_none_or(|namespace| key.0 == namespace);
        let found = state
            .workflows
            .iter()
            .filter(|(key, _)| wanted(key))
            .map(|(_, workflow)| Arc::clone(workflow))
            .collect();
        (found, state.version)
    }

    /// One workflow.
    pub fn get(&self, namespace: &str, name: &str) -> Option<Arc<Workflow>> {
        let key = (namespace.to_owned(), name.to_owned());
        self.lock().workflows.get(&key).map(Arc::clone)
    }

    /// Takes over the duty to settle these operations, all of them journalled.
    pub fn ticket(self: &Arc<Self>, operations: Range<u64>) -> Ticket {
        Ticket { hub: Arc::clone(self), operations }
    }

    /// Waits until everything up to `version` is out.
    pub async fn reached(&self, version: u64) {
        let mut progress = self.progress.subscribe();
        // The error means that the hub is gone, which borrows forbid here.
        let _ = progress.wait_for(|progress| progress.version >= version || progress.closed).await;
    }

    /// Ends all watches.
    pub fn close(&self) {
        self.progress.send_modify(|progress| progress.closed = true);
    }

    /// The events of a watch. Without `since` what is there comes first, as `Added`.
    pub fn watch(
        self: &Arc<Self>,
        namespace: Option<String>,
        name: Option<String>,
        since: Option<u64>,
    ) -> Result<WatchStream, Gone> {
        let filter = Filter { namespace, name };
        let state = self.lock();
        let (cursor, first) = match since {
            Some(asked) if asked < state.floor || asked > state.version => {
                return Err(Gone { asked, current: state.version });
            }
            Some(asked) => (asked, Vec::new()),
            None => {
                let seen = state.workflows.values().filter(|w| filter.wants(w));
                (state.version, seen.map(first_sight).collect())
            }
        };
        drop(state);
        let reader = Reader {
            hub: Arc::clone(self),
            progress: self.progress.subscribe(),
            filter,
            cursor,
            ready: first.into(),
        };
        let events = stream::unfold(reader, |mut reader| async {
            let event = reader.next().await?;
            Some((event, reader))
        });
        Ok(events.fuse().boxed())
    }

    fn settle(&self, operation: u64, event: Option<WatchEvent>) {
        let mut state = self.lock();
        state.waiting.insert(operation, event);
        let before = state.version;
        state.release();
        let version = state.version;
        drop(state);
        if version != before {
            self.progress.send_modify(|progress| progress.version = version);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change of the state is whole before the lock is given back.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn release(&mut self) {
        while let Some(event) = self.waiting.remove(&(self.version + 1)) {
            self.version += 1;
            let Some(event) = event else { continue };
            let key = key_of(&event.workflow);
            match event.kind {
                WatchKind::Added | WatchKind::Modified => {
                    self.workflows.insert(key, Arc::clone(&event.workflow));
                }
                WatchKind::Deleted => {
                    self.workflows.remove(&key);
                }
            }
            self.keep(Arc::new(event));
        }
    }

    fn keep(&mut self, event: Arc<WatchEvent>) {
        self.window.push_back(event);
        while self.window.len() > self.capacity {
            if let Some(gone) = self.window.pop_front() {
                self.floor = gone.resource_version;
            }
        }
    }
}

fn first_sight(workflow: &Arc<Workflow>) -> Arc<WatchEvent> {
    Arc::new(WatchEvent {
        kind: WatchKind::Added,
        resource_version: workflow.metadata.resource_version.parse().unwrap_or_default(),
        workflow: Arc::clone(workflow),
        delta: Arc::new(WorkflowDelta::whole(workflow)),
    })
}

/// The duty to settle journalled operations. What is not settled when it is dropped counts as
/// operations that moved nothing, so that one lost task never holds up all others.
#[derive(Debug)]
pub struct Ticket {
    hub: Arc<Hub>,
    operations: Range<u64>,
}

impl Ticket {
    /// The last operation: the version that an event for all of them leads to.
    pub fn version(&self) -> u64 {
        self.operations.end.saturating_sub(1)
    }

    /// Settles all of them with one event, whose version must be `version()`, or none.
    pub fn settle(mut self, event: Option<WatchEvent>) {
        let last = self.version();
        while self.operations.start < last {
            self.hub.settle(self.operations.start, None);
            self.operations.start += 1;
        }
        self.operations.start += 1;
        self.hub.settle(last, event);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        for operation in self.operations.clone() {
            self.hub.settle(operation, None);
        }
    }
}

#[derive(Clone, Debug)]
struct Filter {
    namespace: Option<String>,
    name: Option<String>,
}

impl Filter {
    fn wants(&self, workflow: &Workflow) -> bool {
        let meta = &workflow.metadata;
        let fits = |wanted: &Option<String>, is: &str| wanted.as_deref().is_none_or(|w| w == is);
        fits(&self.namespace, &meta.namespace) && fits(&self.name, &meta.name)
    }
}

struct Reader {
    hub: Arc<Hub>,
    progress: watch::Receiver<Progress>,
    filter: Filter,
    /// Everything up to this version was given or filtered out.
    cursor: u64,
    ready: VecDeque<Arc<WatchEvent>>,
}

impl Reader {
    /// The next event; `None` when the hub closed or this reader fell out of the window.
    async fn next(&mut self) -> Option<Arc<WatchEvent>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let cursor = self.cursor;
            let progress = *self
                .progress
                .wait_for(|progress| progress.version > cursor || progress.closed)
                .await
                .ok()?;
            if progress.version <= cursor {
                return None;
            }
            let state = self.hub.lock();
            if cursor < state.floor {
                return None;
            }
            let from = state.window.partition_point(|event| event.resource_version <= cursor);
            let new = state.window.range(from..);
            self.ready.extend(new.filter(|e| self.filter.wants(&e.workflow)).cloned());
            self.cursor = state.version;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn event(version: u64, kind: WatchKind, name: &str) -> WatchEvent {
        let mut workflow = Workflow::default();
        name.clone_into(&mut workflow.metadata.name);
        workflow.metadata.resource_version = version.to_string();
        WatchEvent {
            kind,
            resource_version: version,
            delta: Arc::new(WorkflowDelta::whole(&workflow)),
            workflow: Arc::new(workflow),
        }
    }

    /// What the watch has to give now, as `kind name version`.
    fn drain(watch: &mut WatchStream) -> Vec<String> {
        std::iter::from_fn(|| watch.next().now_or_never().flatten())
            .map(|event| {
                let name = &event.workflow.metadata.name;
                format!("{} {name} {}", event.kind.as_str(), event.resource_version)
            })
            .collect()
    }

    fn hub() -> Arc<Hub> {
        Arc::new(Hub::new(0, 0, 3))
    }

    #[test]
    fn events_come_in_the_order_of_their_operations() {
        let hub = hub();
        let mut watch = hub.watch(None, None, Some(0)).expect("from the start");
        let (first, second) = (hub.ticket(1..3), hub.ticket(3..4));
        second.settle(Some(event(3, WatchKind::Added, "b")));
        assert_eq!(drain(&mut watch), [""; 0]);
        first.settle(Some(event(2, WatchKind::Added, "a")));
        assert_eq!(drain(&mut watch), ["ADDED a 2", "ADDED b 3"]);
        assert_eq!(hub.list(None).1, 3);
    }

    #[test]
    fn a_dropped_ticket_holds_up_nobody() {
        let hub = hub();
        let mut watch = hub.watch(None, None, Some(0)).expect("from the start");
        drop(hub.ticket(1..5));
        hub.ticket(5..6).settle(Some(event(5, WatchKind::Added, "a")));
        assert_eq!(drain(&mut watch), ["ADDED a 5"]);
    }

    #[test]
    fn a_watch_without_a_version_begins_with_what_is_there() {
        let hub = hub();
        hub.ticket(1..2).settle(Some(event(1, WatchKind::Added, "a")));
        hub.ticket(2..3).settle(Some(event(2, WatchKind::Added, "b")));
        let mut all = hub.watch(None, None, None).expect("no version");
        let mut one = hub.watch(None, Some("b".to_owned()), None).expect("no version");
        hub.ticket(3..4).settle(Some(event(3, WatchKind::Deleted, "a")));
        assert_eq!(drain(&mut all), ["ADDED a 1", "ADDED b 2", "DELETED a 3"]);
        assert_eq!(drain(&mut one), ["ADDED b 2"]);
        assert!(hub.get("", "a").is_none());
    }

    #[test]
    fn what_left_the_window_is_gone() {
        let hub = hub();
        let mut slow = hub.watch(None, None, Some(0)).expect("from the start");
        for version in 1..=5 {
            hub.ticket(version..version + 1).settle(Some(event(version, WatchKind::Modified, "a")));
        }
        let gone = |since| hub.watch(None, None, Some(since)).err();
        assert_eq!(gone(1), Some(Gone { asked: 1, current: 5 }));
        assert_eq!(gone(6), Some(Gone { asked: 6, current: 5 }));
        let mut kept = hub.watch(None, None, Some(2)).expect("in the window");
        assert_eq!(drain(&mut kept), ["MODIFIED a 3", "MODIFIED a 4", "MODIFIED a 5"]);
        assert_eq!(slow.next().now_or_never().map(|event| event.is_none()), Some(true));
    }

    #[test]
    fn closing_ends_watches_after_their_last_event() {
        let hub = hub();
        let mut watch = hub.watch(None, None, Some(0)).expect("from the start");
        hub.ticket(1..2).settle(Some(event(1, WatchKind::Added, "a")));
        hub.close();
        assert_eq!(drain(&mut watch), ["ADDED a 1"]);
        assert_eq!(watch.next().now_or_never().map(|event| event.is_none()), Some(true));
    }
}
