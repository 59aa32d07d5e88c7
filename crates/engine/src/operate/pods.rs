//! Pods looked at: what their state makes of nodes, what a shutdown or the deadline makes of them.
//! Source: Argo `workflow/controller/operator.go` (`podReconciliation`, `assessNodeStatus`,
//! `inferFailedReason`, `queuePodsForCleanup`), `exec_control.go`.

use std::sync::Arc;

use serde_json::Value;
use unwind_model::params::Outputs;
use unwind_model::{NodeName, NodePhase, NodeType, Timestamp, WorkflowPhase};

use crate::behaviour::{
    HooksPastDeadline, LockWaiters, MissingOutput, OpenResults, RetryUnderShutdown, StoppedLeaf, WorkNotBegun,
};

use super::cluster::{ContainerState, Lost, Pod, PodAct, PodPhase};
use super::pass::Pass;
use super::table::{At, Node, is_completed, is_fulfilled};
use super::templates::Kind;

/// A pod is not missed for this long after its node began. Source: Argo `operator.go`, `recentlyStarted`.
const YOUNG_MS: i64 = 10_000;

impl Pass<'_> {
    /// Looks at all pods. `false`: a pod has ended well but its result is open, so the pass is given up.
    pub(crate) fn look_at_pods(&mut self) -> bool {
        let mut given_up = false;
        let pods: Vec<(NodeName, Arc<Pod>)> = self
            .run
            .cluster
            .pods
            .sorted()
            .into_iter()
            .map(|(name, pod)| (name.clone(), Arc::clone(pod)))
            .collect();
        for (name, pod) in &pods {
            let Some(at) = self.named(name.as_str()) else { continue };
            if !self.assess(at, pod) {
                given_up = true;
                continue;
            }
            self.control(at, name, pod);
        }
        if given_up {
            return false;
        }
        for at in self.run.table.all() {
            self.miss_pod(at);
        }
        true
    }

    /// Looks at the pod of one node, or that it is gone, and at what the agent said of it.
    pub(crate) fn look_at(&mut self, name: &NodeName) {
        let Some(at) = self.named(name.as_str()) else { return };
        match self.run.cluster.pods.get(name).cloned() {
            Some(pod) => {
                if self.assess(at, &pod) {
                    self.control(at, name, &pod);
                }
            }
            None if self.node(at).phase == NodePhase::Pending => self.look_again(at),
            None => self.miss_pod(at),
        }
        self.take_answer_of(name);
    }

    /// A node whose pod is gone.
    fn miss_pod(&mut self, at: At) {
        let node = self.node(at);
        let is_over = matches!(
            node.phase,
            NodePhase::Succeeded
                | NodePhase::Failed
                | NodePhase::Error
                | NodePhase::Skipped
                | NodePhase::Omitted
        );
        let is_over = is_over && node.synced != Some(false);
        // A node that is Pending still has its pod made again.
        if node.kind != NodeType::Pod || is_over || node.phase == NodePhase::Pending {
            return;
        }
        if self.run.cluster.pods.has(&node.name) {
            return;
        }
        let is_young = node.started_at.is_none_or(|began| self.now - began <= YOUNG_MS);
        if is_young && !self.walks_touched() {
            return;
        }
        self.mark_error(at, "pod deleted");
        self.miss_containers(at);
    }

    /// All containers of a pod that is gone, ended or not.
    /// Source: Argo `operator.go`, `markAllContainersDeleted`.
    fn miss_containers(&mut self, at: At) {
        let mut open = self.node(at).children.clone();
        let mut seen = std::collections::BTreeSet::new();
        while let Some(child) = open.pop() {
            if self.node(child).kind == NodeType::Container && seen.insert(child) {
                self.mark_error(child, "container deleted");
                open.extend(&self.node(child).children);
            }
        }
    }

    /// Moves a node by its pod. `false`: it has ended well but its result is open.
    fn assess(&mut self, at: At, pod: &Pod) -> bool {
        if self.moves_only_forward() && self.node(at).is_completed() {
            return true;
        }
        let node = self.node(at);
        let old = Shown::of(node);
        let mut new = old.clone();
        let is_daemon = node.template.as_ref().is_some_and(|template| template.is_daemon);
        let report = &pod.report;
        match report.phase {
            PodPhase::Pending => {
                new.phase = NodePhase::Pending;
                new.message = waiting_text(report.reason.as_deref(), report.message.as_deref());
                new.daemoned = false;
            }
            PodPhase::Running if is_daemon && old.is_fulfilled() => {}
            PodPhase::Running if is_daemon => {
                if report.ready == Some(false) {
                    return true;
                }
                new.phase = NodePhase::Running;
                new.daemoned = true;
            }
            PodPhase::Running => new.phase = NodePhase::Running,
            PodPhase::Succeeded if !is_daemon && lacks_outputs(node, pod) => {
                match self.run.behaviour.missing_output {
                    MissingOutput::KeepsItRunning => {}
                    // They may still come.
                    MissingOutput::IsAnError if old.synced == Some(false) => {}
                    MissingOutput::IsAnError => {
                        new.phase = NodePhase::Error;
                        "ended well without the outputs that its template declares"
                            .clone_into(&mut new.message);
                    }
                }
            }
            PodPhase::Succeeded => {
                new.phase = if is_daemon { NodePhase::Failed } else { NodePhase::Succeeded };
                new.daemoned = false;
            }
            PodPhase::Failed => {
                let (phase, message) =
                    pod.lost.as_ref().map_or_else(|| failed_reason(pod, node), lost_reason);
                new.phase = phase;
                new.message = message;
                new.daemoned = false;
            }
        }
        self.assess_containers(at, pod);
        if report.phase == PodPhase::Running && has_failed_container(pod) {
            let node = self.node(at).name.clone();
            self.acts.push(PodAct::Killed { node });
        }
        let leaves_pending = old.phase == NodePhase::Pending
            && !matches!(new.phase, NodePhase::Pending | NodePhase::Failed | NodePhase::Error);
        if leaves_pending && old.message == new.message {
            new.message.clear();
        }
        if let Some(code) = exit_code(pod, is_set(self.node(at))) {
            new.exit_code = Some(code.to_string());
        }
        if report.phase == PodPhase::Running && report.main_ended && new.phase.is_completed() {
            new.phase = old.phase;
        }
        let ended = matches!(report.phase, PodPhase::Succeeded | PodPhase::Failed);
        if ended && report.aux.is_some_and(|code| code != 0) || report.reason.as_deref() == Some("Evicted") {
            // The mark is set on the stored node; a node that changes for another reason is written over it.
            self.set_synced(at, true);
        }
        if let Some(host) = &report.host {
            new.host.clone_from(host);
        }
        if let Some(ip) = report.ip.as_ref().filter(|_| !new.is_completed() && new.daemoned) {
            new.pod_ip.clone_from(ip);
        }
        if new.is_fulfilled() && new.finished_at.is_none() {
            new.finished_at = Some(if ended { report.at } else { self.now });
        }
        if ended {
            end_as_told(&mut new, pod, self.shutdown().is_some());
        }
        let is_open = new.synced == Some(false) || !self.results_hold_nodes() && self.owes_result(at);
        if new.phase == NodePhase::Succeeded && is_open {
            return false;
        }
        if new != old {
            let saves = new.phase == NodePhase::Succeeded && self.node(at).rare().memo.is_some();
            let ends_daemon = old.daemoned && !new.daemoned;
            let ended_well = Arc::clone(&self.run.ended_well);
            new.put_into(self.run.table.get_mut(at), &ended_well);
            if ends_daemon {
                self.end_retried_daemon(at);
            }
            self.node_to_globals(at);
            if saves && let Err(error) = self.save_to_cache(at) {
                self.mark_error(at, &error.to_string());
            }
            self.updated = true;
        }
        if ended && (pod.told.is_some() || pod.lost.is_some()) {
            self.end_containers(at);
        }
        true
    }

    /// Containers of a pod that was cut short end as it did.
    pub(crate) fn end_containers(&mut self, at: At) {
        let (phase, message) = (self.node(at).phase, self.node(at).message.clone());
        for child in self.breadth_first(at) {
            let node = self.node(child);
            if node.kind == NodeType::Container && !node.is_fulfilled() {
                self.mark_message(child, phase, &message);
            }
        }
    }

    /// Nodes of a container set's containers.
    fn assess_containers(&mut self, at: At, pod: &Pod) {
        let name = self.node(at).name.clone();
        for (container, state) in &pod.containers {
            let Some(node) = self.named(&format!("{name}.{container}")) else { continue };
            if self.node(node).kind != NodeType::Container {
                continue;
            }
            match state {
                ContainerState::Waiting => self.mark(node, NodePhase::Pending),
                ContainerState::Running => self.mark(node, NodePhase::Running),
                ContainerState::Ended(0) => self.mark(node, NodePhase::Succeeded),
                ContainerState::Ended(code) => {
                    let phase = if *code == 64 { NodePhase::Error } else { NodePhase::Failed };
                    self.mark_message(node, phase, &format!("{container}: Error (exit code {code}): "));
                }
            }
        }
    }

    /// Ends what a shutdown or the deadline does not let run.
    /// Source: Argo `exec_control.go`, `applyExecutionControl`, `handleExecutionControlError`.
    fn control(&mut self, at: At, name: &NodeName, pod: &Pod) {
        if self.node(at).is_fulfilled() {
            return;
        }
        match pod.report.phase {
            PodPhase::Succeeded | PodPhase::Failed => return,
            PodPhase::Pending | PodPhase::Running => {}
        }
        let text = if !self.may_execute(pod.on_exit) {
            let shutdown = self.shutdown().map_or("", |shutdown| shutdown.as_str());
            format!("workflow shutdown with strategy:  {shutdown}")
        } else if (!pod.on_exit || self.cuts_hooks()) && self.is_past_deadline() {
            "Step exceeded its deadline".to_owned()
        } else {
            return;
        };
        match self.run.behaviour.stopped_leaf {
            StoppedLeaf::AtOnce => {}
            StoppedLeaf::WhenItsProcessEnds => {
                self.tell_to_end(name, text);
                return;
            }
        }
        self.mark_message(at, NodePhase::Failed, &text);
        for child in self.breadth_first(at) {
            let is_hook = self.node(child).display_name().ends_with(".onExit");
            if !is_hook && !self.node(child).is_fulfilled() {
                self.mark_message(child, NodePhase::Failed, &text);
            }
        }
        if pod.report.phase == PodPhase::Pending {
            self.acts.push(PodAct::Deleted { node: name.clone() });
            self.run.cluster.pods.remove(name);
        } else {
            self.acts.push(PodAct::Killed { node: name.clone() });
        }
    }

    /// Tells a pod to end, once; its node ends when it has.
    fn tell_to_end(&mut self, name: &NodeName, text: String) {
        let Some(pod) = self.run.cluster.pods.get_mut(name) else { return };
        if pod.told.is_none() {
            let pod = Arc::make_mut(pod);
            pod.told = Some(text);
            let node = name.clone();
            self.acts.push(match pod.report.phase {
                // Whether it still runs is not known until its end is seen.
                PodPhase::Pending => PodAct::Deleted { node },
                PodPhase::Running | PodPhase::Succeeded | PodPhase::Failed => PodAct::Killed { node },
            });
            self.updated = true;
        }
    }

    /// Fails nodes without a pod after a shutdown or the deadline.
    /// Source: Argo `operator.go`, `failNodesWithoutCreatedPodsAfterDeadlineOrShutdown`.
    pub(crate) fn fail_without_pods(&mut self) {
        let past = self.is_past_deadline();
        for at in self.run.table.all() {
            if self.node(at).is_fulfilled() {
                continue;
            }
            let node = self.node(at);
            let is_waiting = node.kind == NodeType::Suspend && node.phase == NodePhase::Running;
            if self.shutdown().is_some() && !self.may_execute(self.is_part_of_handler(at)) {
                let shutdown = self.shutdown().map_or("", |shutdown| shutdown.as_str());
                let waited = self.waits_for_a_lock(self.node(at));
                if waited
                    && self.run.behaviour.work_not_begun == WorkNotBegun::NeverBegins
                    && let Some(refused) = self.refused_text()
                {
                    self.run.table.get_mut(at).never_began = true;
                    self.mark_message(at, NodePhase::Failed, &refused);
                    continue;
                }
                let node = self.node(at);
                if is_waiting
                    || matches!(node.kind, NodeType::HTTP | NodeType::Plugin)
                    || self.waits_for_a_lock(node)
                    || self.is_retry_between(at)
                {
                    self.mark_message(at, NodePhase::Failed, &format!("Stopped with strategy '{shutdown}'"));
                    continue;
                }
            }
            if past
                && (self.node(at).phase == NodePhase::Pending && !self.ends_with_its_pod(at) || is_waiting)
                && !self.is_part_of_handler(at)
            {
                self.mark_message(at, NodePhase::Failed, "Step exceeded its deadline");
            }
        }
    }

    /// Whether the deadline ends exit hooks, too.
    fn cuts_hooks(&self) -> bool {
        match self.run.behaviour.hooks_past_deadline {
            HooksPastDeadline::GoOn => false,
            HooksPastDeadline::AreCut => true,
        }
    }

    /// Whether a node has a pod that runs and is told to end, so that it ends when that has.
    fn ends_with_its_pod(&self, at: At) -> bool {
        match self.run.behaviour.stopped_leaf {
            StoppedLeaf::AtOnce => false,
            StoppedLeaf::WhenItsProcessEnds => {
                let pod = self.run.cluster.pods.get(&self.node(at).name);
                pod.is_some_and(|pod| pod.report.phase == PodPhase::Running)
            }
        }
    }

    fn waits_for_a_lock(&self, node: &Node) -> bool {
        match self.run.behaviour.lock_waiters {
            LockWaiters::Wait => false,
            LockWaiters::Fail => node.phase == NodePhase::Pending && node.rare().waits_for.is_some(),
        }
    }

    fn is_retry_between(&self, at: At) -> bool {
        match self.run.behaviour.retry_under_shutdown {
            RetryUnderShutdown::FollowsItsAttempt => false,
            RetryUnderShutdown::FailsOnceLeavesAreOver => {
                self.node(at).kind == NodeType::Retry
                    && !self.node(at).children.is_empty()
                    && self.children_fulfilled(at)
            }
        }
    }

    /// Labels pods of nodes that are over, so that no pass looks at them again.
    pub(crate) fn clean_up_pods(&mut self) {
        let mut over: Vec<NodeName> = if self.walks_touched() && !self.run.state.phase.is_final() {
            let ended = std::mem::take(&mut self.run.todo.ended);
            ended.into_iter().map(|at| self.node(at).name.clone()).collect()
        } else {
            self.run.cluster.pods.names()
        };
        over.retain(|name| {
            self.run.cluster.pods.has(name)
                && self.named(name.as_str()).is_some_and(|at| {
                    let node = self.node(at);
                    node.is_fulfilled() && !node.daemoned
                })
        });
        let collection = self.spec.pod_gc().ok().flatten();
        let (strategy, selector) = collection.map(|gc| (gc.strategy, gc.label_selector)).unwrap_or_default();
        for node in over {
            let phase = self.run.cluster.pods.get(&node).map(|pod| pod.report.phase);
            if phase == Some(PodPhase::Pending) {
                self.run.cluster.pods.remove(&node);
                self.acts.push(PodAct::Deleted { node });
                continue;
            }
            let is_meant = selector.is_none()
                || self.named(node.as_str()).is_some_and(|at| self.may_be_collected(at, selector.as_ref()));
            // What is never deleted is let go of at once.
            let strategy = if is_meant { strategy.as_str() } else { "" };
            match cleaning(strategy, self.run.state.phase, phase) {
                Cleaning::Nothing => {}
                Cleaning::Delete => {
                    if !self.run.cluster.doomed.contains(&node) {
                        self.run.cluster.doomed.push(node);
                    }
                }
                Cleaning::Release => {
                    self.run.cluster.pods.remove(&node);
                    self.acts.push(PodAct::Released { node });
                }
            }
        }
        if self.run.state.phase.is_final() && self.run.cluster.agent.take().is_some() {
            self.acts.push(PodAct::DeletedAgent);
        }
    }

    /// Deletes the pods that garbage collection has waited for since the last pass.
    pub(crate) fn delete_doomed(&mut self) {
        for node in std::mem::take(&mut self.run.cluster.doomed) {
            self.run.cluster.pods.remove(&node);
            self.acts.push(PodAct::Deleted { node });
        }
    }

    /// Whether results are kept per node at all.
    pub(crate) fn results_hold_nodes(&self) -> bool {
        self.run.behaviour.open_results != OpenResults::HoldTheWorkflow
    }
}

/// What becomes of the pod of a node that is over.
enum Cleaning {
    Nothing,
    Delete,
    Release,
}

/// Source: Argo `workflow/controller/pod/cleanup.go`, `determinePodCleanupAction`.
fn cleaning(strategy: &str, workflow: WorkflowPhase, pod: Option<PodPhase>) -> Cleaning {
    match strategy {
        "" => Cleaning::Release,
        "OnPodCompletion" => Cleaning::Delete,
        "OnPodSuccess" if pod == Some(PodPhase::Succeeded) => Cleaning::Delete,
        "OnPodSuccess" if pod == Some(PodPhase::Failed) => Cleaning::Release,
        "OnWorkflowCompletion" if workflow.is_final() => Cleaning::Delete,
        "OnWorkflowSuccess" if workflow == WorkflowPhase::Succeeded => Cleaning::Delete,
        _ if workflow.is_final() => Cleaning::Release,
        _ => Cleaning::Nothing,
    }
}

/// What the state of a pod moves of its node.
#[derive(Clone, Debug, PartialEq)]
struct Shown {
    phase: NodePhase,
    message: String,
    synced: Option<bool>,
    daemoned: bool,
    finished_at: Option<Timestamp>,
    exit_code: Option<String>,
    host: String,
    pod_ip: String,
    never_began: bool,
}

impl Shown {
    fn of(node: &Node) -> Self {
        Self {
            phase: node.phase,
            message: node.message.clone(),
            synced: node.synced,
            daemoned: node.daemoned,
            finished_at: node.finished_at,
            exit_code: node.outputs.as_ref().and_then(|outputs| outputs.exit_code.clone()),
            host: node.rare().host.clone(),
            pod_ip: node.rare().pod_ip.clone(),
            never_began: node.never_began,
        }
    }

    /// `ended_well`: the outputs of everything that gave nothing but the exit code 0.
    fn put_into(self, node: &mut Node, ended_well: &Arc<Outputs>) {
        node.phase = self.phase;
        node.message = self.message;
        node.synced = self.synced;
        node.daemoned = self.daemoned;
        node.finished_at = self.finished_at;
        if node.rare().host != self.host {
            node.rare_mut().host = self.host;
        }
        if node.rare().pod_ip != self.pod_ip {
            node.rare_mut().pod_ip = self.pod_ip;
        }
        node.never_began = self.never_began;
        if node.outputs.is_none() && self.exit_code == ended_well.exit_code {
            node.outputs = Some(Arc::clone(ended_well));
        } else if self.exit_code.is_some() {
            Arc::make_mut(node.outputs.get_or_insert_default()).exit_code = self.exit_code;
        }
    }

    fn is_completed(&self) -> bool {
        is_completed(self.phase, self.synced)
    }

    fn is_fulfilled(&self) -> bool {
        is_fulfilled(self.phase, self.synced, self.daemoned)
    }
}

/// The end of a pod that was told to end, or came to nothing.
fn end_as_told(new: &mut Shown, pod: &Pod, is_shut_down: bool) {
    if pod.is_ending {
        new.phase = NodePhase::Succeeded;
        new.message.clear();
    }
    if let Some(text) = &pod.told {
        new.phase = NodePhase::Failed;
        new.message.clone_from(text);
        if pod.lost.as_ref().is_some_and(|lost| !lost.ran) {
            // Argo's text for a pod that was refused has one space, not two.
            new.message = text.replace(":  ", ": ");
            new.never_began = is_shut_down;
        }
    }
    if pod.lost.is_some() && new.synced == Some(false) {
        // Nothing more comes of it.
        new.synced = Some(true);
    }
}

/// A container of a set that fails takes the others with it.
fn has_failed_container(pod: &Pod) -> bool {
    pod.containers.values().any(|state| matches!(state, ContainerState::Ended(code) if *code != 0))
}

/// Exit code of the main container, be it one of a set.
fn exit_code(pod: &Pod, is_set: bool) -> Option<i32> {
    match pod.containers.get("main") {
        None if is_set => None,
        Some(ContainerState::Ended(code)) => Some(*code),
        Some(ContainerState::Waiting | ContainerState::Running) | None => pod.report.exit,
    }
}

fn is_set(node: &Node) -> bool {
    node.template.as_ref().is_some_and(|template| template.kind == Kind::ContainerSet)
}

/// Whether the template declares outputs of a kind of which none has been reported. Nothing is asked where
/// there are no outputs at all: a container set without a main container.
/// Source: Argo `operator.go`, `assessNodeStatus`, `hasRequiredArtifacts`.
fn lacks_outputs(node: &Node, pod: &Pod) -> bool {
    let Some(template) = &node.template else { return false };
    let declared = &template.template.outputs;
    let artifacts = |outputs: &Outputs| outputs.other.get("artifacts").and_then(Value::as_array).cloned();
    let is_required = |artifact: &Value| artifact.get("optional").and_then(Value::as_bool) != Some(true);
    let nothing = Outputs::default();
    let given = match &node.outputs {
        Some(given) => given,
        None if exit_code(pod, is_set(node)).is_some() => &nothing,
        None => return false,
    };
    !declared.parameters.is_empty() && given.parameters.is_empty()
        || artifacts(declared).is_some_and(|list| list.iter().any(is_required)) && artifacts(given).is_none()
        || declared.result.is_some() && given.result.is_none()
}

/// Source: Argo `operator.go`, `getPendingReason`.
fn waiting_text(reason: Option<&str>, message: Option<&str>) -> String {
    match (reason, message) {
        (Some(reason), Some(message)) => format!("{reason}: {message}"),
        (Some(reason), None) => reason.to_owned(),
        (None, _) => String::new(),
    }
}

/// A pod that came to nothing is an error. Source of the words: Argo `operator.go`, `podReconciliation`.
fn lost_reason(lost: &Lost) -> (NodePhase, String) {
    let message = if lost.message.is_empty() { "pod deleted" } else { &lost.message };
    (NodePhase::Error, message.to_owned())
}

/// Source: Argo `operator.go`, `inferFailedReason`.
fn failed_reason(pod: &Pod, node: &Node) -> (NodePhase, String) {
    let report = &pod.report;
    if let Some(message) = report.pod_message.as_ref().filter(|message| !message.is_empty()) {
        return (NodePhase::Failed, message.clone());
    }
    let text = |name: &str, code: i32, reason: &str, message: &str| {
        let what = if reason.is_empty() { "Error" } else { reason };
        let mut text = format!("{name}: {what} (exit code {code})");
        if !message.is_empty() {
            text.push_str(": ");
            text.push_str(message);
        }
        text
    };
    let reason = report.reason.as_deref().unwrap_or_default();
    let message = report.message.as_deref().unwrap_or_default();
    if is_set(node) {
        let order =
            node.template.as_ref().and_then(|template| template.template.container_set().ok().flatten());
        let names: Vec<String> = order.map_or_else(Vec::new, |set| {
            let name = unwind_model::features::ContainerSet::name;
            set.containers.iter().map(|container| name(container).to_owned()).collect()
        });
        for name in names {
            if let Some(ContainerState::Ended(code)) = pod.containers.get(&name)
                && *code != 0
            {
                return (NodePhase::Failed, text(&name, *code, "", ""));
            }
        }
    }
    if let Some(code) = report.exit.filter(|code| *code != 0) {
        return (NodePhase::Failed, text("main", code, reason, message));
    }
    if let Some(code) = report.aux.filter(|code| *code != 0) {
        return (NodePhase::Error, text("wait", code, "", ""));
    }
    (NodePhase::Succeeded, String::new())
}
