//! `depends` and `dependencies`: what must hold of other tasks before a task begins.
//! Source: Argo `workflow/common/ancestry.go`; `argo-semantics` 2.2.

use unwind_model::NodePhase;

use crate::expr::{self, BadExpr, Expr};
use crate::plan::{ContinueOn, TaskIndex};

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

/// A `depends` that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadDepends {
    /// It cannot be read.
    Unreadable(BadExpr),
    /// It names a task that is not there.
    UnknownTask(String),
    /// It asks for something that no task can be.
    UnknownOutcome(String),
}

impl Depends {
    /// Reads a `depends`. `task` finds a task by name.
    pub fn parse(text: &str, task: &impl Fn(&str) -> Option<TaskIndex>) -> Result<Self, BadDepends> {
        let expr = expr::parse(text).map_err(BadDepends::Unreadable)?;
        Self::from_expr(&expr, task)
    }

    /// The `depends` that a list of `dependencies` stands for.
    pub fn on_all(tasks: &[TaskIndex]) -> Self {
        Self::All(tasks.iter().map(|task| Self::Task(*task, Outcome::GoesOn)).collect())
    }

    fn from_expr(expr: &Expr, task: &impl Fn(&str) -> Option<TaskIndex>) -> Result<Self, BadDepends> {
        let all = |parts: &[Expr]| {
            parts.iter().map(|part| Self::from_expr(part, task)).collect::<Result<Vec<_>, _>>()
        };
        match expr {
            Expr::Word(word) => Self::from_word(word, task),
            Expr::Not(inner) => Ok(Self::Not(Box::new(Self::from_expr(inner, task)?))),
            Expr::And(parts) => Ok(Self::All(all(parts)?)),
            Expr::Or(parts) => Ok(Self::Any(all(parts)?)),
            Expr::Compare(..) | Expr::In(..) => Err(BadDepends::Unreadable(BadExpr {
                expected: "names of tasks with `&&`, `||`, `!` and parentheses",
                found: "a comparison".to_owned(),
            })),
        }
    }

    fn from_word(word: &str, task: &impl Fn(&str) -> Option<TaskIndex>) -> Result<Self, BadDepends> {
        let (name, outcome) = match word.split_once('.') {
            None => (word, Outcome::GoesOn),
            Some((name, outcome)) => (
                name,
                Outcome::from_word(outcome).ok_or_else(|| BadDepends::UnknownOutcome(outcome.to_owned()))?,
            ),
        };
        let index = task(name).ok_or_else(|| BadDepends::UnknownTask(name.to_owned()))?;
        Ok(Self::Task(index, outcome))
    }

    /// The tasks it names, in the order of naming, each once.
    pub fn tasks(&self) -> Vec<TaskIndex> {
        let mut found = Vec::new();
        self.add_tasks(&mut found);
        found
    }

    fn add_tasks(&self, found: &mut Vec<TaskIndex>) {
        match self {
            Self::Task(task, _) => {
                if !found.contains(task) {
                    found.push(*task);
                }
            }
            Self::Not(inner) => inner.add_tasks(found),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.add_tasks(found);
                }
            }
        }
    }

    /// Its value once all named tasks are over. `of` gives the phase of a task and its `continueOn`.
    pub fn holds(&self, of: &impl Fn(TaskIndex) -> (NodePhase, ContinueOn)) -> bool {
        match self {
            Self::Task(task, outcome) => {
                let (phase, continue_on) = of(*task);
                outcome.holds(phase, continue_on)
            }
            Self::Not(inner) => !inner.holds(of),
            Self::All(parts) => parts.iter().all(|part| part.holds(of)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(of)),
        }
    }
}
