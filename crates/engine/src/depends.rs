//! `depends` and `dependencies`: what must hold of other tasks before a task begins.
//!
//! In: the text of a `depends` and the tasks of its DAG. Out: a tree to ask, and the text that Argo
//! evaluates in its place, for Argo's own error texts.
//! Source: Argo `workflow/common/ancestry.go`, `workflow/controller/dag.go` (`evaluateDependsLogic`);
//! `argo-semantics` 2.2.

mod logic;
mod read;

use std::collections::BTreeSet;

use unwind_model::NodePhase;

use crate::plan::{ContinueOn, TaskIndex};

pub use logic::{Named, failure, logic, names};

/// What must hold before a task begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Depends {
    /// A task ended in one of the ways that count.
    Task(TaskIndex, Outcome),
    /// The opposite.
    Not(Box<Depends>),
    /// All of them.
    All(Vec<Depends>),
    /// One of them.
    Any(Vec<Depends>),
    /// Both or neither.
    Same(Box<Depends>, Box<Depends>),
}

/// What is asked of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bare name: Succeeded, Skipped or Daemoned, and what its `continueOn` lets pass.
    GoesOn,
    /// Phase Succeeded.
    Succeeded,
    /// Phase Failed.
    Failed,
    /// Phase Error.
    Errored,
    /// Phase Skipped.
    Skipped,
    /// Phase Omitted.
    Omitted,
    /// A daemon that is ready.
    Daemoned,
    /// A looped task of which an item succeeded.
    AnySucceeded,
    /// A looped task of which all items failed.
    AllFailed,
}

impl Outcome {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            "Errored" => Self::Errored,
            "Skipped" => Self::Skipped,
            "Omitted" => Self::Omitted,
            "Daemoned" => Self::Daemoned,
            "AnySucceeded" => Self::AnySucceeded,
            "AllFailed" => Self::AllFailed,
            _ => return None,
        })
    }

    /// Whether a task in this final phase has this outcome. Tasks without items are never
    /// `AnySucceeded` or `AllFailed`, and nothing here is a daemon.
    pub fn holds(self, phase: NodePhase, continue_on: ContinueOn) -> bool {
        match self {
            Self::GoesOn => match phase {
                NodePhase::Succeeded | NodePhase::Skipped => true,
                NodePhase::Failed => continue_on.failed,
                NodePhase::Error => continue_on.error,
                NodePhase::Pending | NodePhase::Running | NodePhase::Omitted => false,
            },
            Self::Succeeded => phase == NodePhase::Succeeded,
            Self::Failed => phase == NodePhase::Failed,
            Self::Errored => phase == NodePhase::Error,
            Self::Skipped => phase == NodePhase::Skipped,
            Self::Omitted => phase == NodePhase::Omitted,
            Self::Daemoned | Self::AnySucceeded | Self::AllFailed => false,
        }
    }
}

/// What does not belong where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct Unexpected {
    /// What would have been right.
    pub expected: &'static str,
    /// What stands there.
    pub found: String,
}

/// A `depends` that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadDepends {
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(Unexpected),
    /// It names a task that is not there.
    #[error("unknown task `{0}`")]
    UnknownTask(String),
    /// It asks for something that no task can be.
    #[error("unknown result `{0}`")]
    UnknownOutcome(String),
}

impl Depends {
    /// Reads a `depends`: names of tasks, results of tasks, `&&`, `||`, `!`, `==`, `!=`, `?:` and
    /// parentheses. `task` finds a task by name.
    pub fn parse(text: &str, task: &impl Fn(&str) -> Option<TaskIndex>) -> Result<Self, BadDepends> {
        read::read(text, task)
    }

    /// The `depends` that a list of `dependencies` stands for.
    pub fn on_all(tasks: &[TaskIndex]) -> Self {
        Self::All(tasks.iter().map(|task| Self::Task(*task, Outcome::GoesOn)).collect())
    }

    /// The tasks it names, in the order of naming, each once.
    pub fn tasks(&self) -> Vec<TaskIndex> {
        let mut found = Vec::new();
        let mut known = BTreeSet::new();
        self.add_tasks(&mut |task| {
            if known.insert(task) {
                found.push(task);
            }
        });
        found
    }

    fn add_tasks(&self, found: &mut dyn FnMut(TaskIndex)) {
        match self {
            Self::Task(task, _) => found(*task),
            Self::Not(inner) => inner.add_tasks(found),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.add_tasks(found);
                }
            }
            Self::Same(one, other) => {
                one.add_tasks(found);
                other.add_tasks(found);
            }
        }
    }

    /// Its value when `holds` tells each part.
    pub fn holds_with(&self, holds: &dyn Fn(TaskIndex, Outcome) -> bool) -> bool {
        match self {
            Self::Task(task, outcome) => holds(*task, *outcome),
            Self::Not(inner) => !inner.holds_with(holds),
            Self::All(parts) => parts.iter().all(|part| part.holds_with(holds)),
            Self::Any(parts) => parts.iter().any(|part| part.holds_with(holds)),
            Self::Same(one, other) => one.holds_with(holds) == other.holds_with(holds),
        }
    }

    /// Its value once all named tasks are over. `of` gives the phase of a task and its `continueOn`.
    pub fn holds(&self, of: &impl Fn(TaskIndex) -> (NodePhase, ContinueOn)) -> bool {
        self.holds_with(&|task, outcome| {
            let (phase, continue_on) = of(task);
            outcome.holds(phase, continue_on)
        })
    }
}

#[cfg(test)]
mod tests;
