//! `status.synchronization` of a workflow.
//! Source: Argo `pkg/apis/workflow/v1alpha1/workflow_types.go`, `SynchronizationStatus`, `SemaphoreStatus`,
//! `MutexStatus`: `LockWaiting`, `LockAcquired`, `LockReleased`.

use serde::{Deserialize, Serialize};

/// Which locks a workflow holds and which ones kept it waiting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LockStatus {
    /// Semaphores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semaphore: Option<SemaphoreStatus>,
    /// Mutexes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutex: Option<MutexStatus>,
}

/// Semaphores of one workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SemaphoreStatus {
    /// Those that it holds or has held. A released one stays, without holders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holding: Vec<SemaphoreHolding>,
    /// Those it waits for or has waited for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<SemaphoreHolding>,
}

/// One semaphore and who holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SemaphoreHolding {
    /// Name of the lock.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub semaphore: String,
    /// Keys of the holders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<String>,
}

/// Mutexes of one workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MutexStatus {
    /// Those that it holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holding: Vec<MutexHolding>,
    /// Those it waits for or has waited for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<MutexHolding>,
}

/// One mutex and who holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MutexHolding {
    /// Name of the lock.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub mutex: String,
    /// Key of the holder.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub holder: String,
}

impl LockStatus {
    /// The part for mutexes or the one for semaphores is there from now on.
    pub(super) fn begin(&mut self, is_mutex: bool) {
        if is_mutex {
            self.mutex.get_or_insert_default();
        } else {
            self.semaphore.get_or_insert_default();
        }
    }

    /// Writes down that a lock was got. True when that is a change.
    pub(super) fn acquired(&mut self, is_mutex: bool, lock: &str, holder: &str) -> bool {
        if is_mutex {
            self.mutex.get_or_insert_default().acquired(lock, holder)
        } else {
            self.semaphore.get_or_insert_default().acquired(lock, holder)
        }
    }

    /// Writes down that a lock is waited for. True when Argo takes that for a change: for a semaphore
    /// always.
    pub(super) fn waits(&mut self, is_mutex: bool, lock: &str, holders: Vec<String>) -> bool {
        if is_mutex {
            self.mutex.get_or_insert_default().waits(lock, holders)
        } else {
            self.semaphore.get_or_insert_default().waits(lock, holders);
            true
        }
    }

    /// Writes down that a lock was given back.
    pub(super) fn released(&mut self, is_mutex: bool, lock: &str, holder: &str) {
        if is_mutex {
            if let Some(mutex) = &mut self.mutex {
                mutex.released(lock, holder);
            }
        } else if let Some(semaphore) = &mut self.semaphore {
            semaphore.released(lock, holder);
        }
    }

    /// All that is held: lock and holder.
    pub(super) fn held(&self) -> Vec<(String, String)> {
        let mut held = Vec::new();
        for holding in self.semaphore.iter().flat_map(|semaphore| &semaphore.holding) {
            held.extend(holding.holders.iter().map(|holder| (holding.semaphore.clone(), holder.clone())));
        }
        for holding in self.mutex.iter().flat_map(|mutex| &mutex.holding) {
            held.push((holding.mutex.clone(), holding.holder.clone()));
        }
        held
    }

    /// Names of the locks that were waited for.
    pub(super) fn waited_for(&self) -> Vec<String> {
        let semaphores = self.semaphore.iter().flat_map(|semaphore| &semaphore.waiting);
        let mutexes = self.mutex.iter().flat_map(|mutex| &mutex.waiting);
        semaphores
            .map(|waiting| waiting.semaphore.clone())
            .chain(mutexes.map(|waiting| waiting.mutex.clone()))
            .collect()
    }
}

impl SemaphoreStatus {
    fn acquired(&mut self, lock: &str, holder: &str) -> bool {
        match self.holding.iter_mut().find(|holding| holding.semaphore == lock) {
            None => self
                .holding
                .push(SemaphoreHolding { semaphore: lock.to_owned(), holders: vec![holder.to_owned()] }),
            Some(holding) if holding.holders.iter().any(|known| known == holder) => return false,
            Some(holding) => holding.holders.push(holder.to_owned()),
        }
        true
    }

    fn waits(&mut self, lock: &str, holders: Vec<String>) {
        match self.waiting.iter_mut().find(|waiting| waiting.semaphore == lock) {
            None => self.waiting.push(SemaphoreHolding { semaphore: lock.to_owned(), holders }),
            Some(waiting) => waiting.holders = holders,
        }
    }

    fn released(&mut self, lock: &str, holder: &str) {
        if let Some(holding) = self.holding.iter_mut().find(|holding| holding.semaphore == lock) {
            holding.holders.retain(|known| known != holder);
        }
    }
}

impl MutexStatus {
    fn acquired(&mut self, lock: &str, holder: &str) -> bool {
        set_holder(&mut self.holding, lock, holder)
    }

    fn waits(&mut self, lock: &str, holders: Vec<String>) -> bool {
        match holders.into_iter().next() {
            None => false,
            Some(holder) => set_holder(&mut self.waiting, lock, &holder),
        }
    }

    fn released(&mut self, lock: &str, holder: &str) {
        let place = self.holding.iter().position(|holding| holding.mutex == lock);
        if let Some(place) = place.filter(|place| self.holding[*place].holder == holder) {
            self.holding.remove(place);
        }
    }
}

fn set_holder(list: &mut Vec<MutexHolding>, lock: &str, holder: &str) -> bool {
    match list.iter_mut().find(|entry| entry.mutex == lock) {
        None => list.push(MutexHolding { mutex: lock.to_owned(), holder: holder.to_owned() }),
        Some(entry) if entry.holder == holder => return false,
        Some(entry) => holder.clone_into(&mut entry.holder),
    }
    true
}
