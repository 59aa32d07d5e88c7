//! The program: `unwind-corpus cases FOLDER`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail};
use unwind_corpus::cases;

const USAGE: &str = "usage: unwind-corpus cases FOLDER";

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["cases", folder] => run_cases(Path::new(folder)),
        _ => bail!("{USAGE}"),
    }
}

fn run_cases(folder: &Path) -> anyhow::Result<ExitCode> {
    let reports = cases::replay(folder)
        .with_context(|| format!("cannot replay the cases in `{}`", folder.display()))?;
    print!("{}", cases::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    println!("{passed} of {} views passed", reports.len());
    Ok(ExitCode::SUCCESS)
}
