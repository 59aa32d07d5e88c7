//! `invalid.json`: broken manifests and the state after their first pass.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Value, json};
use unwind_model::{WorkflowStatus, json as json_text};

use super::compare::differences;
use super::recorded::Input;
use super::replay::replay_difference;
use super::{Difference, FIRST_PASS, Report, Subject, adapter};
use crate::panics::catch;

/// The release that was asked where an entry names none.
const ARGO: &str = "v4.1.2";

/// What stands before the names of the entries.
pub const GROUP: &str = "invalid";

#[derive(Deserialize)]
struct Entry {
    name: String,
    workflow: Value,
    #[serde(default)]
    needs: Vec<Value>,
    #[serde(default)]
    argo: Option<String>,
    phase: String,
    #[serde(default)]
    message: Option<String>,
    /// Type, phase and message of each node; `None` when there is none.
    #[serde(default)]
    nodes: Option<BTreeMap<String, Value>>,
}

/// Replays each entry that is wanted.
pub fn replay(text: &str, is_wanted: &dyn Fn(&str) -> bool) -> anyhow::Result<Vec<Report>> {
    let entries: Vec<Entry> = json_text::read(text)?;
    Ok(entries
        .into_iter()
        .map(|entry| (format!("{GROUP}/{}", entry.name), entry))
        .filter(|(trace, _)| is_wanted(trace))
        .map(|(trace, entry)| Report {
            trace,
            group: GROUP.to_owned(),
            argo: entry.argo.clone().unwrap_or_else(|| ARGO.to_owned()),
            passes: 1,
            differences: compare(entry),
        })
        .collect())
}

fn compare(entry: Entry) -> Vec<Difference> {
    let input = Input {
        group: GROUP.to_owned(),
        name: entry.name,
        argo: entry.argo.unwrap_or_else(|| ARGO.to_owned()),
        workflow: entry.workflow,
        needs: entry.needs,
        controller: None,
    };
    let mut run = match adapter::start(&input, FIRST_PASS) {
        Ok(run) => run,
        Err(error) => return vec![replay_difference(0, "unreadable", &error.to_string())],
    };
    let stepped = catch(|| {
        run.pass(FIRST_PASS);
        run.status()
    });
    let status = match stepped {
        Ok(status) => status,
        Err(why) => return vec![replay_difference(1, "panic", &why)],
    };
    let workflow = |phase: &str, message: &str| json!({"phase": phase, "message": message});
    let expected = workflow(&entry.phase, entry.message.as_deref().unwrap_or_default());
    let got = workflow(status.phase.as_str(), &status.message);
    let mut found = places(&Subject::Workflow, Some(&expected), Some(&got));
    let expected = entry.nodes.unwrap_or_default();
    let got = short_nodes(&status);
    let names: BTreeSet<&String> = expected.keys().chain(got.keys()).collect();
    for name in names {
        let (expected, got) = (expected.get(name), got.get(name));
        let kind = expected.or(got).and_then(|node| node["type"].as_str()).unwrap_or_default();
        let subject = Subject::Node { node: name.clone(), kind: kind.to_owned() };
        found.extend(places(&subject, expected, got));
    }
    found
}

fn places(subject: &Subject, expected: Option<&Value>, got: Option<&Value>) -> Vec<Difference> {
    let places = differences("", expected, got).into_iter();
    let difference = |place: super::compare::Place| Difference {
        pass: 1,
        subject: subject.clone(),
        field: place.path,
        expected: place.expected,
        got: place.got,
    };
    places.map(difference).collect()
}

/// Type, phase and message of each node.
fn short_nodes(status: &WorkflowStatus) -> BTreeMap<String, Value> {
    let short = |node: &unwind_model::NodeStatus| {
        let mut value = json!({"type": node.node_type.as_str(), "phase": node.phase.as_str()});
        if !node.message.is_empty() {
            value["message"] = json!(node.message);
        }
        (node.name.0.clone(), value)
    };
    status.nodes.values().map(short).collect()
}
