//! The tables of the store and the commit: JSON values under text keys.
//!
//! In: batches of writes. Out: one durable transaction for all of them.

use std::ops::Range;
use std::path::Path;

use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableError, WriteTransaction,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use unwind_model::Workflow;

use crate::backend::documents::DocumentKey;

use super::{Counters, ENGINE, Entry, Saved, StoreError, Write};

/// uid: the workflow as submitted.
const WORKFLOWS: TableDefinition<&str, &[u8]> = TableDefinition::new("workflows");
/// (uid, sequence): an `Entry`.
const JOURNAL: TableDefinition<(&str, u64), &[u8]> = TableDefinition::new("journal");
/// uid: the workflow as it was when it was over.
const OVER: TableDefinition<&str, &[u8]> = TableDefinition::new("over");
/// (kind, namespace, name): a document with its version.
const DOCUMENTS: TableDefinition<(&str, &str, &str), &[u8]> = TableDefinition::new("documents");
/// name: number.
const COUNTERS: TableDefinition<&str, u64> = TableDefinition::new("counters");

const OPERATION: &str = "operation";
const LAST_DELETE: &str = "last-delete";
const FORMAT: &str = "format";
/// Changes whenever the tables do.
const FORMAT_NOW: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Submitted {
    operation: u64,
    workflow: Workflow,
    #[serde(default)]
    documents: Vec<Value>,
}

#[derive(Serialize)]
struct SubmittedRef<'a> {
    operation: u64,
    workflow: &'a Workflow,
    documents: &'a [Value],
}

pub(super) fn open(path: &Path) -> Result<Database, StoreError> {
    let database = match Database::create(path) {
        Err(redb::DatabaseError::DatabaseAlreadyOpen) => return Err(StoreError::InUse),
        other => other.map_err(database_error)?,
    };
    let write = database.begin_write().map_err(database_error)?;
    {
        let mut counters = write.open_table(COUNTERS).map_err(database_error)?;
        let found = counters.get(FORMAT).map_err(database_error)?;
        let found = found.map(|format| format.value());
        match found {
            None => {
                counters.insert(FORMAT, FORMAT_NOW).map_err(database_error)?;
            }
            Some(FORMAT_NOW) => {}
            Some(other) => {
                return Err(StoreError::Value {
                    what: format!("format {other}"),
                    why: format!("this program knows format {FORMAT_NOW}; use the program that wrote it"),
                });
            }
        }
    }
    write.commit().map_err(database_error)?;
    Ok(database)
}

/// Writes all batches in one durable transaction. Gives the counters afterwards and the operations
/// of each batch.
pub(super) fn commit(
    database: &Database,
    mut counters: Counters,
    batches: &[&[Write]],
) -> Result<(Counters, Vec<Range<u64>>), StoreError> {
    let transaction = database.begin_write().map_err(database_error)?;
    let mut ranges = Vec::with_capacity(batches.len());
    for batch in batches {
        let first = counters.operation + 1;
        for write in *batch {
            put(&transaction, &mut counters, write)?;
        }
        ranges.push(first..counters.operation + 1);
    }
    {
        let mut table = transaction.open_table(COUNTERS).map_err(database_error)?;
        for (name, value) in [(OPERATION, counters.operation), (LAST_DELETE, counters.last_delete)] {
            table.insert(name, value).map_err(database_error)?;
        }
    }
    transaction.commit().map_err(database_error)?;
    Ok((counters, ranges))
}

fn put(transaction: &WriteTransaction, counters: &mut Counters, write: &Write) -> Result<(), StoreError> {
    match write {
        Write::Submit { workflow, documents } => {
            counters.operation += 1;
            let value = to_json(&SubmittedRef { operation: counters.operation, workflow, documents })?;
            let mut table = transaction.open_table(WORKFLOWS).map_err(database_error)?;
            table.insert(workflow.metadata.uid.as_str(), value.as_slice()).map_err(database_error)?;
        }
        Write::Event { uid, sequence, at, event } => {
            counters.operation += 1;
            let value = to_json(&Entry {
                operation: counters.operation,
                at_ms: at.millis(),
                engine: ENGINE.to_owned(),
                event: event.clone(),
            })?;
            let mut table = transaction.open_table(JOURNAL).map_err(database_error)?;
            table.insert((uid.as_str(), *sequence), value.as_slice()).map_err(database_error)?;
        }
        Write::Over { workflow } => {
            let value = to_json(workflow.as_ref())?;
            let mut table = transaction.open_table(OVER).map_err(database_error)?;
            table.insert(workflow.metadata.uid.as_str(), value.as_slice()).map_err(database_error)?;
        }
        Write::Reopen { uid } => {
            let mut table = transaction.open_table(OVER).map_err(database_error)?;
            table.remove(uid.as_str()).map_err(database_error)?;
        }
        Write::Delete { uid } => {
            counters.operation += 1;
            counters.last_delete = counters.operation;
            delete(transaction, uid)?;
        }
        Write::Keep { key, document } => {
            counters.operation += 1;
            let value = to_json(&versioned(document.clone(), counters.operation))?;
            let mut table = transaction.open_table(DOCUMENTS).map_err(database_error)?;
            table.insert(parts_of(key), value.as_slice()).map_err(database_error)?;
        }
        Write::Forget { key } => {
            counters.operation += 1;
            let mut table = transaction.open_table(DOCUMENTS).map_err(database_error)?;
            table.remove(parts_of(key)).map_err(database_error)?;
        }
    }
    Ok(())
}

fn parts_of(key: &DocumentKey) -> (&str, &str, &str) {
    (key.kind.as_str(), &key.namespace, &key.name)
}

/// A document with its version.
pub(crate) fn versioned(mut document: Value, version: u64) -> Value {
    if let Some(metadata) = document.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".to_owned(), Value::String(version.to_string()));
    }
    document
}

pub(super) fn documents(database: &Database) -> Result<Vec<Value>, StoreError> {
    let read = database.begin_read().map_err(database_error)?;
    let Some(table) = table_of(&read, DOCUMENTS)? else {
        return Ok(Vec::new());
    };
    table
        .iter()
        .map_err(database_error)?
        .map(|row| {
            let (key, value) = row.map_err(database_error)?;
            let (kind, _, name) = key.value();
            from_json(&format!("{kind} `{name}`"), value.value())
        })
        .collect()
}

fn delete(transaction: &WriteTransaction, uid: &str) -> Result<(), StoreError> {
    for definition in [WORKFLOWS, OVER] {
        let mut table = transaction.open_table(definition).map_err(database_error)?;
        table.remove(uid).map_err(database_error)?;
    }
    let mut journal = transaction.open_table(JOURNAL).map_err(database_error)?;
    journal.retain_in((uid, 0)..=(uid, u64::MAX), |_, _| false).map_err(database_error)
}

pub(super) fn counters(database: &Database) -> Result<Counters, StoreError> {
    let read = database.begin_read().map_err(database_error)?;
    let Some(table) = table_of(&read, COUNTERS)? else {
        return Ok(Counters::default());
    };
    let number = |name| -> Result<u64, StoreError> {
        let found = table.get(name).map_err(database_error)?;
        Ok(found.map_or(0, |number| number.value()))
    };
    Ok(Counters { operation: number(OPERATION)?, last_delete: number(LAST_DELETE)? })
}

pub(super) fn uids(database: &Database) -> Result<Vec<String>, StoreError> {
    let read = database.begin_read().map_err(database_error)?;
    let Some(table) = table_of(&read, WORKFLOWS)? else {
        return Ok(Vec::new());
    };
    table
        .iter()
        .map_err(database_error)?
        .map(|row| Ok(row.map_err(database_error)?.0.value().to_owned()))
        .collect()
}

pub(super) fn load(database: &Database, uid: &str) -> Result<Option<Saved>, StoreError> {
    let read = database.begin_read().map_err(database_error)?;
    let value_in = |definition: TableDefinition<&str, &[u8]>| -> Result<Option<Vec<u8>>, StoreError> {
        let Some(table) = table_of(&read, definition)? else {
            return Ok(None);
        };
        let found = table.get(uid).map_err(database_error)?;
        Ok(found.map(|value| value.value().to_vec()))
    };
    let Some(submitted) = value_in(WORKFLOWS)? else {
        return Ok(None);
    };
    let what = format!("workflow `{uid}`");
    let submitted: Submitted = from_json(&what, &submitted)?;
    let over = match value_in(OVER)? {
        Some(bytes) => Some(from_json(&what, &bytes)?),
        None => None,
    };
    Ok(Some(Saved {
        workflow: submitted.workflow,
        documents: submitted.documents,
        submitted: submitted.operation,
        entries: entries(&read, uid)?,
        over,
    }))
}

fn entries(read: &ReadTransaction, uid: &str) -> Result<Vec<Entry>, StoreError> {
    let Some(table) = table_of(read, JOURNAL)? else {
        return Ok(Vec::new());
    };
    table
        .range((uid, 0)..=(uid, u64::MAX))
        .map_err(database_error)?
        .map(|row| {
            let (key, value) = row.map_err(database_error)?;
            from_json(&format!("event {} of workflow `{uid}`", key.value().1), value.value())
        })
        .collect()
}

/// `None` before anything was written to it.
fn table_of<K: redb::Key + 'static, V: redb::Value + 'static>(
    read: &ReadTransaction,
    definition: TableDefinition<'_, K, V>,
) -> Result<Option<redb::ReadOnlyTable<K, V>>, StoreError> {
    match read.open_table(definition) {
        Ok(table) => Ok(Some(table)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(database_error(error)),
    }
}

fn database_error(error: impl Into<redb::Error>) -> StoreError {
    StoreError::Database(std::sync::Arc::new(error.into()))
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value)
        .map_err(|error| StoreError::Value { what: "a value to write".to_owned(), why: error.to_string() })
}

fn from_json<T: DeserializeOwned>(what: &str, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes)
        .map_err(|error| StoreError::Value { what: what.to_owned(), why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use unwind_engine::Event;
    use unwind_model::Timestamp;

    use super::super::Store;
    use super::*;

    fn workflow(uid: &str) -> Arc<Workflow> {
        let mut workflow = Workflow::default();
        uid.clone_into(&mut workflow.metadata.uid);
        Arc::new(workflow)
    }

    fn event(uid: &str, sequence: u64, event: Event) -> Write {
        Write::Event { uid: uid.to_owned(), sequence, at: Timestamp(1_000), event }
    }

    #[tokio::test]
    async fn what_is_committed_is_there_after_opening_again() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("journal.redb");
        let store = Store::open(&path).expect("a new file");
        let submit = |uid| Write::Submit { workflow: workflow(uid), documents: Vec::new() };
        let first = store.commit(vec![submit("a")]).await.expect("written");
        assert_eq!(first, 1..2);
        let second = store
            .commit(vec![
                event("a", 0, Event::Begun),
                event("a", 1, Event::StopRequested),
                submit("ab"),
                event("ab", 0, Event::Begun),
            ])
            .await
            .expect("written");
        assert_eq!(second, 2..6);
        let over = store.commit(vec![Write::Over { workflow: workflow("ab") }]).await.expect("written");
        assert_eq!(over, 6..6);
        drop(store);

        let store = Store::open(&path).expect("the same file");
        assert_eq!(store.uids().expect("readable"), ["a", "ab"]);
        let a = store.load("a").expect("readable").expect("there");
        let events: Vec<_> = a.entries.iter().map(|e| (e.operation, &e.event)).collect();
        assert_eq!(events, [(2, &Event::Begun), (3, &Event::StopRequested)]);
        assert_eq!((a.submitted, a.over), (1, None));
        let ab = store.load("ab").expect("readable").expect("there");
        assert!(ab.over.is_some());

        let gone = store.commit(vec![Write::Delete { uid: "a".to_owned() }]).await.expect("written");
        assert_eq!(gone, 6..7);
        assert!(store.load("a").expect("readable").is_none());
        let ab = store.load("ab").expect("readable").expect("there");
        assert_eq!(ab.entries.len(), 1);
        assert_eq!(store.counters().expect("readable"), Counters { operation: 6, last_delete: 6 });
    }

    #[test]
    fn a_second_server_is_told_that_the_file_is_in_use() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("journal.redb");
        let _first = Store::open(&path).expect("a new file");
        assert!(matches!(Store::open(&path), Err(StoreError::InUse)));
    }
}
