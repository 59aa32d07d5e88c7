//! The local back end with real processes: order, recovery, endings, watches, logs.

mod again;
mod bench;
mod outputs;
mod pods;
mod sharing;
mod spec;

use bench::{
    Bench, GRACE_MS, NAMESPACE, assert_stopped, assert_unwound, in_time, seed, shell, single, until,
};
use futures_util::StreamExt;
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};
use unwind_model::delta::{apply, without_nodes};
use unwind_model::{NodePhase, NodeType, Shutdown, Workflow, WorkflowPhase};
use unwind_server::backend::{BackendError, LogOptions, WatchKind};

#[test]
fn shim_entry() {
    bench::shim_entry();
}

#[tokio::test]
async fn a_stopped_seed_unwinds_innermost_first() {
    let bench = Bench::new().await;
    let name = bench.submit(seed("seed", &bench.journal())).await;
    bench.until_written("begin work").await;
    until("the leaf to run", || bench.phase_of(&name, "seed.level1.level2.leaf") == Some(NodePhase::Running))
        .await;
    let answer = bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    assert_eq!(answer.spec.shutdown, Some(Shutdown::Stop));
    assert_eq!(answer.status.phase, WorkflowPhase::Running);
    assert_eq!(bench.get(&name).spec.shutdown, Some(Shutdown::Stop));
    let over = bench.until_over(&name).await;
    assert_stopped(&over, "Stop");
    assert_unwound(&bench.seen());
    let labels = &over.metadata.labels;
    assert_eq!(labels["workflows.argoproj.io/phase"], "Failed");
    assert_eq!(labels["workflows.argoproj.io/completed"], "true");
}

#[tokio::test]
async fn a_run_goes_on_after_a_restart_while_its_leaf_runs() {
    let bench = Bench::new().await;
    let name = bench.submit(seed("seed", &bench.journal())).await;
    bench.until_written("begin work").await;
    let bench = bench.restart().await;
    assert_eq!(bench.get(&name).status.phase, WorkflowPhase::Running);
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    bench.until_written("begin level2").await;
    let bench = bench.restart().await;
    assert_stopped(&*bench.until_over(&name).await, "Stop");
    assert_unwound(&bench.seen());
}

#[tokio::test]
async fn what_ended_while_no_server_ran_is_taken_up() {
    let bench = Bench::new().await;
    let journal = bench.journal();
    let script = format!("sleep 0.4; echo \"end work $(date +%s%N)\" >> '{}'", journal.display());
    let name = bench.submit(single("alone", &script)).await;
    until("the leaf to run", || bench.phase_of(&name, "alone") == Some(NodePhase::Running)).await;
    let (temp_data, running) = (bench.data(), bench.get(&name));
    bench.backend.close().await;
    bench.until_written("end work").await;
    let id = running.metadata.name.clone();
    let report = temp_data.join("runs").join(&running.metadata.uid).join(id).join("report.json");
    until("the report", || report.exists()).await;
    let bench = bench.restart().await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded);
    assert_eq!(bench.seen().len(), 1);
}

#[tokio::test]
async fn a_finished_run_is_the_same_after_a_restart() {
    let bench = Bench::new().await;
    let name = bench.submit(single("short", "echo done; exit 3")).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Failed);
    assert_eq!(over.status.message, "main: Error (exit code 3)");
    let bench = bench.restart().await;
    assert_eq!(*bench.get(&name), *over);
}

#[tokio::test]
async fn a_second_stop_is_accepted_and_a_late_one_is_refused() {
    let bench = Bench::new().await;
    let name = bench.submit(seed("seed", &bench.journal())).await;
    bench.until_written("begin work").await;
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped again");
    assert_stopped(&*bench.until_over(&name).await, "Stop");
    assert_unwound(&bench.seen());
    let late = bench.backend.stop(NAMESPACE, &name).await.expect_err("over");
    assert_eq!(
        late.to_string(),
        "cannot shutdown a completed workflow: workflow: \"seed\", namespace: \"default\""
    );
    let bench = bench.restart().await;
    let late = bench.backend.terminate(NAMESPACE, &name).await.expect_err("over");
    assert!(matches!(late, BackendError::Completed { .. }));
}

#[tokio::test]
async fn terminate_runs_no_hook_and_a_later_stop_changes_nothing() {
    let bench = Bench::new().await;
    let name = bench.submit(seed("seed", &bench.journal())).await;
    bench.until_written("begin work").await;
    bench.backend.terminate(NAMESPACE, &name).await.expect("terminated");
    // It may be over already, which is an answer too.
    let _ = bench.backend.stop(NAMESPACE, &name).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.spec.shutdown, Some(Shutdown::Terminate));
    assert_stopped(&over, "Terminate");
    assert_eq!(bench.seen().len(), 1);
}

#[tokio::test]
async fn terminate_after_stop_ends_the_hook_that_runs() {
    let bench = Bench::new().await;
    let mut manifest = seed("seed", &bench.journal());
    let slow = format!("echo \"begin hook $(date +%s%N)\" >> '{}'; sleep 600", bench.journal().display());
    manifest["spec"]["templates"][4]["container"]["args"] = json!([slow]);
    let name = bench.submit(manifest).await;
    bench.until_written("begin work").await;
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    bench.until_written("begin hook").await;
    bench.backend.terminate(NAMESPACE, &name).await.expect("terminated");
    assert_stopped(&*bench.until_over(&name).await, "Terminate");
    assert_eq!(bench.seen().len(), 2);
}

/// Process ids that a script wrote, one a line.
fn pids(bench: &Bench) -> Vec<i32> {
    let text = fs::read_to_string(bench.journal()).expect("written");
    text.lines().map(|line| line.parse().expect("a process id")).collect()
}

fn is_there(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[tokio::test]
async fn a_leaf_that_ignores_term_is_killed_with_its_children_after_the_grace() {
    let bench = Bench::new().await;
    let script = format!(
        "trap '' TERM; sleep 600 & echo $! >> '{0}'; setsid sleep 600 & echo $! >> '{0}'; echo $$ >> '{0}'; \
         while :; do sleep 600; done",
        bench.journal().display()
    );
    let name = bench.submit(single("stubborn", &script)).await;
    until("three process ids", || {
        fs::read_to_string(bench.journal()).is_ok_and(|text| text.lines().count() == 3)
    })
    .await;
    let pids = pids(&bench);
    assert!(pids.iter().all(|pid| is_there(*pid)), "{pids:?}");
    let asked = Instant::now();
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    let over = bench.until_over(&name).await;
    assert!(asked.elapsed() >= Duration::from_millis(GRACE_MS));
    assert_stopped(&over, "Stop");
    let left: Vec<_> = pids.into_iter().filter(|pid| is_there(*pid)).collect();
    assert!(left.is_empty(), "still there: {left:?}");
    assert_eq!(over.status.nodes["stubborn"].outputs.exit_code.as_deref(), Some("137"));
}

#[tokio::test]
async fn what_a_leaf_leaves_behind_ends_with_it() {
    let bench = Bench::new().await;
    let script = format!("setsid sleep 600 & echo $! >> '{}'; sleep 0.2", bench.journal().display());
    let name = bench.submit(single("leaves", &script)).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded);
    assert!(pids(&bench).into_iter().all(|pid| !is_there(pid)));
}

#[tokio::test]
async fn a_leaf_whose_shim_is_killed_is_lost_and_leaves_nothing_behind() {
    let bench = Bench::new().await;
    let script = format!("echo $$ >> '{}'; sleep 600", bench.journal().display());
    let name = bench.submit(single("orphaned", &script)).await;
    until("the process id", || fs::read_to_string(bench.journal()).is_ok_and(|text| text.ends_with('\n')))
        .await;
    let uid = &bench.get(&name).metadata.uid;
    let claim = bench.data().join("runs").join(uid).join("orphaned/claim.json");
    let claim: serde_json::Value = serde_json::from_slice(&fs::read(claim).expect("a claim")).expect("JSON");
    let shim = i32::try_from(claim["shim"]["pid"].as_i64().expect("a process id")).expect("small");
    let shim = rustix::process::Pid::from_raw(shim).expect("not zero");
    rustix::process::kill_process(shim, rustix::process::Signal::KILL).expect("killed");
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Error);
    let message = &over.status.nodes["orphaned"].message;
    assert!(message.ends_with("what the program came to is not known"), "{message}");
    let pids = pids(&bench);
    until("the program to end", || pids.iter().all(|pid| !is_there(*pid))).await;
}

#[tokio::test]
async fn leaves_wait_for_a_free_place_and_may_be_stopped_there() {
    let bench = Bench::with_places(2).await;
    let script =
        format!("echo \"begin $UNWIND_NODE $(date +%s%N)\" >> '{}'; sleep 600", bench.journal().display());
    let tasks: Vec<_> =
        (0..6).map(|i| json!({"name": format!("t{i}"), "template": "work", "onExit": "hook"})).collect();
    let hook = format!("echo \"hook $UNWIND_NODE $(date +%s%N)\" >> '{}'", bench.journal().display());
    let name = bench
        .submit(json!({
            "metadata": {"name": "crowd"},
            "spec": {"entrypoint": "main", "templates": [
                {"name": "main", "dag": {"tasks": tasks}},
                shell("work", &script),
                shell("hook", &hook),
            ]},
        }))
        .await;
    until("two programs", || bench.seen().len() == 2).await;
    let running = |phase| {
        let workflow = bench.get(&name);
        workflow.status.nodes.values().filter(|n| n.node_type == NodeType::Pod && n.phase == phase).count()
    };
    until("two of them shown", || running(NodePhase::Running) == 2).await;
    assert_eq!(running(NodePhase::Pending), 4);
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    assert_stopped(&*bench.until_over(&name).await, "Stop");
    let hooks = bench.seen().into_iter().filter(|line| line.what == "hook").count();
    assert_eq!((bench.seen().len(), hooks), (4, 2), "only what began has a hook");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_told_in_the_nodes_message() {
    let bench = Bench::new().await;
    let mut manifest = single("absent", "");
    manifest["spec"]["templates"][0]["container"]["command"] = json!(["frobnicate"]);
    let name = bench.submit(manifest).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Error);
    let message = &over.status.nodes["absent"].message;
    assert!(message.starts_with("cannot start `frobnicate`: no such program on PATH"), "{message}");
}

#[tokio::test]
async fn a_program_gets_a_clean_environment_and_a_folder_of_its_own() {
    let bench = Bench::new().await;
    let mut manifest = single("around", "");
    manifest["spec"]["templates"][0] = json!({
        "name": "work",
        "script": {
            "image": "alpine:3",
            "command": ["sh"],
            "env": [{"name": "COLOUR", "value": "green"}],
            "source": "pwd; env | cut -d= -f1 | sort | tr '\\n' ' '; echo; echo $UNWIND_NODE $COLOUR",
        },
    });
    let name = bench.submit(manifest).await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded);
    let lines = log(&bench, &name, LogOptions::default()).await;
    assert!(lines[0].ends_with("/around/work"), "{lines:?}");
    assert!(lines[1].contains("UNWIND_NODE") && !lines[1].contains("CARGO"), "{lines:?}");
    assert_eq!(lines[2], "around green");
}

async fn log(bench: &Bench, name: &str, options: LogOptions) -> Vec<String> {
    let logs = bench.backend.logs(NAMESPACE, name, None, options).await.expect("there");
    let lines = logs.map(|line| line.content).collect();
    in_time("the end of the log", lines).await
}

#[tokio::test]
async fn a_followed_log_ends_with_the_workflow() {
    let bench = Bench::new().await;
    let script = "for i in 1 2 3; do echo line $i; sleep 0.15; done; echo last >&2; printf end";
    let name = bench.submit(single("chatty", script)).await;
    let follow = LogOptions { follow: true, ..LogOptions::default() };
    let all = ["line 1", "line 2", "line 3", "last", "end"];
    assert_eq!(log(&bench, &name, follow).await, all);
    assert!(bench.get(&name).status.phase.is_final());
    let tail = LogOptions { tail_lines: Some(2), ..LogOptions::default() };
    assert_eq!(log(&bench, &name, tail).await, ["last", "end"]);
    let none = bench.backend.logs(NAMESPACE, &name, Some(&"no-such".into()), tail).await;
    assert!(matches!(none.err(), Some(BackendError::NoSuchNode { .. })));
}

#[tokio::test]
async fn a_running_workflow_is_ended_and_then_removed() {
    let bench = Bench::new().await;
    let name = bench.submit(seed("seed", &bench.journal())).await;
    bench.until_written("begin work").await;
    let uid = bench.get(&name).metadata.uid.clone();
    let mut watch = bench.backend.watch(None, Some(name.clone()), None).expect("a watch");
    bench.backend.delete(NAMESPACE, &name).await.expect("removed");
    assert!(matches!(bench.backend.get(NAMESPACE, &name), Err(BackendError::NotFound { .. })));
    let last = async {
        loop {
            let event = watch.next().await.expect("goes on");
            if event.kind == WatchKind::Deleted {
                return event;
            }
        }
    };
    let last = in_time("the removal", last).await;
    assert_eq!(last.workflow.status.phase, WorkflowPhase::Failed);
    assert!(!bench.data().join("runs").join(uid).exists());
    assert_eq!(bench.seen().len(), 1);
    let again = bench.backend.delete(NAMESPACE, &name).await.expect_err("gone");
    assert_eq!(again.to_string(), "workflows.argoproj.io \"seed\" not found");
    let bench = bench.restart().await;
    assert_eq!(bench.backend.list(None).0.len(), 0);
    bench.submit(single("seed", "true")).await;
}

#[tokio::test]
async fn a_watch_gives_every_change_once_also_over_a_restart() {
    let bench = Bench::new().await;
    let (_, version) = bench.backend.list(None);
    let watch = bench.backend.watch(None, None, Some(version)).expect("from the start");
    let name = bench.submit(seed("seed", &bench.journal())).await;
    bench.until_written("begin work").await;
    bench.backend.stop(NAMESPACE, &name).await.expect("stopped");
    let over = bench.until_over(&name).await;
    let is_last = |w: &Workflow| w.status.phase.is_final();
    let mut seen = Vec::new();
    let mut watch = watch;
    in_time("the last event", async {
        while let Some(event) = watch.next().await {
            seen.push(event.clone());
            if is_last(&event.workflow) {
                break;
            }
        }
    })
    .await;
    assert_eq!(seen[0].kind, WatchKind::Added);
    let mut built = Workflow::default();
    for event in &seen {
        apply(&mut built, &event.delta).expect("a delta that fits");
        assert_eq!(built, *event.workflow, "at {}", event.resource_version);
        assert_eq!(event.workflow.metadata.resource_version, event.resource_version.to_string());
    }
    assert!(seen.is_sorted_by(|a, b| a.resource_version < b.resource_version));
    assert_eq!(built, *over);

    let middle = seen[seen.len() / 2].clone();
    let bench = bench.restart().await;
    let since = Some(middle.resource_version);
    let mut rest = bench.backend.watch(None, None, since).expect("in the window");
    let mut built = (*middle.workflow).clone();
    in_time("the rest", async {
        while !is_last(&built) {
            let event = rest.next().await.expect("goes on");
            assert!(event.resource_version > middle.resource_version);
            apply(&mut built, &event.delta).expect("a delta that fits");
        }
    })
    .await;
    assert_eq!(without_nodes(&built).status, without_nodes(&over).status);
    assert_eq!(built.status.nodes, over.status.nodes);
}

#[tokio::test]
async fn a_version_from_before_the_window_is_gone() {
    let bench = Bench::new().await;
    let first = bench.submit(single("first", "true")).await;
    bench.until_over(&first).await;
    bench.backend.delete(NAMESPACE, &first).await.expect("removed");
    let bench = bench.restart().await;
    let Err(gone) = bench.backend.watch(None, None, Some(1)) else {
        panic!("version 1 is before the window");
    };
    let (_, now) = bench.backend.list(None);
    assert_eq!(gone.to_string(), format!("too old resource version: 1 ({now})"));
    assert!(bench.backend.watch(None, None, Some(now)).is_ok());
    assert!(bench.backend.watch(None, None, Some(now + 1)).is_err());
}

#[tokio::test]
async fn names_are_taken_generated_and_refused() {
    let bench = Bench::new().await;
    bench.submit(single("one", "true")).await;
    let again = serde_json::from_value(single("one", "true")).expect("a workflow");
    let taken = bench.backend.submit(again).await.expect_err("taken");
    assert_eq!(taken.to_string(), "workflows.argoproj.io \"one\" already exists");
    let mut manifest = single("", "true");
    manifest["metadata"] = json!({"generateName": "some-"});
    let name = bench.submit(manifest).await;
    assert!(name.starts_with("some-") && name.len() == 10, "{name}");
    let mut broken = single("broken", "true");
    broken["spec"]["entrypoint"] = json!("nowhere");
    let broken = serde_json::from_value(broken).expect("a workflow");
    let refused = bench.backend.submit(broken).await.expect_err("no such template");
    let BackendError::Invalid(diagnostics) = refused else {
        panic!("expected diagnostics, found {refused}");
    };
    assert!(diagnostics.iter().any(|d| d.path.contains("entrypoint")), "{diagnostics:?}");
    assert!(bench.backend.get(NAMESPACE, "broken").is_err());
}

#[tokio::test]
async fn many_leaves_at_once_all_run() {
    let bench = Bench::new().await;
    let tasks: Vec<_> = (0..40).map(|i| json!({"name": format!("t{i}"), "template": "work"})).collect();
    let name = bench
        .submit(json!({
            "metadata": {"name": "wide"},
            "spec": {
                "entrypoint": "main",
                "templates": [{"name": "main", "dag": {"tasks": tasks}}, shell("work", "echo $UNWIND_NODE")],
            },
        }))
        .await;
    let over = bench.until_over(&name).await;
    assert_eq!(over.status.phase, WorkflowPhase::Succeeded);
    assert_eq!(over.status.progress, "40/40");
    let mut lines = log(&bench, &name, LogOptions::default()).await;
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), 40);
}
