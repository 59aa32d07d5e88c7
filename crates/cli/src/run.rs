//! `unwind run`: one workflow to its end in the embedded engine, without HTTP.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use unwind_engine::library::Library;
use unwind_engine::{Behaviour, Run, Way, predict};
use unwind_model::document::Parsed;
use unwind_model::{Workflow, WorkflowPhase};
use unwind_present::estimate::Estimates;
use unwind_present::format::Zone;
use unwind_present::preview::{Keeper, preview};
use unwind_present::report::{preview_text, timeline_text};
use unwind_present::study::{Study, Watched};
use unwind_present::timeline::View;
use unwind_present::truth::truth_line;
use unwind_server::backend::{BackendError, LocalBackend, LogLine, LogOptions};
use unwind_server::clock;

use crate::document;
use crate::moves::Moves;
use crate::settings::{DataArgument, Endings, RunnerArguments, block_on, open_backend};

/// Where a workflow without a namespace goes.
const NAMESPACE: &str = "default";

/// Arguments of `run`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Manifest, YAML or JSON; `-` reads standard input. Config maps and templates in it are used
    file: PathBuf,
    /// Also print what the programs write
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    data: DataArgument,
    #[command(flatten)]
    runner: RunnerArguments,
}

/// Runs to the end. The first Ctrl-C stops in order, the second terminates.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let (mut workflow, parsed, others) = document::workflow_among(&arguments.file)?;
    if workflow.metadata.namespace.is_empty() {
        NAMESPACE.clone_into(&mut workflow.metadata.namespace);
    }
    // Without a folder of its own nothing is kept.
    let (data, temporary) = if let Some(data) = arguments.data.given() {
        (data, None)
    } else {
        let folder = tempfile::Builder::new().prefix("unwind-run-").tempdir();
        let folder = folder.context("cannot make a folder for this run: give one with `--data DIR`")?;
        (folder.path().to_owned(), Some(folder))
    };
    let code = block_on(async {
        let mut endings = Endings::listen()?;
        let backend = open_backend(data, &arguments.runner, others).await?;
        let ended = match backend.submit(workflow).await {
            Ok(begun) => follow(&backend, &begun, arguments.watch, &mut endings).await,
            Err(error) => refused(&arguments.file, &parsed, error),
        };
        backend.close().await;
        ended
    });
    drop(temporary);
    code
}

/// What keeps a workflow from being run, line by line.
fn refused(file: &Path, parsed: &Parsed, error: BackendError) -> Result<ExitCode> {
    let diagnostics = match error {
        BackendError::Invalid(diagnostics) => diagnostics,
        error @ BackendError::AlreadyExists { .. } => {
            return Err(error).context("give the workflow another name, or a `generateName`");
        }
        error => return Err(error.into()),
    };
    for diagnostic in &diagnostics {
        eprintln!("{}", document::line(file, parsed, diagnostic));
    }
    Ok(ExitCode::FAILURE)
}

enum News {
    Moved(Arc<Workflow>),
    Said(LogLine),
    Signal,
}

async fn follow(
    backend: &LocalBackend,
    begun: &Workflow,
    watch_logs: bool,
    endings: &mut Endings,
) -> Result<ExitCode> {
    use futures_util::StreamExt as _;

    let (namespace, name) = (&begun.metadata.namespace, &begun.metadata.name);
    println!("{name}");
    let mut changes = backend.watch(Some(namespace.clone()), Some(name.clone()), None)?;
    let options = LogOptions { follow: true, ..LogOptions::default() };
    let mut lines = if watch_logs {
        backend.logs(namespace, name, None, options).await?
    } else {
        futures_util::stream::pending().boxed()
    };
    let mut moves = Moves::default();
    let mut signals = 0;
    loop {
        let news = tokio::select! {
            biased;
            () = endings.next() => News::Signal,
            change = changes.next() => {
                let change = change.ok_or_else(|| anyhow!("the engine ended before the workflow"))?;
                News::Moved(change.workflow.clone())
            }
            Some(line) = lines.next() => News::Said(line),
        };
        match news {
            News::Said(line) => println!("           {}: {}", line.pod_name, line.content),
            News::Moved(workflow) => {
                for line in moves.lines(&workflow) {
                    println!("{line}");
                }
                if workflow.status.phase.is_final() {
                    while let Some(line) = if watch_logs { lines.next().await } else { None } {
                        println!("           {}: {}", line.pod_name, line.content);
                    }
                    print!("\n{}", truth(&workflow));
                    return Ok(code_of(workflow.status.phase));
                }
            }
            News::Signal => {
                signals += 1;
                end(backend, namespace, name, signals).await?;
            }
        }
    }
}

fn code_of(phase: WorkflowPhase) -> ExitCode {
    match phase {
        WorkflowPhase::Succeeded => ExitCode::SUCCESS,
        WorkflowPhase::Unset
        | WorkflowPhase::Pending
        | WorkflowPhase::Running
        | WorkflowPhase::Failed
        | WorkflowPhase::Error => ExitCode::FAILURE,
    }
}

/// The first signal stops in order, every further one terminates.
async fn end(backend: &LocalBackend, namespace: &str, name: &str, signals: u32) -> Result<()> {
    let now = backend.get(namespace, name)?;
    let way = if signals == 1 { Way::Stop } else { Way::Terminate };
    eprintln!("\n{}", expected(&now, backend.library(&now), way));
    if way == Way::Stop {
        eprintln!("Ctrl-C again terminates: no further hook will run.\n");
    }
    let asked = match way {
        Way::Stop => backend.stop(namespace, name).await,
        Way::Terminate | Way::GoOn => backend.terminate(namespace, name).await,
    };
    match asked {
        // It ended by itself just now.
        Ok(_) | Err(BackendError::Completed { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What this way of ending will do from here, in the words of the page's preview.
fn expected(workflow: &Workflow, library: Library, way: Way) -> String {
    let (run, _) = Run::from_status(workflow, library, Behaviour::UNWIND);
    let prediction = predict(&run, way);
    let study = study_of(workflow);
    let estimates = Estimates::of(&study);
    let shown = preview(&study, &prediction, &Keeper::OwnEngine, &estimates, clock::now());
    shown.as_ref().map(preview_text).unwrap_or_default()
}

/// What came of it: the order of the hooks when it was stopped, and one line.
fn truth(workflow: &Workflow) -> String {
    let study = study_of(workflow);
    let now = workflow.status.finished_at.unwrap_or_else(clock::now);
    let line = truth_line(&study, now, Zone::UTC).text.text();
    if !study.is_shut_down() {
        return format!("{line}\n");
    }
    let estimates = Estimates::of(&study);
    let view = View { now, zone: Zone::UTC, is_live: false, shows_all: false, estimates: &estimates };
    format!("{}\n{line}\n", timeline_text(&study, &view))
}

fn study_of(workflow: &Workflow) -> Study {
    Study::watched(workflow.clone(), Watched { is_exact: true, shutdown_at: None })
}
