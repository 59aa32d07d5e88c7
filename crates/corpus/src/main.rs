//! The program: `unwind-corpus cases FOLDER`, `unwind-corpus traces FOLDER`, `unwind-corpus judge FILE…`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use unwind_corpus::cases::{self, Report};
use unwind_corpus::{ratchet, traces};
use unwind_model::document::parse_workflow;

const USAGE: &str = "usage: unwind-corpus (cases | traces) FOLDER, or unwind-corpus judge FILE…";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [name @ "cases", folder] => run(name, cases::replay, Path::new(folder)),
        [name @ "traces", folder] => run(name, traces::replay, Path::new(folder)),
        ["judge", files @ ..] if !files.is_empty() => judge_files(files),
        _ => bail!("{USAGE}"),
    }
}

type Replay = fn(&Path) -> anyhow::Result<Vec<Report>>;

fn run(name: &str, replay: Replay, folder: &Path) -> anyhow::Result<ExitCode> {
    let reports =
        replay(folder).with_context(|| format!("cannot replay the {name} in `{}`", folder.display()))?;
    print!("{}", cases::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    println!("{passed} of {} passed", reports.len());
    ratchet::check(include_str!("../ratchet.txt"), name, passed)?;
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
