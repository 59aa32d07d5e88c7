//! The program `unwind`: serve, run, rehearse, check, graph, token, completion.
//!
//! In: arguments. Out: what the libraries do and say. Answers go to standard output, everything
//! else to standard error; the exit code is 0 when all is well, 1 when the run or document is not,
//! 2 when the arguments are wrong or a file cannot be read.

mod check;
mod completion;
mod document;
mod graph;
mod moves;
mod paint;
mod rehearse;
mod run;
mod serve;
mod settings;
mod token;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Runs Argo workflows on this machine, their exit hooks innermost first, and shows them.
#[derive(Parser)]
#[command(
    name = "unwind",
    version,
    after_help = "Examples:
  unwind check --as argo-4.1.2 manifests/              what is wrong with manifests, on this release of Argo
  unwind rehearse --stop-at build workflow.yaml        what a stop would do while `build` runs
  unwind run workflow.yaml                             run it on this machine
  unwind serve                                         the page and Argo's API on a port

`unwind COMMAND --help` has more for each."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run workflows on this machine, with the page and Argo's API on a port
    Serve(serve::Arguments),
    /// Run one workflow to its end, without a server
    Run(run::Arguments),
    /// Play a workflow through without running anything, and say what a stop would do
    Rehearse(rehearse::Arguments),
    /// Say what is wrong with manifests, or with saved runs
    Check(check::Arguments),
    /// Show a workflow as a tree of text, or draw it
    Graph(graph::Arguments),
    /// Print the variables that point `argo` at the server
    Token(token::Arguments),
    /// Print what a shell needs to complete words
    Completion(completion::Arguments),
}

fn main() -> ExitCode {
    // The program of each leaf runs under this. Before anything else: it must have no threads.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == settings::SHIM) {
        return unwind_server::runner::shim_main(arguments);
    }
    say_what_happens();
    let done = match Arguments::parse().command {
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Rehearse(arguments) => rehearse::rehearse(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Graph(arguments) => graph::graph(&arguments),
        Command::Completion(arguments) => Ok(completion::completion(&arguments)),
        Command::Token(arguments) => token::token(&arguments),
    };
    done.unwrap_or_else(|error| {
        eprintln!("unwind: {error:#}");
        if error.is::<document::CannotRead>() { ExitCode::from(2) } else { ExitCode::FAILURE }
    })
}

/// `UNWIND_LOG=debug` tells more.
fn say_what_happens() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("UNWIND_LOG");
    let filter = filter.unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
