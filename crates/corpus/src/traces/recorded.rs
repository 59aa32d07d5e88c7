//! The recorded form of a trace, as `traces/README.md` describes it.
//!
//! In: the text of a `.jsonl` file. Out: its input, its passes and its end. Nothing is judged here.

use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::{Map, Value};
use unwind_model::json;

/// One trace.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The first line.
    pub input: Input,
    /// The passes in their order.
    pub passes: Vec<Pass>,
    /// The last line.
    pub end: End,
}

/// What was run.
#[derive(Clone, Debug, Deserialize)]
pub struct Input {
    /// Its group, which is its folder.
    pub group: String,
    /// Its name inside the group, which is its file.
    pub name: String,
    /// Release of the controller, `v4.1.2`.
    pub argo: String,
    /// The workflow as it was submitted.
    pub workflow: Value,
    /// Documents that exist before the first pass.
    #[serde(default)]
    pub needs: Vec<Value>,
    /// `workflowRestrictions` of the controller, where they were set.
    #[serde(default)]
    pub controller: Option<Controller>,
}

/// Settings of the controller.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Controller {
    /// `Strict` or `Secure`.
    pub template_referencing: Option<String>,
}

/// One reconcile: what had happened before it, and what was stored and done by it.
#[derive(Clone, Debug, Deserialize)]
pub struct Pass {
    /// Number, from 1.
    pub n: usize,
    /// Seconds since the first pass.
    pub t: i64,
    /// What happened before it.
    #[serde(default)]
    pub events: Vec<Event>,
    /// `phase`, `message`, `progress`, `outputs` of the workflow.
    pub wf: Map<String, Value>,
    /// The nodes that changed, by full name; `null` for one that is gone.
    #[serde(default)]
    pub nodes: Map<String, Value>,
    /// What was done to pods.
    #[serde(default)]
    pub pods: Pods,
}

/// What was done to pods in one pass.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pods {
    /// Pods that were made.
    #[serde(default)]
    pub created: Vec<Value>,
    /// Nodes whose pods were told to end.
    #[serde(default)]
    pub kill: Vec<String>,
    /// Nodes whose pods were deleted; `agent` for the agent's.
    #[serde(default)]
    pub deleted: Vec<String>,
    /// Nodes whose pods the controller lets go.
    #[serde(default)]
    pub released: Vec<String>,
}

/// Something that happened in the cluster.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Event {
    /// Somebody asked for something.
    Asked(Asked),
    /// A pod or its task result moved.
    Pod(Box<PodEvent>),
}

/// What somebody asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
pub enum Asked {
    /// `spec.shutdown: Stop`.
    Stop,
    /// `spec.shutdown: Terminate`.
    Terminate,
    /// `spec.suspend: true`.
    Suspend,
    /// The workflow and its suspended nodes go on.
    Resume {
        /// Node field selector.
        selector: Option<String>,
    },
    /// Stop of single nodes.
    StopNode {
        /// Node field selector.
        selector: String,
        /// Message of the stopped nodes.
        #[serde(default)]
        message: String,
    },
    /// The agent's answer for a node.
    Task {
        /// Full name of the node.
        node: String,
        /// `phase`, `message`, `outputs`.
        task: Value,
    },
    /// The deadline of the workflow becomes its start.
    Deadline0,
    /// A merge patch on the workflow object.
    Patch {
        /// The patch.
        patch: Value,
    },
    /// `argo retry` without options.
    Retry,
}

/// The new state of a pod and of its task result.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PodEvent {
    /// Full name of its node.
    pub pod: String,
    /// Phase it goes to.
    pub phase: Option<String>,
    /// Exit code of the main container.
    pub exit: Option<i32>,
    /// Reason of the main container, or for what it waits.
    pub reason: Option<String>,
    /// Message that goes with it.
    pub message: Option<String>,
    /// Exit code of the wait container.
    pub aux: Option<i32>,
    /// `status.message` of the pod.
    pub pod_message: Option<String>,
    /// States of the containers of a container set.
    #[serde(default)]
    pub containers: Map<String, Value>,
    /// Main has ended, the wait container still runs.
    #[serde(default)]
    pub main_ended: bool,
    /// False: its containers run and are not ready.
    pub ready: Option<bool>,
    /// `open` or `done`.
    pub result: Option<String>,
    /// Outputs in the task result.
    pub outputs: Option<Value>,
    /// Progress in the task result.
    pub progress: Option<String>,
    /// The pod object is gone.
    #[serde(default)]
    pub deleted: bool,
}

/// How it ended.
#[derive(Clone, Debug, Deserialize)]
pub struct End {
    /// `completed`, `stuck` or `max`.
    pub end: String,
    /// Lists of nodes whose order is random in the controller.
    #[serde(default)]
    pub unordered: Vec<String>,
}

/// Reads the text of a trace.
pub fn read(text: &str) -> anyhow::Result<Recorded> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let [input, passes @ .., end] = lines.as_slice() else {
        bail!("expected an input, passes and an end, found {} lines", lines.len());
    };
    let passes = (2..).zip(passes).map(|(line, text)| {
        json::read(text).with_context(|| format!("line {line}: expected a pass of a trace"))
    });
    Ok(Recorded {
        input: json::read(input).context("line 1: expected the input of a trace")?,
        passes: passes.collect::<anyhow::Result<_>>()?,
        end: json::read(end).with_context(|| format!("line {}: expected an end", lines.len()))?,
    })
}
