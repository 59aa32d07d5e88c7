//! Names of pods: clients name a node's log by its pod.
//! Source: Argo `workflow/util/pod_name.go`, `GeneratePodName` (format v2).

use unwind_model::{NodeId, NodeName, NodeStatus, Workflow};

/// Kubernetes' longest name, less the longest hash.
const PREFIX_MAX: usize = 253 - 10 - 1;

/// The name of the pod of a node; nodes of the local engine have the name too, though no pod.
pub fn pod_name(workflow: &str, node: &NodeName, template: &str) -> String {
    if node.as_str() == workflow {
        return workflow.to_owned();
    }
    let id = NodeId::of(workflow, node);
    let hash = id.as_str().rsplit('-').next().unwrap_or_default();
    let mut prefix = workflow.to_owned();
    if !template.is_empty() {
        prefix.push('-');
        prefix.push_str(template);
    }
    let fits = prefix.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = fits.take_while(|end| *end <= PREFIX_MAX).last();
    prefix.truncate(end.unwrap_or(0));
    format!("{prefix}-{hash}")
}

/// The node that a client means by the name of a pod, or by a node's id (format v1).
pub fn node_of_pod<'a>(workflow: &'a Workflow, pod: &str) -> Option<&'a NodeStatus> {
    let name = &workflow.metadata.name;
    workflow
        .status
        .nodes
        .values()
        .find(|node| node.id.as_str() == pod || pod_name(name, &node.name, &node.template_name) == pod)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pod_names_are_argos() {
        let name = |node: &str, template: &str| pod_name("orchard", &NodeName::from(node), template);
        assert_eq!(name("orchard.press.bottle.cap", "cap"), "orchard-cap-2458972999");
        assert_eq!(name("orchard.press.bottle.onExit", "rinse"), "orchard-rinse-1727367876");
        assert_eq!(name("orchard", "harvest"), "orchard");
        assert_eq!(name("orchard.x", &"t".repeat(300)).len(), 242 + 11);
    }
}
