//! `cargo xtask`: builds the page, runs and tests the whole, holds the rules the compiler does not know.
//!
//! It starts the other programs (cargo, npm, node, a browser) and links none of our crates, so that it builds
//! before they do. What it writes: `dist/` (the page) and `target/`; it never writes into sources.

mod browser;
mod check;
mod corpus;
mod page;
mod rules;
mod run;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use workspace::Workspace;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, runs and tests Unwind")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the page into dist/, and dist/unwind.html, the page in one file
    Page {
        /// Quick build: no optimisation, fast compression
        #[arg(long)]
        dev: bool,
    },
    /// Build the engine's module alone: what `trunk build` calls for the page's second module
    EngineModule {
        /// Folder to write it to
        #[arg(env = "TRUNK_STAGING_DIR")]
        folder: std::path::PathBuf,
        /// Quick build: no optimisation
        #[arg(long)]
        dev: bool,
    },
    /// Build page and server, then start `unwind serve`
    Run {
        /// Build the server with optimisation
        #[arg(long)]
        release: bool,
        /// Quick build of the page
        #[arg(long)]
        dev_page: bool,
        /// Flags for `unwind serve`, after `--`
        #[arg(last = true)]
        serve_flags: Vec<String>,
    },
    /// Check format, arrows between crates, imports, file lengths and lints
    Check,
    /// Check the arrows between crates alone
    Arrows,
    /// Run everything: check, page, size, native tests, browser tests
    Test,
    /// Run the browser tests alone
    Browser {
        /// Part of a test file's name, or else of a test's name
        filter: Option<String>,
    },
    /// Replay a corpus against the engine; `cargo xtask corpus --help` lists the kinds
    #[command(disable_help_flag = true)]
    Corpus {
        /// Arguments of `unwind-corpus`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Try senseless inputs on everything that reads what others wrote; ten minutes each, two at a time
    #[command(disable_help_flag = true)]
    Soak {
        /// Arguments of `unwind-corpus soak`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Measure
    Bench {
        /// What to measure
        #[arg(value_enum)]
        what: corpus::Bench,
    },
    /// Fail when the page as sent is above its size budget
    Size,
}

fn main() -> ExitCode {
    match perform(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(arguments: Arguments) -> Result<()> {
    let workspace = Workspace::find()?;
    match arguments.command {
        Command::Page { dev } => page::build(&workspace, page::Mode::from_dev(dev)),
        Command::EngineModule { folder, dev } => {
            let path = page::engine(&workspace, &folder, page::Mode::from_dev(dev))?;
            println!("{}", path.display());
            Ok(())
        }
        Command::Run { release, dev_page, serve_flags } => {
            page::build(&workspace, page::Mode::from_dev(dev_page))?;
            run::serve(&workspace, release, &serve_flags)
        }
        Command::Check => check::all(&workspace),
        Command::Arrows => rules::check_arrows(&workspace),
        Command::Test => test::all(&workspace),
        Command::Browser { filter } => browser::test(&workspace, filter.as_deref()),
        Command::Corpus { arguments } => corpus::start(&workspace, &arguments),
        Command::Soak { arguments } => corpus::soak(&workspace, &arguments),
        Command::Bench { what } => corpus::bench(&workspace, what),
        Command::Size => page::size::check(&workspace),
    }
}
