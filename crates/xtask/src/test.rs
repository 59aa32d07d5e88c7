//! `cargo xtask test`: the whole proof, in the order in which a mistake shows soonest.

use anyhow::Result;

use crate::page::{self, Mode};
use crate::workspace::{Workspace, run};
use crate::{browser, check, corpus};

/// Format and rules, page, its size, lints, native tests, senseless inputs, browser tests.
///
/// The page comes before everything that compiles the server, which embeds it; so the server is built once.
pub fn all(workspace: &Workspace) -> Result<()> {
    browser::ensure_tools(workspace)?;
    check::quick(workspace)?;
    page::build(workspace, Mode::Release)?;
    page::size::check(workspace)?;
    check::lints(workspace)?;
    run(workspace.cargo().args(["test", "--workspace", "--locked"]))?;
    corpus::short_soak(workspace)?;
    browser::test(workspace, None)
}
