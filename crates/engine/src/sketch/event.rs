//! What goes into a sketched run and what comes out of it.

use unwind_model::NodeId;

pub use crate::event::{Change, LeafEnd, LeafStart};

/// What goes into a sketched run.
#[derive(Clone, Debug, PartialEq)]
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
    /// A stop was asked.
    StopRequested,
    /// A terminate was asked.
    TerminateRequested,
    /// The whole workflow was suspended.
    SuspendRequested,
    /// The whole workflow, and the suspend nodes that run, are resumed.
    ResumeRequested,
    /// A timer that an action asked for has fired.
    TimerFired {
        /// The node that asked for it.
        node: NodeId,
    },
}

impl Event {
    /// Its name, as in its encoding.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::LeafStarted { .. } => "leafStarted",
            Self::LeafEnded { .. } => "leafEnded",
            Self::StopRequested => "stopRequested",
            Self::TerminateRequested => "terminateRequested",
            Self::SuspendRequested => "suspendRequested",
            Self::ResumeRequested => "resumeRequested",
            Self::TimerFired { .. } => "timerFired",
        }
    }
}

/// What came of one event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// What moved, in order.
    pub changes: Vec<Change>,
    /// What the driver must do, in order.
    pub actions: Vec<Action>,
}

/// What the driver must do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Start a leaf's program. Answered by `LeafStarted`, then `LeafEnded`.
    Start(Box<LeafStart>),
    /// Ask a leaf's program to end (TERM, grace period, KILL). Answered by `LeafEnded`.
    End {
        /// Which leaf.
        node: NodeId,
    },
    /// Send `TimerFired` for this node after a while.
    SetTimer {
        /// Which node.
        node: NodeId,
        /// How long, in milliseconds.
        after_ms: i64,
    },
    /// The run is over; nothing more will come.
    Finished,
}
