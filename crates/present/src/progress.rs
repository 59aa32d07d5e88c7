//! How far a workflow is: its leaves by phase, worst first.

use unwind_model::NodeType;

use crate::graph::LaneFacts;
use crate::hook_state::HookState;
use crate::phase::Look;
use crate::roster::MemberIndex;
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
const ORDER: [Look; 7] = [
    Look::Error,
    Look::Failed,
    Look::Succeeded,
    Look::Suspended,
    Look::Running,
    Look::Pending,
    Look::Planned,
];

impl Progress {
    /// Counts the leaves of a study, exit hooks among them. What was skipped or omitted does not
    /// count, nor a planned hook that need not run: one with a condition, or one whose turn is gone.
    pub fn of(study: &Study) -> Self {
        let facts = LaneFacts::new(study, None);
        let leaves: Vec<Look> = study
            .roster
            .indices()
            .filter(|&index| is_counted(index, &facts))
            .map(|index| study.look(index))
            .collect();
        let number = |look: Look| leaves.iter().filter(|other| **other == look).count();
        let looks: Vec<(Look, usize)> =
            ORDER.into_iter().map(|look| (look, number(look))).filter(|(_, number)| *number > 0).collect();
        let all: usize = looks.iter().map(|(_, number)| number).sum();
        let has_ended = |look: Look| matches!(look, Look::Error | Look::Failed | Look::Succeeded);
        let ended: usize = looks.iter().filter(|(look, _)| has_ended(*look)).map(|(_, number)| number).sum();
        Self { looks, text: format!("{ended}/{all}") }
    }
}

fn is_counted(index: MemberIndex, facts: &LaneFacts) -> bool {
    let study = facts.study;
    let member = study.roster.member(index);
    if study.roster.is_box(index) || member.node_type == NodeType::StepGroup {
        return false;
    }
    match study.look(index) {
        Look::Planned if member.is_hook() => {
            member.is_exit_hook() && facts.state(index) != HookState::DidNotRun
        }
        Look::Planned => !study.is_over(),
        Look::Skipped | Look::Omitted => false,
        Look::Pending | Look::Running | Look::Suspended | Look::Succeeded | Look::Failed | Look::Error => {
            true
        }
    }
}
