//! What happened before a pass, put where the pass finds it.
//! Source: Argo `workflow/util/util.go`, `ResumeWorkflow`, `StopWorkflow`, `patchShutdownStrategy`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use unwind_model::params::Outputs;
use unwind_model::{NodeId, NodePhase, NodeStatus, NodeType, Shutdown, Timestamp, Workflow, WorkflowPhase};

use crate::again::{NodeValues, RetryError, RetryOptions, SetError, take_defaults};
use crate::behaviour::{Passes, RepeatedShutdown, RetriedPhase};

use super::Run;
use super::cluster::{Lost, Seen};

pub(crate) fn see(run: &mut Run, now: Timestamp, seen: Seen) {
    if run.behaviour.passes == Passes::UntilQuiet {
        hear(run, &seen);
    }
    match seen {
        Seen::Pod { node, report } => run.cluster.pod_moved(&node, report),
        Seen::PodGone { node } => {
            let is_certain = run.behaviour.passes == Passes::UntilQuiet;
            run.cluster.pod_gone(&node, now, is_certain);
        }
        Seen::PodLost { node, message, ran } => {
            run.cluster.pod_lost(&node, now, Lost { message, ran });
        }
        Seen::Result { node, complete, outputs, progress } => {
            run.cluster.result_moved(node, complete, outputs, progress);
        }
        Seen::Task { node, task } => {
            run.cluster.tasks.insert(node, Some(task));
        }
        Seen::Stop => shut_down(run, Shutdown::Stop),
        Seen::Terminate => shut_down(run, Shutdown::Terminate),
        Seen::Suspend => {
            run.workflow.spec.suspend = Some(true);
            run.spec_changed();
        }
        // What is refused moves nothing; whoever asks has been told before.
        Seen::Resume { selector } => drop(match selector.as_deref() {
            None | Some("") => run.resume(now),
            Some(selector) => run.set_nodes(now, selector, &becomes(NodePhase::Succeeded, String::new())),
        }),
        Seen::StopNode { selector, message } => {
            drop(run.set_nodes(now, &selector, &becomes(NodePhase::Failed, message)));
        }
        Seen::Patch(patch) => patch_object(run, patch),
        Seen::Retry => drop(run.retry(now, &RetryOptions::default())),
    }
}

/// Keeps in mind which node something is new of.
fn hear(run: &mut Run, seen: &Seen) {
    match seen {
        Seen::Pod { node, .. }
        | Seen::PodGone { node }
        | Seen::PodLost { node, .. }
        | Seen::Result { node, .. }
        | Seen::Task { node, .. } => {
            run.todo.hear(node.clone());
        }
        Seen::Patch(_) => run.todo.swept = None,
        Seen::Stop
        | Seen::Terminate
        | Seen::Suspend
        | Seen::Resume { .. }
        | Seen::StopNode { .. }
        | Seen::Retry => {}
    }
}

fn shut_down(run: &mut Run, shutdown: Shutdown) {
    match run.behaviour.repeated_shutdown {
        RepeatedShutdown::OnlyUp if run.workflow.spec.shutdown >= Some(shutdown) => return,
        RepeatedShutdown::LastCounts | RepeatedShutdown::OnlyUp => {}
    }
    run.workflow.spec.shutdown = Some(shutdown);
    run.spec_changed();
}

impl Run {
    /// A manual retry: the workflow goes on. Nothing moves when that is refused.
    pub(crate) fn retry(&mut self, now: Timestamp, options: &RetryOptions) -> Result<(), RetryError> {
        let retried = crate::again::retry(&self.object(), options, now)?;
        self.take_up(retried.workflow);
        match self.behaviour.retried_phase {
            RetriedPhase::Unset => {}
            RetriedPhase::Running => self.state.phase = WorkflowPhase::Running,
        }
        Ok(())
    }

    /// The workflow goes on, and all suspend nodes that run; parameters that wait for a value take their
    /// defaults. Nothing moves when one has none.
    pub(crate) fn resume(&mut self, now: Timestamp) -> Result<(), SetError> {
        let mut resumed = Vec::new();
        for (at, node) in self.table.iter() {
            if node.kind == NodeType::Suspend && node.phase == NodePhase::Running {
                let mut outputs = node.outputs.clone();
                outputs.as_mut().map(Arc::make_mut).map_or(Ok(()), take_defaults)?;
                resumed.push((at, outputs));
            }
        }
        self.workflow.spec.suspend = None;
        self.spec_changed();
        for (at, outputs) in resumed {
            let node = self.table.get_mut(at);
            node.outputs = outputs;
            node.phase = NodePhase::Succeeded;
            node.finished_at = Some(now);
        }
        Ok(())
    }

    /// Suspend nodes that a selector means become what a user says. Nothing moves when that is refused.
    pub(crate) fn set_nodes(
        &mut self,
        now: Timestamp,
        selector: &str,
        values: &NodeValues,
    ) -> Result<(), SetError> {
        let before = self.status();
        let mut status = before.clone();
        crate::again::set_nodes(&mut status, selector, values, now)?;
        for (id, node) in &status.nodes {
            if before.nodes.get(id) != Some(node) {
                patch_node(self, node);
            }
        }
        if let Some(outputs) = status.other.get("outputs") {
            self.state.outputs = Outputs::deserialize(outputs).ok();
        }
        Ok(())
    }
}

fn becomes(phase: NodePhase, message: String) -> NodeValues {
    NodeValues { phase: Some(phase), message, ..NodeValues::default() }
}

/// A merge patch on the object; a patched status is taken over as far as a run keeps it.
fn patch_object(run: &mut Run, patch: Value) {
    let mut object = run.workflow.clone();
    object.status = run.status();
    let Ok(mut value) = serde_json::to_value(&object) else { return };
    let touches_status = patch.get("status").cloned();
    merge_patch(&mut value, patch);
    let Ok(patched) = serde_json::from_value::<Workflow>(value) else { return };
    run.workflow.metadata = patched.metadata;
    run.workflow.spec = patched.spec;
    run.spec_changed();
    let patched_nodes = touches_status.as_ref().and_then(|status| status.get("nodes")?.as_object());
    for id in patched_nodes.into_iter().flat_map(serde_json::Map::keys) {
        if let Some(node) = patched.status.nodes.get(&NodeId(id.clone())) {
            patch_node(run, node);
        }
    }
    if let Some(stored) = touches_status.and_then(|status| status.get("storedWorkflowTemplateSpec").cloned())
    {
        patch_stored_spec(run, stored);
    }
}

/// What users change of a node: its outputs, its message, and whether it is over.
fn patch_node(run: &mut Run, patched: &NodeStatus) {
    let Some(at) = run.table.with_id(&patched.id) else { return };
    let node = run.table.get_mut(at);
    node.phase = patched.phase;
    node.message.clone_from(&patched.message);
    node.finished_at = patched.finished_at;
    node.outputs = Some(Arc::new(patched.outputs.clone())).filter(|outputs| **outputs != Outputs::default());
}

fn patch_stored_spec(run: &mut Run, stored: Value) {
    let Some(spec) = &run.spec else { return };
    let Ok(mut value) = serde_json::to_value(spec.as_ref()) else { return };
    merge_patch(&mut value, stored);
    if let Ok(spec) = serde_json::from_value(value) {
        run.spec = Some(Arc::new(spec));
    }
}

/// RFC 7386.
fn merge_patch(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let Value::Object(target) = target else { return };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(&key);
        } else {
            merge_patch(target.entry(key).or_insert(Value::Null), value);
        }
    }
}
