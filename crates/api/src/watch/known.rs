//! What has been told about each workflow, so that nothing is told twice and no gap goes unseen.

use std::collections::{BTreeMap, BTreeSet};

use unwind_model::Workflow;
use unwind_model::delta::{DeltaChange, WorkflowDelta, diff};

use super::Source;
use crate::unwind::RunKey;

/// Something was missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap;

/// What has been told.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    runs: BTreeMap<RunKey, KnownRun>,
    /// Told since everything began to be told.
    told: BTreeSet<RunKey>,
}

#[derive(Clone, Debug)]
struct KnownRun {
    uid: String,
    version: String,
    /// Known without nodes and templates.
    row: bool,
    /// The last whole object, where the server sends such.
    object: Option<Box<Workflow>>,
}

impl Known {
    /// Everything there is will be told now.
    pub(super) fn begin_telling(&mut self) {
        self.told.clear();
    }

    /// Everything there is has been told: what was not told is gone.
    pub(super) fn end_telling(&mut self) -> Vec<WorkflowDelta> {
        let told = std::mem::take(&mut self.told);
        let untold = self.runs.keys().filter(|key| !told.contains(*key));
        let untold: Vec<RunKey> = untold.cloned().collect();
        untold.iter().filter_map(|key| self.remove(key)).collect()
    }

    /// Forgets what `source` does not ask for.
    pub(super) fn forget(&mut self, source: &Source) {
        self.runs.retain(|key, _| source.covers(key));
    }

    /// Takes a delta of our own stream. `None`: told before. `telling`: it is part of the telling of
    /// everything there is, where versions may go back (another data folder behind the same URL).
    pub(super) fn delta(
        &mut self,
        delta: WorkflowDelta,
        row: bool,
        telling: bool,
    ) -> Result<Option<WorkflowDelta>, Gap> {
        let key = RunKey { namespace: delta.namespace.clone(), name: delta.name.clone() };
        let known = self.runs.get(&key).filter(|known| known.uid == delta.uid);
        if delta.change == DeltaChange::Deleted {
            self.told.remove(&key);
            return Ok(self.runs.remove(&key).map(|_| delta));
        }
        let is_whole = matches!(delta.change, DeltaChange::Whole { .. });
        let told_before = match known {
            None if is_whole => false,
            None => return Err(Gap),
            Some(known) if telling => known.version == delta.resource_version && known.row == row,
            Some(known) => !is_newer(&delta.resource_version, &known.version),
        };
        self.told.insert(key.clone());
        if told_before {
            return Ok(None);
        }
        let run =
            KnownRun { uid: delta.uid.clone(), version: delta.resource_version.clone(), row, object: None };
        self.runs.insert(key, run);
        Ok(Some(delta))
    }

    /// Takes a whole object. `None`: nothing moved, or an older state than the one known.
    pub(super) fn object(&mut self, workflow: Workflow) -> Option<WorkflowDelta> {
        let key = key_of(&workflow);
        self.told.insert(key.clone());
        let metadata = &workflow.metadata;
        let known = self.runs.get(&key).filter(|known| known.uid == metadata.uid);
        let delta = match known.and_then(|known| known.object.as_deref().map(|old| (known, old))) {
            None => WorkflowDelta::whole(&workflow),
            Some((known, _)) if !is_newer(&metadata.resource_version, &known.version) => {
                return None;
            }
            Some((_, old)) => diff(old, &workflow),
        };
        let run = KnownRun {
            uid: metadata.uid.clone(),
            version: metadata.resource_version.clone(),
            row: false,
            object: Some(Box::new(workflow)),
        };
        self.runs.insert(key, run);
        Some(delta)
    }

    /// Takes the last state of an object that is gone.
    pub(super) fn gone(&mut self, workflow: &Workflow) -> Option<WorkflowDelta> {
        let key = key_of(workflow);
        let known = self.runs.get(&key)?;
        if known.uid != workflow.metadata.uid {
            return None;
        }
        self.runs.remove(&key);
        Some(WorkflowDelta::of(workflow, DeltaChange::Deleted))
    }

    /// Takes it as gone, without having been told so.
    pub(super) fn remove(&mut self, key: &RunKey) -> Option<WorkflowDelta> {
        let known = self.runs.remove(key)?;
        Some(WorkflowDelta {
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            uid: known.uid,
            resource_version: known.version,
            change: DeltaChange::Deleted,
        })
    }
}

fn key_of(workflow: &Workflow) -> RunKey {
    RunKey { namespace: workflow.metadata.namespace.clone(), name: workflow.metadata.name.clone() }
}

/// Versions that are no numbers have no order: any other one is newer.
fn is_newer(version: &str, than: &str) -> bool {
    match (version.parse::<u64>(), than.parse::<u64>()) {
        (Ok(version), Ok(than)) => version > than,
        _ => version != than,
    }
}
