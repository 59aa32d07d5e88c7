//! What a host in another module asks of the engine, and what it is answered: one text in, one text out.
//!
//! The page has the engine as a WASM module of its own (`unwind-engine-module`), which it loads when a preview
//! or a rehearsal is asked for. Both sides have these types; the texts between them are their JSON.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeStatus, Shutdown, Timestamp, Workflow, WorkflowStatus};

use crate::analysis::Foreseen;
use crate::predict::{Prediction, Way};
use crate::rehearse::Rehearsal;

/// What is asked. The module holds one rehearsal at most.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "camelCase")]
pub enum Request {
    /// Begin a rehearsal under UNWIND; the one before is forgotten. Answered by `Moved`.
    Begin {
        /// What is rehearsed.
        workflow: Box<Workflow>,
        /// What is made up.
        rehearsal: Rehearsal,
    },
    /// Let the next event of the rehearsal happen. Answered by `Moved`.
    Step,
    /// Let everything up to this instant happen. Answered by `Moved`.
    PassTo {
        /// The instant.
        until: Timestamp,
    },
    /// Let everything happen, up to a limit of events. Answered by `Moved`.
    Finish,
    /// Stop or terminate the rehearsal. Answered by `Moved`.
    End {
        /// Which; nothing happens for `GoOn`.
        way: Way,
    },
    /// Resume the rehearsal's workflow and its waits. Answered by `Moved`.
    Resume,
    /// What would happen to this workflow under UNWIND. Answered by `Predicted`.
    Predict {
        /// The workflow with its status.
        workflow: Box<Workflow>,
        /// What is asked of it.
        way: Way,
    },
    /// What a release of Argo does with the workflow of the last `Predict` from there on. Answered by `Foreseen`.
    Foresee {
        /// Version of the release.
        version: String,
        /// How it goes on.
        way: Way,
    },
    /// What `unwind rehearse --json` prints of this workflow. Answered by `Reported`.
    Report {
        /// What is rehearsed.
        workflow: Box<Workflow>,
        /// The node at whose begin it is stopped, as a user writes it.
        stop_at: Option<String>,
    },
}

/// What is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "camelCase")]
pub enum Answer {
    /// The rehearsal as it is now.
    Moved(Box<Moved>),
    /// What would happen.
    Predicted(Box<Prediction>),
    /// What a release does; nothing where that cannot be told.
    Foreseen {
        /// It, in short.
        foreseen: Option<Foreseen>,
    },
    /// A report.
    Reported {
        /// Its text.
        text: String,
    },
    /// The request could not be carried out; nothing has changed.
    Refused {
        /// Why.
        message: String,
    },
}

/// A rehearsal as it is now, without the nodes that have not moved since the last answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Moved {
    /// The rehearsal's own clock.
    pub now: Timestamp,
    /// When something will happen next by itself.
    pub next_at: Option<Timestamp>,
    /// Whether anything has moved.
    pub has_moved: bool,
    /// `spec.suspend`.
    pub suspend: Option<bool>,
    /// `spec.shutdown`.
    pub shutdown: Option<Shutdown>,
    /// The status without its nodes.
    pub status: WorkflowStatus,
    /// The nodes that have moved.
    pub nodes: Vec<NodeStatus>,
}

impl Moved {
    /// Brings a workflow up to date that has had all answers before this one.
    pub fn apply(self, workflow: &mut Workflow) {
        workflow.spec.suspend = self.suspend;
        workflow.spec.shutdown = self.shutdown;
        let mut nodes = std::mem::take(&mut workflow.status.nodes);
        nodes.extend(self.nodes.into_iter().map(|node| (node.id.clone(), node)));
        workflow.status = WorkflowStatus { nodes, ..self.status };
    }
}
