//! What a controller sees of the cluster, and what it does to it.
//!
//! In: what happened before a pass. Out: the pods and task results as the next pass finds them. It
//! decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use unwind_model::params::Outputs;
use unwind_model::{NodeName, Timestamp};

use super::templates::Prepared;

use super::by_name::ByName;

/// Something that happened in the cluster, or was asked by a user, before a pass.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// A pod is in another state.
    Pod {
        /// The node it belongs to.
        node: NodeName,
        /// Its state.
        report: PodReport,
    },
    /// A pod object is gone.
    PodGone {
        /// The node it belonged to.
        node: NodeName,
    },
    /// A pod came to nothing: its program could not be started, or nobody knows what became of it.
    PodLost {
        /// The node it belongs to.
        node: NodeName,
        /// Why, in words; empty when nothing is known.
        message: String,
        /// Whether its program ran.
        ran: bool,
    },
    /// A `WorkflowTaskResult` appeared or changed.
    Result {
        /// The node it belongs to.
        node: NodeName,
        /// Its label `report-outputs-completed`; `None`: as before.
        complete: Option<bool>,
        /// Outputs in it.
        outputs: Option<Outputs>,
        /// Progress in it.
        progress: Option<String>,
    },
    /// The agent's answer for an HTTP or plug-in node.
    Task {
        /// The node.
        node: NodeName,
        /// Phase, message and outputs as in a `WorkflowTaskSet`'s status.
        task: Value,
    },
    /// A stop was asked.
    Stop,
    /// A terminate was asked.
    Terminate,
    /// `spec.suspend` was set.
    Suspend,
    /// `spec.suspend` was cleared and suspend nodes were resumed.
    Resume {
        /// Which suspend nodes; `None`: all that run.
        selector: Option<String>,
    },
    /// A stop with a node field selector: matching suspend nodes fail.
    StopNode {
        /// Which suspend nodes.
        selector: String,
        /// Their message.
        message: String,
    },
    /// A merge patch on the workflow object.
    Patch(Value),
    /// A manual retry of a workflow that is over.
    Retry,
}

/// Phase of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodPhase {
    /// Not all containers run yet.
    Pending,
    /// Containers run.
    Running,
    /// All containers ended with 0.
    Succeeded,
    /// A container ended with another code.
    Failed,
}

/// State of one container of a container set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerState {
    /// Not started.
    Waiting,
    /// Running.
    Running,
    /// Ended with this code.
    Ended(i32),
}

/// State of a pod.
#[derive(Clone, Debug, PartialEq)]
pub struct PodReport {
    /// Its phase.
    pub phase: PodPhase,
    /// Exit code of the main container, once it has ended.
    pub exit: Option<i32>,
    /// Reason of the main container's end, or of waiting.
    pub reason: Option<String>,
    /// Termination message of the main container, or message of waiting.
    pub message: Option<String>,
    /// Exit code of the wait container, once it has ended (`None`: 0).
    pub aux: Option<i32>,
    /// `status.message` of the pod.
    pub pod_message: Option<String>,
    /// Containers of a container set that have changed.
    pub containers: Vec<(String, ContainerState)>,
    /// With phase Running: main has ended, the wait container still runs.
    pub main_ended: bool,
    /// Whether the containers are ready.
    pub ready: Option<bool>,
    /// Its address; read for daemons only.
    pub ip: Option<String>,
    /// The machine it is on.
    pub host: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl PodReport {
    /// A pod that was just made.
    pub fn pending(at: Timestamp) -> Self {
        Self {
            phase: PodPhase::Pending,
            exit: None,
            reason: None,
            message: None,
            aux: None,
            pod_message: None,
            containers: Vec::new(),
            main_ended: false,
            ready: None,
            ip: None,
            host: None,
            at,
        }
    }
}

/// What a pass does to pods.
#[derive(Clone, Debug, PartialEq)]
pub enum PodAct {
    /// A pod is made.
    Created(Box<PodCreated>),
    /// The pod that answers HTTP and plug-in nodes is made.
    CreatedAgent {
        /// Its name.
        name: String,
    },
    /// The containers of a running pod are told to end.
    Killed {
        /// The node it belongs to.
        node: NodeName,
    },
    /// A pod is deleted.
    Deleted {
        /// The node it belongs to.
        node: NodeName,
    },
    /// The agent's pod is deleted.
    DeletedAgent,
    /// A pod is labelled completed: no pass looks at it again.
    Released {
        /// The node it belongs to.
        node: NodeName,
    },
}

/// A pod that is made, all tags filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PodCreated {
    /// The node it belongs to.
    pub node: NodeName,
    /// Its name.
    pub pod: String,
    /// Name of its template; empty for an inline one.
    pub template: String,
    /// Image of its main container.
    pub image: String,
    /// Working directory of its main container.
    pub working_dir: Option<String>,
    /// Whether it carries the on-exit label.
    pub on_exit: bool,
    /// Program and first arguments.
    pub command: Vec<String>,
    /// Further arguments.
    pub args: Vec<String>,
    /// Script text.
    pub source: Option<String>,
    /// Manifest of a resource template.
    pub manifest: Option<String>,
    /// Environment entries with a plain value.
    pub env: Vec<(String, String)>,
    /// Seconds it may run.
    pub active_deadline_seconds: Option<i64>,
    /// Its template with everything filled in, where more of it was than is said here.
    pub(crate) filled: Option<Arc<Prepared>>,
}

/// A pod as the controller knows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pod {
    pub(crate) report: PodReport,
    pub(crate) on_exit: bool,
    /// Every container of a container set, as last reported.
    pub(crate) containers: BTreeMap<String, ContainerState>,
    /// Why it was told to end, where its node waits for that.
    pub(crate) told: Option<String>,
    /// Whether it is a daemon that was told to end with its box.
    pub(crate) is_ending: bool,
    /// Why it came to nothing.
    pub(crate) lost: Option<Lost>,
}

/// A pod that came to nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lost {
    /// Why, in words.
    pub(crate) message: String,
    /// Whether its program ran.
    pub(crate) ran: bool,
}

/// A `WorkflowTaskResult`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TaskResult {
    /// `None` while the object does not say.
    pub(crate) complete: Option<bool>,
    pub(crate) outputs: Option<Outputs>,
    pub(crate) progress: Option<String>,
}

/// All of the cluster that one workflow has to do with.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cluster {
    /// Pods that the controller still looks at.
    pub(crate) pods: ByName<Arc<Pod>>,
    pub(crate) results: ByName<TaskResult>,
    /// Nodes handed to the agent, and its answers.
    pub(crate) tasks: ByName<Option<Value>>,
    /// Templates of tasks that wait for an answer, with everything filled in.
    pub(crate) asked: BTreeMap<NodeName, Arc<Prepared>>,
    pub(crate) agent: Option<Agent>,
    /// Pods that garbage collection will delete before the next pass.
    pub(crate) doomed: Vec<NodeName>,
    /// Whether a program has ever told how far it is.
    pub(crate) reports_progress: bool,
}

/// The agent's pod.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Agent {
    pub(crate) name: String,
}

impl Cluster {
    /// A pod came to nothing.
    pub(crate) fn pod_lost(&mut self, node: &NodeName, at: Timestamp, lost: Lost) {
        let Some(pod) = self.pods.get_mut(node).map(Arc::make_mut) else { return };
        if matches!(pod.report.phase, PodPhase::Succeeded | PodPhase::Failed) {
            return;
        }
        pod.report.phase = PodPhase::Failed;
        pod.report.at = pod.report.at.max(at);
        pod.lost = Some(lost);
    }

    /// A pod object is gone. One that was told to end has ended with that.
    /// Where events come as they happen (`is_certain`) any other is lost too; a controller looks for it first.
    pub(crate) fn pod_gone(&mut self, node: &NodeName, at: Timestamp, is_certain: bool) {
        let Some(pod) = self.pods.get(node) else { return };
        if pod.told.is_none() && !is_certain {
            self.pods.remove(node);
            return;
        }
        let ran = pod.report.phase != PodPhase::Pending;
        self.pod_lost(node, at, Lost { message: String::new(), ran });
    }

    pub(crate) fn pod_moved(&mut self, node: &NodeName, report: PodReport) {
        let Some(pod) = self.pods.get_mut(node).map(Arc::make_mut) else { return };
        let was_ended = pod.report.exit.is_some();
        let mut report = report;
        if was_ended {
            // A container that has ended keeps the exit code it ended with.
            report.exit = pod.report.exit;
            if report.reason.is_none() {
                report.reason.clone_from(&pod.report.reason);
            }
            if report.message.is_none() {
                report.message.clone_from(&pod.report.message);
            }
        }
        let ended_at = if was_ended { pod.report.at } else { report.at };
        report.at = report.at.max(ended_at);
        for (name, state) in &report.containers {
            pod.containers.insert(name.clone(), *state);
        }
        if matches!(report.phase, PodPhase::Succeeded | PodPhase::Failed) {
            // A pod that is over has no container that runs.
            for state in pod.containers.values_mut() {
                if !matches!(state, ContainerState::Ended(_)) {
                    *state = ContainerState::Ended(report.exit.unwrap_or(0));
                }
            }
        }
        pod.report = report;
    }

    pub(crate) fn result_moved(
        &mut self,
        node: NodeName,
        complete: Option<bool>,
        outputs: Option<Outputs>,
        progress: Option<String>,
    ) {
        let result = self.results.get_or_insert(node, TaskResult::default);
        if complete.is_some() {
            result.complete = complete;
        }
        if outputs.is_some() {
            result.outputs = outputs;
        }
        if progress.is_some() {
            result.progress = progress;
            self.reports_progress = true;
        }
    }
}
