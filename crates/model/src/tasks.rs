//! The tasks of a template.
//!
//! They are most of a document, and whoever keeps a template of it needs them as they are: copies share them until
//! one is changed.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hooks::LifecycleHooks;
use crate::spec::Task;

/// Tasks of a DAG, or steps of a group, in document order.
#[derive(Clone, Debug, Default)]
pub struct Tasks(Arc<Vec<Task>>);

impl PartialEq for Tasks {
    /// Shared ones need no look at each task.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Deref for Tasks {
    type Target = Vec<Task>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Tasks {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(&mut self.0)
    }
}

impl From<Vec<Task>> for Tasks {
    /// Tasks next to each other that have the same hooks share them.
    fn from(mut tasks: Vec<Task>) -> Self {
        tasks.shrink_to_fit();
        let mut known = LifecycleHooks::default();
        for hooks in tasks.iter_mut().map(|task| &mut task.hooks).filter(|hooks| !hooks.is_empty()) {
            if *hooks == known {
                hooks.clone_from(&known);
            } else {
                known.clone_from(hooks);
            }
        }
        Self(Arc::new(tasks))
    }
}

impl<'a> IntoIterator for &'a Tasks {
    type Item = &'a Task;
    type IntoIter = std::slice::Iter<'a, Task>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for Tasks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tasks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Task, Tasks};

    #[test]
    fn a_copy_is_the_same_until_it_is_changed() {
        let task = |name: &str| Task { name: name.to_owned(), ..Task::default() };
        let tasks = Tasks::from(vec![task("a")]);
        let mut copy = tasks.clone();
        assert!(std::ptr::eq(tasks.as_slice(), copy.as_slice()));
        copy.push(task("b"));
        assert_eq!((tasks.len(), copy.len()), (1, 2));
    }

    #[test]
    fn the_same_hooks_are_shared() {
        let task = |hook: &str| Task {
            hooks: serde_json::from_value(json!({"exit": {"template": hook}})).expect("hooks"),
            ..Task::default()
        };
        let tasks = Tasks::from(vec![task("sweep"), Task::default(), task("sweep"), task("mop")]);
        let at = |index: usize| std::ptr::from_ref(&*tasks[index].hooks.0);
        assert_eq!(at(0), at(2));
        assert_ne!(at(0), at(3));
        assert_eq!(tasks[2], task("sweep"));
    }
}
