//! Names and ids as types of their own, so that they cannot be mixed up.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
            /// True when nothing is written.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

name_type!(
    /// The key of a node in `status.nodes`: `<workflow>-<hash>`, or the workflow's name for the root.
    NodeId
);
name_type!(
    /// The full name of a node, for example `orchard.press.bottle.onExit` or `wf[0].step(1)`.
    NodeName
);
name_type!(
    /// The name of a template inside one spec.
    TemplateName
);

impl NodeName {
    /// Whether this names something inside `outer` or a hook of it, as far as names tell; items and tries count.
    /// Source: Argo `workflow/controller`: names of what a node holds begin with its own, then `.`, `[` or `(`.
    pub fn lies_inside(&self, outer: &Self) -> bool {
        self.0.strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with(['.', '[', '(']))
    }
}

impl NodeId {
    /// The id that Argo gives a node: the workflow's name for the root node, otherwise
    /// `<workflow>-<h>`, `h` being the decimal 32-bit FNV-1a hash of the full node name.
    /// Source: Argo `pkg/apis/workflow/v1alpha1/workflow_types.go`, `Workflow.NodeID`.
    pub fn of(workflow: &str, node: &NodeName) -> Self {
        if node.as_str() == workflow {
            return Self(workflow.to_owned());
        }
        let hash = fnv1a_32(node.as_str().as_bytes()).to_string();
        Self([workflow, "-", &hash].concat())
    }
}

fn fnv1a_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_lies_inside() {
        let outer = NodeName::from("wf.a");
        let inside = |name: &str| NodeName::from(name).lies_inside(&outer);
        assert!(["wf.a.b", "wf.a[0]", "wf.a(0:x).b", "wf.a.onExit"].into_iter().all(inside));
        assert!(!["wf.a", "wf.ab", "wf"].into_iter().any(inside));
    }

    #[test]
    fn node_ids_are_argos() {
        let id = |name: &str| NodeId::of("exithooks-bug-dag", &NodeName::from(name)).0;
        assert_eq!(id("exithooks-bug-dag"), "exithooks-bug-dag");
        assert_eq!(id("exithooks-bug-dag.level1"), "exithooks-bug-dag-1572342152");
        assert_eq!(id("exithooks-bug-dag.level1.onExit"), "exithooks-bug-dag-3227079995");
    }
}
