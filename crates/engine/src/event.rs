//! What goes into a run and what comes out of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unwind_model::params::Outputs;
use unwind_model::{NodeId, NodeName, NodePhase, Timestamp, WorkflowPhase};

use crate::again::{NodeValues, RetryOptions};
use crate::locks::LockUses;

/// What goes into a run. Journalled before it is applied, so its encoding is kept stable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "camelCase")]
pub enum Event {
    /// The run begins.
    Begun,
    /// A leaf's process is running.
    LeafStarted {
        /// Which leaf.
        node: NodeId,
    },
    /// A leaf's process has ended, or will never run.
    LeafEnded {
        /// Which leaf.
        node: NodeId,
        /// How it ended.
        end: LeafEnd,
    },
    /// A container of a leaf that is a container set has ended; the leaf goes on until `LeafEnded`.
    ContainerEnded {
        /// Which leaf.
        node: NodeId,
        /// Name of the container.
        container: String,
        /// Exit code.
        code: i32,
    },
    /// A stop was asked.
    StopRequested,
    /// A terminate was asked.
    TerminateRequested,
    /// The whole workflow was suspended.
    SuspendRequested,
    /// The whole workflow, and the suspend nodes that run, are resumed.
    ResumeRequested,
    /// The timer that an action asked for has fired.
    TimerFired {
        /// Journals of earlier versions name the node that asked for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<NodeId>,
    },
    /// The object was changed by a merge patch, its deadline for example.
    Patched {
        /// The patch (RFC 7386).
        patch: Value,
    },
    /// Suspend nodes were resumed, stopped or given outputs by a user.
    NodesSet {
        /// Which: a node field selector.
        selector: String,
        /// What they become.
        values: NodeValues,
    },
    /// An HTTP or plug-in node was answered.
    TaskAnswered {
        /// Which node.
        node: NodeId,
        /// Phase, message and outputs, as in the status of a `WorkflowTaskSet`.
        answer: Value,
    },
    /// What other runs hold and wait for has changed.
    LocksSeen {
        /// All of it.
        others: LockUses,
    },
    /// A run that is over goes on: a manual retry.
    RetryRequested {
        /// What is to run again.
        options: RetryOptions,
    },
}

impl Event {
    /// Its name, as in its encoding.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::LeafStarted { .. } => "leafStarted",
            Self::LeafEnded { .. } => "leafEnded",
            Self::ContainerEnded { .. } => "containerEnded",
            Self::StopRequested => "stopRequested",
            Self::TerminateRequested => "terminateRequested",
            Self::SuspendRequested => "suspendRequested",
            Self::ResumeRequested => "resumeRequested",
            Self::TimerFired { .. } => "timerFired",
            Self::Patched { .. } => "patched",
            Self::NodesSet { .. } => "nodesSet",
            Self::TaskAnswered { .. } => "taskAnswered",
            Self::LocksSeen { .. } => "locksSeen",
            Self::RetryRequested { .. } => "retryRequested",
        }
    }
}

/// How a leaf ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "camelCase")]
pub enum LeafEnd {
    /// The process ended by itself or by a signal (then the code is 128 + signal, as in a pod).
    Exited {
        /// Exit code.
        code: i32,
        /// What it gave.
        outputs: Option<Outputs>,
    },
    /// The process could not be started.
    NotStarted {
        /// Why.
        message: String,
    },
    /// The process vanished without a report.
    Lost {
        /// What is known.
        message: String,
    },
}

/// What came of one event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// What moved, in order.
    pub changes: Vec<Change>,
    /// What the driver must do, in order.
    pub actions: Vec<Action>,
}

/// One thing that moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "camelCase")]
pub enum Change {
    /// A node was created or anything of it moved.
    Node {
        /// Which.
        id: NodeId,
        /// Its full name.
        name: NodeName,
        /// Its phase before; `None` when it is new.
        from: Option<NodePhase>,
        /// Its phase now (the same as before when only a message or child moved).
        to: NodePhase,
    },
    /// The workflow itself moved: its phase, or (the same as before) its shutdown or suspension.
    /// Its `progress` moves with its nodes, without a change of its own.
    Workflow {
        /// Its phase before.
        from: WorkflowPhase,
        /// Its phase now.
        to: WorkflowPhase,
    },
}

/// What the driver must do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum Action {
    /// Start a leaf's program. Answered by `LeafStarted`, then `LeafEnded`.
    Start(Box<LeafStart>),
    /// Ask a leaf's program to end (TERM, grace period, KILL). Answered by `LeafEnded`.
    End {
        /// Which leaf.
        node: NodeId,
    },
    /// Send `TimerFired` at this time. A run has one timer: this takes the place of the one before.
    SetTimer {
        /// When.
        at: Timestamp,
    },
    /// The run is over; nothing more will come.
    Finished,
}

/// A program to start, with all references filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeafStart {
    /// Which leaf.
    pub node: NodeId,
    /// Its full name.
    pub name: NodeName,
    /// Template it runs.
    pub template: String,
    /// Image named by the template.
    pub image: String,
    /// Program and first arguments; may be empty.
    pub command: Vec<String>,
    /// Further arguments.
    pub args: Vec<String>,
    /// Script text, given to `command` as a file.
    pub source: Option<String>,
    /// Environment: names and values.
    pub env: Vec<(String, String)>,
    /// Working directory.
    pub working_dir: Option<String>,
    /// True for an exit hook and everything inside one.
    pub on_exit: bool,
}
