//! The tasks of a template.
//!
//! They are most of a document, and whoever keeps a template of it needs them as they are: copies share them until
//! one is changed.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::spec::Task;

/// Tasks of a DAG, or steps of a group, in document order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tasks(Arc<Vec<Task>>);

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
    fn from(tasks: Vec<Task>) -> Self {
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
}
