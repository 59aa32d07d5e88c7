//! A run driven in the engine alone, with made-up durations: for the page without a server, for
//! `unwind rehearse`, and for tests.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, Timestamp, Workflow};

use crate::behaviour::Behaviour;
use crate::event::{Change, LeafEnd};
use crate::run::Run;

/// What is made up in a rehearsal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rehearsal {
    /// Time of the first event.
    pub begin: Timestamp,
    /// Duration of a leaf without a duration of its own, in milliseconds.
    pub leaf_ms: i64,
    /// How long a leaf takes to end once it is told to, in milliseconds.
    pub grace_ms: i64,
    /// Durations and exit codes by full node name.
    pub leaves: BTreeMap<NodeName, RehearsedLeaf>,
}

/// How one leaf goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RehearsedLeaf {
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// How it ends.
    pub end: LeafEnd,
}

impl Default for Rehearsal {
    fn default() -> Self {
        Self { begin: Timestamp(0), leaf_ms: 10_000, grace_ms: 1_000, leaves: BTreeMap::new() }
    }
}

/// A run with its own clock and queue of coming events.
#[derive(Clone, Debug)]
pub struct Simulation {}

/// One step of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// When.
    pub at: Timestamp,
    /// What moved.
    pub changes: Vec<Change>,
}

impl Simulation {
    /// Lowers the workflow and begins the run.
    pub fn new(_workflow: &Workflow, _rehearsal: Rehearsal, _behaviour: Behaviour) -> Self {
        unimplemented!()
    }
    /// The run as it is now.
    pub fn run(&self) -> &Run {
        unimplemented!()
    }
    /// The workflow object as it is now, with milliseconds.
    pub fn workflow(&self) -> Workflow {
        unimplemented!()
    }
    /// The simulation's own clock.
    pub fn now(&self) -> Timestamp {
        unimplemented!()
    }
    /// Time of the next event that will come by itself; `None` when the run is over.
    pub fn next_at(&self) -> Option<Timestamp> {
        unimplemented!()
    }
    /// Lets the next event happen.
    pub fn advance(&mut self) -> Option<Moment> {
        unimplemented!()
    }
    /// Lets everything up to and including `until` happen and sets the clock to `until`.
    pub fn advance_to(&mut self, _until: Timestamp) -> Vec<Moment> {
        unimplemented!()
    }
    /// Asks for a stop now.
    pub fn stop(&mut self) -> Moment {
        unimplemented!()
    }
    /// Asks for a terminate now.
    pub fn terminate(&mut self) -> Moment {
        unimplemented!()
    }
}
