//! Pods of nodes that are no more.
//! Source: Argo `workflow/util/pod_name.go`, `GeneratePodName`, `GetWorkflowPodNameVersion`;
//! `workflow/util/util.go`, `deletePodNodeDuringRetryWorkflow`.

use std::collections::BTreeSet;

use unwind_model::{NodeId, NodeName, NodeStatus, Workflow};

use crate::selector::template_of;

/// Kubernetes' longest name, less the longest hash and a dash.
const PREFIX_MAX: usize = 253 - 10 - 1;
const FORMAT: &str = "workflows.argoproj.io/pod-name-format";

/// A pod that is to be deleted; it may be gone already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldPod {
    /// Full name of the node it was made for.
    pub node: NodeName,
    /// Name of the pod.
    pub name: String,
}

/// Collects the pods of nodes, each once.
pub(super) struct Pods<'a> {
    workflow: &'a Workflow,
    names: BTreeSet<String>,
    list: Vec<OldPod>,
}

impl<'a> Pods<'a> {
    pub(super) fn of(workflow: &'a Workflow) -> Self {
        Self { workflow, names: BTreeSet::new(), list: Vec::new() }
    }

    pub(super) fn add(&mut self, node: &NodeStatus) {
        let name = pod_name(self.workflow, node);
        if self.names.insert(name.clone()) {
            self.list.push(OldPod { node: node.name.clone(), name });
        }
    }

    pub(super) fn into_list(self) -> Vec<OldPod> {
        self.list
    }
}

fn pod_name(workflow: &Workflow, node: &NodeStatus) -> String {
    if workflow.metadata.annotations.get(FORMAT).is_some_and(|format| format == "v1") {
        return node.id.0.clone();
    }
    let owner = &workflow.metadata.name;
    if node.name.as_str() == owner {
        return owner.clone();
    }
    let mut prefix = owner.clone();
    let template = template_of(node);
    if !template.is_empty() {
        prefix.push('-');
        prefix.push_str(template);
    }
    while prefix.len() > PREFIX_MAX {
        prefix.pop();
    }
    let id = NodeId::of(owner, &node.name);
    let hash = id.as_str().rsplit('-').next().unwrap_or_default();
    format!("{prefix}-{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pod_names_are_argos() {
        let mut workflow = Workflow::default();
        workflow.metadata.name = "orchard".into();
        let mut node =
            NodeStatus { id: "an-id".into(), template_name: "cap".into(), ..NodeStatus::default() };
        node.name = "orchard.press.bottle.cap".into();
        assert_eq!(pod_name(&workflow, &node), "orchard-cap-2458972999");
        node.template_ref = Some(serde_json::json!({"name": "lib", "template": "t".repeat(300)}));
        assert_eq!(pod_name(&workflow, &node).len(), PREFIX_MAX + 11);
        node.name = "orchard".into();
        assert_eq!(pod_name(&workflow, &node), "orchard");
        workflow.metadata.annotations.insert(FORMAT.into(), "v1".into());
        assert_eq!(pod_name(&workflow, &node), "an-id");
    }
}
