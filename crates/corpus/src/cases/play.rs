//! The runs of the cases: each workflow is run by the local runner with real processes, told to end where its
//! case says so, and what came is held against the case.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use futures_util::StreamExt as _;
use serde::Deserialize;
use serde_json::Value;
use unwind_engine::again::{OldHooks, RetryOptions};
use unwind_engine::{Code, lower};
use unwind_model::document::{Document, parse};
use unwind_model::{NodeStatus, Workflow};
use unwind_server::backend::{BackendError, LocalBackend, LocalConfig, LogOptions, ShimProgram};

use super::expected::{Came, End, Expected};
use super::{Outcome, Report};

/// A run that takes longer is given up.
const PATIENCE: Duration = Duration::from_mins(2);

/// Between two looks at a run.
const PAUSE: Duration = Duration::from_millis(25);

/// How many cases run at once.
const AT_ONCE: usize = 6;

/// Argument under which the program is the shim of a leaf.
pub const SHIM: &str = "--shim";

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    run: Option<Play>,
}

/// What is run.
#[derive(Clone, Deserialize)]
struct Play {
    file: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    act: Vec<Act>,
    #[serde(flatten)]
    expected: Expected,
    #[serde(default)]
    also: Vec<Play>,
}

/// What is asked, and when.
#[derive(Clone, Deserialize)]
struct Act {
    when: When,
    #[serde(rename = "do")]
    what: What,
}

#[derive(Clone, Deserialize)]
struct When {
    /// A phase of the whole workflow.
    #[serde(default)]
    workflow: Option<String>,
    #[serde(default)]
    node: Option<String>,
    #[serde(default)]
    nodes: Vec<String>,
    #[serde(default)]
    phase: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Stop,
    Terminate,
    Retry,
    Resume,
}

/// Runs the cases of a folder whose names `is_wanted`, several at once; `shim` is this program's own path.
pub fn play(folder: &Path, shim: &Path, is_wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Report>> {
    let mut wanted = Vec::new();
    for name in super::names(folder)?.into_iter().filter(|name| is_wanted(name)) {
        let text = fs::read(folder.join(&name).join("case.json"))?;
        let case: Case =
            serde_json::from_slice(&text).with_context(|| format!("`{name}/case.json` is not a case"))?;
        wanted.extend(case.run.map(|play| (name, play)));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (folder, shim) = (folder.to_owned(), shim.to_owned());
    let mut reports: Vec<Report> = runtime.block_on(async move {
        let played = wanted.into_iter().map(|(name, play)| {
            let (folder, shim) = (folder.join(&name), shim.clone());
            async move {
                let result = match played_all(&folder, &shim, &play).await {
                    Ok(wrong) if wrong.is_empty() => Outcome::Passed,
                    Ok(wrong) => Outcome::Failed(wrong),
                    Err(error) => Outcome::Failed(vec![format!("{error:#}")]),
                };
                Report { name: format!("{name}/run"), result }
            }
        });
        futures_util::stream::iter(played).buffer_unordered(AT_ONCE).collect().await
    });
    reports.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(reports)
}

/// What is wrong with a case and what belongs to it.
async fn played_all(folder: &Path, shim: &Path, play: &Play) -> Result<Vec<String>> {
    let mut wrong = played(folder, shim, play, &play.needs).await?;
    for also in &play.also {
        let needs: Vec<String> = play.needs.iter().chain(&also.needs).cloned().collect();
        let more = played(folder, shim, also, &needs).await?;
        wrong.extend(more.into_iter().map(|wrong| format!("{}: {wrong}", also.file)));
    }
    Ok(wrong)
}

async fn played(folder: &Path, shim: &Path, play: &Play, needs: &[String]) -> Result<Vec<String>> {
    let data = tempfile::tempdir().context("cannot make a folder for the run")?;
    let shim = ShimProgram { program: shim.to_owned(), args: vec![SHIM.into()] };
    let mut config = LocalConfig::new(data.path().to_owned(), shim);
    config.grace_ms = 2_000;
    let mut first = Vec::new();
    for file in needs {
        for document in read(&folder.join(file))? {
            match document {
                Read::Workflow(workflow) => first.push(workflow),
                Read::Other(value) => config.resources.push(value),
            }
        }
    }
    let workflow = read(&folder.join(&play.file))?.into_iter().find_map(Read::workflow);
    let workflow = workflow.with_context(|| format!("`{}` has no workflow", play.file))?;
    let backend = LocalBackend::open(config).await?;
    for workflow in first {
        let begun = backend.submit(*workflow).await?;
        let holds = |workflow: &Workflow| workflow.status.nodes.values().any(is_running_leaf);
        wait(&backend, &begun, &holds).await.context("what has to run first does not")?;
    }
    let wrong = come(&backend, *workflow, play).await;
    backend.close().await;
    wrong
}

async fn come(backend: &LocalBackend, workflow: Workflow, play: &Play) -> Result<Vec<String>> {
    let (_, diagnostics) = lower(&workflow);
    let is_asked = diagnostics.iter().any(|found| matches!(found.code, Code::PresetShutdown { .. }));
    if is_asked && play.expected.refused_or_asked {
        return Ok(Vec::new());
    }
    let begun = match backend.submit(workflow).await {
        Ok(begun) => begun,
        Err(BackendError::Invalid(_)) if play.expected.may_be_refused() => return Ok(Vec::new()),
        Err(BackendError::Invalid(found)) => return Err(anyhow!("it was refused: {found:?}")),
        Err(error) => return Err(error).context("it was refused"),
    };
    let mut asked = Instant::now();
    for act in &play.act {
        let is_due = |workflow: &Workflow| act.when.holds(workflow);
        wait(backend, &begun, &is_due).await.context("what is waited for did not come")?;
        asked = Instant::now();
        let (namespace, name) = (&begun.metadata.namespace, &begun.metadata.name);
        match act.what {
            What::Stop => backend.stop(namespace, name).await?,
            What::Terminate => backend.terminate(namespace, name).await?,
            What::Resume => backend.resume(namespace, name).await?,
            What::Retry => {
                let options = RetryOptions { hooks: OldHooks::RunAgain, ..RetryOptions::default() };
                backend.retry(namespace, name, options).await?
            }
        };
    }
    let over = wait(backend, &begun, &|workflow| workflow.status.phase.is_final()).await?;
    let came = Came { took: asked.elapsed(), logs: logs(backend, &over).await?, workflow: over };
    Ok(play.expected.wrong(&came))
}

impl When {
    fn holds(&self, workflow: &Workflow) -> bool {
        if let Some(phase) = &self.workflow {
            return workflow.status.phase.as_str() == phase;
        }
        self.node.iter().chain(&self.nodes).all(|name| {
            let mut nodes = workflow.status.nodes.values();
            nodes.any(|node| node.name.as_str() == name && node.phase.as_str() == self.phase)
        })
    }
}

fn is_running_leaf(node: &NodeStatus) -> bool {
    node.phase == unwind_model::NodePhase::Running && node.node_type == unwind_model::NodeType::Pod
}

/// The workflow as soon as `is_so`.
async fn wait(
    backend: &LocalBackend,
    begun: &Workflow,
    is_so: &(dyn Fn(&Workflow) -> bool + Sync),
) -> Result<Arc<Workflow>> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let now = backend.get(&begun.metadata.namespace, &begun.metadata.name)?;
        if is_so(&now) {
            return Ok(now);
        }
        if Instant::now() > deadline {
            let phase = now.status.phase.as_str();
            return Err(anyhow!("still {phase} after {} s", PATIENCE.as_secs()));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The log of each node that wrote one.
async fn logs(backend: &LocalBackend, workflow: &Workflow) -> Result<Vec<(String, String)>> {
    let mut logs = Vec::new();
    for (id, node) in &workflow.status.nodes {
        let (namespace, name) = (&workflow.metadata.namespace, &workflow.metadata.name);
        let mut lines = backend.logs(namespace, name, Some(id), LogOptions::default()).await?;
        let mut text = String::new();
        while let Some(line) = lines.next().await {
            text.push_str(&line.content);
            text.push('\n');
        }
        if !text.is_empty() {
            logs.push((node.name.as_str().to_owned(), text));
        }
    }
    Ok(logs)
}

enum Read {
    Workflow(Box<Workflow>),
    Other(Value),
}

impl Read {
    fn workflow(self) -> Option<Box<Workflow>> {
        match self {
            Self::Workflow(workflow) => Some(workflow),
            Self::Other(_) => None,
        }
    }
}

/// The documents of a file; workflows without a namespace get one.
fn read(file: &PathBuf) -> Result<Vec<Read>> {
    let text = fs::read(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let parsed = parse(&text).with_context(|| format!("`{}` cannot be read", file.display()))?;
    let document = |parsed: unwind_model::document::Parsed| match parsed.value() {
        Some(value) => Some(Read::Other(value.clone())),
        None => match parsed.document {
            Document::Workflow(mut workflow) => {
                if workflow.metadata.namespace.is_empty() {
                    "default".clone_into(&mut workflow.metadata.namespace);
                }
                Some(Read::Workflow(workflow))
            }
            Document::Unknown { .. } => None,
        },
    };
    Ok(parsed.into_iter().filter_map(document).collect())
}

impl Expected {
    fn may_be_refused(&self) -> bool {
        self.refused_or.is_some() || self.refused_or_asked
    }
}

impl End {
    /// What is wrong with how a workflow ended.
    pub(super) fn wrong(&self, came: &Came) -> Vec<String> {
        let status = &came.workflow.status;
        let mut wrong = Vec::new();
        if status.phase.as_str() != self.phase {
            wrong.push(format!(
                "the workflow is {}, not {}: {}",
                status.phase.as_str(),
                self.phase,
                status.message
            ));
        }
        if self.message.as_ref().is_some_and(|message| *message != status.message) {
            wrong.push(format!("its message is `{}`", status.message));
        }
        if self.message_contains.as_ref().is_some_and(|part| !status.message.contains(part.as_str())) {
            wrong.push(format!("its message is `{}`", status.message));
        }
        if self.within_seconds.is_some_and(|most| came.took > Duration::from_secs(most)) {
            wrong.push(format!("it took {} s", came.took.as_secs()));
        }
        wrong
    }
}
