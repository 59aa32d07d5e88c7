//! Takes up a run from its journal: the same events, so the same table.
//!
//! In: what the store kept. Out: the run, what was under way in it, and the watch events that the
//! hub's window needs again. It starts nothing by itself.

use std::collections::BTreeSet;

use serde_json::Value;
use unwind_engine::again;
use unwind_engine::locks::LockUses;
use unwind_engine::{Action, Behaviour, Change, Event, Run, Step};
use unwind_model::{NodeId, Timestamp, Workflow};

use super::projection::Projection;
use crate::backend::WatchEvent;
use crate::backend::documents::library_of;
use crate::clock::Stamp;
use crate::store::{ENGINE, Saved};

/// A run and all that its supervisor knows of it.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Course {
    /// The run.
    pub run: Run,
    /// The object that everyone sees.
    pub projection: Projection,
    /// Number of its next event.
    pub sequence: u64,
    /// Times of its events.
    pub stamp: Stamp,
    /// True once the run is over.
    pub over: bool,
    /// Whether it may ask for locks, which it shares with other runs.
    pub asks_for_locks: bool,
    /// Spec and documents as JSON, where they read a result; else empty.
    pub result_text: String,
    /// Whether it may keep outputs for others to use.
    pub memoizes: bool,
    /// What it was told last of the locks of other runs.
    pub others: LockUses,
    /// True while more may have moved than the nodes that were named.
    renewed: bool,
}

impl Course {
    /// A run that has not begun, perhaps with what another one has done already.
    pub fn new(workflow: Workflow, documents: &[Value]) -> Self {
        let library = library_of(documents);
        let mut text = serde_json::to_string(&workflow.spec).unwrap_or_default();
        text.push_str(&serde_json::to_string(documents).unwrap_or_default());
        let run = if workflow.status.nodes.is_empty() {
            Run::new(&workflow, Behaviour::UNWIND).with_library(library)
        } else {
            Run::with_done(&workflow, library, Behaviour::UNWIND)
        };
        Self {
            run,
            projection: Projection::new(workflow),
            sequence: 0,
            stamp: Stamp::default(),
            over: false,
            asks_for_locks: text.contains("synchronization"),
            memoizes: text.contains("memoize"),
            result_text: if text.contains(".outputs.result") { text } else { String::new() },
            others: LockUses::new(),
            renewed: false,
        }
    }

    /// What locks call it: `namespace/name`.
    pub fn run_name(&self) -> String {
        let metadata = &self.projection.workflow().metadata;
        format!("{}/{}", metadata.namespace, metadata.name)
    }

    /// Applies one journalled event. An event that does not fit is told in the log and changes
    /// nothing; it does the same in every replay. The error is why a request is refused.
    pub fn apply(&mut self, at: Timestamp, event: &Event) -> Result<Step, String> {
        self.sequence += 1;
        if let Some(refused) = self.refusal(at, event) {
            return Err(refused);
        }
        let step = match self.run.handle(at, event.clone()) {
            Ok(step) => step,
            Err(illegal) => {
                let workflow = &self.projection.workflow().metadata.name;
                tracing::warn!(workflow, %illegal, "an event came that does not fit");
                return Err(illegal.to_string());
            }
        };
        if let Event::LocksSeen { others } = event {
            self.others.clone_from(others);
        }
        if matches!(event, Event::RetryRequested { .. } | Event::Patched { .. }) {
            self.renewed = true;
            self.over = false;
        }
        self.over |= step.actions.contains(&Action::Finished);
        Ok(step)
    }

    /// Why a user may not do this to suspended nodes, in Argo's words.
    fn refusal(&self, at: Timestamp, event: &Event) -> Option<String> {
        match event {
            Event::NodesSet { selector, values } => {
                again::set_nodes(&mut self.run.status(), selector, values, at)
                    .err()
                    .map(|error| error.to_string())
            }
            Event::ResumeRequested => again::resume_nodes(&mut self.run.status(), "", at)
                .err()
                .map(|error| format!("timed out waiting for the condition: {error}")),
            Event::Begun
            | Event::LeafStarted { .. }
            | Event::LeafEnded { .. }
            | Event::ContainerEnded { .. }
            | Event::StopRequested
            | Event::TerminateRequested
            | Event::SuspendRequested
            | Event::TimerFired { .. }
            | Event::Patched { .. }
            | Event::TaskAnswered { .. }
            | Event::LocksSeen { .. }
            | Event::RetryRequested { .. } => None,
        }
    }

    /// Shows what moved. `None` when nobody can see a difference.
    pub fn show(&mut self, changed: &BTreeSet<NodeId>, version: u64) -> Option<WatchEvent> {
        if std::mem::take(&mut self.renewed) {
            return Some(self.projection.renew(&self.run, version));
        }
        self.projection.advance(&self.run, changed, version)
    }
}

/// The nodes that a step moved.
pub fn nodes_of(step: &Step) -> impl Iterator<Item = NodeId> + '_ {
    step.changes.iter().filter_map(|change| match change {
        Change::Node { id, .. } => Some(id.clone()),
        Change::Workflow { .. } => None,
    })
}

/// What came of one saved workflow.
#[derive(Debug)]
pub enum Recovered {
    /// It is over and as it was kept.
    Over(Box<Workflow>),
    /// It was replayed; these are its events above the floor.
    Replayed(Box<Course>, Vec<WatchEvent>),
}

/// Takes up one workflow. Operations up to `floor` give no watch events.
pub fn recover(saved: Saved, floor: u64) -> Recovered {
    let last = saved.entries.last().map_or(saved.submitted, |entry| entry.operation);
    match saved.over {
        Some(over) if last <= floor => Recovered::Over(Box::new(over)),
        Some(_) | None => {
            let (course, events) = replay(saved, floor);
            Recovered::Replayed(Box::new(course), events)
        }
    }
}

/// Takes up one workflow that is over, to go on with it.
pub fn reopen(saved: Saved) -> Course {
    replay(saved, u64::MAX).0
}

fn replay(saved: Saved, floor: u64) -> (Course, Vec<WatchEvent>) {
    let Saved { mut workflow, documents, submitted, entries, over: _ } = saved;
    if let Some(entry) = entries.iter().find(|entry| entry.engine != ENGINE) {
        tracing::warn!(
            workflow = workflow.metadata.name,
            written_by = entry.engine,
            read_by = ENGINE,
            "the journal was written by another version of the engine"
        );
    }
    workflow.metadata.resource_version = submitted.to_string();
    let mut course = Course::new(workflow, &documents);
    let mut events = Vec::new();
    if submitted > floor {
        events.push(course.projection.added(submitted));
    }
    let mut changed = BTreeSet::new();
    for (index, entry) in entries.iter().enumerate() {
        let at = course.stamp.give(entry.at());
        if let Ok(step) = course.apply(at, &entry.event) {
            changed.extend(nodes_of(&step));
        }
        let is_last = index + 1 == entries.len();
        if entry.operation <= floor && !is_last {
            continue;
        }
        let event = course.show(&std::mem::take(&mut changed), entry.operation);
        events.extend(event.filter(|_| entry.operation > floor));
    }
    (course, events)
}
