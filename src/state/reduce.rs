//! The one writer of what is known of the server's workflows.
//!
//! In: deltas in order. Out: the objects after them. A delta that does not fit asks for the whole anew.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use unwind_api::unwind::RunKey;
use unwind_model::delta::{self, DeltaChange, WorkflowDelta};
use unwind_model::{Timestamp, Workflow, ordered};

/// What is known of the server's workflows.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The objects, in the order of their names. Rows of the list are without nodes.
    pub workflows: BTreeMap<RunKey, Arc<Workflow>>,
    /// Those that came with their nodes.
    pub with_nodes: BTreeSet<RunKey>,
    /// When those that are gone went.
    pub deleted: BTreeMap<RunKey, Timestamp>,
}

impl Known {
    /// Applies one delta that came at `now`. `followed`: the runs that are told with their nodes.
    /// False when it does not fit what is known.
    pub fn apply(&mut self, delta: &WorkflowDelta, followed: &[RunKey], now: Timestamp) -> bool {
        let key = RunKey { namespace: delta.namespace.clone(), name: delta.name.clone() };
        match &delta.change {
            DeltaChange::Whole { workflow } => {
                if followed.contains(&key) || !workflow.status.nodes.is_empty() {
                    self.with_nodes.insert(key.clone());
                }
                self.deleted.remove(&key);
                self.workflows.insert(key, Arc::new(Workflow::clone(workflow)));
                true
            }
            DeltaChange::Changed { .. } => match self.workflows.get_mut(&key) {
                Some(workflow) => delta::apply(Arc::make_mut(workflow), delta).is_ok(),
                None => false,
            },
            DeltaChange::Deleted => {
                // A run that is looked at keeps its last state; the list goes by `deleted`.
                self.deleted.insert(key, now);
                true
            }
        }
    }

    /// Takes in an object that a request gave, unless something newer is known.
    pub fn take_in(&mut self, workflow: Workflow) {
        let key =
            RunKey { namespace: workflow.metadata.namespace.clone(), name: workflow.metadata.name.clone() };
        let version = |workflow: &Workflow| workflow.metadata.resource_version.parse::<u64>().ok();
        let is_older = self.workflows.get(&key).is_some_and(|known| {
            known.metadata.uid == workflow.metadata.uid && version(known) >= version(&workflow)
        });
        if !is_older {
            self.with_nodes.insert(key.clone());
            self.deleted.remove(&key);
            self.workflows.insert(key, Arc::new(workflow));
        }
    }

    /// What is in the list: everything that is not gone, newest first.
    pub fn rows(&self) -> Vec<(RunKey, Arc<Workflow>)> {
        let mut rows: Vec<(RunKey, Arc<Workflow>)> = self
            .workflows
            .iter()
            .filter(|(key, _)| !self.deleted.contains_key(*key))
            .map(|(key, workflow)| (key.clone(), workflow.clone()))
            .collect();
        let begin = |workflow: &Workflow| workflow.metadata.creation_timestamp.or(workflow.status.started_at);
        ordered::sort_by_key(&mut rows, |(_, workflow)| Reverse(begin(workflow)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use unwind_model::{NodeId, NodeStatus, ObjectMeta, WorkflowPhase};

    use super::*;

    fn workflow(version: &str, phase: WorkflowPhase) -> Workflow {
        let mut workflow = Workflow {
            metadata: ObjectMeta {
                name: "orchard".to_owned(),
                namespace: "demo".to_owned(),
                uid: "u".to_owned(),
                resource_version: version.to_owned(),
                ..ObjectMeta::default()
            },
            ..Workflow::default()
        };
        workflow.status.phase = phase;
        workflow.status.nodes.insert(NodeId::from("orchard"), NodeStatus::default());
        workflow
    }

    fn key() -> RunKey {
        RunKey { namespace: "demo".to_owned(), name: "orchard".to_owned() }
    }

    fn phase(known: &Known) -> WorkflowPhase {
        known.workflows[&key()].status.phase
    }

    #[test]
    fn changes_are_applied_to_what_was_told_whole() {
        let (old, new) = (workflow("1", WorkflowPhase::Running), workflow("2", WorkflowPhase::Failed));
        let mut known = Known::default();
        assert!(!known.apply(&delta::diff(&old, &new), &[], Timestamp(0)), "nothing is known yet");
        assert!(known.apply(&WorkflowDelta::whole(&old), &[], Timestamp(0)));
        assert!(known.apply(&delta::diff(&old, &new), &[], Timestamp(0)));
        assert_eq!(phase(&known), WorkflowPhase::Failed);
        assert!(known.with_nodes.contains(&key()));
    }

    #[test]
    fn an_older_answer_changes_nothing() {
        let mut known = Known::default();
        known.take_in(workflow("7", WorkflowPhase::Failed));
        known.take_in(workflow("6", WorkflowPhase::Running));
        assert_eq!(phase(&known), WorkflowPhase::Failed);
        known.take_in(workflow("8", WorkflowPhase::Error));
        assert_eq!(phase(&known), WorkflowPhase::Error);
    }

    #[test]
    fn what_is_deleted_leaves_the_list_and_keeps_its_last_state() {
        let mut known = Known::default();
        let object = workflow("1", WorkflowPhase::Running);
        known.apply(&WorkflowDelta::whole(&object), &[], Timestamp(0));
        known.apply(&WorkflowDelta::of(&object, DeltaChange::Deleted), &[], Timestamp(5));
        assert!(known.rows().is_empty());
        assert_eq!(phase(&known), WorkflowPhase::Running);
        assert_eq!(known.deleted.get(&key()), Some(&Timestamp(5)));
    }
}
