//! What makes a run happen: supervisors, processes under their shims, timers, logs.
//!
//! In: workflows, requests, files of leaves. Out: events for the engine, changes for the hub. It
//! must never decide what comes next: that is the engine's.

pub mod cgroup;
pub mod folder;
pub mod identity;
pub mod logs;
pub mod process;
pub mod projection;
pub mod recover;
pub mod shim;
pub mod supervisor;
pub mod workspace;

use unwind_model::{NodeId, NodeName};

pub use shim::shim_main;

/// Longest name of an object in Kubernetes, and the room that Argo keeps for the hash in it.
const NAME_LIMIT: usize = 253;
const HASH_ROOM: usize = 10;

/// The name that a node's pod would have: `<workflow>-<template>-<hash>`, the workflow's name for
/// the root. Source: Argo `workflow/util/pod_name.go`, `GeneratePodName` (version 2).
pub fn pod_name(workflow: &str, node: &NodeName, template: &str) -> String {
    if node.as_str() == workflow {
        return workflow.to_owned();
    }
    let id = NodeId::of(workflow, node);
    let hash = id.as_str().strip_prefix(workflow).map_or("", |rest| rest.trim_start_matches('-'));
    let mut prefix = match template {
        "" => workflow.to_owned(),
        template => format!("{workflow}-{template}"),
    };
    let mut end = prefix.len().min(NAME_LIMIT - HASH_ROOM - 1);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    prefix.truncate(end);
    format!("{prefix}-{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pod_names_are_argos() {
        let node = NodeName::from("exithooks-bug-dag.level1");
        assert_eq!(pod_name("exithooks-bug-dag", &node, "level1"), "exithooks-bug-dag-level1-1572342152");
        assert_eq!(pod_name("demo", &"demo".into(), "main"), "demo");
        let long = pod_name("demo", &"demo.x".into(), &"t".repeat(300));
        assert!(long.len() <= 253, "{}", long.len());
    }
}
