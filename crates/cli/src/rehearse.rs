//! `unwind rehearse`: a workflow played through in the engine alone.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;

/// Arguments of `rehearse`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Manifest, YAML or JSON; `-` reads standard input
    pub file: PathBuf,
    /// Stop when this node begins, for example `seed.level1.level2.level3`
    #[arg(long, value_name = "NODE")]
    pub stop_at: Option<String>,
    /// Print data instead of sentences
    #[arg(long)]
    pub json: bool,
}

/// Prints what would happen.
pub fn rehearse(_arguments: &Arguments) -> Result<ExitCode> {
    anyhow::bail!("not here yet")
}
