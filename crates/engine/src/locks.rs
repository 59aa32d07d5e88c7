//! Mutexes and semaphores: who holds them, who waits, in which order they are given.
//! Source: Argo `workflow/sync/sync_manager.go`.
//!
//! In: who wants which locks, who gives them back, documents with limits. Out: whether they were got,
//! why not, the status to be written, workflows to look at again. One value serves all workflows of a
//! server. It must never wait itself or read a clock.

mod lock;
mod name;
mod queue;
mod shared;
mod status;

use std::collections::BTreeMap;

use unwind_model::features::Synchronization;
use unwind_model::{NodeId, Timestamp};

use crate::behaviour::LockForms;
use crate::library::Library;
use lock::{Lock, Standing};
use name::{Kind, Wanted, wanted};

pub use shared::{LockUse, LockUses, Waiter};
pub use status::{LockStatus, MutexHolding, MutexStatus, SemaphoreHolding, SemaphoreStatus};

/// All locks that were ever asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    forms: LockForms,
    /// Each under its name.
    by_name: BTreeMap<String, Lock>,
    /// Workflows to be looked at again, in the order of waking.
    woken: Vec<String>,
    /// What workflows hold and wait for that are not walked here; `None`: all are.
    others: Option<LockUses>,
}

/// Who wants or holds locks: a workflow, or one node of it.
#[derive(Clone, Copy, Debug)]
pub struct Applicant<'a> {
    /// Namespace of the workflow.
    pub namespace: &'a str,
    /// Name of the workflow.
    pub workflow: &'a str,
    /// The node whose template asks; `None` for the workflow itself.
    pub node: Option<&'a NodeId>,
    /// `spec.priority` of the workflow, 0 without.
    pub priority: i32,
    /// When the workflow was created.
    pub created: Timestamp,
}

impl Applicant<'_> {
    /// `namespace/workflow` or `namespace/workflow/node`.
    pub fn key(&self) -> String {
        let workflow = self.workflow_key();
        match self.node {
            None => workflow,
            Some(node) => format!("{workflow}/{node}"),
        }
    }

    fn workflow_key(&self) -> String {
        format!("{}/{}", self.namespace, self.workflow)
    }
}

/// What became of asking for locks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acquire {
    /// All of them are held now, or were already.
    Acquired {
        /// Whether the status counts as changed.
        is_changed: bool,
    },
    /// None of them was taken; the applicant is in the queues of all of them.
    Waiting {
        /// For people, for example `Waiting for default/Mutex/door lock. Lock status: 0/1`.
        message: String,
        /// Name of the first lock that could not be got, for `synchronizationStatus.waiting`.
        lock: String,
        /// Whether the status counts as changed.
        is_changed: bool,
    },
    /// They can never be got as they are written.
    Failed {
        /// For people. At workflow level Argo puts `Failed to acquire the synchronization lock. ` before it.
        message: String,
    },
}

impl Locks {
    /// No locks yet.
    pub fn new(forms: LockForms) -> Self {
        Self { forms, ..Self::default() }
    }

    /// Asks for all locks at once: all are got or none. Asking again for what is held is got again.
    ///
    /// `status` is `status.synchronization` of the workflow.
    pub fn acquire(
        &mut self,
        applicant: Applicant,
        synchronization: &Synchronization,
        library: &Library,
        status: &mut Option<LockStatus>,
    ) -> Acquire {
        let wanted = match wanted(synchronization, applicant.namespace, self.forms) {
            Ok(wanted) => wanted,
            Err(message) => return Acquire::Failed { message },
        };
        if wanted.is_empty() {
            return Acquire::Acquired { is_changed: false };
        }
        let key = applicant.key();
        for want in &wanted {
            if let Err(message) = self.open(want, library) {
                return Acquire::Failed { message };
            }
            status.get_or_insert_default().begin(want.kind.is_mutex());
            if let Some(lock) = self.by_name.get_mut(&want.name) {
                lock.enqueue(&key, applicant.priority, applicant.created);
            }
        }
        let status = status.get_or_insert_default();
        match self.first_busy(&key, &wanted, library) {
            None => Acquire::Acquired { is_changed: self.take_all(&key, &wanted, library, status) },
            Some((lock, message)) => {
                let is_changed = self.wait_for_all(&wanted, status);
                Acquire::Waiting { message, lock, is_changed }
            }
        }
    }

    /// Gives back the locks of one applicant, and its places in their queues.
    ///
    /// The controller does so when it comes upon a node that is fulfilled while it walks the tree, and
    /// for a workflow when that has ended. `true`: it held or waited for one of them.
    pub fn release(
        &mut self,
        applicant: Applicant,
        synchronization: &Synchronization,
        library: &Library,
        status: &mut Option<LockStatus>,
    ) -> bool {
        let Ok(wanted) = wanted(synchronization, applicant.namespace, self.forms) else { return false };
        let key = applicant.key();
        let mut had = false;
        for want in &wanted {
            let Some(lock) = self.by_name.get_mut(&want.name) else { continue };
            had |= lock.holders().chain(lock.waiting()).any(|known| known == key);
            lock.release(&key, library, &mut self.woken);
            lock.dequeue(&key);
            if let Some(status) = status {
                status.released(want.kind.is_mutex(), &want.name, &key);
            }
        }
        had
    }

    /// Gives back all that a workflow holds by its status, and empties the status. `waiting`: nodes
    /// with the lock they wait for (`synchronizationStatus.waiting`).
    ///
    /// True when the caller has to clear `synchronizationStatus` of those nodes: the controller does
    /// so unless the workflow never asked for a lock.
    pub fn release_all(
        &mut self,
        workflow: Applicant,
        waiting: &[(NodeId, String)],
        library: &Library,
        status: &mut Option<LockStatus>,
    ) -> bool {
        let Some(status) = status.take() else { return false };
        for (name, holder) in status.held() {
            if let Some(lock) = self.by_name.get_mut(&name) {
                lock.release(&holder, library, &mut self.woken);
            }
        }
        let key = workflow.workflow_key();
        for name in status.waited_for() {
            self.dequeue(&name, &key);
        }
        for (node, name) in waiting {
            self.dequeue(name, &format!("{key}/{node}"));
        }
        true
    }

    /// Gives a workflow that is taken up again what it held by its status. Locks that cannot be made
    /// are passed over.
    pub fn take_up(&mut self, status: &LockStatus, library: &Library) {
        for (name, holder) in status.held() {
            let Some(want) = wanted_by_name(&name) else { continue };
            if self.open(&want, library).is_ok()
                && let Some(lock) = self.by_name.get_mut(&name)
            {
                lock.restore(&holder);
            }
        }
    }

    /// Takes a workflow that is gone out of all locks and queues.
    /// Source: `sync_manager.go`, `CheckWorkflowExistence`.
    pub fn forget(&mut self, namespace: &str, workflow: &str, library: &Library) {
        let workflow = format!("{namespace}/{workflow}");
        for lock in self.by_name.values_mut() {
            let keys = lock.holders().chain(lock.waiting());
            let keys: Vec<String> =
                keys.filter(|key| lock::workflow_of(key) == workflow).map(str::to_owned).collect();
            for key in keys {
                lock.release(&key, library, &mut self.woken);
                lock.dequeue(&key);
            }
        }
    }

    /// The workflows (`namespace/name`) that may go on now, each once, in the order of waking.
    pub fn take_woken(&mut self) -> Vec<String> {
        std::mem::take(&mut self.woken)
    }

    /// Keys of those who hold a lock, sorted.
    pub fn holders(&self, lock: &str) -> Vec<&str> {
        self.by_name.get(lock).map(|lock| lock.holders().collect()).unwrap_or_default()
    }

    /// Keys of those who wait for a lock; the first one is next.
    pub fn waiting(&self, lock: &str) -> Vec<&str> {
        self.by_name.get(lock).map(|lock| lock.waiting().collect()).unwrap_or_default()
    }

    /// Keys of those who are next for the locks that something wants, each once.
    pub fn next_of(&self, synchronization: &Synchronization, namespace: &str) -> Vec<String> {
        let Ok(wanted) = wanted(synchronization, namespace, self.forms) else { return Vec::new() };
        let locks = wanted.iter().filter_map(|want| self.by_name.get(&want.name));
        let mut keys: Vec<String> =
            locks.filter_map(|lock| lock.waiting().next().map(str::to_owned)).collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// Makes the lock unless it is there.
    fn open(&mut self, want: &Wanted, library: &Library) -> Result<(), String> {
        if !self.by_name.contains_key(&want.name) {
            let mut lock = Lock::new(&want.name, &want.kind, library)?;
            if let Some(others) = &self.others {
                lock.share("", others.get(&want.name));
            }
            self.by_name.insert(want.name.clone(), lock);
        }
        Ok(())
    }

    /// Name and message of the first lock that cannot be had now. All of them are looked at.
    fn first_busy(&mut self, key: &str, wanted: &[Wanted], library: &Library) -> Option<(String, String)> {
        let mut busy = None;
        for want in wanted {
            let Some(lock) = self.by_name.get_mut(&want.name) else { continue };
            match lock.check(key, library, &mut self.woken) {
                Standing::Free | Standing::Held => {}
                Standing::Busy(message) => {
                    busy.get_or_insert_with(|| (want.name.clone(), message));
                }
            }
        }
        busy
    }

    fn take_all(&mut self, key: &str, wanted: &[Wanted], library: &Library, status: &mut LockStatus) -> bool {
        let mut is_changed = false;
        for want in wanted {
            if let Some(lock) = self.by_name.get_mut(&want.name) {
                lock.take(key, library, &mut self.woken);
            }
            is_changed |= status.acquired(want.kind.is_mutex(), &want.name, key);
        }
        is_changed
    }

    fn wait_for_all(&self, wanted: &[Wanted], status: &mut LockStatus) -> bool {
        let mut is_changed = false;
        for want in wanted {
            let holders = self.holders(&want.name).into_iter().map(str::to_owned).collect();
            is_changed |= status.waits(want.kind.is_mutex(), &want.name, holders);
        }
        is_changed
    }

    fn dequeue(&mut self, name: &str, key: &str) {
        if let Some(lock) = self.by_name.get_mut(name) {
            lock.dequeue(key);
        }
    }
}

/// What a status tells of a lock by its name alone.
fn wanted_by_name(name: &str) -> Option<Wanted> {
    let mut parts = name.splitn(3, '/').skip(1);
    let kind = match (parts.next()?, parts.next()?) {
        ("Mutex", _) => Kind::Mutex,
        ("ConfigMap", rest) => {
            let (config_map, key) = rest.split_once('/')?;
            Kind::Semaphore { config_map: config_map.to_owned(), key: key.to_owned() }
        }
        _ => return None,
    };
    Some(Wanted { name: name.to_owned(), kind })
}

#[cfg(test)]
mod tests;
