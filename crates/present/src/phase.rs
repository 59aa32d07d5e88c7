//! Phases as they are shown: word, glyph, attribute and colours. Source: `ui.md` sections 4 to 6.

use unwind_engine::verdict::{FindingKind, Holds};
use unwind_model::{NodePhase, NodeStatus, NodeType, Workflow, WorkflowPhase};

use crate::glyph::Glyph;
use crate::token::Token;

/// How a node or workflow looks. Two of these are no phases of Argo: what waits for a person is
/// Running there, and what is only planned has no node at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Look {
    /// Made, nothing of it runs yet.
    Pending,
    /// Runs, or something inside it does.
    Running,
    /// Running, and waits for a resume.
    Suspended,
    /// Ended well.
    Succeeded,
    /// Ended by its own fault or by a stop.
    Failed,
    /// Could not be run.
    Error,
    /// Its condition was false or its list empty.
    Skipped,
    /// What it depends on did not hold.
    Omitted,
    /// In the plan, not there yet.
    Planned,
}

impl Look {
    /// All looks, worst first: the order of counts and of what outlines a folded box.
    pub const WORST_FIRST: [Self; 9] = [
        Self::Error,
        Self::Failed,
        Self::Suspended,
        Self::Running,
        Self::Succeeded,
        Self::Pending,
        Self::Skipped,
        Self::Omitted,
        Self::Planned,
    ];

    /// How a node looks, going by its phase and type.
    pub fn of_node(node: &NodeStatus) -> Self {
        Self::of(node.phase, node.node_type)
    }

    /// How a node of this phase and type looks.
    pub fn of(phase: NodePhase, node_type: NodeType) -> Self {
        match phase {
            NodePhase::Pending => Self::Pending,
            NodePhase::Running if node_type == NodeType::Suspend => Self::Suspended,
            NodePhase::Running => Self::Running,
            NodePhase::Succeeded => Self::Succeeded,
            NodePhase::Skipped => Self::Skipped,
            NodePhase::Failed => Self::Failed,
            NodePhase::Error => Self::Error,
            NodePhase::Omitted => Self::Omitted,
        }
    }

    /// How a workflow looks: one that no controller has seen is pending.
    pub fn of_workflow(workflow: &Workflow) -> Self {
        let is_suspended = workflow.spec.suspend == Some(true);
        match workflow.status.phase {
            WorkflowPhase::Running if is_suspended => Self::Suspended,
            phase => Self::of_workflow_phase(phase),
        }
    }

    /// How a workflow of this phase looks.
    pub fn of_workflow_phase(phase: WorkflowPhase) -> Self {
        match phase {
            WorkflowPhase::Unset | WorkflowPhase::Pending => Self::Pending,
            WorkflowPhase::Running => Self::Running,
            WorkflowPhase::Succeeded => Self::Succeeded,
            WorkflowPhase::Failed => Self::Failed,
            WorkflowPhase::Error => Self::Error,
        }
    }

    /// The word beside the glyph, and the value of the attribute `data-phase`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Suspended => "Suspended",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Error => "Error",
            Self::Skipped => "Skipped",
            Self::Omitted => "Omitted",
            Self::Planned => "Planned",
        }
    }

    /// Its glyph.
    pub fn glyph(self) -> Glyph {
        match self {
            Self::Pending => Glyph::Pending,
            Self::Running => Glyph::Running,
            Self::Suspended => Glyph::Suspended,
            Self::Succeeded => Glyph::Succeeded,
            Self::Failed => Glyph::Failed,
            Self::Error => Glyph::Error,
            Self::Skipped => Glyph::Skipped,
            Self::Omitted => Glyph::Omitted,
            Self::Planned => Glyph::Planned,
        }
    }

    /// Its colour.
    pub fn token(self) -> Token {
        match self {
            Self::Pending => Token::PhasePending,
            Self::Running => Token::PhaseRunning,
            Self::Suspended => Token::PhaseSuspended,
            Self::Succeeded => Token::PhaseSucceeded,
            Self::Failed => Token::PhaseFailed,
            Self::Error => Token::PhaseError,
            Self::Skipped => Token::PhaseSkipped,
            Self::Omitted => Token::PhaseOmitted,
            Self::Planned => Token::PhasePlanned,
        }
    }

    /// Its soft ground.
    pub fn soft(self) -> Token {
        match self {
            Self::Pending => Token::PhasePendingSoft,
            Self::Running => Token::PhaseRunningSoft,
            Self::Suspended => Token::PhaseSuspendedSoft,
            Self::Succeeded => Token::PhaseSucceededSoft,
            Self::Failed => Token::PhaseFailedSoft,
            Self::Error => Token::PhaseErrorSoft,
            Self::Skipped => Token::PhaseSkippedSoft,
            Self::Omitted => Token::PhaseOmittedSoft,
            Self::Planned => Token::PhasePlannedSoft,
        }
    }

    /// True while it may still move.
    pub fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::Running | Self::Suspended => true,
            Self::Succeeded | Self::Failed | Self::Error | Self::Skipped | Self::Omitted | Self::Planned => {
                false
            }
        }
    }

    /// True for what never began: planned, skipped, omitted.
    pub fn is_absent(self) -> bool {
        match self {
            Self::Skipped | Self::Omitted | Self::Planned => true,
            Self::Pending
            | Self::Running
            | Self::Suspended
            | Self::Succeeded
            | Self::Failed
            | Self::Error => false,
        }
    }

    /// True where the glyph's part of a leaf stands on soft ground: now and wrong are loud, the rest
    /// is quiet.
    pub fn has_soft_ground(self) -> bool {
        match self {
            Self::Pending | Self::Running | Self::Suspended | Self::Failed | Self::Error => true,
            Self::Succeeded | Self::Skipped | Self::Omitted | Self::Planned => false,
        }
    }
}

/// The glyph of a verdict.
pub fn verdict_glyph(holds: Holds) -> Glyph {
    match holds {
        Holds::Kept => Glyph::Kept,
        Holds::CannotTell => Glyph::Unknown,
        Holds::Broken => Glyph::Broken,
    }
}

/// The word of a verdict chip, and the value of the attribute `data-verdict`.
pub fn verdict_word(holds: Holds) -> &'static str {
    match holds {
        Holds::Kept => "Kept",
        Holds::CannotTell => "Cannot tell",
        Holds::Broken => "Broken",
    }
}

/// What a finding of this kind says of the order; none for notes and warnings. Source: `ui.md`
/// section 8, "Verdicts".
pub fn finding_verdict(kind: FindingKind) -> Option<Holds> {
    match kind {
        FindingKind::LeftUnfinished
        | FindingKind::EarlyEnd
        | FindingKind::HookMissing
        | FindingKind::HookUnwanted
        | FindingKind::HookOrder
        | FindingKind::MaskedFailure
        | FindingKind::StopIgnored
        | FindingKind::LockHeld
        | FindingKind::Unresolved => Some(Holds::Broken),
        FindingKind::OrderUnknown | FindingKind::Clock | FindingKind::Contradiction => {
            Some(Holds::CannotTell)
        }
        FindingKind::StopUnsafe
        | FindingKind::NoNodes
        | FindingKind::LinkMissing
        | FindingKind::PresetShutdown => None,
    }
}

/// The colour of a verdict.
pub fn verdict_token(holds: Holds) -> Token {
    match holds {
        Holds::Kept => Token::VerdictKept,
        Holds::CannotTell => Token::VerdictUnknown,
        Holds::Broken => Token::VerdictBroken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_a_person_looks_suspended() {
        assert_eq!(Look::of(NodePhase::Running, NodeType::Suspend), Look::Suspended);
        assert_eq!(Look::of(NodePhase::Running, NodeType::Pod), Look::Running);
    }

    #[test]
    fn every_look_is_in_the_order_of_counts_once() {
        let mut all = Look::WORST_FIRST.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), Look::WORST_FIRST.len());
    }
}
