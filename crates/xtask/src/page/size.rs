//! Sizes of the page as sent, and the budget they must keep.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::write::{LIST, Listed, SINGLE};
use crate::workspace::Workspace;

/// Bytes that the first load may take as sent, brotli.
const BUDGET: u64 = 570_000;
/// Bytes that each file may take which is asked for later.
const BUDGET_ON_DEMAND: u64 = 1_000_000;

/// Prints each file of the page with its sizes.
pub fn report(dist: &Path) -> Result<()> {
    let files = read(dist)?;
    eprintln!("{:>10} {:>10} {:>10}  file of {}", "bytes", "gzip", "as sent", dist.display());
    for file in &files {
        eprintln!("{:>10} {:>10} {:>10}  {}", file.bytes, file.gzip, file.brotli, file.path);
    }
    eprintln!(
        "{:>10} {:>10} {:>10}  first load",
        sum(&files, |file| if file.on_demand { 0 } else { file.bytes }),
        sum(&files, |file| if file.on_demand { 0 } else { file.gzip }),
        sent(&files)
    );
    let single = fs::metadata(dist.join(SINGLE))?.len();
    eprintln!("{single:>10} {:>10} {:>10}  {SINGLE}, the page in one file", "", "");
    Ok(())
}

/// Fails when the page is above its budget.
pub fn check(workspace: &Workspace) -> Result<()> {
    let files = read(&workspace.dist())?;
    for file in files.iter().filter(|file| file.on_demand) {
        ensure!(
            file.brotli <= BUDGET_ON_DEMAND,
            "{} is {} bytes as sent, above its budget of {BUDGET_ON_DEMAND}",
            file.path,
            file.brotli
        );
        eprintln!("{} is {} bytes as sent, budget {BUDGET_ON_DEMAND}", file.path, file.brotli);
    }
    let sent = sent(&files);
    ensure!(
        sent <= BUDGET,
        "the page's first load is {sent} bytes as sent, {} above its budget of {BUDGET}: `cargo xtask page` lists its files",
        sent - BUDGET
    );
    eprintln!("the page's first load is {sent} bytes as sent, budget {BUDGET}");
    Ok(())
}

fn read(dist: &Path) -> Result<Vec<Listed>> {
    let path = dist.join(LIST);
    let text = fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}: build the page with `cargo xtask page`", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn sent(files: &[Listed]) -> u64 {
    sum(files, |file| if file.on_demand { 0 } else { file.brotli })
}

fn sum(files: &[Listed], size: impl Fn(&Listed) -> u64) -> u64 {
    files.iter().map(size).sum()
}
