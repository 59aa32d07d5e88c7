//! A made-up cluster: drives a run to its end with simulated pods, without a clock of its own.
//!
//! In: a run that was just made and how its leaves end. Out: how it ended, and after how many passes. A pod is
//! Pending, then Running, then over, one pass each; a daemon runs until it is told to end; suspended nodes are
//! resumed, HTTP and plug-in tasks are answered. What a leaf gives is made up so that loops and conditions over
//! it can be read (`answers`). The limit is a number of passes, never time.

mod templates;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use unwind_engine::library::Library;
use unwind_engine::rehearse::Answers;
use unwind_model::{NodeName, NodePhase, NodeStatus, NodeType, Timestamp, Workflow, WorkflowPhase};

use templates::Templates;
use unwind_engine::operate::{ContainerState, PodAct, PodPhase, PodReport, Run, Seen};

/// Time between two passes.
const STEP_MS: i64 = 10_000;

/// How long the cluster waits for timers when nothing else moves.
const LONG_STEP_MS: i64 = 3_600_000;

/// Exit code of a program that a SIGTERM ended.
const SIGTERM_CODE: i32 = 143;

/// Machine of every pod.
const HOST: &str = "machine-1";

/// Address of every pod: one of those that documents may use.
/// Source: RFC 5737.
const POD_IP: &str = "192.0.2.1";

/// How often in a row it waits so before it gives up.
const MOST_LONG_STEPS: usize = 30;

/// What happens in the cluster beside the usual.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// What is asked before a pass, by its number.
    pub asked: BTreeMap<usize, Vec<Seen>>,
    /// Exit codes of pods by their nodes; 0 for all others.
    pub exits: BTreeMap<NodeName, i32>,
}

/// How a run ended in the cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Phase of the workflow.
    pub phase: WorkflowPhase,
    /// Its message.
    pub message: String,
    /// Whether it is over and nobody looks at it again.
    pub is_completed: bool,
    /// Passes that were needed.
    pub passes: usize,
    /// Nodes whose phase is not final, with their phases.
    pub open: Vec<(NodeName, NodePhase)>,
    /// Nodes that could not be run, with their messages.
    pub errors: Vec<(NodeName, String)>,
    /// How many nodes there are.
    pub nodes: usize,
    /// The object as it is stored, all that was asked of it in its spec.
    pub object: Workflow,
}

/// A pod of the cluster.
#[derive(Clone, Debug)]
struct Pod {
    phase: PodPhase,
    is_daemon: bool,
    is_told_to_end: bool,
}

/// The cluster around one run.
pub struct Cluster {
    run: Run,
    templates: Templates,
    answers: Answers,
    pods: BTreeMap<NodeName, Pod>,
    /// Pods that were deleted before they ran, which the run has not seen.
    lost: Vec<NodeName>,
    /// Gets nodes of tasks that the agent has answered.
    answered: Vec<NodeName>,
}

impl Cluster {
    /// A cluster for `run`, which was made from the same workflow and library.
    pub fn new(run: Run, workflow: &Workflow, library: &Library) -> Self {
        Self {
            run,
            templates: Templates::new(workflow, library),
            answers: Answers::new(workflow, library),
            pods: BTreeMap::new(),
            lost: Vec::new(),
            answered: Vec::new(),
        }
    }

    /// Drives the run to its end, or until `most_passes` are done or nothing moves any more.
    pub fn drive(mut self, begin: Timestamp, course: &Course, most_passes: usize) -> Ended {
        let mut now = begin;
        let mut long_steps = 0;
        let mut passes = 0;
        while passes < most_passes && !self.run.is_completed() && long_steps < MOST_LONG_STEPS {
            passes += 1;
            for asked in course.asked.get(&passes).into_iter().flatten() {
                self.run.see(now, asked.clone());
            }
            let before = self.run.status();
            let acts = self.run.pass(now);
            let is_quiet = acts.is_empty() && self.run.status() == before;
            for act in acts {
                self.perform(act);
            }
            let has_moved = self.move_on(now, &course.exits) || !is_quiet;
            long_steps = if has_moved { 0 } else { long_steps + 1 };
            now = now + if has_moved { STEP_MS } else { LONG_STEP_MS };
        }
        self.ended(passes)
    }

    fn perform(&mut self, act: PodAct) {
        match act {
            PodAct::Created(created) => {
                let status = self.run.status();
                let node = status.nodes.values().find(|node| node.name == created.node);
                let template = node.and_then(|node| self.templates.of(node, &status.nodes));
                let is_daemon = template.is_some_and(|template| template["daemon"] == true);
                let pod = Pod { phase: PodPhase::Pending, is_daemon, is_told_to_end: false };
                self.pods.insert(created.node, pod);
            }
            PodAct::Killed { node } => {
                if let Some(pod) = self.pods.get_mut(&node) {
                    pod.is_told_to_end = true;
                }
            }
            PodAct::Deleted { node } if self.is_pending(&node) => {
                self.pods.remove(&node);
                self.lost.push(node);
            }
            PodAct::Deleted { node } | PodAct::Released { node } => {
                self.pods.remove(&node);
            }
            PodAct::CreatedAgent { .. } | PodAct::DeletedAgent => {}
        }
    }

    fn is_pending(&self, node: &NodeName) -> bool {
        self.pods.get(node).is_some_and(|pod| pod.phase == PodPhase::Pending)
    }

    /// Lets everything in the cluster take its next step; false when nothing can.
    fn move_on(&mut self, at: Timestamp, exits: &BTreeMap<NodeName, i32>) -> bool {
        let status = self.run.status();
        let by_name: BTreeMap<&NodeName, &NodeStatus> =
            status.nodes.values().map(|node| (&node.name, node)).collect();
        let lost = std::mem::take(&mut self.lost).into_iter();
        let mut seen: Vec<Seen> =
            lost.map(|node| Seen::PodLost { node, message: String::new(), ran: false }).collect();
        for (name, pod) in &mut self.pods {
            let code = exits.get(name).copied().unwrap_or_default();
            let Some((phase, exit)) = next_phase(pod, code) else { continue };
            pod.phase = phase;
            let is_over = matches!(phase, PodPhase::Succeeded | PodPhase::Failed);
            let template = by_name.get(name).and_then(|node| self.templates.of(node, &status.nodes));
            let containers = containers(template, exit);
            let report = PodReport { exit, containers, ..moved(phase, at) };
            seen.push(Seen::Pod { node: name.clone(), report });
            let outputs = (phase == PodPhase::Succeeded)
                .then(|| {
                    self.answers.outputs(by_name.get(name).map_or("", |node| &node.display_name), template)
                })
                .filter(|outputs| outputs != &json!({}));
            seen.push(Seen::Result {
                node: name.clone(),
                complete: Some(is_over),
                outputs: outputs.and_then(|outputs| serde_json::from_value(outputs).ok()),
                progress: None,
            });
        }
        for node in status.nodes.values() {
            seen.extend(self.answer(node, &status.nodes));
        }
        let has_moved = !seen.is_empty();
        for seen in seen {
            self.run.see(at, seen);
        }
        has_moved | self.resume(at)
    }

    /// The agent's answer for a task that has none yet.
    fn answer(
        &mut self,
        node: &NodeStatus,
        nodes: &BTreeMap<unwind_model::NodeId, NodeStatus>,
    ) -> Option<Seen> {
        let is_task = matches!(node.node_type, NodeType::HTTP | NodeType::Plugin);
        if !is_task || node.phase.is_final() || self.answered.contains(&node.name) {
            return None;
        }
        self.answered.push(node.name.clone());
        let outputs = self.answers.outputs(&node.display_name, self.templates.of(node, nodes));
        let task = json!({"phase": "Succeeded", "outputs": outputs});
        Some(Seen::Task { node: node.name.clone(), task })
    }

    /// Resumes suspended nodes and a suspended workflow, when nothing else is left to do.
    fn resume(&mut self, at: Timestamp) -> bool {
        if self.pods.values().any(|pod| !pod.is_daemon) {
            return false;
        }
        let status = self.run.status();
        let suspended: Vec<&NodeStatus> = status
            .nodes
            .values()
            .filter(|node| node.node_type == NodeType::Suspend && !node.phase.is_final())
            .collect();
        let mut patches = Vec::new();
        for node in &suspended {
            let given = self.answers.supplied(node);
            if !given.is_empty() {
                let outputs = json!({"outputs": {"parameters": given}});
                patches.push(json!({"status": {"nodes": {node.id.as_str(): outputs}}}));
            }
        }
        let is_suspended = !suspended.is_empty() || self.templates.is_workflow_suspended();
        if is_suspended {
            self.templates.workflow_is_resumed();
            for patch in patches {
                self.run.see(at, Seen::Patch(patch));
            }
            self.run.see(at, Seen::Resume { selector: None });
        }
        is_suspended
    }

    fn ended(self, passes: usize) -> Ended {
        let object = self.run.object();
        let status = &object.status;
        let nodes = status.nodes.values();
        let open = nodes.clone().filter(|node| !node.phase.is_final());
        let errors = nodes.clone().filter(|node| node.phase == NodePhase::Error);
        Ended {
            phase: status.phase,
            message: status.message.clone(),
            is_completed: self.run.is_completed(),
            passes,
            open: open.map(|node| (node.name.clone(), node.phase)).collect(),
            errors: errors.map(|node| (node.name.clone(), node.message.clone())).collect(),
            nodes: status.nodes.len(),
            object,
        }
    }
}

/// What a pod becomes next, with its exit code; `None`: it stays.
fn next_phase(pod: &Pod, code: i32) -> Option<(PodPhase, Option<i32>)> {
    match pod.phase {
        PodPhase::Pending => Some((PodPhase::Running, None)),
        PodPhase::Running if pod.is_told_to_end => Some((PodPhase::Failed, Some(SIGTERM_CODE))),
        PodPhase::Running if pod.is_daemon => None,
        PodPhase::Running if code != 0 => Some((PodPhase::Failed, Some(code))),
        PodPhase::Running => Some((PodPhase::Succeeded, Some(0))),
        PodPhase::Succeeded | PodPhase::Failed => None,
    }
}

/// The containers of a container set, all in one state.
fn containers(template: Option<&Value>, exit: Option<i32>) -> Vec<(String, ContainerState)> {
    let set = template.and_then(|template| template["containerSet"]["containers"].as_array());
    let names = set.into_iter().flatten().filter_map(|container| container["name"].as_str());
    let state = exit.map_or(ContainerState::Running, ContainerState::Ended);
    names.map(|name| (name.to_owned(), state)).collect()
}

fn moved(phase: PodPhase, at: Timestamp) -> PodReport {
    PodReport {
        phase,
        exit: None,
        reason: None,
        message: None,
        aux: None,
        pod_message: None,
        containers: Vec::new(),
        main_ended: false,
        ready: None,
        host: Some(HOST.to_owned()),
        ip: (phase == PodPhase::Running).then(|| POD_IP.to_owned()),
        at,
    }
}
