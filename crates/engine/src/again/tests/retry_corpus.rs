//! Manual retry against what the real controller and server did (skipped where the corpus is not at hand).

use std::fs;
use std::path::PathBuf;

use super::*;

fn corpus(path: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus")).join(path)
}

/// Seconds of a trace as an instant.
fn instant(seconds: &Value) -> Option<Timestamp> {
    seconds.as_i64().map(|seconds| Timestamp(seconds * 1000))
}

/// A node of a trace, as it stands in a status.
fn node(name: &str, workflow: &str, value: &Value) -> NodeStatus {
    let mut plain = value.clone();
    let times = ["startedAt", "finishedAt"].map(|key| plain.as_object_mut().and_then(|map| map.remove(key)));
    let mut node: NodeStatus = serde_json::from_value(plain).expect("a node");
    node.name = name.into();
    node.id = NodeId::of(workflow, &node.name);
    let [started, finished] = times.map(|time| instant(&time.unwrap_or_default()));
    (node.started_at, node.finished_at) = (started, finished);
    node
}

fn merge(target: &mut Value, patch: &Value) {
    let (Value::Object(target), Value::Object(patch)) = (&mut *target, patch) else {
        *target = patch.clone();
        return;
    };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

/// Follows a trace; at each retry, what comes out must fit what the next pass shows. Says how many there were.
fn follow(text: &str) -> usize {
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    let mut object = lines[0]["workflow"].clone();
    let name = object["metadata"]["name"].as_str().expect("a name").to_owned();
    let mut nodes: BTreeMap<NodeId, NodeStatus> = BTreeMap::new();
    let mut phase = Value::Null;
    let mut retries = 0;
    for line in &lines[1..lines.len() - 1] {
        let is_retry = line["events"].as_array().into_iter().flatten().any(|event| {
            match event["do"].as_str() {
                Some("deadline0") => merge(&mut object, &json!({"spec": {"activeDeadlineSeconds": 0}})),
                Some("patch") => merge(&mut object, &event["patch"]),
                Some("stop") => merge(&mut object, &json!({"spec": {"shutdown": "Stop"}})),
                _ => {}
            }
            event["do"] == "retry"
        });
        if is_retry {
            let mut workflow: Workflow = serde_json::from_value(object.clone()).expect("a workflow");
            workflow.status.nodes.clone_from(&nodes);
            workflow.status.phase = serde_json::from_value(phase.clone()).expect("a phase");
            let at = Timestamp(line["t"].as_i64().expect("t") * 1000 - 3000);
            let again = retry(&workflow, &RetryOptions::default(), at).expect("retried").workflow;
            assert_eq!(again.spec.active_deadline_seconds.filter(|limit| *limit == 0), None);
            nodes = again.status.nodes;
            retries += 1;
        }
        let before = nodes.clone();
        for (full, value) in line["nodes"].as_object().into_iter().flatten() {
            let id = NodeId::of(&name, &full.as_str().into());
            if value.is_null() {
                assert!(
                    !is_retry || !nodes.contains_key(&id),
                    "{full} is kept by a retry and gone in the trace"
                );
                nodes.remove(&id);
            } else {
                nodes.insert(id, node(full, &name, value));
            }
        }
        if is_retry {
            fits(&before, &nodes, &line["t"]);
        }
        phase = line["wf"]["phase"].clone();
    }
    retries
}

/// After the pass, a node is as the retry left it, or goes on from there, or has just been made.
fn fits(retried: &BTreeMap<NodeId, NodeStatus>, after: &BTreeMap<NodeId, NodeStatus>, t: &Value) {
    for (id, now) in after {
        match retried.get(id) {
            None => assert_eq!(now.started_at, instant(t), "{id} was to be removed"),
            Some(was) if was.phase.is_final() => {
                assert_eq!((&was.phase, was.finished_at), (&now.phase, now.finished_at), "{id}");
            }
            Some(was) => {
                assert_eq!(was.started_at, now.started_at, "{id} runs again");
                let first: Vec<&NodeId> = now.children.iter().take(was.children.len()).collect();
                assert_eq!(was.children.iter().collect::<Vec<_>>(), first, "{id}");
            }
        }
    }
}

#[test]
fn retries_in_traces_fit_the_pass_after_them() {
    let mut retries = 0;
    for folder in ["traces/deadline", "traces/retry", "traces/conf"] {
        let Ok(entries) = fs::read_dir(corpus(folder)) else { return };
        for entry in entries.flatten() {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            if text.contains(r#""do":"retry""#) {
                retries += follow(&text);
            }
        }
    }
    assert!(retries > 0);
}
