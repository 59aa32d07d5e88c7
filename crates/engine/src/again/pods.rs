//! Pods of nodes that are no more.
//! Source: Argo `workflow/util/util.go`, `deletePodNodeDuringRetryWorkflow`.

use std::collections::BTreeSet;

use unwind_model::{NodeName, NodeStatus, Workflow};

use crate::podname::{FORMAT_ANNOTATION, PodNames};
use crate::selector::template_of;

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
    let meta = &workflow.metadata;
    let format = PodNames::of(meta.annotations.get(FORMAT_ANNOTATION).map(String::as_str));
    format.name(&meta.name, &node.name, template_of(node))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_named_for_the_template_in_its_own_document() {
        let mut workflow = Workflow::default();
        workflow.metadata.name = "orchard".into();
        let mut node = NodeStatus { template_name: "cap".into(), ..NodeStatus::default() };
        node.name = "orchard.press.bottle.cap".into();
        assert_eq!(pod_name(&workflow, &node), "orchard-cap-2458972999");
        node.template_ref = Some(serde_json::json!({"name": "lib", "template": "lid"}));
        assert_eq!(pod_name(&workflow, &node), "orchard-lid-2458972999");
        workflow.metadata.annotations.insert(FORMAT_ANNOTATION.into(), "v1".into());
        assert_eq!(pod_name(&workflow, &node), "orchard-2458972999");
    }
}
