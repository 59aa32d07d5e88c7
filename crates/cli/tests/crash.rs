//! The server is killed again and again while a run unwinds: every hook still runs exactly once.
//!
//! `UNWIND_CRASH_SEED` repeats one course of kills, `UNWIND_CRASH_ROUNDS` asks for more of them.

mod kit;

use std::env;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use kit::{Program, Random, until};
use serde_json::{Value, json};

/// Kills in one round.
const KILLS: usize = 20;
/// Levels of the workflow: more than can unwind between so many kills.
const LEVELS: usize = 40;
/// How long one hook runs.
const HOOK: &str = "0.12";
/// Kills come at random moments from a start up to this long after a start is done: so they fall into
/// starting, taking up, and running.
const LATEST_AFTER_START: Duration = Duration::from_millis(200);

#[test]
fn every_hook_runs_once_however_often_the_server_is_killed() {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("UNWIND_CRASH_SEED").unwrap_or_else(kit::seed_of_now);
    for round in 0..number("UNWIND_CRASH_ROUNDS").unwrap_or(1) {
        let seed = seed.wrapping_add(round);
        println!("round {round}: repeat it with UNWIND_CRASH_SEED={seed}");
        kill_through_one_unwind(Random(seed));
    }
}

fn kill_through_one_unwind(mut random: Random) {
    let temp = tempfile::tempdir().expect("a folder");
    let (data, seen) = (temp.path().join("data"), temp.path().join("seen"));
    let begin = Instant::now();
    let program = Program::serve(&data);
    let server = program.address();
    let latest = begin.elapsed() + LATEST_AFTER_START;
    let latest_ms = u64::try_from(latest.as_millis()).expect("a short time");
    let created = server.post("/api/v1/workflows/default", &json!({"workflow": manifest(&seen)}));
    assert_eq!(created.status, 200, "{}", created.body);
    until("the innermost leaf to run", || lines(&seen).iter().any(|line| line.starts_with("begin work")));
    let stopped = server.put("/api/v1/workflows/default/crash/stop", &json!({}));
    assert_eq!(stopped.status, 200, "{}", stopped.body);
    program.kill();
    for kill in 1..KILLS {
        let program = Program::serve(&data);
        std::thread::sleep(Duration::from_millis(random.below(latest_ms)));
        program.kill();
        let over = lines(&seen).iter().any(|line| line.starts_with("begin handler"));
        assert!(!over, "the run was over before kill {}: give it more levels", kill + 1);
    }
    let program = Program::serve(&data);
    let server = program.address();
    let mut last = Value::Null;
    until("the end of the run", || {
        last = server.get("/api/v1/workflows/default/crash").json();
        last["status"]["finishedAt"].is_string()
    });
    assert_eq!(last["status"]["phase"], "Failed");
    assert_eq!(last["status"]["message"], "Stopped with strategy 'Stop'");
    for node in last["status"]["nodes"].as_object().expect("nodes").values() {
        assert!(["Failed", "Succeeded"].iter().any(|phase| node["phase"] == *phase), "{node}");
    }
    assert_unwound(&seen);
}

fn lines(seen: &Path) -> Vec<String> {
    fs::read_to_string(seen).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Every hook has begun and ended once, innermost first, and begun after the one before had ended.
fn assert_unwound(seen: &Path) {
    let lines = lines(seen);
    let owners = (1..=LEVELS).rev().map(|level| format!("level{level}"));
    let mut expected = vec!["begin work".to_owned()];
    for hook in owners.chain(["handler".to_owned()]) {
        expected.extend([format!("begin {hook}"), format!("end {hook}")]);
    }
    let (words, times): (Vec<_>, Vec<_>) =
        lines.iter().map(|line| line.rsplit_once(' ').expect("words and a time")).unzip();
    assert_eq!(words, expected);
    let times: Vec<u128> = times.into_iter().map(|time| time.parse().expect("nanoseconds")).collect();
    assert!(times.is_sorted(), "{lines:#?}");
}

/// DAGs in DAGs, a hook on each, and a handler. Processes append `begin|end NAME NANOSECONDS`.
fn manifest(seen: &Path) -> Value {
    let write = |words: &str| format!("echo \"{words} $(date +%s%N)\" >> '{}'", seen.display());
    let hook = |what: &str| json!({"template": "hook", "arguments": {"parameters": [{"name": "what", "value": what}]}});
    let shell = |name: &str, lines: [&str; 3]| json!({"name": name, "container": {"image": "alpine:3", "command": ["sh", "-c"], "args": [lines.join("\n")]}});
    let (begin, end) = (write("begin {{inputs.parameters.what}}"), write("end {{inputs.parameters.what}}"));
    let mut hook_template = shell("hook", [&begin, &format!("sleep {HOOK}"), &end]);
    hook_template["inputs"] = json!({"parameters": [{"name": "what"}]});
    let mut templates = vec![shell("work", [&write("begin work"), "", "sleep 120"]), hook_template];
    for level in 1..=LEVELS {
        let inner = if level == LEVELS { "work".to_owned() } else { format!("box{}", level + 1) };
        let name = format!("level{level}");
        templates.push(json!({
            "name": format!("box{level}"),
            "dag": {"tasks": [{"name": name, "template": inner, "hooks": {"exit": hook(&name)}}]},
        }));
    }
    json!({
        "metadata": {"name": "crash"},
        "spec": {"entrypoint": "box1", "hooks": {"exit": hook("handler")}, "templates": templates},
    })
}
