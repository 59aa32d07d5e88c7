//! One interpreter of workflows with a table of behaviours: prediction, trace, verdict.
//!
//! In: documents and events, each with its time. Out: changes, actions, predictions, verdicts as data.
//! It must never do I/O, read a clock, use randomness or make sentences.

pub mod again;
pub mod analysis;
pub mod behaviour;
pub mod cron;
pub mod depends;
pub mod diagnostic;
pub mod event;
pub mod forecast;
pub mod host;
pub mod items;
pub mod lang;
pub mod library;
pub mod locks;
pub mod memo;
mod names;
pub mod operate;
pub mod plan;
pub mod podname;
pub mod predict;
pub mod progress;
pub mod rehearse;
pub mod run;
pub mod selector;
mod substitute;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod validate;
pub mod verdict;

pub use analysis::{Analysis, Scenario, analyse};
pub use behaviour::Behaviour;
pub use diagnostic::{Code, Diagnostic, Severity};
pub use event::{Action, Change, Event, LeafEnd, Step};
pub use plan::{Plan, lower};
pub use predict::{Prediction, Way, predict, predict_at};
pub use run::{IllegalTransition, Run};
pub use trace::Trace;
pub use verdict::{Finding, Judgement, judge};
