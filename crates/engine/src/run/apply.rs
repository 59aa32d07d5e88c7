//! Events put where the walk finds them, and what does not fit refused.

use unwind_model::params::Outputs;
use unwind_model::{NodeId, NodeName, NodePhase, Timestamp};

use crate::again::{OldHooks, RetryOptions};
use crate::event::{Event, LeafEnd, Step};
use crate::operate::{At, ContainerState, PodPhase, PodReport, Seen};

use super::{IllegalTransition, Run};

/// Address of every daemon: programs run on this machine.
const ADDRESS: &str = "127.0.0.1";

impl Run {
    /// Refuses what does not fit.
    pub(super) fn check(&self, event: &Event) -> Result<(), IllegalTransition> {
        let begun = self.phase() != unwind_model::WorkflowPhase::Unset;
        let over = self.phase().is_final();
        let fits = match event {
            Event::Begun => !begun,
            Event::StopRequested
            | Event::TerminateRequested
            | Event::SuspendRequested
            | Event::ResumeRequested
            | Event::Patched { .. } => !over,
            Event::LocksSeen { .. } => true,
            Event::NodesSet { .. } => begun && !over,
            Event::TimerFired { .. } => begun,
            Event::RetryRequested { .. } => over && self.leaves.is_empty(),
            Event::LeafStarted { node } => {
                return self.open_leaf(node, event.name()).and_then(|at| {
                    let is_pending = self.pod_phase(at).is_none_or(|phase| phase == PodPhase::Pending);
                    if is_pending { Ok(()) } else { Err(self.illegal(at, event.name())) }
                });
            }
            Event::LeafEnded { node, .. } | Event::ContainerEnded { node, .. } => {
                return self.open_leaf(node, event.name()).map(|_| ());
            }
            Event::TaskAnswered { node, .. } => return self.open_task(node, event.name()).map(|_| ()),
        };
        if fits { Ok(()) } else { Err(self.misplaced(event.name())) }
    }

    /// Takes in an event that fits.
    pub(super) fn apply(
        &mut self,
        now: Timestamp,
        event: Event,
        step: &mut Step,
    ) -> Result<(), IllegalTransition> {
        let name = event.name();
        match event {
            Event::Begun => {}
            Event::LeafStarted { node } => {
                let at = self.open_leaf(&node, name)?;
                self.leaf_runs(now, at);
            }
            Event::LeafEnded { node, end } => {
                let at = self.open_leaf(&node, name)?;
                self.leaf_ended(now, at, end, step);
            }
            Event::ContainerEnded { node, container, code } => {
                let at = self.open_leaf(&node, name)?;
                self.container_ended(now, at, container, code);
            }
            Event::StopRequested => self.walk.see(now, Seen::Stop),
            Event::TerminateRequested => self.walk.see(now, Seen::Terminate),
            Event::SuspendRequested if self.shutdown().is_some() => {}
            Event::SuspendRequested => self.walk.see(now, Seen::Suspend),
            Event::ResumeRequested => self.walk.resume(now).map_err(|_| self.misplaced(name))?,
            Event::TimerFired { .. } => self.timer = None,
            Event::Patched { patch } => self.walk.see(now, Seen::Patch(patch)),
            Event::NodesSet { selector, values } => {
                self.walk.set_nodes(now, &selector, &values).map_err(|_| self.misplaced(name))?;
            }
            Event::TaskAnswered { node, answer } => {
                let at = self.open_task(&node, name)?;
                let node = self.walk.table.get(at).name.clone();
                self.walk.see(now, Seen::Task { node, task: answer });
            }
            Event::LocksSeen { others } => self.walk.share_locks(others),
            Event::RetryRequested { options } => self.retry(now, options)?,
        }
        Ok(())
    }

    /// The pod of a leaf runs.
    fn leaf_runs(&mut self, now: Timestamp, at: At) {
        let is_daemon = self.is_daemon(at);
        let report = PodReport {
            phase: PodPhase::Running,
            containers: self.containers(at, ContainerState::Running),
            ip: is_daemon.then(|| ADDRESS.to_owned()),
            ..PodReport::pending(now)
        };
        let node = self.walk.table.get(at).name.clone();
        self.walk.see(now, Seen::Pod { node, report });
        if let Some(limit) = self.leaves.get(&at).and_then(|leaf| leaf.limit_ms) {
            self.limits.insert((now + limit, at));
        }
    }

    fn leaf_ended(&mut self, now: Timestamp, at: At, end: LeafEnd, step: &mut Step) {
        let node = self.walk.table.get(at).name.clone();
        let was_running = self.pod_phase(at) == Some(PodPhase::Running);
        match end {
            LeafEnd::Exited { code, outputs } => {
                if !was_running {
                    self.leaf_runs(now, at);
                    self.settle_into(now, step);
                }
                self.program_ended(now, node, code, outputs);
            }
            LeafEnd::NotStarted { message } => {
                self.walk.see(now, Seen::PodLost { node, message, ran: was_running });
            }
            LeafEnd::Lost { message } => self.walk.see(now, Seen::PodLost { node, message, ran: true }),
        }
        self.leaves.remove(&at);
    }

    fn container_ended(&mut self, now: Timestamp, at: At, container: String, code: i32) {
        let node = self.walk.table.get(at).name.clone();
        let report = PodReport {
            phase: PodPhase::Running,
            containers: vec![(container, ContainerState::Ended(code))],
            ..PodReport::pending(now)
        };
        self.walk.see(now, Seen::Pod { node, report });
    }

    /// First what the program gave, then its end: a pod that ends well with an open result is not looked at.
    fn program_ended(&mut self, now: Timestamp, node: NodeName, code: i32, outputs: Option<Outputs>) {
        let result = Seen::Result { node: node.clone(), complete: Some(true), outputs, progress: None };
        self.walk.see(now, result);
        let report = PodReport {
            phase: if code == 0 { PodPhase::Succeeded } else { PodPhase::Failed },
            exit: Some(code),
            ..PodReport::pending(now)
        };
        self.walk.see(now, Seen::Pod { node, report });
    }

    /// The containers of a container set, all in one state.
    fn containers(&self, at: At, state: ContainerState) -> Vec<(String, ContainerState)> {
        let nodes = self.walk.table.containers(at).into_iter().map(|at| self.walk.table.get(at));
        nodes.map(|node| (node.display_name().to_owned(), state)).collect()
    }

    /// A workflow that is over goes on. Hooks run again with what they belong to, where the row keeps the
    /// right order.
    fn retry(&mut self, now: Timestamp, options: RetryOptions) -> Result<(), IllegalTransition> {
        let hooks = if self.keeps_order() { OldHooks::RunAgain } else { options.hooks };
        let options = RetryOptions { hooks, ..options };
        self.walk.retry(now, &options).map_err(|_| self.misplaced("retryRequested"))?;
        self.finished = false;
        Ok(())
    }

    fn is_daemon(&self, at: At) -> bool {
        self.walk.table.get(at).template.as_ref().is_some_and(|template| template.is_daemon)
    }

    /// Phase of a leaf's pod, as long as the walk looks at it.
    pub(super) fn pod_phase(&self, at: At) -> Option<PodPhase> {
        let pod = self.walk.cluster.pods.get(&self.walk.table.get(at).name)?;
        Some(pod.report.phase)
    }

    fn open_leaf(&self, id: &NodeId, event: &'static str) -> Result<At, IllegalTransition> {
        let at = self.known(id, event)?;
        if self.leaves.contains_key(&at) { Ok(at) } else { Err(self.illegal(at, event)) }
    }

    fn open_task(&self, id: &NodeId, event: &'static str) -> Result<At, IllegalTransition> {
        let at = self.known(id, event)?;
        let node = self.walk.table.get(at);
        // An answer may say that more will come.
        let is_asked = self.walk.cluster.tasks.has(&node.name);
        if is_asked && !node.phase.is_final() { Ok(at) } else { Err(self.illegal(at, event)) }
    }

    fn known(&self, id: &NodeId, event: &'static str) -> Result<At, IllegalTransition> {
        let at = self.walk.table.with_id(id).filter(|at| self.walk.table.get(*at).exists);
        at.ok_or_else(|| IllegalTransition {
            node: NodeName::from(id.as_str()),
            from: NodePhase::Pending,
            event,
        })
    }

    fn illegal(&self, at: At, event: &'static str) -> IllegalTransition {
        let node = self.walk.table.get(at);
        IllegalTransition { node: node.name.clone(), from: node.phase, event }
    }

    /// The workflow as a whole cannot take it.
    fn misplaced(&self, event: &'static str) -> IllegalTransition {
        let root = self.walk.table.named(self.name()).map(|root| self.walk.table.get(root));
        IllegalTransition {
            node: NodeName::from(self.name()),
            from: root.map_or(NodePhase::Pending, |node| node.phase),
            event,
        }
    }
}
