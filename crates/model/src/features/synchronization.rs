//! Locks and memoization as a spec writes them.
//! Source: Argo `workflow_types.go`, `Synchronization`, `SemaphoreRef`, `Mutex`, `Memoize`.

use serde::Deserialize;
use serde_json::Value;

use crate::wire::{null_default, text};

/// The locks that a template or workflow holds while it runs.
///
/// Argo before v4.0 also reads one `semaphore` and one `mutex`, which come before those of the lists.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Synchronization {
    /// The one semaphore of the old form.
    #[serde(default)]
    pub semaphore: Option<Semaphore>,
    /// The one mutex of the old form.
    #[serde(default)]
    pub mutex: Option<Mutex>,
    /// Semaphores in document order.
    #[serde(default, deserialize_with = "null_default")]
    pub semaphores: Vec<Semaphore>,
    /// Mutexes in document order.
    #[serde(default, deserialize_with = "null_default")]
    pub mutexes: Vec<Mutex>,
}

impl Synchronization {
    /// All semaphores: the one of the old form, then those of the list.
    pub fn all_semaphores(&self) -> impl Iterator<Item = &Semaphore> {
        self.semaphore.iter().chain(&self.semaphores)
    }

    /// All mutexes: the one of the old form, then those of the list.
    pub fn all_mutexes(&self) -> impl Iterator<Item = &Mutex> {
        self.mutex.iter().chain(&self.mutexes)
    }
}

/// A lock that as many may hold as a config map or a database says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Semaphore {
    /// Where the limit stands.
    #[serde(default)]
    pub config_map_key_ref: Option<ConfigMapKey>,
    /// Namespace of the lock; empty means the workflow's.
    #[serde(default, deserialize_with = "text")]
    pub namespace: String,
    /// A limit in a database (raw).
    #[serde(default)]
    pub database: Option<Value>,
    /// What makes several locks of one (raw).
    #[serde(default, deserialize_with = "null_default")]
    pub selectors: Vec<Value>,
}

/// A lock that one may hold.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Mutex {
    /// Name.
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// Namespace of the lock; empty means the workflow's.
    #[serde(default, deserialize_with = "text")]
    pub namespace: String,
    /// Whether it lives in a database.
    #[serde(default, deserialize_with = "null_default")]
    pub database: bool,
    /// What makes several locks of one (raw).
    #[serde(default, deserialize_with = "null_default")]
    pub selectors: Vec<Value>,
}

/// One key of a config map.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct ConfigMapKey {
    /// Name of the config map.
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// The key.
    #[serde(default, deserialize_with = "text")]
    pub key: String,
    /// Whether it may be missing.
    #[serde(default, deserialize_with = "null_default")]
    pub optional: bool,
}

/// Outputs that are kept under a key and used again.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Memoize {
    /// The key; may hold tags.
    #[serde(default, deserialize_with = "text")]
    pub key: String,
    /// Where they are kept.
    #[serde(default)]
    pub cache: Option<MemoizeCache>,
    /// How old they may be: seconds or a duration; empty means any age.
    #[serde(default, deserialize_with = "text")]
    pub max_age: String,
}

impl Memoize {
    /// Name of the config map that keeps the outputs; empty when there is none.
    pub fn config_map(&self) -> &str {
        self.cache.as_ref().and_then(|cache| cache.config_map.as_ref()).map_or("", |map| &map.name)
    }
}

/// Where outputs are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoizeCache {
    /// The config map; its key is not used.
    #[serde(default)]
    pub config_map: Option<ConfigMapKey>,
}
