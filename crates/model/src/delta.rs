//! Changes of a workflow as sent over the wire, and how they are made and applied.
//!
//! In: two states of a workflow, or a state and a delta. Out: a delta, or the new state.
//! Applying `diff(old, new)` to `old` gives `new`. Times keep their milliseconds here.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::ids::NodeId;
use crate::status::{NodeStatus, WorkflowStatus};
use crate::workflow::Workflow;

/// What happened to one workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowDelta {
    /// Namespace of the workflow.
    pub namespace: String,
    /// Name of the workflow.
    pub name: String,
    /// Unique id, so that a new workflow of the same name is told apart.
    pub uid: String,
    /// Version of the state that this delta leads to.
    pub resource_version: String,
    /// The change itself.
    pub change: DeltaChange,
}

/// The change itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum DeltaChange {
    /// The whole object: first sight, or a new start after a gap.
    Whole {
        /// The object with all its nodes.
        workflow: Box<Workflow>,
    },
    /// Some fields and nodes moved.
    Changed {
        /// Merge patch (RFC 7396) over the object without `status.nodes`.
        fields: Map<String, Value>,
        /// Nodes that are new, moved or gone.
        nodes: Vec<NodeDelta>,
    },
    /// The object is gone.
    Deleted,
}

/// Read by hand, through a JSON value: what serde derives for a tagged enum would hold a second copy of
/// the code that reads a whole workflow, which every page would load.
impl<'de> Deserialize<'de> for DeltaChange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = Map::<String, Value>::deserialize(deserializer)?;
        let mut take = |name: &'static str| object.remove(name).ok_or_else(|| D::Error::missing_field(name));
        let kind = take("type")?;
        match kind.as_str() {
            Some("whole") => {
                let workflow = Workflow::deserialize(&take("workflow")?).map_err(D::Error::custom)?;
                Ok(Self::Whole { workflow: Box::new(workflow) })
            }
            Some("changed") => Ok(Self::Changed {
                fields: Map::deserialize(&take("fields")?).map_err(D::Error::custom)?,
                nodes: Vec::deserialize(&take("nodes")?).map_err(D::Error::custom)?,
            }),
            Some("deleted") => Ok(Self::Deleted),
            _ => Err(D::Error::custom(format!(
                "expected the type `whole`, `changed` or `deleted`, found `{kind}`"
            ))),
        }
    }
}

/// The change of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeDelta {
    /// Which node.
    pub id: NodeId,
    /// Merge patch (RFC 7396) over the node; `None`: the node is gone.
    pub fields: Option<Map<String, Value>>,
}

/// Why a delta cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DeltaError {
    /// It belongs to another object.
    #[error("delta of `{found}` cannot be applied to `{expected}`")]
    OtherObject {
        /// Unique id of the object at hand.
        expected: String,
        /// Unique id in the delta.
        found: String,
    },
    /// The object is gone, so there is nothing to change.
    #[error("`{name}` is gone")]
    Gone {
        /// Name of the workflow.
        name: String,
    },
    /// What it leads to is no workflow.
    #[error("delta of `{name}` does not lead to a workflow: {source_text}")]
    Misfit {
        /// Name of the workflow.
        name: String,
        /// What did not fit.
        source_text: String,
    },
}

/// What leads from `old` to `new`, two states of one object. An unknown field whose value is `null`
/// counts as absent.
pub fn diff(old: &Workflow, new: &Workflow) -> WorkflowDelta {
    let before = object(&without_nodes(old));
    let after = object(&without_nodes(new));
    let fields = merge_patch(&before, &after);
    let mut nodes = Vec::new();
    for id in old.status.nodes.keys().filter(|id| !new.status.nodes.contains_key(*id)) {
        nodes.push(NodeDelta { id: id.clone(), fields: None });
    }
    for (id, node) in &new.status.nodes {
        if let Some(change) = node_change(id, old.status.nodes.get(id), node) {
            nodes.push(change);
        }
    }
    WorkflowDelta::of(new, DeltaChange::Changed { fields, nodes })
}

/// What leads from one state of a node to another; `None` when nothing moved.
pub fn node_change(id: &NodeId, old: Option<&NodeStatus>, new: &NodeStatus) -> Option<NodeDelta> {
    if old == Some(new) {
        return None;
    }
    let before = old.map(object).unwrap_or_default();
    Some(NodeDelta { id: id.clone(), fields: Some(merge_patch(&before, &object(new))) })
}

/// Takes `workflow` to the state that `delta` leads to.
pub fn apply(workflow: &mut Workflow, delta: &WorkflowDelta) -> Result<(), DeltaError> {
    let name = || delta.name.clone();
    if !workflow.metadata.uid.is_empty() && workflow.metadata.uid != delta.uid {
        return Err(DeltaError::OtherObject {
            expected: workflow.metadata.uid.clone(),
            found: delta.uid.clone(),
        });
    }
    match &delta.change {
        DeltaChange::Whole { workflow: whole } => workflow.clone_from(whole),
        DeltaChange::Deleted => return Err(DeltaError::Gone { name: name() }),
        DeltaChange::Changed { fields, nodes } => {
            let misfit = |error: serde_json::Error| DeltaError::Misfit {
                name: name(),
                source_text: error.to_string(),
            };
            let moved = apply_nodes(workflow, nodes).map_err(misfit)?;
            if !fields.is_empty() {
                let mut value = Value::Object(object(&without_nodes(workflow)));
                merge(&mut value, fields);
                let kept = std::mem::take(&mut workflow.status.nodes);
                match Workflow::deserialize(&value) {
                    Ok(changed) => *workflow = changed,
                    Err(error) => {
                        workflow.status.nodes = kept;
                        return Err(misfit(error));
                    }
                }
                workflow.status.nodes = kept;
            }
            for (id, node) in moved {
                match node {
                    Some(node) => drop(workflow.status.nodes.insert(id, node)),
                    None => drop(workflow.status.nodes.remove(&id)),
                }
            }
        }
    }
    Ok(())
}

/// The nodes that move, in their new state; nothing is written yet, so that an error changes nothing.
fn apply_nodes(
    workflow: &Workflow,
    nodes: &[NodeDelta],
) -> Result<Vec<(NodeId, Option<NodeStatus>)>, serde_json::Error> {
    let one = |change: &NodeDelta| {
        let Some(fields) = &change.fields else {
            return Ok((change.id.clone(), None));
        };
        let mut value = Value::Object(workflow.status.nodes.get(&change.id).map(object).unwrap_or_default());
        merge(&mut value, fields);
        Ok((change.id.clone(), Some(NodeStatus::deserialize(&value)?)))
    };
    nodes.iter().map(one).collect()
}

impl WorkflowDelta {
    /// A delta about `workflow`, leading to its resourceVersion.
    pub fn of(workflow: &Workflow, change: DeltaChange) -> Self {
        Self {
            namespace: workflow.metadata.namespace.clone(),
            name: workflow.metadata.name.clone(),
            uid: workflow.metadata.uid.clone(),
            resource_version: workflow.metadata.resource_version.clone(),
            change,
        }
    }

    /// The whole object as a delta.
    pub fn whole(workflow: &Workflow) -> Self {
        Self::of(workflow, DeltaChange::Whole { workflow: Box::new(workflow.clone()) })
    }
}

/// A copy without its nodes, which can be many.
pub fn without_nodes(workflow: &Workflow) -> Workflow {
    let status = &workflow.status;
    Workflow {
        api_version: workflow.api_version.clone(),
        kind: workflow.kind.clone(),
        metadata: workflow.metadata.clone(),
        spec: workflow.spec.clone(),
        status: WorkflowStatus {
            phase: status.phase,
            started_at: status.started_at,
            finished_at: status.finished_at,
            message: status.message.clone(),
            progress: status.progress.clone(),
            nodes: BTreeMap::new(),
            compressed_nodes: status.compressed_nodes.clone(),
            offload_node_status_version: status.offload_node_status_version.clone(),
            other: status.other.clone(),
        },
        other: workflow.other.clone(),
    }
}

fn object<T: Serialize>(value: &T) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        // Types of this crate are maps with text keys, which JSON always can write.
        Ok(_) | Err(_) => Map::new(),
    }
}

/// RFC 7396: what leads from `old` to `new`; `null` removes.
fn merge_patch(old: &Map<String, Value>, new: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for key in old.keys().filter(|key| new.get(*key).is_none_or(Value::is_null)) {
        if !old[key].is_null() {
            patch.insert(key.clone(), Value::Null);
        }
    }
    for (key, value) in new {
        match (old.get(key), value) {
            (Some(before), _) if before == value => {}
            (_, Value::Null) => {}
            (Some(Value::Object(before)), Value::Object(after)) => {
                patch.insert(key.clone(), Value::Object(merge_patch(before, after)));
            }
            _ => drop(patch.insert(key.clone(), value.clone())),
        }
    }
    patch
}

/// RFC 7396: applies a patch.
fn merge(target: &mut Value, patch: &Map<String, Value>) {
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(map) = target.as_object_mut() else {
        return;
    };
    for (key, value) in patch {
        match value {
            Value::Null => drop(map.remove(key)),
            Value::Object(inside) => merge(map.entry(key.clone()).or_insert(Value::Null), inside),
            _ => drop(map.insert(key.clone(), value.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workflow(value: Value) -> Workflow {
        Workflow::deserialize(value).expect("a workflow")
    }

    fn check(old: Value, new: Value) -> WorkflowDelta {
        let (mut state, new) = (workflow(old), workflow(new));
        let delta = diff(&state, &new);
        let wire: WorkflowDelta =
            serde_json::from_str(&serde_json::to_string(&delta).expect("JSON")).expect("a delta");
        assert_eq!(wire, delta);
        apply(&mut state, &wire).expect("applies");
        assert_eq!(state, new);
        delta
    }

    #[test]
    fn applying_a_difference_gives_the_new_state() {
        let old = json!({"metadata": {"name": "w", "uid": "u", "resourceVersion": "1", "labels": {"a": "1", "b": "2"}},
            "spec": {"entrypoint": "m", "templates": [{"name": "m"}]},
            "status": {"phase": "Running", "startedAt": "2026-03-02T09:00:00Z", "nodes": {
                "w": {"id": "w", "name": "w", "type": "DAG", "phase": "Running", "startedAt": "2026-03-02T09:00:00Z", "finishedAt": null},
                "w-1": {"id": "w-1", "name": "w.a", "type": "Pod", "phase": "Pending", "children": ["w-2"]}}}});
        let new = json!({"metadata": {"name": "w", "uid": "u", "resourceVersion": "2", "labels": {"a": "1"}},
            "spec": {"entrypoint": "m", "templates": [{"name": "m"}], "shutdown": "Stop"},
            "status": {"phase": "Running", "startedAt": "2026-03-02T09:00:00Z", "nodes": {
                "w": {"id": "w", "name": "w", "type": "DAG", "phase": "Running", "startedAt": "2026-03-02T09:00:00Z", "finishedAt": null},
                "w-2": {"id": "w-2", "name": "w.b", "type": "Pod", "phase": "Failed", "finishedAt": "2026-03-02T09:00:01.250Z"}}}});
        let delta = check(old.clone(), new.clone());
        let DeltaChange::Changed { fields, nodes } = &delta.change else { panic!("{delta:?}") };
        assert_eq!(
            Value::Object(fields.clone()),
            json!({
            "metadata": {"resourceVersion": "2", "labels": {"b": null}}, "spec": {"shutdown": "Stop"}})
        );
        assert_eq!(nodes.len(), 2, "the root did not move: {nodes:?}");
        check(new.clone(), old);
        check(new.clone(), new);
    }

    #[test]
    fn a_delta_of_another_object_is_refused() {
        let mut state = workflow(json!({"metadata": {"name": "w", "uid": "u"}}));
        let other = workflow(json!({"metadata": {"name": "w", "uid": "v"}}));
        assert!(matches!(
            apply(&mut state, &WorkflowDelta::whole(&other)),
            Err(DeltaError::OtherObject { .. })
        ));
    }

    #[test]
    fn a_delta_that_does_not_fit_changes_nothing() {
        let mut state =
            workflow(json!({"metadata": {"name": "w", "uid": "u"}, "status": {"nodes": {"w": {"id": "w"}}}}));
        let before = state.clone();
        let change = DeltaChange::Changed {
            fields: object(&json!({"spec": {"templates": 1}})),
            nodes: vec![NodeDelta { id: "w".into(), fields: None }],
        };
        let delta = WorkflowDelta::of(&state, change);
        assert!(matches!(apply(&mut state, &delta), Err(DeltaError::Misfit { .. })));
        assert_eq!(state, before);
    }
}
