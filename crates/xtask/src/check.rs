//! `cargo xtask check`: format, rules, lints.

use anyhow::Result;

use crate::page;
use crate::rules;
use crate::workspace::{Workspace, run};

/// Everything that needs no test to run.
pub fn all(workspace: &Workspace) -> Result<()> {
    quick(workspace)?;
    lints(workspace)
}

/// Format and rules: seconds.
pub fn quick(workspace: &Workspace) -> Result<()> {
    run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    rules::check(workspace)
}

/// Clippy over every target of every crate, and over the page as the browser gets it; warnings are denied.
pub fn lints(workspace: &Workspace) -> Result<()> {
    let deny = ["--", "-D", "warnings"];
    run(workspace.cargo().args(["clippy", "--workspace", "--all-targets", "--locked"]).args(deny))?;
    page::ensure_target(workspace)?;
    let page = ["clippy", "--package", "unwind-page", "--target", page::TARGET, "--locked"];
    run(workspace.cargo().args(page).args(deny))
}
