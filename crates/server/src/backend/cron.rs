//! Runs cron workflows: one task for all of them.
//!
//! In: the documents as they are kept, the time, the workflows they made. Out: what `engine::cron`
//! wants done. Everything it has to know after a restart is in the documents' status.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Weak;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use unwind_engine::cron::{Child, CronAction, CronRun, Languages, SubmitError, World};
use unwind_engine::library::Library;
use unwind_model::cron::CronWorkflow;

use super::documents::{DocumentKey, Kind, library_of};
use super::local::{Inner, LocalBackend};
use super::{BackendError, zones};
use crate::clock;

/// How often ended workflows are looked for. Source: Argo `workflow/cron/controller.go`, `cronWorkflowResyncPeriod`.
const PERIOD: Duration = Duration::from_secs(10);
/// The same while one of them runs.
const PERIOD_ACTIVE: Duration = Duration::from_secs(1);
/// Pause after a look, so that a document that cannot be stored does not keep a core busy.
const LEAST: Duration = Duration::from_millis(20);

/// One cron workflow under way.
struct Followed {
    run: CronRun,
    /// The document's version that the run knows.
    version: Value,
}

/// Goes on until the back end closes.
pub(super) async fn follow(inner: Weak<Inner>, mut closing: watch::Receiver<bool>) {
    let mut followed = BTreeMap::new();
    loop {
        let Some(strong) = inner.upgrade() else { return };
        let backend = LocalBackend::of(strong);
        let moved = backend.around().clone();
        look(&backend, &mut followed).await;
        drop(backend);
        let pause = pause(&followed);
        tokio::select! {
            _ = closing.wait_for(|closing| *closing) => return,
            () = moved.documents_moved.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
        drop(moved);
        tokio::time::sleep(LEAST).await;
    }
}

/// How long nothing will happen by itself.
fn pause(followed: &BTreeMap<DocumentKey, Followed>) -> Duration {
    let now = clock::now();
    let due = followed.values().filter_map(|one| one.run.next_due()).min();
    let due = due.map(|due| Duration::from_millis(u64::try_from(due - now).unwrap_or_default()));
    let is_active = followed.values().any(|one| !one.run.object().status.active.is_empty());
    let period = if is_active { PERIOD_ACTIVE } else { PERIOD };
    due.map_or(period, |due| due.min(period))
}

/// Looks at every document once.
async fn look(backend: &LocalBackend, followed: &mut BTreeMap<DocumentKey, Followed>) {
    let documents = backend.around().documents.list(Kind::CronWorkflow, None);
    let mut there = BTreeMap::new();
    for document in documents {
        let (Some(key), Ok(object)) = (DocumentKey::of(&document), CronWorkflow::deserialize(&*document))
        else {
            continue;
        };
        let version = document["metadata"]["resourceVersion"].clone();
        there.insert(key, (object, version));
    }
    followed.retain(|key, _| there.contains_key(key));
    for (key, (object, version)) in there {
        let mut actions = due(backend, followed, &key, (object, version));
        let Some(one) = followed.get_mut(&key) else { continue };
        while let Some(action) = actions.pop_front() {
            let more = act(backend, &key, one, action).await;
            actions.extend(more);
        }
    }
}

/// What is to be done for one document now.
fn due(
    backend: &LocalBackend,
    followed: &mut BTreeMap<DocumentKey, Followed>,
    key: &DocumentKey,
    (object, version): (CronWorkflow, Value),
) -> VecDeque<CronAction> {
    let now = clock::now();
    let library = library(backend, &object);
    let judge = Languages { library: &library, now };
    let world = World { zones: &zones::offset, judge: &judge };
    let mut actions = VecDeque::new();
    match followed.get_mut(key) {
        None => {
            let (run, first) = CronRun::new(object, now, &world);
            actions.extend(first);
            followed.insert(key.clone(), Followed { run, version });
        }
        Some(one) if one.version != version => {
            actions.extend(one.run.changed(object, now, &world));
            one.version = version;
        }
        Some(_) => {}
    }
    if let Some(one) = followed.get_mut(key) {
        actions.extend(one.run.tick(now, &world));
        actions.extend(one.run.sync(&children(backend, key), &world));
    }
    actions
}

fn library(backend: &LocalBackend, object: &CronWorkflow) -> Library {
    let mut workflow = unwind_model::Workflow::default();
    workflow.metadata.namespace.clone_from(&object.metadata.namespace);
    workflow.spec = object.spec.workflow_spec.clone();
    library_of(&backend.around().documents.referred(&workflow))
}

/// The workflows that a cron workflow made.
fn children(backend: &LocalBackend, key: &DocumentKey) -> Vec<Child> {
    let (all, _) = backend.list(Some(&key.namespace));
    let all = all.iter().map(|workflow| Child::of(workflow));
    all.filter(|child| child.made_by == key.name).collect()
}

async fn act(
    backend: &LocalBackend,
    key: &DocumentKey,
    one: &mut Followed,
    action: CronAction,
) -> Vec<CronAction> {
    match action {
        CronAction::Terminate(name) => {
            match backend.terminate(&key.namespace, &name).await {
                Ok(_) | Err(BackendError::Completed { .. } | BackendError::NotFound { .. }) => {}
                Err(error) => tracing::warn!(%error, name, "cannot terminate a workflow"),
            }
            Vec::new()
        }
        CronAction::Delete(name) => {
            match backend.delete(&key.namespace, &name).await {
                Ok(()) | Err(BackendError::NotFound { .. }) => {}
                Err(error) => tracing::warn!(%error, name, "cannot delete a workflow"),
            }
            Vec::new()
        }
        CronAction::Submit(workflow) => {
            let name = workflow.metadata.name.clone();
            let answer = match backend.submit(*workflow).await {
                Ok(workflow) => Ok(Child::of(&workflow).reference),
                Err(BackendError::AlreadyExists { .. }) => Err(SubmitError::Exists),
                Err(error) => Err(SubmitError::Failed(error.to_string())),
            };
            one.run.submitted(&name, answer)
        }
        CronAction::Store => {
            store(backend, key, one).await;
            Vec::new()
        }
        CronAction::Complain(what) => {
            tracing::warn!(name = key.name, "{what}");
            Vec::new()
        }
    }
}

/// Stores status, labels and annotations; what a user changed meanwhile stays.
async fn store(backend: &LocalBackend, key: &DocumentKey, one: &mut Followed) {
    let Ok(object) = serde_json::to_value(one.run.object()) else { return };
    let stored = backend.change_document(key.clone(), |document| {
        document["status"] = object["status"].clone();
        for field in ["labels", "annotations"] {
            if let Some(value) = object["metadata"].get(field) {
                document["metadata"][field] = value.clone();
            }
        }
    });
    match stored.await {
        Ok(_) | Err(BackendError::NoDocument { .. }) => {}
        Err(error) => tracing::warn!(%error, name = key.name, "cannot store what a cron workflow has done"),
    }
}
