//! `cargo xtask corpus …`: builds the program `unwind-corpus` and becomes it.

use anyhow::Result;

use crate::run;
use crate::workspace::Workspace;

/// Hands `arguments` to `unwind-corpus`, in the folder the xtask was started in.
pub fn start(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let program = run::build(workspace, "unwind-corpus", false)?;
    let mut corpus = std::process::Command::new(program);
    corpus.args(arguments);
    run::become_program(&mut corpus)
}
