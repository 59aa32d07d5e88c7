//! `unwind graph`: a workflow as a tree of text, or as a picture.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use unwind_model::{Timestamp, Workflow};
use unwind_present::graph::Folding;
use unwind_present::study::Study;
use unwind_present::svg::{Theme, svg_of};
use unwind_present::tree;

use crate::document::{self, Among};
use crate::paint;

/// Arguments of `graph`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  unwind graph workflow.yaml
  unwind graph --all template.yaml        a template with an entrypoint, nothing folded
  unwind graph --svg run.json > run.svg")]
pub struct Arguments {
    /// Manifest, template or saved run, YAML or JSON; `-` reads standard input
    file: PathBuf,
    /// Draw nested boxes with their hooks, as an SVG file on standard output
    #[arg(long)]
    svg: bool,
    /// Colours of a dark page
    #[arg(long, requires = "svg")]
    dark: bool,
    /// Show everything: fold no loop and no box
    #[arg(long, conflicts_with = "svg")]
    all: bool,
}

/// Prints what there is, and what is planned and not there yet.
pub fn graph(arguments: &Arguments) -> Result<ExitCode> {
    let Among { workflow, others, .. } = document::manifest_among(std::slice::from_ref(&arguments.file))?;
    if others > 0 {
        eprintln!(
            "unwind: there are {others} more workflows; {}, the first, is shown",
            workflow.metadata.name
        );
    }
    let now = last_news(&workflow);
    let study = Study::of(workflow);
    if arguments.svg {
        let theme = if arguments.dark { Theme::Dark } else { Theme::Light };
        paint::print_plain(&svg_of(&study, theme, now, &study.roster.workflow));
    } else {
        let folding = if arguments.all { Folding::default() } else { Folding::at_opening(&study) };
        paint::print(&tree::text(&tree::tree(&study, &folding, None, now)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A file is as old as the last time in it.
fn last_news(workflow: &Workflow) -> Timestamp {
    let nodes = workflow.status.nodes.values().flat_map(|node| [node.started_at, node.finished_at]);
    nodes.chain([workflow.status.finished_at]).flatten().max().unwrap_or_default()
}
