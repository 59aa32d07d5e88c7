//! `cargo xtask run`: builds the server with the page inside and becomes it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{self, Workspace};

/// Builds the program `unwind` and starts `unwind serve` with `flags`; does not come back while it serves.
pub fn serve(workspace: &Workspace, release: bool, flags: &[String]) -> Result<()> {
    let program = build(workspace, "unwind", release)?;
    let mut serve = workspace.program(program);
    serve.arg("serve").args(flags);
    become_program(&mut serve)
}

/// Builds one of our programs and gives its place.
///
/// The whole workspace is named, and of it one program, so that the dependencies get the same features as in
/// `cargo test --workspace` and are compiled once for both.
pub fn build(workspace: &Workspace, program: &str, release: bool) -> Result<PathBuf> {
    let mut build = workspace.cargo();
    build.args(["build", "--workspace", "--bin", program]);
    if release {
        build.arg("--release");
    }
    workspace::run(&mut build)?;
    let profile = if release { "release" } else { "debug" };
    Ok(workspace.target.join(profile).join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
}

/// Replaces this process, so that Ctrl-C and other signals reach the server alone and its exit code is ours.
#[cfg(unix)]
pub fn become_program(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec()).with_context(|| format!("cannot start the program {command:?}"))
}

#[cfg(not(unix))]
pub fn become_program(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start the program {command:?}"))?;
    std::process::exit(status.code().unwrap_or(1));
}
