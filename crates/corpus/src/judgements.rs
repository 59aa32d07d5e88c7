//! Runs of the real controller: their final states are judged, and held against what was recorded.
//!
//! In: traces as `traces/README.md` describes them, one line a pass. Two things must agree: what is
//! left unfinished is what the controller left, and a stop is never taken to be earlier than it was
//! asked.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::{Map, Value, json};
use unwind_engine::verdict::FindingKind;
use unwind_engine::{Trace, judge, lower};
use unwind_model::{NodePhase, Timestamp, Workflow};

use crate::cases::{Outcome, Report};

/// The first pass of every trace is set on this instant, 2026-03-02T09:00:00Z.
const FIRST_PASS: Timestamp = Timestamp(1_772_442_000_000);

/// A trace put together to what is left of it.
struct Recorded {
    /// The object after the last pass.
    workflow: Workflow,
    /// Nodes that are not fulfilled at the end.
    unfinished: BTreeSet<String>,
    /// The run is over and nobody will look at it again.
    is_completed: bool,
    /// Time of the last pass before a shutdown was asked.
    before_shutdown: Option<Timestamp>,
}

/// Judges every trace in a folder of groups, sorted by name.
pub fn replay(folder: &Path) -> anyhow::Result<Vec<Report>> {
    let mut files = Vec::new();
    for group in fs::read_dir(folder)? {
        let group = group?.path();
        if !group.is_dir() {
            continue;
        }
        for file in fs::read_dir(group)? {
            let file = file?.path();
            if file.extension().is_some_and(|end| end == "jsonl") {
                files.push(file);
            }
        }
    }
    files.sort();
    files.iter().map(|file| report(folder, file)).collect()
}

fn report(folder: &Path, file: &PathBuf) -> anyhow::Result<Report> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let recorded = put_together(&text).with_context(|| format!("`{}` is no trace", file.display()))?;
    let name = file.strip_prefix(folder).unwrap_or(file).with_extension("");
    let result = if recorded.is_completed {
        let reasons = compare(&recorded);
        if reasons.is_empty() { Outcome::Passed } else { Outcome::Failed(reasons) }
    } else {
        Outcome::NotYet("never completed".to_owned())
    };
    Ok(Report { name: name.display().to_string(), result })
}

fn compare(recorded: &Recorded) -> Vec<String> {
    let workflow = &recorded.workflow;
    let (plan, _) = lower(workflow);
    let trace = Trace::from_workflow(&plan, workflow);
    let judgement = judge(&plan, &trace);
    let left: BTreeSet<&str> = judgement
        .findings
        .iter()
        .filter(|finding| finding.kind == FindingKind::LeftUnfinished)
        .map(|finding| finding.node.as_str())
        .collect();
    let open: BTreeSet<&str> = trace
        .spans
        .iter()
        .filter(|span| matches!(span.phase, NodePhase::Pending | NodePhase::Running))
        .map(|span| span.node.as_str())
        .filter(|node| recorded.unfinished.contains(*node))
        .collect();
    let mut reasons: Vec<String> =
        open.difference(&left).map(|node| format!("not found: left-unfinished {node}")).collect();
    reasons.extend(left.difference(&open).map(|node| format!("not wanted: left-unfinished {node}")));
    let seen = trace.shutdown.and_then(|shutdown| shutdown.at);
    if let (Some(seen), Some(before)) = (seen, recorded.before_shutdown)
        && seen < before
    {
        reasons.push(format!("the shutdown is set on {seen}, before the pass at {before}"));
    }
    reasons
}

/// Merges the passes: the stored state after the last one.
fn put_together(text: &str) -> anyhow::Result<Recorded> {
    let lines: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let [input, passes @ .., end] = lines.as_slice() else {
        bail!("expected an input, passes and an end, found {} lines", lines.len());
    };
    let mut object = input["workflow"].clone();
    let (mut nodes, mut before, mut shutdown) = (Map::new(), None, None);
    for pass in passes {
        for event in pass["events"].as_array().into_iter().flatten() {
            let strategy = match event["do"].as_str() {
                Some("stop") => "Stop",
                Some("terminate") => "Terminate",
                Some("deadline0") => {
                    object["spec"]["activeDeadlineSeconds"] = json!(0);
                    continue;
                }
                Some(_) | None => continue,
            };
            object["spec"]["shutdown"] = json!(strategy);
            shutdown = before;
        }
        before = at(&pass["t"]);
        for (name, node) in pass["nodes"].as_object().into_iter().flatten() {
            match node {
                Value::Null => nodes.shift_remove(name),
                node => nodes.insert(name.clone(), node.clone()),
            };
        }
    }
    let wf = &passes.last().context("expected a pass, found none")?["wf"];
    let by_id: Map<String, Value> = nodes.into_iter().map(|(name, node)| stored(&name, node)).collect();
    object["status"] = json!({"phase": wf["phase"], "message": wf["message"], "nodes": by_id,
        "startedAt": FIRST_PASS.to_string(), "finishedAt": before.map(|at| at.to_string())});
    let unfinished = end["unfinished"].as_array().into_iter().flatten();
    Ok(Recorded {
        workflow: serde_json::from_value(object)?,
        unfinished: unfinished.filter_map(|node| node.as_str().map(str::to_owned)).collect(),
        is_completed: end["end"] == "completed",
        before_shutdown: shutdown,
    })
}

/// A node as the object holds it: by id, with its name and with times of day.
fn stored(name: &str, mut node: Value) -> (String, Value) {
    node["name"] = json!(name);
    for time in ["startedAt", "finishedAt"] {
        node[time] = at(&node[time]).map_or(Value::Null, |at| json!(at.to_string()));
    }
    (node["id"].as_str().unwrap_or(name).to_owned(), node)
}

/// Seconds since the first pass as an instant.
fn at(seconds: &Value) -> Option<Timestamp> {
    seconds.as_i64().map(|seconds| Timestamp(FIRST_PASS.0 + seconds * 1000))
}
