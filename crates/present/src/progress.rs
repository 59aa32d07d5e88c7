//! How far a workflow is: its leaves by phase, worst first.

use crate::phase::Look;
use crate::study::Study;

/// The leaves of a workflow by how they look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// How many leaves look how, in the order of a bar: what has ended first, worst of all in front.
    pub looks: Vec<(Look, usize)>,
    /// `2/5`: ended and all.
    pub text: String,
}

/// What has ended, what is under way, what is still to come.
const ORDER: [Look; 9] = [
    Look::Error,
    Look::Failed,
    Look::Succeeded,
    Look::Suspended,
    Look::Running,
    Look::Pending,
    Look::Skipped,
    Look::Omitted,
    Look::Planned,
];

impl Progress {
    /// Counts the leaves of a study. What was skipped, omitted or never will run is not counted.
    pub fn of(study: &Study) -> Self {
        let roster = &study.roster;
        let leaves: Vec<Look> =
            roster.indices().filter(|&index| !roster.is_box(index)).map(|index| study.look(index)).collect();
        let is_over = study.is_over();
        let number = |look: Look| leaves.iter().filter(|other| **other == look).count();
        let counts = |look: &Look| match look {
            Look::Skipped | Look::Omitted => false,
            Look::Planned => !is_over,
            Look::Pending
            | Look::Running
            | Look::Suspended
            | Look::Succeeded
            | Look::Failed
            | Look::Error => true,
        };
        let looks: Vec<(Look, usize)> = ORDER
            .into_iter()
            .filter(counts)
            .map(|look| (look, number(look)))
            .filter(|(_, number)| *number > 0)
            .collect();
        let all: usize = looks.iter().map(|(_, number)| number).sum();
        let has_ended = |look: Look| matches!(look, Look::Error | Look::Failed | Look::Succeeded);
        let ended: usize = looks.iter().filter(|(look, _)| has_ended(*look)).map(|(_, number)| number).sum();
        Self { looks, text: format!("{ended}/{all}") }
    }
}
