//! What programs give to those that come after them.

use serde_json::json;
use unwind_model::WorkflowPhase;
use unwind_server::backend::LogOptions;

use crate::bench::{Bench, shell, single};
use crate::log;

#[tokio::test]
async fn what_a_program_gives_is_there_for_those_that_come_after() {
    let bench = Bench::new().await;
    let script = |name: &str, source: &str, outputs: serde_json::Value| {
        json!({
            "name": name,
            "inputs": {"parameters": [{"name": "which", "value": "main"}]},
            "script": {"image": "alpine:3", "command": ["sh"], "source": source},
            "outputs": outputs,
        })
    };
    let parameters = json!({"parameters": [
        {"name": "size", "valueFrom": {"path": "sizes/{{inputs.parameters.which}}"}},
        {"name": "colour", "valueFrom": {"path": "no-such-file", "default": "green"}},
    ]});
    let mut say = shell("say", "echo '{{inputs.parameters.text}}'");
    say["inputs"] = json!({"parameters": [{"name": "text"}]});
    let text = "{{steps.give.outputs.parameters.size}} {{steps.give.outputs.parameters.colour}} \
                {{steps.give.outputs.result}}";
    let give = "mkdir sizes; echo 12 > sizes/main; echo not this >&2; echo one; echo two";
    let manifest = json!({
        "metadata": {"name": "giving"},
        "spec": {"entrypoint": "main", "templates": [
            {"name": "main", "steps": [
                [{"name": "give", "template": "give"}],
                [{"name": "say", "template": "say",
                    "arguments": {"parameters": [{"name": "text", "value": text}]}}],
            ]},
            script("give", give, parameters),
            say,
        ]},
    });
    let name = bench.submit(manifest).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded, "{}", over.status.message);
    let node =
        |shown: &str| over.status.nodes.values().find(|node| node.display_name == shown).expect("there");
    assert_eq!(node("give").outputs.result.as_deref(), Some("one\ntwo"));
    let lines = log(&bench, &name, LogOptions::default()).await;
    assert!(lines.contains(&"not this".to_owned()), "{lines:?}");
    assert_eq!(lines[lines.len() - 2..], ["12 green one", "two"]);
}

#[tokio::test]
async fn an_output_that_is_not_there_is_an_error_of_its_node() {
    let bench = Bench::new().await;
    let mut manifest = single("lacking", "true");
    manifest["spec"]["templates"][0]["outputs"] =
        json!({"parameters": [{"name": "size", "valueFrom": {"path": "no-such-file"}}]});
    let name = bench.submit(manifest).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Error);
    assert_eq!(
        over.status.nodes["lacking"].message,
        "cannot read output parameter `size` from `no-such-file`: it is not there; write the file, or give \
         `valueFrom.default`"
    );
}

/// Whether this process may make a mount namespace; the shim of these tests has threads, so the way
/// over a user namespace is closed to it.
fn may_mount() -> bool {
    let tried = std::process::Command::new("unshare").args(["--mount", "true"]).output();
    tried.is_ok_and(|output| output.status.success())
}

#[tokio::test]
async fn two_programs_write_to_one_path_below_tmp_and_do_not_meet() {
    if !may_mount() {
        eprintln!("skipped: no mount namespace may be made here");
        return;
    }
    let bench = Bench::new().await;
    let leaf = |name: &str, value: &str| {
        let mut leaf = shell(name, &format!("echo {value} > /tmp/result.txt; sleep 0.3"));
        leaf["outputs"] = json!({"parameters": [{"name": "it", "valueFrom": {"path": "/tmp/result.txt"}}]});
        leaf
    };
    let task = |name: &str| json!({"name": name, "template": name});
    let manifest = json!({
        "metadata": {"name": "apart"},
        "spec": {"entrypoint": "main", "templates": [
            {"name": "main", "dag": {"tasks": [task("a"), task("b")]}}, leaf("a", "1"), leaf("b", "2"),
        ]},
    });
    let name = bench.submit(manifest).await;
    let over = bench.until_over(&name).await;
    let value = |shown: &str| {
        let node = over.status.nodes.values().find(|node| node.display_name == shown).expect("there");
        (node.message.clone(), node.outputs.parameters.first().and_then(|one| one.value.clone()))
    };
    assert_eq!(value("a"), (String::new(), Some("1".to_owned())));
    assert_eq!(value("b"), (String::new(), Some("2".to_owned())));
    assert!(!std::path::Path::new("/tmp/result.txt").exists());
}
