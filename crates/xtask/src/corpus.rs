//! `cargo xtask corpus …`, `soak …` and `bench …`: builds the program `unwind-corpus` and becomes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::page::{self, Mode};
use crate::run;
use crate::workspace::{self, Workspace};

/// What can be measured.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Bench {
    /// Events, rehearsals and memory of the engine
    Engine,
}

/// Measures with a build that is optimised like the one that is used.
pub fn bench(workspace: &Workspace, what: Bench) -> Result<()> {
    let program = run::build(workspace, "unwind-corpus", true)?;
    match what {
        Bench::Engine => {
            workspace::run(Command::new(&program).arg("bench-engine"))?;
            bench_in_wasm(workspace, &program)
        }
    }
}

/// Rehearses made-up workflows in the engine as a WASM module, built as the page gets it, and asks it what will come
/// of runs under way.
fn bench_in_wasm(workspace: &Workspace, corpus: &Path) -> Result<()> {
    let module = page::engine(workspace, &workspace.target, Mode::Release)?;
    let manifests = workspace.target.join("bench-manifests");
    workspace::run(Command::new(corpus).arg("bench-manifests").arg(&manifests))?;
    for (script, folder) in [("engine.mjs", manifests.clone()), ("foresee.mjs", manifests.join("running"))] {
        let entries = fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path()));
        let mut files: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
        files.retain(|file| file.is_file());
        files.sort();
        let mut node = workspace.program("node");
        node.arg(workspace.root.join("tests/perf").join(script)).arg(&module).args(files);
        workspace::run(&mut node)?;
    }
    Ok(())
}

/// Tries senseless inputs; those that failed are kept below the target folder.
pub fn soak(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let mut soak = soak_command(workspace)?;
    soak.args(arguments);
    run::become_program(&mut soak)
}

/// The same for a short while, as part of the test command.
pub fn short_soak(workspace: &Workspace) -> Result<()> {
    workspace::run(soak_command(workspace)?.args(["--seconds", "30"]))
}

fn soak_command(workspace: &Workspace) -> Result<Command> {
    let mut soak = Command::new(run::build(workspace, "unwind-corpus", false)?);
    soak.arg("soak").arg("--folder").arg(workspace.target.join("soak"));
    Ok(soak)
}

/// Hands `arguments` to `unwind-corpus`, in the folder the xtask was started in.
pub fn start(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let program = run::build(workspace, "unwind-corpus", false)?;
    let mut corpus = Command::new(program);
    corpus.args(arguments);
    run::become_program(&mut corpus)
}
