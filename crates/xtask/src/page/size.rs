//! Sizes of the page as sent, and the budget they must keep.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::write::{LIST, Listed, SINGLE};
use crate::workspace::Workspace;

/// Bytes that all files of the page may take as sent, brotli.
const BUDGET: u64 = 570_000;

/// Prints each file of the page with its sizes.
pub fn report(dist: &Path) -> Result<()> {
    let files = read(dist)?;
    eprintln!("{:>10} {:>10} {:>10}  file of {}", "bytes", "gzip", "as sent", dist.display());
    for file in &files {
        eprintln!("{:>10} {:>10} {:>10}  {}", file.bytes, file.gzip, file.brotli, file.path);
    }
    eprintln!(
        "{:>10} {:>10} {:>10}  all",
        sum(&files, |file| file.bytes),
        sum(&files, |file| file.gzip),
        sent(&files)
    );
    let single = fs::metadata(dist.join(SINGLE))?.len();
    eprintln!("{single:>10} {:>10} {:>10}  {SINGLE}, the page in one file", "", "");
    Ok(())
}

/// Fails when the page is above its budget.
pub fn check(workspace: &Workspace) -> Result<()> {
    let files = read(&workspace.dist())?;
    let sent = sent(&files);
    ensure!(
        sent <= BUDGET,
        "the page is {sent} bytes as sent, {} above its budget of {BUDGET}: `cargo xtask page` lists its files",
        sent - BUDGET
    );
    eprintln!("the page is {sent} bytes as sent, budget {BUDGET}");
    Ok(())
}

fn read(dist: &Path) -> Result<Vec<Listed>> {
    let path = dist.join(LIST);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}: build the page with `cargo xtask page`", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn sent(files: &[Listed]) -> u64 {
    sum(files, |file| file.brotli)
}

fn sum(files: &[Listed], size: impl Fn(&Listed) -> u64) -> u64 {
    files.iter().map(size).sum()
}
