//! What may be done with a workflow now: yes, or the reason why not. Button, menu and key ask here.

use unwind_model::{NodePhase, NodeType, Shutdown, Timestamp, Workflow, WorkflowPhase};

use crate::format::Zone;
use crate::words::refusal;

/// Where the workflow comes from, as far as it decides what may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A server holds it.
    Server,
    /// The engine in the page runs it.
    Page,
    /// A file: nobody is there to ask.
    File,
}

/// Why something is not possible now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// It is over.
    Over {
        /// Since when, if known.
        since: Option<Timestamp>,
    },
    /// A stop is under way.
    Stopping,
    /// A terminate is under way.
    Terminating,
    /// It is a file without a server behind it.
    FromFile,
    /// Nothing waits for a resume.
    NotSuspended,
    /// It is suspended already.
    Suspended,
    /// A retry needs an end.
    NotOver,
    /// The server of this page does not offer it.
    NotOffered,
}

impl Reason {
    /// The reason in words, for tooltip and description.
    pub fn text(self, zone: Zone) -> String {
        match self {
            Self::Over { since } => refusal::over(since.map(|at| zone.time(at)).as_deref()),
            Self::Stopping => refusal::STOPPING.to_owned(),
            Self::Terminating => refusal::TERMINATING.to_owned(),
            Self::FromFile => refusal::FROM_FILE.to_owned(),
            Self::NotSuspended => refusal::NOT_SUSPENDED.to_owned(),
            Self::Suspended => refusal::SUSPENDED.to_owned(),
            Self::NotOver => refusal::NOT_OVER.to_owned(),
            Self::NotOffered => refusal::NOT_BUILT.to_owned(),
        }
    }
}

/// May it be stopped? Also while it is pending.
pub fn stop(workflow: &Workflow, origin: Origin) -> Result<(), Reason> {
    may_end(workflow, origin)?;
    match workflow.spec.shutdown {
        None => Ok(()),
        Some(Shutdown::Stop) => Err(Reason::Stopping),
        Some(Shutdown::Terminate) => Err(Reason::Terminating),
    }
}

/// May it be terminated? Also after a stop, until the end.
pub fn terminate(workflow: &Workflow, origin: Origin) -> Result<(), Reason> {
    may_end(workflow, origin)?;
    match workflow.spec.shutdown {
        None | Some(Shutdown::Stop) => Ok(()),
        Some(Shutdown::Terminate) => Err(Reason::Terminating),
    }
}

/// May its next nodes be held back?
pub fn suspend(workflow: &Workflow, origin: Origin) -> Result<(), Reason> {
    stop(workflow, origin)?;
    if workflow.spec.suspend == Some(true) { Err(Reason::Suspended) } else { Ok(()) }
}

/// May it go on?
pub fn resume(workflow: &Workflow, origin: Origin) -> Result<(), Reason> {
    may_end(workflow, origin)?;
    let waits = workflow
        .status
        .nodes
        .values()
        .any(|node| node.node_type == NodeType::Suspend && node.phase == NodePhase::Running);
    if waits || workflow.spec.suspend == Some(true) { Ok(()) } else { Err(Reason::NotSuspended) }
}

/// May it be deleted?
pub fn delete(_workflow: &Workflow, origin: Origin) -> Result<(), Reason> {
    is_there(origin)
}

/// May it be tried again?
pub fn retry(workflow: &Workflow, origin: Origin) -> Result<(), Reason> {
    is_there(origin)?;
    match workflow.status.phase {
        WorkflowPhase::Failed | WorkflowPhase::Error | WorkflowPhase::Succeeded => Ok(()),
        WorkflowPhase::Unset | WorkflowPhase::Pending | WorkflowPhase::Running => Err(Reason::NotOver),
    }
}

fn is_there(origin: Origin) -> Result<(), Reason> {
    match origin {
        Origin::Server | Origin::Page => Ok(()),
        Origin::File => Err(Reason::FromFile),
    }
}

fn may_end(workflow: &Workflow, origin: Origin) -> Result<(), Reason> {
    if workflow.status.phase.is_final() {
        return Err(Reason::Over { since: workflow.status.finished_at });
    }
    is_there(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workflow(phase: WorkflowPhase, shutdown: Option<Shutdown>) -> Workflow {
        let mut workflow = Workflow::default();
        workflow.status.phase = phase;
        workflow.status.finished_at = phase.is_final().then_some(Timestamp(3_600_000));
        workflow.spec.shutdown = shutdown;
        workflow
    }

    #[test]
    fn stop_is_possible_until_it_is_asked_or_over() {
        let text = |phase, shutdown, origin| {
            stop(&workflow(phase, shutdown), origin).map_err(|reason| reason.text(Zone::UTC))
        };
        assert_eq!(text(WorkflowPhase::Pending, None, Origin::Server), Ok(()));
        assert_eq!(text(WorkflowPhase::Running, None, Origin::Page), Ok(()));
        assert_eq!(
            text(WorkflowPhase::Running, Some(Shutdown::Stop), Origin::Server),
            Err("A stop is under way".to_owned())
        );
        assert_eq!(
            text(WorkflowPhase::Failed, Some(Shutdown::Stop), Origin::Server),
            Err("Over since 01:00:00, nothing left to stop".to_owned())
        );
        assert_eq!(
            text(WorkflowPhase::Running, None, Origin::File),
            Err("Not from a file: there is no server behind this page".to_owned())
        );
    }

    #[test]
    fn terminate_is_possible_after_stop() {
        let running = workflow(WorkflowPhase::Running, Some(Shutdown::Stop));
        assert_eq!(terminate(&running, Origin::Server), Ok(()));
        let terminated = workflow(WorkflowPhase::Running, Some(Shutdown::Terminate));
        assert_eq!(terminate(&terminated, Origin::Server), Err(Reason::Terminating));
        assert_eq!(stop(&terminated, Origin::Server), Err(Reason::Terminating));
    }
}
