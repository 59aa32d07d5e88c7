//! Resubmit: a new workflow from an old one, perhaps with what the old one has done already.
//! Source: Argo `workflow/util/util.go`, `FormulateResubmitWorkflow`, `convertNodeID`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use thiserror::Error;
use unwind_model::workflow::ObjectMeta;
use unwind_model::{
    NodeId, NodeName, NodePhase, NodeStatus, NodeType, Timestamp, Workflow, WorkflowPhase, WorkflowStatus,
};

use super::graph::above_succeeded;
use super::parameters::{ParameterError, override_parameters};

/// How a workflow is to be resubmitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResubmitOptions {
    /// Whether what succeeded is kept as done. Only for a workflow that has failed.
    pub memoized: bool,
    /// `name=value` texts that replace arguments.
    pub parameters: Vec<String>,
    /// Five letters or digits that end the new name. Read only with `memoized`, as nodes are named for
    /// their workflow; otherwise the server completes the name.
    pub suffix: String,
}

/// Why a workflow cannot be resubmitted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ResubmitError {
    /// Memoized, and it has not failed.
    #[error("workflow must be Failed/Error to resubmit in memoized mode")]
    NotFailed,
    /// A parameter cannot be read.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// Makes a new workflow from an old one. Labels of the user who asked are the caller's to add.
pub fn resubmit(
    old: &Workflow,
    options: &ResubmitOptions,
    now: Timestamp,
) -> Result<Workflow, ResubmitError> {
    if options.memoized && !matches!(old.status.phase, WorkflowPhase::Failed | WorkflowPhase::Error) {
        return Err(ResubmitError::NotFailed);
    }
    let mut new = Workflow {
        api_version: old.api_version.clone(),
        kind: old.kind.clone(),
        metadata: metadata(&old.metadata),
        spec: old.spec.clone(),
        ..Workflow::default()
    };
    new.spec.shutdown = None;
    if new.spec.active_deadline_seconds == Some(0) {
        new.spec.active_deadline_seconds = None;
    }
    override_parameters(&mut new.spec.arguments, &options.parameters)?;
    if options.memoized {
        new.metadata.name = format!("{}{}", new.metadata.generate_name, options.suffix);
        new.status = done_already(old, &new.metadata.name, now);
    }
    Ok(new)
}

fn metadata(old: &ObjectMeta) -> ObjectMeta {
    let generate_name = match old.generate_name.as_str() {
        "" => format!("{}-", old.name),
        name => name.to_owned(),
    };
    let mut new = ObjectMeta {
        generate_name,
        namespace: old.namespace.clone(),
        labels: old.labels.clone(),
        annotations: old.annotations.clone(),
        ..ObjectMeta::default()
    };
    for label in super::CREATOR.into_iter().chain([super::PHASE, super::COMPLETED, super::ARCHIVING]) {
        new.labels.remove(label);
    }
    new.labels.insert(super::RESUBMITTED_FROM.into(), old.name.clone());
    if let Some(owners) = old.other.get("ownerReferences") {
        new.other.insert("ownerReferences".into(), owners.clone());
    }
    new
}

/// The status of a workflow that has done already what the old one has.
fn done_already(old: &Workflow, name: &str, now: Timestamp) -> WorkflowStatus {
    let renames = Renames { old: &old.metadata.name, new: name, nodes: &old.status.nodes };
    let exit_hook = format!("{}.onExit", old.metadata.name);
    let above = above_succeeded(&old.status.nodes, &|_| true);
    let mut status = WorkflowStatus::default();
    for (id, node) in &old.status.nodes {
        let is_useless = node.node_type == NodeType::Skipped && !above.contains(id);
        if node.name.as_str().starts_with(&exit_hook) || is_useless {
            continue;
        }
        let node = memoized(node, &renames, now);
        status.nodes.insert(node.id.clone(), node);
    }
    if let Some(stored @ Value::Object(_)) = old.status.other.get("storedTemplates") {
        status.other.insert("storedTemplates".into(), stored.clone());
    }
    status.other.insert("conditions".into(), json!([{"type": "Completed", "status": "False"}]));
    status
}

/// A node under its new name: a pod that did not fail is done, all else is to be looked at again.
fn memoized(old: &NodeStatus, renames: &Renames, now: Timestamp) -> NodeStatus {
    let mut node = old.clone();
    let is_pod = node.node_type == NodeType::Pod;
    let has_failed = matches!(node.phase, NodePhase::Failed | NodePhase::Error);
    node.name = renames.name(&old.name);
    node.id = NodeId::of(renames.new, &node.name);
    if !old.boundary_id.is_empty() {
        node.boundary_id = renames.id(&old.boundary_id);
    }
    node.children = old.children.iter().map(|id| renames.id(id)).collect();
    node.outbound_nodes = old.outbound_nodes.iter().map(|id| renames.id(id)).collect();
    let at = if is_pod && has_failed { None } else { Some(now) };
    node.started_at = at;
    node.finished_at = at;
    if is_pod && !has_failed {
        node.phase = NodePhase::Skipped;
        node.node_type = NodeType::Skipped;
        node.message = format!("original pod: {}", old.id);
    } else {
        node.phase = NodePhase::Pending;
        node.message.clear();
    }
    node
}

struct Renames<'a> {
    old: &'a str,
    new: &'a str,
    nodes: &'a BTreeMap<NodeId, NodeStatus>,
}

impl Renames<'_> {
    fn name(&self, name: &NodeName) -> NodeName {
        match name.as_str().strip_prefix(self.old) {
            Some(rest) => NodeName(format!("{}{rest}", self.new)),
            None => name.clone(),
        }
    }

    fn id(&self, id: &NodeId) -> NodeId {
        let name = self.nodes.get(id).map(|node| self.name(&node.name));
        NodeId::of(self.new, &name.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"{"metadata":{"name":"wf","namespace":"ns","uid":"u","labels":{"a":"b",
        "workflows.argoproj.io/phase":"Failed","workflows.argoproj.io/completed":"true",
        "workflows.argoproj.io/creator":"someone"},"annotations":{"c":"d"},"ownerReferences":[{"uid":"o"}],
        "finalizers":["f"]},"spec":{"entrypoint":"main","shutdown":"Stop","activeDeadlineSeconds":0},
        "status":{"phase":"Failed","storedTemplates":{"t":{}},"nodes":{
        "wf":{"id":"wf","name":"wf","type":"DAG","phase":"Failed","children":["wf-1","wf-3"],"outboundNodes":["wf-2"],"message":"m"},
        "wf-1":{"id":"wf-1","name":"wf.a","type":"Pod","phase":"Succeeded","boundaryID":"wf","children":["wf-2","wf-4"],"outputs":{"result":"r"}},
        "wf-2":{"id":"wf-2","name":"wf.b","type":"Pod","phase":"Failed","boundaryID":"wf","message":"main: Error (exit code 1)"},
        "wf-3":{"id":"wf-3","name":"wf.c","type":"Skipped","phase":"Skipped","boundaryID":"wf","children":["wf-1"]},
        "wf-4":{"id":"wf-4","name":"wf.d","type":"Skipped","phase":"Omitted","boundaryID":"wf"},
        "wf-5":{"id":"wf-5","name":"wf.onExit","type":"Pod","phase":"Succeeded"}}}}"#;

    fn check(options: &ResubmitOptions) -> Result<Workflow, ResubmitError> {
        let old: Workflow = unwind_model::json::read(OLD).expect("a workflow");
        resubmit(&old, options, Timestamp(1_000_000))
    }

    #[test]
    fn a_new_workflow_keeps_spec_and_user_metadata() {
        let new =
            check(&ResubmitOptions { parameters: vec!["x=1".into()], ..Default::default() }).expect("new");
        assert_eq!(
            serde_json::to_value(&new).expect("value"),
            json!({
                "metadata": {"generateName": "wf-", "namespace": "ns",
                    "labels": {"a": "b", "workflows.argoproj.io/resubmitted-from-workflow": "wf"},
                    "annotations": {"c": "d"}, "ownerReferences": [{"uid": "o"}]},
                "spec": {"entrypoint": "main", "arguments": {"parameters": [{"name": "x", "value": "1"}]}},
            })
        );
    }

    #[test]
    fn a_memoized_one_has_succeeded_pods_as_done() {
        let options = ResubmitOptions { memoized: true, suffix: "abcde".into(), ..Default::default() };
        let new = check(&options).expect("new");
        assert_eq!(new.metadata.name, "wf-abcde");
        let mut lines = Vec::new();
        for node in new.status.nodes.values() {
            let result = node.outputs.result.as_deref().unwrap_or("-");
            let at = node.started_at.map_or("never".to_owned(), |at| at.to_string());
            let (name, kind, phase) = (&node.name, node.node_type.as_str(), node.phase.as_str());
            lines.push(format!("{name} {kind} {phase} {result} {at} {}", node.message));
        }
        lines.sort();
        let of = |name: &str| NodeId::of("wf-abcde", &NodeName::from(name));
        assert_eq!(
            lines,
            [
                "wf-abcde DAG Pending - 1970-01-01T00:16:40Z ",
                "wf-abcde.a Skipped Skipped r 1970-01-01T00:16:40Z original pod: wf-1",
                "wf-abcde.b Pod Pending - never ",
                "wf-abcde.c Skipped Pending - 1970-01-01T00:16:40Z ",
            ]
        );
        let root = &new.status.nodes[&of("wf-abcde")];
        assert_eq!(root.children, [of("wf-abcde.a"), of("wf-abcde.c")]);
        assert_eq!(root.outbound_nodes, [of("wf-abcde.b")]);
        assert_eq!(new.status.nodes[&of("wf-abcde.a")].boundary_id, of("wf-abcde"));
        assert_eq!(new.status.other["storedTemplates"], json!({"t": {}}));
    }

    #[test]
    fn only_a_failed_workflow_is_memoized() {
        let mut old: Workflow = unwind_model::json::read(OLD).expect("a workflow");
        old.status.phase = WorkflowPhase::Succeeded;
        let options = ResubmitOptions { memoized: true, ..Default::default() };
        let error = resubmit(&old, &options, Timestamp(0)).expect_err("refused");
        assert_eq!(error.to_string(), "workflow must be Failed/Error to resubmit in memoized mode");
    }
}
