//! The test bench: a back end on a folder of its own, real processes that write down what they do.
//!
//! In: manifests as JSON. Out: what the processes wrote, what the back end says. Every wait has a
//! deadline. The test program is its own shim: `shim_entry` in the test file calls `shim_entry` here.

use std::collections::BTreeMap;
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use unwind_model::{NodePhase, Workflow, WorkflowPhase};
use unwind_server::backend::{LocalBackend, LocalConfig, ShimProgram};

const DEADLINE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(10);
pub const GRACE_MS: u64 = 400;
pub const NAMESPACE: &str = "default";

/// What the test named `shim_entry` does: nothing, unless the program was started as a shim.
pub fn shim_entry() {
    let args: Vec<_> = std::env::args_os().collect();
    let [.., word, folder] = args.as_slice() else {
        return;
    };
    if word == "start" || word == "exec" || word == "pod" {
        let args = [word.clone(), folder.clone()];
        let _ = unwind_server::runner::shim_main(args.into_iter());
        std::process::exit(0);
    }
}

/// A back end on a folder of its own.
pub struct Bench {
    temp: tempfile::TempDir,
    config: LocalConfig,
    pub backend: LocalBackend,
}

impl Bench {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// With room for so many programs at once.
    pub async fn with_places(places: usize) -> Self {
        Self::with(|config| config.places = places).await
    }

    /// With other settings.
    pub async fn with(change: impl FnOnce(&mut LocalConfig)) -> Self {
        let temp = tempfile::tempdir().expect("a folder");
        let program = std::env::current_exe().expect("own path");
        let args = ["--exact", "shim_entry", "--nocapture"];
        let args = args.map(Into::into).to_vec();
        let shim = ShimProgram { program, args };
        let data = temp.path().join("data");
        let mut config =
            LocalConfig { grace_ms: GRACE_MS, places: 64, window: 200, ..LocalConfig::new(data, shim) };
        change(&mut config);
        let backend = LocalBackend::open(config.clone()).await.expect("opened");
        Self { temp, config, backend }
    }

    /// Closes the back end and opens another one on the same folder.
    pub async fn restart(self) -> Self {
        let Self { temp, config, backend } = self;
        backend.close().await;
        drop(backend);
        let backend = LocalBackend::open(config.clone()).await.expect("opened");
        Self { temp, config, backend }
    }

    /// The file that processes write to.
    pub fn journal(&self) -> PathBuf {
        self.temp.path().join("seen")
    }

    pub fn data(&self) -> PathBuf {
        self.temp.path().join("data")
    }

    pub async fn submit(&self, manifest: Value) -> String {
        let workflow = Workflow::deserialize_json(manifest);
        let workflow = self.backend.submit(workflow).await.expect("accepted");
        workflow.metadata.name.clone()
    }

    pub fn get(&self, name: &str) -> Arc<Workflow> {
        self.backend.get(NAMESPACE, name).expect("there")
    }

    /// Phase of the node of this full name.
    pub fn phase_of(&self, workflow: &str, node: &str) -> Option<NodePhase> {
        let workflow = self.get(workflow);
        let mut nodes = workflow.status.nodes.values();
        nodes.find(|n| n.name.as_str() == node).map(|n| n.phase)
    }

    pub async fn until_written(&self, line: &str) {
        let what = format!("`{line}` in the journal");
        until(&what, || {
            let text = fs::read_to_string(self.journal()).unwrap_or_default();
            text.lines().any(|found| found.starts_with(line))
        })
        .await;
    }

    pub async fn until_over(&self, name: &str) -> Arc<Workflow> {
        let over = || self.get(name).status.phase.is_final();
        until(&format!("the end of `{name}`"), over).await;
        self.get(name)
    }

    /// What the processes wrote: `begin|end NAME NANOSECONDS`, in the order of writing.
    pub fn seen(&self) -> Vec<Seen> {
        let text = fs::read_to_string(self.journal()).unwrap_or_default();
        text.lines()
            .map(|line| {
                let words: Vec<_> = line.split(' ').collect();
                let [what, name, at] = words.as_slice() else {
                    panic!("three words, found `{line}`");
                };
                Seen {
                    what: (*what).to_owned(),
                    name: (*name).to_owned(),
                    at: at.parse().expect("nanoseconds"),
                }
            })
            .collect()
    }
}

/// One line that a process wrote.
#[derive(Debug)]
pub struct Seen {
    pub what: String,
    pub name: String,
    pub at: u128,
}

/// Waits until it holds.
pub async fn until(what: &str, holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(PAUSE).await;
        }
    };
    in_time(what, wait).await;
}

/// Gives up after the deadline.
pub async fn in_time<T>(what: &str, work: impl Future<Output = T>) -> T {
    let Ok(value) = tokio::time::timeout(DEADLINE, work).await else {
        panic!("waited {DEADLINE:?} for {what}");
    };
    value
}

/// A manifest from JSON.
pub trait FromJson {
    fn deserialize_json(value: Value) -> Self;
}

impl FromJson for Workflow {
    fn deserialize_json(value: Value) -> Self {
        serde_json::from_value(value).expect("a workflow")
    }
}

/// A leaf that runs `script` in a shell.
pub fn shell(name: &str, script: &str) -> Value {
    json!({
        "name": name,
        "container": {"image": "alpine:3", "command": ["sh", "-c"], "args": [script]},
    })
}

/// A workflow of one leaf called `work`.
pub fn single(name: &str, script: &str) -> Value {
    json!({
        "metadata": {"name": name},
        "spec": {"entrypoint": "work", "templates": [shell("work", script)]},
    })
}

/// Three nested DAGs with an exit hook on every level and a handler; the innermost leaf sleeps.
pub fn seed(name: &str, journal: &Path) -> Value {
    let write = |words: &str| format!("echo \"{words} $(date +%s%N)\" >> '{}'", journal.display());
    let sweep = |what: &str| json!({"template": "sweep", "arguments": {"parameters": [{"name": "what", "value": what}]}});
    let level = |template: &str, task: &str, inner: &str| {
        json!({
            "name": template,
            "dag": {"tasks": [{"name": task, "template": inner, "hooks": {"exit": sweep(task)}}]},
        })
    };
    let work = [&write("begin work"), "echo working", "sleep 600"].join("\n");
    let sweeping =
        [&write("begin {{inputs.parameters.what}}"), "sleep 0.2", &write("end {{inputs.parameters.what}}")]
            .join("\n");
    let mut sweeper = shell("sweep", &sweeping);
    sweeper["inputs"] = json!({"parameters": [{"name": "what"}]});
    json!({
        "metadata": {"name": name},
        "spec": {
            "entrypoint": "main",
            "hooks": {"exit": sweep("workflow")},
            "templates": [
                level("main", "level1", "level1"),
                level("level1", "level2", "level2"),
                level("level2", "leaf", "work"),
                shell("work", &work),
                sweeper,
            ],
        },
    })
}

/// Fails unless each hook of the seed ran once, innermost first, each to its end before the next.
pub fn assert_unwound(seen: &[Seen]) {
    let mut times = BTreeMap::new();
    for line in seen {
        let key = (line.what.as_str(), line.name.as_str());
        let twice = times.insert(key, line.at);
        assert!(twice.is_none(), "{} of {} is there twice: {seen:?}", line.what, line.name);
    }
    let mut before = times[&("begin", "work")];
    for owner in ["leaf", "level2", "level1", "workflow"] {
        let begin = times.get(&("begin", owner)).copied();
        let end = times.get(&("end", owner)).copied();
        let (Some(begin), Some(end)) = (begin, end) else {
            panic!("the exit hook of {owner} did not run to its end: {seen:?}");
        };
        assert!(begin >= before, "the hook of {owner} began too early: {seen:?}");
        before = end;
    }
}

pub fn assert_stopped(workflow: &Workflow, strategy: &str) {
    assert_eq!(workflow.status.phase, WorkflowPhase::Failed);
    assert_eq!(workflow.status.message, format!("Stopped with strategy '{strategy}'"));
    for node in workflow.status.nodes.values() {
        assert!(node.phase.is_final(), "{} is {:?}", node.name, node.phase);
    }
}
