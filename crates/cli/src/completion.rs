//! `unwind completion`: what a shell needs to complete words.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Arguments of `completion`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  unwind completion bash > ~/.local/share/bash-completion/completions/unwind
  unwind completion zsh > ~/.zfunc/_unwind
  unwind completion fish > ~/.config/fish/completions/unwind.fish")]
pub struct Arguments {
    /// Which shell
    shell: Shell,
}

/// Prints the script for a shell.
pub fn completion(arguments: &Arguments) -> ExitCode {
    let mut command = crate::Arguments::command();
    generate(arguments.shell, &mut command, "unwind", &mut std::io::stdout());
    ExitCode::SUCCESS
}
