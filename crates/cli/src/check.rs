//! `unwind check`: what is wrong with manifests, and what saved runs did wrong.
//!
//! Files that are named together belong together: templates and config maps of one are found by the
//! workflows of the others.

mod format;
mod look;
mod runs;
mod valid;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use unwind_engine::analysis::Scenario;
use unwind_engine::behaviour::Release;
use unwind_model::document::Parsed;
use unwind_model::document::evidence::Evidence;
use unwind_present::remarks;

use self::runs::Runs;
use crate::document::{self, library};
use crate::paint;

/// Nothing can be said about a file: it cannot be read.
const UNREADABLE: u8 = 2;

/// Arguments of `check`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  unwind check workflow.yaml
  unwind check manifests/                      every YAML and JSON file in a folder
  unwind check library.yaml workflow.yaml      a workflow with the templates it refers to
  unwind check --as argo-4.1.2 workflow.yaml   which hooks this release loses, and whether it hangs
  unwind check run.json controller.log         a run with what its controller logged
  unwind check watch.sse archive.csv           an event stream, rows of the archive
  kubectl get wf my-run -o json | unwind check -

Exit code: 0 nothing broken, 1 something is broken, 2 a file cannot be read.")]
pub struct Arguments {
    /// Manifests, saved runs, event streams, controller logs, rows of the archive; of a folder all YAML and JSON
    /// files in it; `-` reads standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Also tell what this release of Argo does, for example argo-4.1.2
    #[arg(long = "as", value_name = "RELEASE", value_parser = Release::parse)]
    release: Option<Release>,
    /// Print data instead of sentences
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// How lines are written
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// File, line, column, sentence
    Text,
    /// Annotations of GitHub Actions
    Github,
    /// SARIF 2.1.0
    Sarif,
}

/// Prints one line for each thing; 1 when a workflow cannot run, or broke a rule. What cannot be
/// told, and what is only worth knowing, does not fail.
pub fn check(arguments: &Arguments) -> Result<ExitCode> {
    let read: Vec<_> = document::files(&arguments.files)
        .into_iter()
        .map(|(file, error)| {
            let evidence = error.map_or_else(|| document::evidence(&file), Err);
            (file, evidence)
        })
        .collect();
    let documents = read.iter().filter_map(|(_, read)| documents(read.as_ref().ok()?)).flatten();
    let runs = Runs::of(read.iter().map(|(_, read)| read.as_ref().ok()));
    let scenario =
        Scenario { release: arguments.release.clone(), library: library(documents), ..Scenario::default() };
    let look = look::Look { scenario: &scenario, runs: &runs };
    let files: Vec<look::File> = read
        .iter()
        .enumerate()
        .map(|(place, (file, read))| look::File::of(file, place, read.as_ref(), &look))
        .collect();
    let is_unreadable = files.iter().any(|file| file.error.is_some());
    let is_broken = files.iter().any(look::File::is_broken);
    let code = if is_unreadable { UNREADABLE } else { u8::from(is_broken) };
    match (arguments.json, arguments.format) {
        (true, _) => paint::print_plain(&format::json(&files, code, arguments.release.as_ref())?),
        (false, Format::Sarif) => paint::print_plain(&format::sarif(&files)?),
        (false, Format::Github) => paint::print_plain(&format::github(&files)),
        (false, Format::Text) => {
            for error in files.iter().filter_map(|file| file.error.as_ref()) {
                eprintln!("unwind: {}", error.text);
            }
            let release = arguments.release.as_ref().map(remarks::release);
            let head = release.map_or_else(String::new, |release| format!("note: {release}\n"));
            paint::print(&format!("{head}{}", format::text(&files)));
        }
    }
    Ok(ExitCode::from(code))
}

fn documents(evidence: &Evidence) -> Option<&Vec<Parsed>> {
    match evidence {
        Evidence::Documents(documents) => Some(documents),
        Evidence::Stream(_) | Evidence::Log(_) | Evidence::Rows(_) => None,
    }
}
