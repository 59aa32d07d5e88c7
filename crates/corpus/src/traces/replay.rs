//! One trace, pass by pass: the recorded state and the engine's are kept side by side and compared after each
//! pass.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use unwind_model::{NodeId, NodeStatus, Timestamp, WorkflowStatus};

use super::compare::differences;
use super::recorded::{Pass, Pods, Recorded, read};
use super::texts::normalise;
use super::{Difference, FIRST_PASS, Options, Report, Subject, adapter};
use crate::panics::catch;

/// A pod moves this long before the pass that sees it (`traces/README.md`).
pub const BEFORE_PASS_MS: i64 = 3000;

/// Fields of nodes that the recorder left out, and the name, which is the key there.
const NOT_RECORDED: [&str; 4] = ["name", "resourcesDuration", "hostNodeName", "estimatedDuration"];

/// Replays the text of the trace `group/name`.
pub fn replay_text(trace: &str, text: &str, options: &Options) -> Report {
    let group = trace.split_once('/').map_or("", |(group, _)| group);
    let mut report = Report {
        trace: trace.to_owned(),
        group: group.to_owned(),
        argo: String::new(),
        passes: 0,
        differences: Vec::new(),
    };
    match read(text) {
        Ok(recorded) => {
            report.argo.clone_from(&recorded.input.argo);
            report.passes = recorded.passes.len();
            report.differences = replay(&recorded, options);
        }
        Err(error) => report.differences.push(replay_difference(0, "unreadable", &format!("{error:#}"))),
    }
    report
}

/// A difference that says why a replay could not go on.
pub fn replay_difference(pass: usize, field: &str, why: &str) -> Difference {
    Difference {
        pass,
        subject: Subject::Replay,
        field: field.to_owned(),
        expected: None,
        got: Some(json!(why)),
    }
}

fn replay(recorded: &Recorded, options: &Options) -> Vec<Difference> {
    let mut run = match adapter::start(&recorded.input, FIRST_PASS) {
        Ok(run) => run,
        Err(error) => return vec![replay_difference(0, "unreadable", &error.to_string())],
    };
    let mut sides = Sides::new(&recorded.end.unordered);
    let mut all: Vec<Difference> = Vec::new();
    let mut before: Vec<Difference> = Vec::new();
    for pass in &recorded.passes {
        let now = FIRST_PASS + pass.t * 1000;
        let stepped = catch(|| {
            for event in &pass.events {
                adapter::tell(&mut run, now + -BEFORE_PASS_MS, event);
            }
            adapter::pods(run.pass(now))
        });
        let pods = match stepped {
            Ok(pods) => pods,
            Err(why) => {
                all.push(replay_difference(pass.n, "panic", &why));
                return all;
            }
        };
        let mut found = sides.compare(pass, run.status());
        found.extend(compare_pods(pass, &pods));
        let fresh = found.iter().filter(|new| !before.iter().any(|old| is_same(old, new)));
        all.extend(fresh.cloned());
        before = found;
        if options.stop_at_first && !all.is_empty() {
            return all;
        }
    }
    let should_be_completed = recorded.end.end == "completed";
    if run.is_completed() != should_be_completed {
        all.push(Difference {
            pass: recorded.passes.len(),
            subject: Subject::Workflow,
            field: "completed".to_owned(),
            expected: Some(json!(should_be_completed)),
            got: Some(json!(run.is_completed())),
        });
    }
    all
}

/// The same difference, one pass later.
fn is_same(old: &Difference, new: &Difference) -> bool {
    !matches!(new.subject, Subject::Pod { .. }) && Difference { pass: new.pass, ..old.clone() } == *new
}

/// The stored state after a pass, as recorded and as the engine has it.
struct Sides<'a> {
    unordered: &'a [String],
    expected: BTreeMap<String, Value>,
    got: BTreeMap<String, Value>,
    /// The engine's nodes as they were, to tell which have changed.
    last: BTreeMap<NodeId, NodeStatus>,
    /// Nodes that differed after the last pass.
    differing: BTreeSet<String>,
}

impl<'a> Sides<'a> {
    fn new(unordered: &'a [String]) -> Self {
        Self {
            unordered,
            expected: BTreeMap::new(),
            got: BTreeMap::new(),
            last: BTreeMap::new(),
            differing: BTreeSet::new(),
        }
    }

    /// Takes both sides on by one pass and gives where they differ.
    fn compare(&mut self, pass: &Pass, status: WorkflowStatus) -> Vec<Difference> {
        let mut touched = std::mem::take(&mut self.differing);
        self.take_recorded(pass, &mut touched);
        let own = compare_workflow(pass, &status);
        self.take_engines(status, &mut touched);
        let mut found = Vec::new();
        for name in touched {
            let (expected, got) = (self.expected.get(&name), self.got.get(&name));
            let places = differences("", expected, got);
            if places.is_empty() {
                continue;
            }
            let kind = expected.or(got).map(kind_of).unwrap_or_default();
            found.extend(places.into_iter().map(|place| Difference {
                pass: pass.n,
                subject: Subject::Node { node: name.clone(), kind: kind.clone() },
                field: place.path,
                expected: place.expected,
                got: place.got,
            }));
            self.differing.insert(name);
        }
        found.extend(own);
        found
    }

    fn take_recorded(&mut self, pass: &Pass, touched: &mut BTreeSet<String>) {
        for (name, node) in &pass.nodes {
            touched.insert(name.clone());
            if node.is_null() {
                self.expected.remove(name);
            } else {
                let node = self.comparable(node.clone());
                self.expected.insert(name.clone(), node);
            }
        }
    }

    fn take_engines(&mut self, status: WorkflowStatus, touched: &mut BTreeSet<String>) {
        for (id, node) in &self.last {
            if !status.nodes.contains_key(id) {
                self.got.remove(node.name.as_str());
                touched.insert(node.name.0.clone());
            }
        }
        for (id, node) in &status.nodes {
            if self.last.get(id) == Some(node) {
                continue;
            }
            touched.insert(node.name.0.clone());
            let value = self.comparable(engines_node(node));
            self.got.insert(node.name.0.clone(), value);
        }
        self.last = status.nodes;
    }

    /// A node with its texts normalised and the lists sorted whose order is random.
    fn comparable(&self, mut node: Value) -> Value {
        normalise(&mut node);
        for key in self.unordered {
            if let Some(Value::Array(list)) = node.get_mut(key) {
                list.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            }
        }
        node
    }
}

/// A node of the engine in the form of a trace.
fn engines_node(node: &NodeStatus) -> Value {
    let mut value = serde_json::to_value(node).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        for key in NOT_RECORDED {
            fields.shift_remove(key);
        }
        for (key, time) in [("startedAt", node.started_at), ("finishedAt", node.finished_at)] {
            fields.insert(key.to_owned(), time.map_or(Value::Null, |at| json!(seconds(at))));
        }
    }
    value
}

fn seconds(at: Timestamp) -> i64 {
    (at - FIRST_PASS).div_euclid(1000)
}

/// Type of a node, with a mark for the top node of a hook and for a try.
fn kind_of(node: &Value) -> String {
    let kind = node["type"].as_str().unwrap_or_default();
    if node["nodeFlag"]["hooked"] == true {
        format!("{kind}(hook)")
    } else if node["nodeFlag"]["retried"] == true {
        format!("{kind}(try)")
    } else {
        kind.to_owned()
    }
}

fn compare_workflow(pass: &Pass, status: &WorkflowStatus) -> Vec<Difference> {
    let mut expected = Value::Object(pass.wf.clone());
    let mut got = Value::Object(adapter::workflow_part(status));
    normalise(&mut expected);
    normalise(&mut got);
    let places = differences("", Some(&expected), Some(&got)).into_iter();
    let difference = |place: super::compare::Place| Difference {
        pass: pass.n,
        subject: Subject::Workflow,
        field: place.path,
        expected: place.expected,
        got: place.got,
    };
    places.map(difference).collect()
}

fn compare_pods(pass: &Pass, got: &Pods) -> Vec<Difference> {
    let mut found = Vec::new();
    let expected_created = by_node(&pass.pods.created);
    let mut got_created = by_node(&got.created);
    for (node, created) in &mut got_created {
        let is_env_recorded = expected_created.get(node).is_some_and(|recorded| recorded.contains_key("env"));
        if !is_env_recorded {
            created.shift_remove("env");
        }
    }
    let nodes: BTreeSet<&String> = expected_created.keys().chain(got_created.keys()).collect();
    for node in nodes {
        let as_value =
            |side: &BTreeMap<String, Map<String, Value>>| side.get(node).cloned().map(Value::Object);
        let (expected, got) = (as_value(&expected_created), as_value(&got_created));
        found.extend(differences("", expected.as_ref(), got.as_ref()).into_iter().map(|place| Difference {
            pass: pass.n,
            subject: Subject::Pod { act: "created", node: node.clone() },
            field: place.path,
            expected: place.expected,
            got: place.got,
        }));
    }
    let lists = [
        ("kill", &pass.pods.kill, &got.kill),
        ("deleted", &pass.pods.deleted, &got.deleted),
        ("released", &pass.pods.released, &got.released),
    ];
    for (act, expected, got) in lists {
        let expected: BTreeSet<&String> = expected.iter().collect();
        let got: BTreeSet<&String> = got.iter().collect();
        found.extend(expected.symmetric_difference(&got).map(|node| Difference {
            pass: pass.n,
            subject: Subject::Pod { act, node: (*node).clone() },
            field: String::new(),
            expected: expected.contains(*node).then(|| json!(act)),
            got: got.contains(*node).then(|| json!(act)),
        }));
    }
    found
}

/// Pods by their node, with their texts normalised; the agent's is under `agent`.
fn by_node(created: &[Value]) -> BTreeMap<String, Map<String, Value>> {
    let mut pods = BTreeMap::new();
    for pod in created {
        let mut pod = pod.clone();
        normalise(&mut pod);
        if let Value::Object(fields) = pod {
            let node = fields.get("node").and_then(Value::as_str).unwrap_or("agent").to_owned();
            pods.insert(node, fields);
        }
    }
    pods
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::{Value, json};
    use unwind_model::{NodeStatus, Timestamp};

    use super::engines_node;
    use crate::traces::FIRST_PASS;
    use crate::traces::recorded::read;

    /// A recorded node as the object has it.
    fn stored(name: &str, node: &Value) -> NodeStatus {
        let mut node = node.clone();
        node["name"] = json!(name);
        for key in ["startedAt", "finishedAt"] {
            let at = node[key].as_i64().map(|seconds| Timestamp(FIRST_PASS.0 + seconds * 1000).to_string());
            node[key] = json!(at);
        }
        serde_json::from_value(node).expect("a recorded node can be read")
    }

    #[test]
    fn every_recorded_node_comes_through_the_model_unchanged() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["traces", "traces-kfp"] {
            check_nodes(&here.join("tests/fixtures").join(folder));
        }
    }

    fn check_nodes(folder: &Path) {
        for (trace, file) in crate::traces::folder::names(folder).unwrap_or_default() {
            let recorded = read(&fs::read_to_string(file).expect("readable")).expect("a trace");
            for (name, node) in recorded.passes.iter().flat_map(|pass| &pass.nodes) {
                if !node.is_null() {
                    assert_eq!(&engines_node(&stored(name, node)), node, "{trace}: {name}");
                }
            }
        }
    }
}
