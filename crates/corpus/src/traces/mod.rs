//! Runs of the real controller, replayed pass by pass through the engine as the row of their release.
//!
//! In: a folder of groups of traces, and `invalid.json` beside them. Out: for each trace where the stored
//! state or the acts on pods differ. Nothing is judged by a trace's name, and what is random in the controller
//! is what the trace says of itself.

mod adapter;
pub mod compare;
mod folder;
mod invalid;
pub mod recorded;
mod replay;
pub mod report;
pub mod show;
pub mod summary;
mod texts;

use serde::Serialize;
use serde_json::Value;
use unwind_model::Timestamp;

pub use adapter::{pod_phase, prepare, report as pod_report, seen_of, start, tell};
pub use folder::{names, replay_folder};
pub use replay::{BEFORE_PASS_MS, replay_text};

/// The first pass of every replay, 2026-03-02T09:00:00Z.
pub const FIRST_PASS: Timestamp = Timestamp(1_772_442_000_000);

/// What to replay and how much to say of it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Part of `group/name`; a whole one, a whole group or a whole name goes before.
    pub only: Option<String>,
    /// Leave a trace after its first pass with a difference.
    pub stop_at_first: bool,
}

/// What became of one trace.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `group/name`.
    pub trace: String,
    /// Its group.
    pub group: String,
    /// The release of the controller.
    pub argo: String,
    /// How many passes it has.
    pub passes: usize,
    /// Where it differs, pass by pass.
    pub differences: Vec<Difference>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Number of the pass.
    pub pass: usize,
    /// What differs.
    #[serde(flatten)]
    pub subject: Subject,
    /// Path inside it; empty when it is missing or not wanted as a whole.
    pub field: String,
    /// What was recorded.
    pub expected: Option<Value>,
    /// What the engine gave.
    pub got: Option<Value>,
}

/// What a difference is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "of", rename_all = "camelCase")]
pub enum Subject {
    /// The file cannot be read, or the engine gave up.
    Replay,
    /// A node.
    Node {
        /// Its full name.
        node: String,
        /// Its type, with a mark when it is a hook.
        kind: String,
    },
    /// What was done to the pod of a node.
    Pod {
        /// `created`, `kill`, `deleted` or `released`.
        act: &'static str,
        /// Full name of the node.
        node: String,
    },
    /// The workflow itself.
    Workflow,
}

impl Report {
    /// True when nothing differs.
    pub fn passed(&self) -> bool {
        self.differences.is_empty()
    }
}
