//! The program: `unwind-corpus cases FOLDER`, `unwind-corpus judge FILE…`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use unwind_corpus::{cases, ratchet};
use unwind_model::document::parse_workflow;

const USAGE: &str = "usage: unwind-corpus cases FOLDER | unwind-corpus judge FILE…";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["cases", folder] => run_cases(Path::new(folder)),
        ["judge", files @ ..] if !files.is_empty() => judge_files(files),
        _ => bail!("{USAGE}"),
    }
}

fn run_cases(folder: &Path) -> anyhow::Result<ExitCode> {
    let reports = cases::replay(folder)
        .with_context(|| format!("cannot replay the cases in `{}`", folder.display()))?;
    print!("{}", cases::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    println!("{passed} of {} views passed", reports.len());
    ratchet::check(include_str!("../ratchet.txt"), "cases", passed)?;
    Ok(ExitCode::SUCCESS)
}

/// One line for each finding in each file: file, kind, node.
fn judge_files(files: &[&str]) -> anyhow::Result<ExitCode> {
    for file in files {
        let text = std::fs::read(file).with_context(|| format!("cannot read `{file}`"))?;
        let (workflow, _) = parse_workflow(&text).with_context(|| format!("`{file}` is not a workflow"))?;
        for (kind, node) in cases::findings_of(&workflow) {
            println!("{file} {kind} {node}");
        }
    }
    Ok(ExitCode::SUCCESS)
}
