//! Which locks a synchronization asks for, by name.
//! Source: Argo `workflow/sync/lock_name.go`, `workflow/sync/syncitems.go`.

use unwind_model::features::{Mutex, Semaphore, Synchronization};

use crate::behaviour::LockForms;

/// What kind of lock it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One holder.
    Mutex,
    /// As many holders as a config map says.
    Semaphore { config_map: String, key: String },
    /// One holder, kept in a database.
    DatabaseMutex,
    /// As many holders as a database says.
    DatabaseSemaphore,
}

impl Kind {
    pub(super) fn is_mutex(&self) -> bool {
        match self {
            Self::Mutex | Self::DatabaseMutex => true,
            Self::Semaphore { .. } | Self::DatabaseSemaphore => false,
        }
    }
}

/// One lock that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// For example `default/Mutex/door` or `default/ConfigMap/limits/builds`.
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// The locks in the order in which they are tried: semaphores before mutexes, save that the single
/// forms come first. The error is Argo's text.
pub(super) fn wanted(
    synchronization: &Synchronization,
    namespace: &str,
    forms: LockForms,
) -> Result<Vec<Wanted>, String> {
    let invalid = |text: &str| format!("requested configuration is invalid: {text}");
    if has_duplicates(synchronization, forms) {
        let text = match forms {
            LockForms::SinglesAndLists => "Duplicate synchronization item found",
            LockForms::ListsOnly => "duplicate synchronization item found",
        };
        return Err(invalid(text));
    }
    let (semaphore, mutex) = singles(synchronization, forms);
    let mut locks = Vec::new();
    if let Some(semaphore) = semaphore {
        locks.push(of_semaphore(semaphore, namespace).map_err(invalid)?);
    }
    if let Some(mutex) = mutex {
        locks.push(of_mutex(mutex, namespace));
    }
    for semaphore in &synchronization.semaphores {
        locks.push(of_semaphore(semaphore, namespace).map_err(invalid)?);
    }
    for mutex in &synchronization.mutexes {
        locks.push(of_mutex(mutex, namespace));
    }
    match locks.iter().find_map(malformed) {
        Some(text) => Err(text),
        None => Ok(locks),
    }
}

fn singles(synchronization: &Synchronization, forms: LockForms) -> (Option<&Semaphore>, Option<&Mutex>) {
    match forms {
        LockForms::SinglesAndLists => (synchronization.semaphore.as_ref(), synchronization.mutex.as_ref()),
        LockForms::ListsOnly => (None, None),
    }
}

/// Only what is written alike counts: one lock written in two ways is no duplicate.
fn has_duplicates(synchronization: &Synchronization, forms: LockForms) -> bool {
    let (semaphore, mutex) = singles(synchronization, forms);
    let semaphores: Vec<&Semaphore> = semaphore.into_iter().chain(&synchronization.semaphores).collect();
    let mutexes: Vec<&Mutex> = mutex.into_iter().chain(&synchronization.mutexes).collect();
    has_equals(&semaphores) || has_equals(&mutexes)
}

fn has_equals<T: PartialEq>(list: &[T]) -> bool {
    list.iter().enumerate().any(|(at, item)| list[at + 1..].contains(item))
}

fn of_semaphore(semaphore: &Semaphore, namespace: &str) -> Result<Wanted, &'static str> {
    let namespace = or(&semaphore.namespace, namespace);
    match (&semaphore.config_map_key_ref, &semaphore.database) {
        (Some(_), Some(_)) => Err("invalid semaphore with both ConfigMapKeyRef and Database"),
        (Some(at), None) => Ok(Wanted {
            name: format!("{namespace}/ConfigMap/{}/{}", at.name, at.key),
            kind: Kind::Semaphore { config_map: at.name.clone(), key: at.key.clone() },
        }),
        (None, Some(database)) => {
            let key = database.get("key").and_then(serde_json::Value::as_str).unwrap_or_default();
            Ok(Wanted { name: format!("{namespace}/Database/{key}"), kind: Kind::DatabaseSemaphore })
        }
        (None, None) => Err("cannot get LockName for a Semaphore without a ConfigMapRef or Database"),
    }
}

fn of_mutex(mutex: &Mutex, namespace: &str) -> Wanted {
    let namespace = or(&mutex.namespace, namespace);
    if mutex.database {
        Wanted { name: format!("{namespace}/Database/{}", mutex.name), kind: Kind::DatabaseMutex }
    } else {
        Wanted { name: format!("{namespace}/Mutex/{}", mutex.name), kind: Kind::Mutex }
    }
}

fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

/// What Argo says of a name that it cannot read back.
fn malformed(lock: &Wanted) -> Option<String> {
    let mut parts = lock.name.splitn(3, '/').skip(2);
    let resource = parts.next().unwrap_or_default();
    let reason = match &lock.kind {
        Kind::Semaphore { config_map, key } if config_map.contains('/') || key.contains('/') => {
            "Invalid ConfigMap lock key: unknown format"
        }
        Kind::Semaphore { config_map, .. } if config_map.is_empty() => {
            "Invalid lock key: ResourceName is missing"
        }
        Kind::Semaphore { key, .. } if key.is_empty() => {
            "Invalid lock key: Key is missing for ConfigMap lock"
        }
        Kind::Mutex | Kind::DatabaseMutex | Kind::DatabaseSemaphore if resource.is_empty() => {
            "Invalid lock key: ResourceName is missing"
        }
        Kind::Semaphore { .. } | Kind::Mutex | Kind::DatabaseMutex | Kind::DatabaseSemaphore => return None,
    };
    Some(format!("bug: unable to decode lock ({}) that was just encoded: {reason}", lock.name))
}
