//! Random drivers: senseless inputs for everything that reads what others wrote, for as long as one likes.
//!
//! In: a target, a seed, a span. Out: how many inputs were tried, and each one that led to a panic, a hang, an
//! abort or too much memory, kept as a file. An input depends on target, seed and its number only.

mod documents;
mod events;
mod expressions;
mod forms;
mod grammar;
mod mutate;
mod seeds;
mod shown;
mod tree;
mod watch;
mod worker;
mod yaml;

#[cfg(test)]
mod tests;

use crate::numbers::Numbers;

pub use seeds::Seeds;
pub use watch::{Options, soak};
pub use worker::{Work, keep, try_file, work};

/// What inputs are thrown at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    /// Reader of YAML and JSON: texts.
    Yaml,
    /// Everything that looks at a document: broken manifests and saved runs.
    Documents,
    /// The small languages: `when`, `expr`, tags, paths, `depends`, durations, schedules, selectors.
    Expressions,
    /// Runs: sensible and senseless sequences of what happens in a cluster.
    Events,
    /// Everything that is shown and said of a document.
    Shown,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Yaml, Self::Documents, Self::Expressions, Self::Events, Self::Shown];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Yaml => "yaml",
            Self::Documents => "documents",
            Self::Expressions => "expressions",
            Self::Events => "events",
            Self::Shown => "shown",
        }
    }

    /// Makes an input.
    pub fn make(self, seeds: &Seeds, numbers: &mut Numbers) -> Vec<u8> {
        match self {
            Self::Yaml => yaml::make(seeds, numbers),
            Self::Documents | Self::Shown => documents::make(seeds, numbers),
            Self::Expressions => expressions::make(seeds, numbers),
            Self::Events => events::make(seeds, numbers),
        }
    }

    /// Does everything with an input that it is made for. Panics when something does not hold.
    pub fn take(self, input: &[u8]) {
        match self {
            Self::Yaml => yaml::take(input),
            Self::Documents => documents::take(input),
            Self::Expressions => expressions::take(input),
            Self::Events => events::take(input),
            Self::Shown => shown::take(input),
        }
    }
}
