//! What keeps a node from beginning: parallelism, `failFast`, timeouts and locks.
//! Source: Argo `workflow/controller/operator.go`, `checkParallelism`, `checkTemplateTimeouts`,
//! `executeTemplate`.

use std::collections::BTreeSet;
use std::sync::Arc;

use unwind_model::features::Synchronization;
use unwind_model::{NodeId, NodePhase, NodeType, Shutdown, Timestamp, WorkflowPhase};

use crate::behaviour::{FailFast, HookRoom, LockedBox, LockedWorkflow, Passes};
use crate::lang::go;
use crate::locks::{Acquire, Applicant};

use super::pass::{Halt, Pass, Walk};
use super::table::At;
use super::template::Call;
use super::templates::{Kind, Prepared};

const FAIL_FAST: &str = "template has failed or errored children and failFast enabled";

impl Pass<'_> {
    /// A Pending node that waits longer than its template's `timeout` or `pendingTimeout`. One that cannot
    /// be read is found as soon as there is a node.
    pub(crate) fn check_timeout(&mut self, node: Option<At>, template: &Prepared) -> Walk {
        let Some(node) = node else { return Ok(()) };
        let is_pending = self.node(node).phase == NodePhase::Pending;
        let began = self.node(node).started_at.unwrap_or(self.now);
        let shape = |error: serde_json::Error| Halt::Error(error.to_string());
        let limits = [
            ("timeout", template.template.timeout().map_err(shape)?),
            ("pendingTimeout", template.template.pending_timeout().map_err(shape)?),
        ];
        for (field, limit) in limits {
            let Some(limit) = limit.filter(|text| !text.is_empty()) else { continue };
            let wrong = |error| Halt::Error(format!("invalid {field} format. {error}"));
            let most = go::parse_duration(&limit).map_err(wrong)? / 1_000_000;
            if !is_pending {
                continue;
            }
            if self.now > began + most {
                return Err(Halt::Timeout);
            }
            self.look_again_at(began + most + 1, node);
        }
        Ok(())
    }

    pub(crate) fn check_parallelism(
        &mut self,
        node: Option<At>,
        template: &Prepared,
        boundary: Option<At>,
    ) -> Walk {
        // With room for hooks a box is walked whatever runs in it: only its members count.
        let limits_leaves = self.run.behaviour.hook_room == HookRoom::AlwaysThere;
        let most = self.spec.parallelism().ok().flatten().filter(|most| *most > 0 || !limits_leaves);
        if self.walks_touched() {
            self.note();
            self.active_pods = self.run.todo.active_pods;
        }
        if let Some(most) = most
            && self.active_pods >= most
            && (template.kind.is_pod() || !limits_leaves)
        {
            self.has_no_room = true;
            return Err(Halt::Parallelism);
        }
        if let Some(node) = node.filter(|_| !limits_leaves)
            && matches!(template.kind, Kind::Dag | Kind::Steps)
        {
            if template.fail_fast && self.failed_children(node) > 0 {
                self.fail_fast(node, template.kind);
                return Err(Halt::Parallelism);
            }
            if template.parallelism.is_some_and(|most| self.count_active_pods(Some(node)) >= most) {
                return Err(Halt::Parallelism);
            }
        }
        let waits =
            node.is_none_or(|node| !matches!(self.node(node).phase, NodePhase::Pending | NodePhase::Running));
        let Some(boundary) = boundary.filter(|_| waits) else { return Ok(()) };
        let Some(outer) = self.node(boundary).template.clone() else { return Ok(()) };
        if outer.fail_fast && self.failed_children(boundary) > 0 {
            self.fail_fast(boundary, outer.kind);
            return Err(Halt::Parallelism);
        }
        if outer.parallelism.is_some_and(|most| self.active_children(boundary) >= most) {
            self.has_no_room = true;
            return Err(Halt::Parallelism);
        }
        Ok(())
    }

    fn fail_fast(&mut self, boundary: At, kind: Kind) {
        match self.run.behaviour.fail_fast {
            FailFast::WhenNoPodIsActive => {}
            FailFast::WhenItsInsidesAreOver => return,
        }
        if self.count_active_pods(Some(boundary)) > 0 {
            return;
        }
        if kind == Kind::Steps {
            let groups = self.breadth_first(boundary);
            let last = groups.into_iter().rev().find(|at| self.node(*at).kind == NodeType::StepGroup);
            if let Some(group) = last {
                self.mark_message(group, NodePhase::Failed, FAIL_FAST);
            }
        }
        self.mark_message(boundary, NodePhase::Failed, FAIL_FAST);
    }

    /// Everything that hangs below a node, nearest first.
    pub(crate) fn breadth_first(&self, at: At) -> Vec<At> {
        let mut found: Vec<At> = self.node(at).children.clone();
        let mut seen: BTreeSet<At> = found.iter().copied().collect();
        let mut next = 0;
        while let Some(at) = found.get(next).copied() {
            next += 1;
            found.extend(self.node(at).children.iter().copied().filter(|child| seen.insert(*child)));
        }
        found.retain(|at| self.node(*at).exists);
        found
    }

    /// Pods that are Pending or Running; of one boundary, or all.
    pub(crate) fn count_active_pods(&self, boundary: Option<At>) -> i64 {
        let active = self.run.table.iter().filter(|(_, node)| {
            node.kind == NodeType::Pod
                && (boundary.is_none() || node.boundary == boundary)
                && match node.phase {
                    NodePhase::Running => true,
                    NodePhase::Pending => self.run.cluster.pods.has(&node.name),
                    NodePhase::Succeeded
                    | NodePhase::Skipped
                    | NodePhase::Failed
                    | NodePhase::Error
                    | NodePhase::Omitted => false,
                }
        });
        count(active)
    }

    fn active_children(&self, boundary: At) -> i64 {
        if self.walks_touched() {
            return i64::from(self.node(boundary).noted.inside.active);
        }
        let active = self.run.table.iter().filter(|(_, node)| {
            node.boundary == Some(boundary)
                && matches!(node.kind, NodeType::Pod | NodeType::Steps | NodeType::DAG)
                && match node.phase {
                    NodePhase::Pending | NodePhase::Running => true,
                    NodePhase::Succeeded
                    | NodePhase::Skipped
                    | NodePhase::Failed
                    | NodePhase::Error
                    | NodePhase::Omitted => false,
                }
        });
        count(active)
    }

    pub(crate) fn failed_children(&self, boundary: At) -> usize {
        if self.walks_touched() {
            return self.node(boundary).noted.inside.failed as usize;
        }
        let nodes = self.run.table.iter();
        let counts = |kind| match self.run.behaviour.fail_fast {
            FailFast::WhenNoPodIsActive => matches!(kind, NodeType::Pod | NodeType::Steps | NodeType::DAG),
            FailFast::WhenItsInsidesAreOver => true,
        };
        nodes
            .filter(|(_, node)| node.boundary == Some(boundary) && counts(node.kind) && node.is_failed())
            .count()
    }

    /// Locks of a template. `None`: it waits; else the node, and whether a lock was just got.
    pub(crate) fn lock_node(
        &mut self,
        call: &Call<'_>,
        node: Option<At>,
        template: &Arc<Prepared>,
    ) -> Walk<Option<(Option<At>, bool)>> {
        let wanted = template.template.synchronization().map_err(|error| Halt::Error(error.to_string()))?;
        let Some(wanted) = wanted else { return Ok(Some((node, false))) };
        let id = NodeId::of(&self.run.workflow.metadata.name, &unwind_model::NodeName(call.name.to_owned()));
        match self.acquire(Some(&id), &wanted) {
            Acquire::Failed { message } => {
                match node {
                    Some(node) => self.mark_error(node, &message),
                    None => {
                        self.add_refused(call, &message);
                    }
                }
                Err(Halt::Error(message))
            }
            Acquire::Waiting { message, lock, is_changed } => {
                self.updated |= is_changed;
                let node = if let Some(node) = node {
                    node
                } else {
                    let kind = self.kind_to_be(template)?;
                    self.add_executable(call, kind, NodePhase::Pending, template, &message)
                };
                self.wait_for_lock(node, Some(lock), &message);
                self.run.table.get_mut(node).rare_mut().asked_for = Some(Box::new(wanted));
                Ok(None)
            }
            Acquire::Acquired { is_changed } => {
                self.updated |= is_changed;
                if is_changed {
                    // There may be room for one more.
                    self.wake_waiters(&wanted);
                }
                if let Some(node) = node {
                    // What a leaf says that has ended is not to be wiped out.
                    if !self.moves_only_forward() || self.node(node).rare().waits_for.is_some() {
                        self.wait_for_lock(node, None, "");
                    }
                    self.run_locked_box(node, template);
                    self.run.table.get_mut(node).rare_mut().asked_for = Some(Box::new(wanted));
                } else {
                    self.acquired = Some(Box::new(wanted));
                }
                Ok(Some((node, true)))
            }
        }
    }

    /// A box that waited for its lock, or was looked for in a cache, is Pending so far.
    pub(crate) fn run_locked_box(&mut self, node: At, template: &Prepared) {
        match self.run.behaviour.locked_box {
            LockedBox::StaysPending => {}
            LockedBox::Runs => {
                let is_box = matches!(template.kind, Kind::Dag | Kind::Steps)
                    || self.node(node).kind == NodeType::Retry;
                if is_box && self.node(node).phase == NodePhase::Pending {
                    self.mark(node, NodePhase::Running);
                }
            }
        }
    }

    /// Type of a node that is made before its template is executed.
    pub(crate) fn kind_to_be(&self, template: &Prepared) -> Walk<NodeType> {
        let is_retried =
            self.moves_only_forward() && self.retry_strategy(template).map_err(Halt::Error)?.is_some();
        if is_retried { Ok(NodeType::Retry) } else { Self::node_kind(template) }
    }

    /// Type of the node that waits in place of the real one. Source: Argo `util.go`, `GetNodeType`.
    pub(crate) fn node_kind(template: &Prepared) -> Walk<NodeType> {
        if template.retry().map_err(Halt::Error)?.is_some() {
            return Ok(NodeType::Retry);
        }
        Ok(match template.kind {
            Kind::Container | Kind::ContainerSet | Kind::Script | Kind::Resource | Kind::Data => {
                NodeType::Pod
            }
            Kind::Steps => NodeType::Steps,
            Kind::Dag => NodeType::DAG,
            Kind::Suspend => NodeType::Suspend,
            Kind::Http => NodeType::HTTP,
            Kind::Plugin => NodeType::Plugin,
            Kind::Missing => NodeType::Skipped,
        })
    }

    /// Source: Argo `operator.go`, `markNodeWaitingForLock`.
    fn wait_for_lock(&mut self, node: At, lock: Option<String>, message: &str) {
        let node = self.run.table.get_mut(node);
        let moved = node.rare().waits_for != lock || node.message != message;
        message.clone_into(&mut node.message);
        if node.rare().waits_for != lock {
            node.rare_mut().waits_for = lock;
        }
        // The controller stores it anew in every pass.
        self.updated |= moved
            || match self.run.behaviour.passes {
                Passes::OnePerReconcile => true,
                Passes::UntilQuiet => false,
            };
    }

    fn acquire(&mut self, node: Option<&NodeId>, wanted: &Synchronization) -> Acquire {
        let run = &mut *self.run;
        let metadata = &run.workflow.metadata;
        let applicant = Applicant {
            namespace: namespace(&metadata.namespace),
            workflow: &metadata.name,
            node,
            priority: i32::try_from(self.spec.priority().unwrap_or(0)).unwrap_or(0),
            created: metadata.creation_timestamp.unwrap_or(Timestamp(0)),
        };
        run.locks.acquire(applicant, wanted, &run.library, &mut run.state.locks)
    }

    /// Gives back what a node held that is over.
    pub(crate) fn release_node_lock(&mut self, node: At) {
        if let Some(wanted) = self.node(node).rare().asked_for.clone() {
            self.release(node, &wanted);
        } else if let Some(template) = self.node(node).template.clone() {
            self.release_lock(node, &template);
        }
    }

    /// Gives back what a template's node held.
    pub(crate) fn release_lock(&mut self, node: At, template: &Prepared) {
        if let Ok(Some(wanted)) = template.template.synchronization() {
            self.release(node, &wanted);
        }
    }

    fn release(&mut self, node: At, wanted: &Synchronization) {
        let run = &mut *self.run;
        let metadata = &run.workflow.metadata;
        let id = run.table.get(node).id.clone();
        let applicant = Applicant {
            namespace: namespace(&metadata.namespace),
            workflow: &metadata.name,
            node: Some(&id),
            priority: i32::try_from(self.spec.priority().unwrap_or(0)).unwrap_or(0),
            created: metadata.creation_timestamp.unwrap_or(Timestamp(0)),
        };
        if run.locks.release(applicant, wanted, &run.library, &mut run.state.locks) {
            self.wake_waiters(wanted);
        }
    }

    /// Has those visited that are next for any of these locks.
    fn wake_waiters(&mut self, wanted: &Synchronization) {
        if !self.walks_touched() {
            return;
        }
        let metadata = &self.run.workflow.metadata;
        let own = format!("{}/{}/", namespace(&metadata.namespace), metadata.name);
        for key in self.run.locks.next_of(wanted, namespace(&metadata.namespace)) {
            let node = key.strip_prefix(&own).and_then(|id| self.run.table.with_id(&NodeId(id.to_owned())));
            if let Some(node) = node {
                self.look_again(node);
            }
        }
    }

    /// Locks of the whole workflow. `false`: it waits, or cannot have them.
    pub(crate) fn lock_workflow(&mut self) -> bool {
        let wanted = match self.spec.synchronization() {
            Ok(Some(wanted)) => wanted,
            Ok(None) => return true,
            Err(error) => {
                self.mark_workflow(WorkflowPhase::Failed, &error.to_string());
                return false;
            }
        };
        match self.acquire(None, &wanted) {
            Acquire::Acquired { is_changed } => {
                self.updated |= is_changed;
                true
            }
            Acquire::Failed { message } => {
                let text = format!("Failed to acquire the synchronization lock. {message}");
                self.mark_workflow(WorkflowPhase::Failed, &text);
                false
            }
            Acquire::Waiting { message, is_changed, .. } => {
                self.updated |= is_changed;
                self.wait_as_workflow(&message)
            }
        }
    }

    /// A workflow that waits for a lock of its own. `true`: it is walked all the same.
    /// Source: Argo `operator.go`, `releaseLocksForPendingShuttingdownWfs`.
    fn wait_as_workflow(&mut self, message: &str) -> bool {
        let phase = self.run.state.phase;
        let asked = self.shutdown().filter(|_| phase == WorkflowPhase::Pending);
        let is_terminated = asked == Some(Shutdown::Terminate);
        match (self.run.behaviour.locked_workflow, asked) {
            (LockedWorkflow::FailsByAny, Some(shutdown)) => {
                let text = format!("Stopped with strategy '{}'", shutdown.as_str());
                self.mark_workflow(WorkflowPhase::Failed, &text);
                false
            }
            (LockedWorkflow::Fails, _) if is_terminated => {
                self.mark_workflow(WorkflowPhase::Failed, "Stopped with strategy 'Terminate'");
                false
            }
            (LockedWorkflow::Succeeds, _) if is_terminated => {
                self.mark_workflow(WorkflowPhase::Succeeded, "");
                true
            }
            (LockedWorkflow::FailsByAny | LockedWorkflow::Fails | LockedWorkflow::Succeeds, _) => {
                let phase = if phase == WorkflowPhase::Unset { WorkflowPhase::Pending } else { phase };
                self.mark_workflow(phase, message);
                false
            }
        }
    }

    /// Gives back all locks of a workflow that has ended; nobody in it waits any more.
    /// Source: Argo `operator.go`, `persistUpdates`.
    pub(crate) fn release_locks(&mut self) {
        let run = &mut *self.run;
        let metadata = &run.workflow.metadata;
        let workflow = Applicant {
            namespace: namespace(&metadata.namespace),
            workflow: &metadata.name,
            node: None,
            priority: 0,
            created: Timestamp(0),
        };
        let waiting: Vec<(NodeId, String)> = run
            .table
            .iter()
            .filter_map(|(_, node)| Some((node.id.clone(), node.rare().waits_for.clone()?)))
            .collect();
        if run.locks.release_all(workflow, &waiting, &run.library, &mut run.state.locks) {
            for at in run.table.all() {
                run.table.get_mut(at).rare_mut().waits_for = None;
            }
        }
    }

    /// Ends what is still under way of daemons inside a boundary; `None`: those outside all boundaries.
    /// Source: Argo `exec_control.go`, `killDaemonedChildren`.
    pub(crate) fn end_daemons(&mut self, boundary: Option<At>) {
        for at in self.daemons_of(boundary) {
            let name = self.node(at).name.clone();
            if self.run.cluster.pods.has(&name) {
                self.acts.push(super::cluster::PodAct::Killed { node: name });
            }
            self.run.table.get_mut(at).daemoned = false;
            self.mark(at, NodePhase::Succeeded);
            self.updated = true;
        }
    }
}

impl Pass<'_> {
    /// Daemons that run directly inside a boundary; `None`: outside all boundaries.
    pub(crate) fn daemons_of(&self, boundary: Option<At>) -> Vec<At> {
        let all = if self.walks_touched() {
            self.run.todo.daemons.iter().copied().collect()
        } else {
            self.run.table.all()
        };
        all.into_iter().filter(|at| self.node(*at).daemoned && self.node(*at).boundary == boundary).collect()
    }
}

fn namespace(given: &str) -> &str {
    if given.is_empty() { "default" } else { given }
}

/// How many there are, as Argo counts.
fn count(nodes: impl Iterator) -> i64 {
    i64::try_from(nodes.count()).unwrap_or(i64::MAX)
}
