//! Runs that nobody stops end node for node as the real controller ends them: ids, names, types,
//! phases, messages, links, inputs and outputs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;
use unwind_engine::rehearse::{Rehearsal, RehearsedLeaf, Simulation};
use unwind_engine::{Behaviour, LeafEnd};
use unwind_model::NodeName;

const RUNS: &str = include_str!("../fixtures/as-controller.jsonl");

/// Fields that must be the same; links as sets, since the controller walks maps.
const FIELDS: [&str; 13] = [
    "id",
    "displayName",
    "type",
    "templateName",
    "templateScope",
    "phase",
    "boundaryID",
    "message",
    "nodeFlag",
    "inputs",
    "outputs",
    "children",
    "outboundNodes",
];

fn simulate(run: &Value) -> Simulation {
    let workflow = serde_json::from_value(run["workflow"].clone()).expect("a workflow");
    let exits = run["exits"].as_object().expect("exit codes");
    let leaves = exits.iter().map(|(name, code)| {
        let code = code.as_i64().expect("an exit code") as i32;
        let end = LeafEnd::Exited { code, outputs: None };
        (NodeName::from(name.as_str()), RehearsedLeaf { duration_ms: 10_000, end })
    });
    let rehearsal = Rehearsal { leaves: leaves.collect(), ..Rehearsal::default() };
    let mut simulation = Simulation::new(&workflow, rehearsal, Behaviour::UNWIND);
    while simulation.advance().is_some() {}
    simulation
}

/// A field as it is compared.
fn comparable(node: &Value, field: &str) -> Value {
    let value = &node[field];
    match value.as_array() {
        Some(ids) if field == "children" || field == "outboundNodes" => {
            let sorted: BTreeSet<_> = ids.iter().filter_map(Value::as_str).collect();
            sorted.into_iter().collect()
        }
        Some(_) | None => value.clone(),
    }
}

#[test]
fn runs_that_nobody_stops_end_as_the_controller_ends_them() {
    let mut differences = String::new();
    for line in RUNS.lines() {
        let run: Value = serde_json::from_str(line).expect("a run a line");
        let status = simulate(&run).run().status();
        let mut ours: BTreeMap<String, Value> = BTreeMap::new();
        for node in status.nodes.values() {
            ours.insert(node.name.0.clone(), serde_json::to_value(node).expect("a node"));
        }
        let whole = serde_json::to_value(&status).expect("a status");
        for field in ["phase", "message", "progress"] {
            if run["status"][field] != whole[field] {
                let (theirs, ours) = (&run["status"][field], &whole[field]);
                let _ = writeln!(differences, "{}: {field} is {theirs}, not {ours}", run["name"]);
            }
        }
        for (name, theirs) in run["nodes"].as_object().expect("nodes") {
            let ours = ours.remove(name).unwrap_or_default();
            for field in FIELDS {
                let (theirs, ours) = (comparable(theirs, field), comparable(&ours, field));
                if theirs != ours {
                    let _ = writeln!(differences, "{name}: {field} is {theirs}, not {ours}");
                }
            }
        }
        for name in ours.keys() {
            let _ = writeln!(differences, "{name} is not there");
        }
    }
    assert_eq!(differences, "");
}
