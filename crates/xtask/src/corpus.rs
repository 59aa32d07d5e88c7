//! `cargo xtask corpus …` and `cargo xtask bench …`: builds the program `unwind-corpus` and becomes it.

use anyhow::Result;

use crate::run;
use crate::workspace::Workspace;

/// What can be measured.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Bench {
    /// Events, rehearsals and memory of the engine
    Engine,
}

/// Measures with a build that is optimised like the one that is used.
pub fn bench(workspace: &Workspace, what: Bench) -> Result<()> {
    let program = run::build(workspace, "unwind-corpus", true)?;
    let mut corpus = std::process::Command::new(program);
    match what {
        Bench::Engine => corpus.arg("bench-engine"),
    };
    run::become_program(&mut corpus)
}

/// Hands `arguments` to `unwind-corpus`, in the folder the xtask was started in.
pub fn start(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let program = run::build(workspace, "unwind-corpus", false)?;
    let mut corpus = std::process::Command::new(program);
    corpus.args(arguments);
    run::become_program(&mut corpus)
}
