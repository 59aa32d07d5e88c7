//! `unwind check` of several files that tell of one run: status, event stream, controller log, row of the archive.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::process::{Place, text};

/// A task with an exit hook in a DAG whose own task has one too, stopped; both hooks are of the same second.
fn run(version: &str, outer: &str) -> Value {
    let node = |name: &str, kind: &str, phase: &str, from: u32, to: Option<u32>| {
        json!({
            "id": id(name), "name": name, "displayName": name.rsplit('.').next(), "type": kind, "phase": phase,
            "startedAt": time(from), "finishedAt": to.map(time),
            "message": if name == "wf.a.leaf" { "workflow shutdown with strategy:  Stop" } else { "" },
        })
    };
    let is_over = outer == "Succeeded";
    let mut nodes = vec![
        node("wf", "DAG", if is_over { "Failed" } else { "Running" }, 0, is_over.then_some(20)),
        node("wf.a", "DAG", "Failed", 0, Some(15)),
        node("wf.a.leaf", "Pod", "Failed", 0, Some(10)),
        node("wf.a.leaf.onExit", "Pod", "Succeeded", 10, Some(15)),
    ];
    if !outer.is_empty() {
        nodes.push(node("wf.a.onExit", "Pod", outer, 15, is_over.then_some(20)));
    }
    let nodes: serde_json::Map<String, Value> =
        nodes.into_iter().map(|node| (node["id"].as_str().unwrap_or_default().to_owned(), node)).collect();
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
        "metadata": {"name": "wf", "namespace": "demo", "uid": "u", "resourceVersion": version},
        "spec": {"entrypoint": "outer", "shutdown": "Stop", "templates": [
            {"name": "outer", "dag": {"tasks": [
                {"name": "a", "template": "inner", "hooks": {"exit": {"template": "work"}}}]}},
            {"name": "inner", "dag": {"tasks": [
                {"name": "leaf", "template": "work", "hooks": {"exit": {"template": "work"}}}]}},
            {"name": "work", "container": {"image": "busybox", "command": ["work"]}},
        ]},
        "status": {
            "phase": if is_over { "Failed" } else { "Running" }, "startedAt": time(0),
            "finishedAt": is_over.then(|| time(20)), "nodes": nodes,
        },
    })
}

fn time(second: u32) -> String {
    format!("2026-03-02T09:00:{second:02}Z")
}

/// Ids of nodes are hashes of their names (FNV-1a).
fn id(name: &str) -> String {
    if name == "wf" {
        return name.to_owned();
    }
    let hash =
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("wf-{hash}")
}

fn log(outer_ms: u32) -> String {
    let mut lines = [
        (format!("15.{outer_ms:03}"), format!("Pod node {} initialized Pending", id("wf.a.onExit"))),
        ("15.300".to_owned(), format!("node {} phase Running -> Succeeded", id("wf.a.leaf.onExit"))),
    ];
    lines.sort();
    let mut text = String::new();
    for (at, message) in lines {
        let _ = writeln!(
            text,
            "time=\"2026-03-02T09:00:{at}Z\" level=info msg=\"{message}\" namespace=demo workflow=wf"
        );
    }
    text
}

#[test]
fn a_log_beside_a_saved_run_decides_what_its_seconds_do_not() {
    let place = Place::new();
    let saved = place.file("run.json", &run("9", "Succeeded").to_string());
    let said = place.run(&["check", text(&saved)]);
    assert!(said.out.contains("Began in the second in which"), "{}", said.out);
    assert_eq!(said.code, Some(0), "{}", said.out);
    let kept = place.file("kept.log", &log(400));
    let said = place.run(&["check", text(&kept), text(&saved)]);
    assert!(!said.out.contains("Began in the second"), "{}", said.out);
    assert!(said.out.contains("Read from the controller log"), "{}", said.out);
    assert_eq!(said.code, Some(0), "{}", said.out);
    let broken = place.file("broken.log", &log(200));
    let said = place.run(&["check", text(&saved), text(&broken)]);
    assert!(said.out.contains("wf.a.onExit: Began 0.1 s before"), "{}", said.out);
    assert_eq!(said.code, Some(1), "{}", said.out);
}

#[test]
fn an_event_stream_is_a_run_with_the_order_of_its_messages() {
    let place = Place::new();
    let mut stream = String::new();
    for (version, outer) in [("7", ""), ("8", "Running"), ("9", "Succeeded")] {
        let _ = writeln!(
            stream,
            "data: {}\n",
            json!({"result": {"type": "MODIFIED", "object": run(version, outer)}})
        );
    }
    stream.push_str("data: {\"result\":{\"type\":\"MODI");
    let file = place.file("watch.sse", &stream);
    let said = place.run(&["check", text(&file)]);
    assert!(said.out.contains("Read from the event stream"), "{}", said.out);
    assert!(said.out.contains("left out 1 message that was cut off"), "{}", said.out);
    assert!(!said.out.contains("Began in the second"), "{}", said.out);
    assert_eq!(said.code, Some(0), "{}", said.out);
}

#[test]
fn a_row_of_the_archive_is_a_run() {
    let place = Place::new();
    let cell = run("9", "Succeeded").to_string().replace('"', "\"\"");
    let file = place.file("rows.csv", &format!("uid,workflow\nu,\"{cell}\"\n"));
    let said = place.run(&["check", "--json", text(&file)]);
    let data: Value = serde_json::from_str(&said.out).expect("JSON");
    let document = &data["files"][0]["documents"][0];
    assert_eq!(document["name"], "wf", "{}", said.out);
    assert_eq!(document["findings"][0]["kind"], "order-unknown", "{}", said.out);
    assert_eq!(document["phases"]["reported"], "Failed");
    assert_eq!(document["phases"]["workedOut"], "Failed");
}
