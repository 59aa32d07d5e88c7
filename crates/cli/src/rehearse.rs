//! `unwind rehearse`: a workflow played through in the engine alone.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use unwind_engine::lower;
use unwind_present::format::Zone;
use unwind_present::report::rehearsal_text;
use unwind_present::report::{find_node, rehearse as play, report_json};
use unwind_present::roster::Roster;

use crate::document;

/// Arguments of `rehearse`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Manifest, YAML or JSON; `-` reads standard input
    file: PathBuf,
    /// Stop when this node runs: its full name, or a name that only one node has
    #[arg(long, value_name = "NODE")]
    stop_at: Option<String>,
    /// Print data instead of sentences
    #[arg(long)]
    json: bool,
}

/// Prints what would happen: no program is run, every leaf takes as long as the others.
pub fn rehearse(arguments: &Arguments) -> Result<ExitCode> {
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
