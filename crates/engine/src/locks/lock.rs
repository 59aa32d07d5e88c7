//! One lock: who holds it, who waits, how many may hold it.
//! Source: Argo `workflow/sync/semaphore.go`, `workflow/sync/mutex.go`, `workflow/sync/cached_limit.go`.

use std::collections::BTreeSet;

use unwind_model::Timestamp;

use super::name::Kind;
use super::queue::Queue;
use super::shared::LockUse;
use crate::library::Library;

/// One lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lock {
    name: String,
    kind: Kind,
    /// The last limit that could be read.
    limit: i64,
    /// Places there are; follows `limit` when that changes.
    places: i64,
    /// Places taken. More may hold the lock, after the limit was lowered.
    taken: i64,
    queue: Queue,
    holders: BTreeSet<String>,
}

/// How a lock stands for one who wants it.
pub(super) enum Standing {
    Free,
    Held,
    /// With the text for people.
    Busy(String),
}

impl Lock {
    /// A new lock that nobody holds. The error is Argo's text.
    pub(super) fn new(name: &str, kind: &Kind, library: &Library) -> Result<Self, String> {
        let mut lock = Self {
            name: name.to_owned(),
            kind: kind.clone(),
            limit: 0,
            places: 0,
            taken: 0,
            queue: Queue::default(),
            holders: BTreeSet::new(),
        };
        match kind {
            Kind::DatabaseMutex => Err(format!("database session is not available for mutex {name}")),
            Kind::DatabaseSemaphore => Err(format!("database session is not available for semaphore {name}")),
            Kind::Mutex | Kind::Semaphore { .. } => match lock.limit(library) {
                0 => Err(format!("failed to initialize semaphore {name} with limit")),
                _ => Ok(lock),
            },
        }
    }

    /// Who holds it, sorted.
    pub(super) fn holders(&self) -> impl Iterator<Item = &str> {
        self.holders.iter().map(String::as_str)
    }

    /// Who waits, the next one first; those after it in no strict order.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &str> {
        self.queue.keys()
    }

    pub(super) fn enqueue(&mut self, holder: &str, priority: i32, created: Timestamp) {
        if !self.holders.contains(holder) {
            self.queue.add(holder, priority, created);
        }
    }

    pub(super) fn dequeue(&mut self, holder: &str) {
        self.queue.remove(holder);
    }

    /// Whether `holder` could take it now. Wakes the first in the queue if it is free for that one.
    pub(super) fn check(&mut self, holder: &str, library: &Library, woken: &mut Vec<String>) -> Standing {
        let limit = self.limit(library);
        if self.holders.contains(holder) {
            return Standing::Held;
        }
        if limit == 0 {
            return Standing::Busy(format!("Failed to get semaphore limit for {}", self.name));
        }
        let free = limit - self.held();
        let message = format!("Waiting for {} lock. Lock status: {free}/{limit}", self.name);
        if let Some(first) = self.queue.keys().next()
            && !is_same_workflow(holder, first)
        {
            if free > 0 {
                wake(woken, first);
            }
            return Standing::Busy(message);
        }
        if self.taken < self.places { Standing::Free } else { Standing::Busy(message) }
    }

    /// Gives it to `holder`, who must have been found free to take it. The first in the queue leaves
    /// it: that is one of the same workflow, but not always the holder.
    pub(super) fn take(&mut self, holder: &str, library: &Library, woken: &mut Vec<String>) {
        if self.holders.insert(holder.to_owned()) {
            self.taken += 1;
            if self.queue.is_shared() {
                self.queue.remove(holder);
            } else {
                self.queue.pop();
            }
            self.wake_first(library, woken);
        }
    }

    /// What one workflow does with it.
    pub(super) fn use_of(&self, workflow: &str) -> LockUse {
        let is_own = |key: &&str| workflow_of(key) == workflow || *key == workflow;
        LockUse {
            holders: self.holders().filter(is_own).map(str::to_owned).collect(),
            waiting: self.queue.waiters().filter(|one| is_own(&one.key.as_str())).collect(),
        }
    }

    /// Takes in what all but the workflow `own` do with it. From now on equals are in the order of their
    /// keys, so that all who share it see the same one first.
    pub(super) fn share(&mut self, own: &str, others: Option<&LockUse>) {
        let is_own = |key: &str| workflow_of(key) == own || key == own;
        self.holders.retain(|key| is_own(key));
        self.queue.share(is_own);
        if let Some(others) = others {
            self.holders.extend(others.holders.iter().cloned());
            for one in &others.waiting {
                self.queue.add(&one.key, one.priority, one.created);
            }
        }
        self.taken = self.held().min(self.places);
    }

    /// Gives it to one who is known to have held it before, limit or not.
    pub(super) fn restore(&mut self, holder: &str) {
        if self.holders.insert(holder.to_owned()) && self.taken < self.places {
            self.taken += 1;
        }
    }

    pub(super) fn release(&mut self, holder: &str, library: &Library, woken: &mut Vec<String>) {
        let limit = self.limit(library);
        if !self.holders.remove(holder) || self.held() >= limit {
            return;
        }
        self.taken = (self.taken - 1).max(0);
        self.wake_first(library, woken);
    }

    /// Wakes as many of the queue as there are places.
    fn wake_first(&mut self, library: &Library, woken: &mut Vec<String>) {
        let free = usize::try_from(self.limit(library) - self.held()).unwrap_or(0);
        let count = free.min(self.queue.len());
        for key in self.queue.keys().take(count) {
            wake(woken, key);
        }
    }

    fn held(&self) -> i64 {
        i64::try_from(self.holders.len()).unwrap_or(i64::MAX)
    }

    /// How many may hold it now; 0 when that cannot be read.
    fn limit(&mut self, library: &Library) -> i64 {
        let limit = match &self.kind {
            Kind::Mutex => Some(1),
            Kind::Semaphore { config_map, key } => {
                library.config_map(config_map).and_then(|data| data.get(key)?.parse::<i64>().ok())
            }
            Kind::DatabaseMutex | Kind::DatabaseSemaphore => None,
        };
        let Some(limit) = limit else { return 0 };
        if limit != self.limit {
            self.limit = limit;
            self.places = limit;
            self.taken = self.held().min(limit);
        }
        limit
    }
}

/// Notes down that the workflow of `holder` is to be looked at, once.
fn wake(woken: &mut Vec<String>, holder: &str) {
    let workflow = workflow_of(holder);
    if !woken.iter().any(|known| known == workflow) {
        woken.push(workflow.to_owned());
    }
}

/// The part of a holder's key that names its workflow: `namespace/workflow`.
pub(super) fn workflow_of(holder: &str) -> &str {
    let mut slashes = holder.match_indices('/');
    match (slashes.next(), slashes.next(), slashes.next()) {
        (Some(_), Some((second, _)), None) => &holder[..second],
        _ => holder,
    }
}

/// As Argo compares them: by number of parts and name, not by namespace.
fn is_same_workflow(left: &str, right: &str) -> bool {
    let count = |key: &str| key.matches('/').count();
    count(left) == count(right) && left.split('/').nth(1) == right.split('/').nth(1)
}
