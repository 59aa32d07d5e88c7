//! What users do to suspended nodes: resume them, stop them, set their outputs.
//! Source: Argo `workflow/util/util.go`, `ResumeWorkflow`, `updateSuspendedNode`, `StopWorkflow`,
//! `SetWorkflow`, `OverrideOutputParametersWithDefault`, `AddParamToGlobalScope`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;
use unwind_model::params::{Outputs, Parameter};
use unwind_model::{NodePhase, NodeStatus, NodeType, Timestamp, WorkflowStatus};

use crate::selector::{Selector, SelectorError};

/// What suspended nodes are to become.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeValues {
    /// The new phase: `Succeeded` for resume, `Failed` for stop; none leaves them suspended.
    pub phase: Option<NodePhase>,
    /// The new message; empty leaves the old one.
    pub message: String,
    /// Values of output parameters that the nodes wait for, in order of name.
    pub output_parameters: Vec<(String, String)>,
}

/// Why suspended nodes cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetError {
    /// The selector cannot be read.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// No suspended node is meant, or nothing was to be changed. The selector.
    #[error("currently, set only targets suspend nodes: no suspend nodes matching nodeFieldSelector: {0}")]
    NoNode(String),
    /// The node has no outputs at all.
    #[error("cannot set output parameters because node is not expecting any raw parameters")]
    NoOutputs,
    /// The parameter does not wait for a value.
    #[error("cannot set output parameter '{0}' because it does not use valueFrom.raw or it was already set")]
    NotSupplied(String),
    /// The node has no such parameter.
    #[error("node is not expecting output parameter '{0}'")]
    NoParameter(String),
    /// A parameter waits for a value and has no default.
    #[error("raw output parameter '{0}' has not been set and does not have a default value")]
    NoDefault(String),
}

/// Changes the suspended nodes that a selector means. Nothing is changed when there is an error.
pub fn set_nodes(
    status: &mut WorkflowStatus,
    selector: &str,
    values: &NodeValues,
    now: Timestamp,
) -> Result<(), SetError> {
    let parsed = Selector::parse(selector)?;
    let mut changed = Vec::new();
    let mut global = Vec::new();
    for (id, node) in &status.nodes {
        if is_suspended(node) && parsed.matches(node) {
            changed.push((id.clone(), set_node(node, values, &mut global, now)?));
        }
    }
    let is_change =
        values.phase.is_some() || !values.message.is_empty() || !values.output_parameters.is_empty();
    if changed.is_empty() || !is_change {
        return Err(SetError::NoNode(selector.to_owned()));
    }
    for (id, node) in changed {
        status.nodes.insert(id, node);
    }
    for parameter in global {
        add_global(status, &parameter);
    }
    Ok(())
}

/// Resumes every suspended node; parameters that wait for a value take their defaults. Says whether there
/// was one. Nothing is changed when there is an error. `message` tells who resumed.
pub fn resume_nodes(status: &mut WorkflowStatus, message: &str, now: Timestamp) -> Result<bool, SetError> {
    let mut changed = Vec::new();
    for (id, node) in status.nodes.iter().filter(|(_, node)| is_suspended(node)) {
        let mut node = node.clone();
        take_defaults(&mut node.outputs)?;
        node.phase = NodePhase::Succeeded;
        node.message = match node.message.as_str() {
            "" => message.to_owned(),
            old => format!("{old}; {message}"),
        };
        node.finished_at = Some(now);
        changed.push((id.clone(), node));
    }
    let any = !changed.is_empty();
    for (id, node) in changed {
        status.nodes.insert(id, node);
    }
    Ok(any)
}

/// Source: Argo `workflow_types.go`, `NodeStatus.IsActiveSuspendNode`.
fn is_suspended(node: &NodeStatus) -> bool {
    node.node_type == NodeType::Suspend && node.phase == NodePhase::Running
}

fn set_node(
    node: &NodeStatus,
    values: &NodeValues,
    global: &mut Vec<Parameter>,
    now: Timestamp,
) -> Result<NodeStatus, SetError> {
    let mut node = node.clone();
    if let Some(phase) = values.phase {
        node.phase = phase;
        if phase.is_final() && node.task_result_synced.unwrap_or(true) {
            node.finished_at = Some(now);
        }
    }
    if !values.message.is_empty() {
        node.message.clone_from(&values.message);
    }
    if !values.output_parameters.is_empty() && node.outputs == Outputs::default() {
        return Err(SetError::NoOutputs);
    }
    for (name, value) in &values.output_parameters {
        let parameter = node.outputs.parameters.iter_mut().find(|parameter| parameter.name == *name);
        let parameter = parameter.ok_or_else(|| SetError::NoParameter(name.clone()))?;
        if !is_supplied(parameter) {
            return Err(SetError::NotSupplied(name.clone()));
        }
        parameter.value = Some(value.clone());
        parameter.value_from = None;
        global.push(parameter.clone());
    }
    Ok(node)
}

fn is_supplied(parameter: &Parameter) -> bool {
    parameter.value_from.as_ref().and_then(|from| from.get("supplied")).is_some_and(Value::is_object)
}

/// Gives parameters that wait for a value their defaults.
/// Source: Argo `workflow/util/util.go`, `OverrideOutputParametersWithDefault`.
pub(crate) fn take_defaults(outputs: &mut Outputs) -> Result<(), SetError> {
    for parameter in outputs.parameters.iter_mut().filter(|parameter| is_supplied(parameter)) {
        let default = parameter.value_from.as_ref().and_then(|from| from.get("default"));
        let value = match default {
            None | Some(Value::Null) => return Err(SetError::NoDefault(parameter.name.clone())),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        parameter.value = Some(value);
        parameter.value_from = None;
    }
    Ok(())
}

/// Adds a parameter with a `globalName` to the outputs of the workflow.
fn add_global(status: &mut WorkflowStatus, parameter: &Parameter) {
    let name = parameter.other.get("globalName").and_then(Value::as_str).unwrap_or_default();
    if name.is_empty() {
        return;
    }
    let outputs = status.other.entry("outputs").or_insert_with(|| json!({}));
    let Some(outputs) = outputs.as_object_mut() else { return };
    let list = outputs.entry("parameters").or_insert_with(|| json!([]));
    let Some(list) = list.as_array_mut() else { return };
    match list.iter_mut().find(|each| each["name"] == name) {
        Some(old) => old["value"] = json!(parameter.value),
        None => list.push(json!({"name": name, "value": parameter.value})),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status() -> WorkflowStatus {
        unwind_model::json::read(
            r#"{"nodes":{
            "a":{"id":"a","name":"wf.a","displayName":"a","type":"Suspend","phase":"Running","message":"m","outputs":{"parameters":[
                {"name":"x","globalName":"gx","valueFrom":{"supplied":{},"default":7}},{"name":"y","value":"1"}]}},
            "b":{"id":"b","name":"wf.b","displayName":"b","type":"Suspend","phase":"Running"},
            "c":{"id":"c","name":"wf.c","displayName":"c","type":"Pod","phase":"Running"}}}"#,
        )
        .expect("a status")
    }

    fn show(status: &WorkflowStatus) -> Vec<String> {
        let line = |node: &NodeStatus| {
            let finished = node.finished_at.map_or(0, Timestamp::millis);
            let values: Vec<_> =
                node.outputs.parameters.iter().map(|each| each.value.clone().unwrap_or("-".into())).collect();
            format!("{} {} {finished} {} {}", node.id, node.phase.as_str(), node.message, values.join("/"))
        };
        status.nodes.values().map(line).collect()
    }

    #[test]
    fn resume_ends_every_suspended_node() {
        let mut status = status();
        assert_eq!(resume_nodes(&mut status, "by u", Timestamp(5)), Ok(true));
        assert_eq!(show(&status), ["a Succeeded 5 m; by u 7/1", "b Succeeded 5 by u ", "c Running 0  "]);
        assert_eq!(resume_nodes(&mut status, "", Timestamp(6)), Ok(false));
    }

    #[test]
    fn stop_and_set_change_what_the_selector_means() {
        let mut status = status();
        let stop =
            NodeValues { phase: Some(NodePhase::Failed), message: "no".into(), ..NodeValues::default() };
        assert_eq!(set_nodes(&mut status, "displayName=b", &stop, Timestamp(5)), Ok(()));
        let set = NodeValues { output_parameters: vec![("x".into(), "v".into())], ..NodeValues::default() };
        assert_eq!(set_nodes(&mut status, "id=a", &set, Timestamp(6)), Ok(()));
        assert_eq!(show(&status), ["a Running 0 m v/1", "b Failed 5 no ", "c Running 0  "]);
        assert_eq!(status.other["outputs"], json!({"parameters": [{"name": "gx", "value": "v"}]}));
    }

    #[test]
    fn refusals_have_argos_texts() {
        let refuse = |selector: &str, parameter: &str| {
            let set = NodeValues {
                output_parameters: vec![(parameter.into(), "v".into())],
                ..NodeValues::default()
            };
            set_nodes(&mut status(), selector, &set, Timestamp(0)).expect_err("refused").to_string()
        };
        assert_eq!(
            refuse("id=c", "x"),
            "currently, set only targets suspend nodes: no suspend nodes matching nodeFieldSelector: id=c"
        );
        assert_eq!(refuse("id=b", "x"), SetError::NoOutputs.to_string());
        assert_eq!(refuse("id=a", "z"), "node is not expecting output parameter 'z'");
        assert_eq!(refuse("id=a", "y"), SetError::NotSupplied("y".into()).to_string());
        let mut status = status();
        status.nodes.values_mut().for_each(|node| {
            node.outputs.parameters.iter_mut().for_each(|each| {
                each.value_from = Some(json!({"supplied": {}}));
            });
        });
        assert_eq!(
            resume_nodes(&mut status, "", Timestamp(0)).expect_err("refused").to_string(),
            "raw output parameter 'x' has not been set and does not have a default value"
        );
    }
}
