//! Names of pods.
//! Source: Argo `workflow/util/pod_name.go`, `GeneratePodName`, `GetWorkflowPodNameVersion`;
//! `workflow/controller/agent.go`, `getAgentPodName`.

use unwind_model::{NodeId, NodeName};

/// Annotation of a workflow that says how its pods are named.
pub const FORMAT_ANNOTATION: &str = "workflows.argoproj.io/pod-name-format";

/// Longest start of a name, in bytes: 253 for a name, less 10 for the hash, less the `-`.
const LONGEST_PREFIX: usize = 242;

/// How pods are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodNames {
    /// By node id. The controller does so when its `POD_NAMES` is `v1`.
    V1,
    /// By workflow, template and hash of the node's name.
    #[default]
    V2,
}

impl PodNames {
    /// What an annotation says; without one the controller writes `v2`.
    pub fn of(annotation: Option<&str>) -> Self {
        match annotation {
            None | Some("v2") => Self::V2,
            Some(_) => Self::V1,
        }
    }

    /// The name of a node's pod. `template` is the template's own name, empty for one in place.
    pub fn name(self, workflow: &str, node: &NodeName, template: &str) -> String {
        let id = NodeId::of(workflow, node);
        match self {
            Self::V1 => id.0,
            Self::V2 if node.as_str() == workflow => id.0,
            Self::V2 => {
                // The id is the workflow's name, `-` and the hash.
                let hash = &id.0[workflow.len() + 1..];
                let prefix =
                    if template.is_empty() { workflow.to_owned() } else { format!("{workflow}-{template}") };
                format!("{}-{hash}", shortened(&prefix))
            }
        }
    }
}

/// The name of the pod that makes the requests of a workflow's HTTP and plug-in nodes.
pub fn agent(workflow: &str) -> String {
    format!("{}-agent", NodeId::of(workflow, &NodeName::from("agent")))
}

fn shortened(prefix: &str) -> &str {
    let mut end = prefix.len().min(LONGEST_PREFIX);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    &prefix[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_argos() {
        let name = |node: &str, template: &str| PodNames::V2.name("lim", &NodeName::from(node), template);
        assert_eq!(name("lim.a", "lock"), "lim-lock-659336516");
        assert_eq!(name("lim", "root"), "lim");
        assert_eq!(name("lim.a", ""), "lim-659336516");
        assert_eq!(PodNames::V1.name("lim", &NodeName::from("lim.a"), "lock"), "lim-659336516");
        assert_eq!(agent("typ"), "typ-1340600742-agent");
    }

    #[test]
    fn the_annotation_decides() {
        assert_eq!(PodNames::of(None), PodNames::V2);
        assert_eq!(PodNames::of(Some("v2")), PodNames::V2);
        assert_eq!(PodNames::of(Some("v1")), PodNames::V1);
    }

    #[test]
    fn long_names_keep_their_hash() {
        let workflow = "w".repeat(200);
        let node = NodeName(format!("{workflow}.a"));
        let name = PodNames::V2.name(&workflow, &node, &"t".repeat(100));
        assert!(name.len() <= 253);
        let (prefix, hash) = name.rsplit_once('-').expect("a hash");
        assert_eq!(prefix, format!("{workflow}-{}", "t".repeat(41)));
        assert!(NodeId::of(&workflow, &node).as_str().ends_with(hash));
    }
}
