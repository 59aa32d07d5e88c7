//! `unwind check`: what is wrong with a manifest, and what a saved run did wrong.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use unwind_engine::verdict::Holds;
use unwind_engine::{Finding, Scenario, Severity, analyse};
use unwind_model::Workflow;
use unwind_model::document::{Document, Parsed};
use unwind_present::phase::finding_verdict;
use unwind_present::words::verdict;

use crate::document;

/// Arguments of `check`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Manifest or saved run, YAML or JSON; `-` reads standard input
    file: PathBuf,
}

/// Prints one line for each thing; fails when a workflow cannot run, or broke a rule. What cannot be
/// told, and what is only worth knowing, does not fail.
pub fn check(arguments: &Arguments) -> Result<ExitCode> {
    let file = &arguments.file;
    let mut is_good = true;
    for parsed in document::documents(file)? {
        match &parsed.document {
            Document::Workflow(workflow) => is_good &= workflow_is_good(file, &parsed, workflow),
            Document::Unknown { found } => {
                println!("{}: note: {found} is not a workflow, so it was not checked", file.display());
            }
        }
    }
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn workflow_is_good(file: &Path, parsed: &Parsed, workflow: &Workflow) -> bool {
    let analysis = analyse(workflow, &Scenario::default());
    for diagnostic in &analysis.diagnostics {
        println!("{}", document::line(file, parsed, diagnostic));
    }
    let findings = analysis.judgement.map(|judgement| judgement.findings).unwrap_or_default();
    for finding in &findings {
        println!("{}: {}", file.display(), finding_line(finding));
    }
    let has_errors = analysis.diagnostics.iter().any(|one| one.severity == Severity::Error);
    let is_broken = findings.iter().any(|finding| finding_verdict(finding.kind) == Some(Holds::Broken));
    if !has_errors && findings.is_empty() {
        let name = match workflow.metadata.name.as_str() {
            "" => &workflow.metadata.generate_name,
            name => name,
        };
        println!("{}: {name}: nothing wrong", file.display());
    }
    !has_errors && !is_broken
}

fn finding_line(finding: &Finding) -> String {
    let title = verdict::finding_title(finding.kind);
    match finding.rule {
        Some(rule) => format!("{title}: {} ({})", finding.node, verdict::rule(rule)),
        None => format!("{title}: {}", finding.node),
    }
}
