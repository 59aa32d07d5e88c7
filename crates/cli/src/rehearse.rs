//! `unwind rehearse`: a workflow played through in the engine alone.

mod outcomes;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use unwind_engine::behaviour::Release;
use unwind_engine::lower;
use unwind_present::format::Zone;
use unwind_present::report::rehearsal_text;
use unwind_present::report::{find_node, rehearse as play, report_json};
use unwind_present::roster::Roster;

use crate::document;

/// Arguments of `rehearse`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  unwind rehearse --stop-at cap workflow.yaml
  unwind rehearse --stop-at cap --as argo-4.1.2 workflow.yaml
  unwind rehearse --in-order-at cap --as argo-4.1.2 workflow.yaml
  unwind rehearse --leaf press=fail:3 workflow.yaml")]
pub struct Arguments {
    /// Manifest, YAML or JSON; `-` reads standard input. Templates in it are used
    file: PathBuf,
    /// Stop when this node runs: its full name, or a name that only one node has
    #[arg(long, value_name = "NODE", group = "at")]
    stop_at: Option<String>,
    /// Terminate when this node runs
    #[arg(long, value_name = "NODE", group = "at")]
    terminate_at: Option<String>,
    /// Set the deadline to zero when this node runs, which stops in order
    #[arg(long, value_name = "NODE", group = "at")]
    in_order_at: Option<String>,
    /// Play it as this release of Argo does, for example argo-4.1.2
    #[arg(long = "as", value_name = "RELEASE", value_parser = Release::parse)]
    release: Option<Release>,
    /// How a program ends: `NODE=fail:3` or `NODE=ok`
    #[arg(long = "leaf", value_name = "NODE=END")]
    leaves: Vec<String>,
    /// Print data instead of sentences
    #[arg(long)]
    json: bool,
}

/// Prints what would happen: no program is run, every leaf takes as long as the others.
pub fn rehearse(arguments: &Arguments) -> Result<ExitCode> {
    let is_plain = arguments.release.is_none()
        && arguments.leaves.is_empty()
        && arguments.terminate_at.is_none()
        && arguments.in_order_at.is_none();
    if !is_plain {
        return outcomes::print(arguments);
    }
    let (workflow, _) = document::workflow(&arguments.file)?;
    let stop_at = match &arguments.stop_at {
        None => None,
        Some(text) => {
            let (plan, _) = lower(&workflow);
            let roster = Roster::new(&plan.outline(), &workflow);
            Some(find_node(&roster, text).context("`--stop-at` names no node")?)
        }
    };
    let rehearsed = play(&workflow, stop_at.as_ref());
    if arguments.json {
        let json = report_json(&rehearsed.report).context("cannot write the report as JSON")?;
        print!("{json}");
    } else {
        print!("{}", rehearsal_text(&rehearsed, Zone::UTC));
    }
    Ok(ExitCode::SUCCESS)
}
