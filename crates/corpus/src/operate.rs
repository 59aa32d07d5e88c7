//! Stands in for the interpreter until the engine has it: nothing ever happens.

use serde_json::Value;
use unwind_engine::library::Library;
use unwind_model::params::Outputs;
use unwind_model::{NodeName, Timestamp, Workflow, WorkflowStatus};

pub struct Run(WorkflowStatus);
#[expect(clippy::unused_self, reason = "so that the engine's can take its place")]
impl Run {
    pub fn new(workflow: Workflow, _library: Library, _version: &str) -> Self {
        Self(workflow.status)
    }
    pub fn see(&mut self, _now: Timestamp, _seen: Seen) {}
    pub fn pass(&mut self, _now: Timestamp) -> Vec<PodAct> {
        Vec::new()
    }
    pub fn status(&self) -> WorkflowStatus {
        self.0.clone()
    }
    pub fn is_completed(&self) -> bool {
        false
    }
}
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    Pod { node: NodeName, report: PodReport },
    PodGone { node: NodeName },
    Result { node: NodeName, complete: Option<bool>, outputs: Option<Outputs>, progress: Option<String> },
    Task { node: NodeName, task: Value },
    Stop,
    Terminate,
    Suspend,
    Resume { selector: Option<String> },
    StopNode { selector: String, message: String },
    Patch(Value),
    Retry,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodPhase {
    Pending,
    Running,
    Succeeded,
    Failed,
}
#[derive(Clone, Debug, PartialEq)]
pub struct PodReport {
    pub phase: PodPhase,
    pub exit: Option<i32>,
    pub reason: Option<String>,
    pub message: Option<String>,
    pub aux: Option<i32>,
    pub pod_message: Option<String>,
    pub containers: Vec<(String, ContainerState)>,
    pub main_ended: bool,
    pub ready: Option<bool>,
    pub at: Timestamp,
}
#[derive(Clone, Debug, PartialEq)]
pub enum ContainerState {
    Waiting,
    Running,
    Ended(i32),
}
#[derive(Clone, Debug, PartialEq)]
pub enum PodAct {
    Created(Box<PodCreated>),
    CreatedAgent { name: String },
    Killed { node: NodeName },
    Deleted { node: NodeName },
    DeletedAgent,
    Released { node: NodeName },
}
#[derive(Clone, Debug, PartialEq)]
pub struct PodCreated {
    pub node: NodeName,
    pub pod: String,
    pub on_exit: bool,
    pub command: Vec<String>,
    pub args: Vec<String>,
    pub source: Option<String>,
    pub manifest: Option<String>,
    pub env: Vec<(String, String)>,
}
