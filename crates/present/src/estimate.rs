//! Guesses of how long something takes: what the same template took in this run, or was told.

use std::collections::BTreeMap;

use crate::study::Study;
use crate::words::node::tells_of_shutdown;

/// Durations by template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimates {
    by_template: BTreeMap<String, i64>,
}

impl Estimates {
    /// The mean duration of what has ended by itself, by template.
    pub fn of(study: &Study) -> Self {
        let mut sums: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
        for node in study.workflow.status.nodes.values() {
            let (Some(begun), Some(ended)) = (node.started_at, node.finished_at) else { continue };
            let is_counted = node.phase.is_completed() && !node.template_name.is_empty();
            // What was stopped says nothing about how long it would have taken.
            if is_counted && !tells_of_shutdown(&node.message) {
                let sum = sums.entry(&node.template_name).or_default();
                *sum = (sum.0 + (ended - begun).max(0), sum.1 + 1);
            }
        }
        let means = sums.into_iter().map(|(template, (ms, number))| (template.to_owned(), ms / number));
        Self { by_template: means.collect() }
    }

    /// Adds what is known from elsewhere about a template, unless this run has told already.
    #[must_use]
    pub fn with(mut self, template: &str, ms: i64) -> Self {
        self.by_template.entry(template.to_owned()).or_insert(ms);
        self
    }

    /// How long the template takes, in ms.
    pub fn ms(&self, template: &str) -> Option<i64> {
        self.by_template.get(template).copied()
    }
}

/// How long turns take together, each as long as its longest hook.
pub(crate) fn all_turns_ms(hooks: impl Iterator<Item = (u32, i64)>) -> i64 {
    let mut longest: Vec<i64> = Vec::new();
    for (turn, ms) in hooks {
        let turn = turn as usize;
        longest.resize(longest.len().max(turn + 1), 0);
        longest[turn] = longest[turn].max(ms);
    }
    longest.iter().sum()
}
