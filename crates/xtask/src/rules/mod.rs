//! The rules the compiler does not know: arrows between crates, imports between the page's folders, what the
//! pure crates may touch, length of files. Each rule is a function from parsed input to sentences.

mod arrows;
mod imports;
mod length;
mod purity;
mod source;

use anyhow::{Result, bail};
use cargo_metadata::MetadataCommand;

use crate::workspace::Workspace;

/// Checks every rule; the error lists all that is broken.
pub fn check(workspace: &Workspace) -> Result<()> {
    let mut broken = arrows(workspace)?;
    let files = source::read(&workspace.root)?;
    broken.extend(imports::check(&files));
    broken.extend(purity::check(&files));
    broken.extend(length::check(&files));
    report(&broken, "arrows, imports, purity and file lengths")
}

/// Checks the arrows between crates alone.
pub fn check_arrows(workspace: &Workspace) -> Result<()> {
    report(&arrows(workspace)?, "arrows between crates")
}

fn arrows(workspace: &Workspace) -> Result<Vec<String>> {
    let mut command = MetadataCommand::new();
    command.current_dir(&workspace.root).other_options(["--locked".to_owned()]);
    Ok(arrows::check(&arrows::Graph::from_metadata(&command.exec()?)))
}

fn report(broken: &[String], what: &str) -> Result<()> {
    if broken.is_empty() {
        eprintln!("kept: {what}");
        return Ok(());
    }
    bail!("broken rules (ARCHITECTURE.md names them and why):\n  {}", broken.join("\n  "))
}
