//! Locks that several runs share, each of which keeps a copy of its own.
//!
//! In: what the others hold and who of them is next. Out: what one workflow holds and waits for. A run
//! learns of the others by an event, so that its journal alone tells how it went.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unwind_model::Timestamp;

use super::Locks;

/// What is done with locks, by the name of the lock.
pub type LockUses = BTreeMap<String, LockUse>;

/// What is done with one lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LockUse {
    /// Keys of those who hold it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holders: Vec<String>,
    /// Those who wait; for a run it is enough to know the first of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<Waiter>,
}

/// One who waits. Who is next: higher priority, then the older workflow, then the lesser key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiter {
    /// `namespace/workflow` or `namespace/workflow/node`.
    pub key: String,
    /// Priority of its workflow.
    pub priority: i32,
    /// When its workflow was created.
    pub created: Timestamp,
}

impl LockUse {
    /// Whether nobody holds it or waits.
    pub fn is_empty(&self) -> bool {
        self.holders.is_empty() && self.waiting.is_empty()
    }
}

impl Locks {
    /// What a workflow (`namespace/name`) holds and waits for.
    pub fn uses_of(&self, workflow: &str) -> LockUses {
        let uses = self.by_name.iter().map(|(name, lock)| (name.clone(), lock.use_of(workflow)));
        uses.filter(|(_, one)| !one.is_empty()).collect()
    }

    /// Takes in what all but the workflow `own` (`namespace/name`) hold and wait for.
    pub fn share(&mut self, own: &str, others: LockUses) {
        for (name, lock) in &mut self.by_name {
            lock.share(own, others.get(name));
        }
        self.others = Some(others);
    }
}
