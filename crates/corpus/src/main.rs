//! The program `unwind-corpus`; `cargo xtask corpus` starts it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};
use unwind_corpus::cases::{self, Report};
use unwind_corpus::soak::{self, Target};
use unwind_corpus::traces::{self, Options, report, show, summary};
use unwind_corpus::{bench, judgements, manifests, predictions, ratchet, sweep, taken_up, unwinding};
use unwind_model::document::parse_workflow;

#[derive(Parser)]
#[command(name = "cargo xtask corpus", about = "Replays corpora against the engine")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replay traces of the real controller and compare pass by pass
    Traces(TracesArguments),
    /// Rehearse every manifest of a folder to its end with simulated leaves
    Manifests {
        /// Folder of YAML files
        folder: PathBuf,
    },
    /// Measure the engine on made-up workflows
    #[command(name = "bench-engine")]
    BenchEngine {
        /// Largest run, in nodes
        #[arg(long, default_value_t = 100_000)]
        most: usize,
    },
    /// Measure what is told of made-up runs: analysis and predictions
    #[command(name = "bench-analysis")]
    BenchAnalysis,
    /// Write the made-up workflows of 10,000 nodes, and the nesting of 1,000 levels, as JSON
    #[command(name = "bench-manifests")]
    BenchManifests {
        /// Folder for them
        folder: PathBuf,
    },
    /// Run the inputs of traces under UNWIND to their end
    Unwinding(UnwindingArguments),
    /// Take up the runs of traces from their status alone, after each pass
    #[command(name = "take-up")]
    TakeUp {
        /// Folder of groups of traces
        folder: PathBuf,
        /// A part of `group/name`
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Judge the final states of traces
    Judgements {
        /// Folder of groups of traces
        folder: PathBuf,
    },
    /// Predict how runs end, from just before they were told to
    Predictions {
        /// Folder of groups of traces
        folder: PathBuf,
    },
    /// Weigh the ways in which traces end, and hold them against what came
    Ways {
        /// Folder of groups of traces
        folder: PathBuf,
        /// Print all ways to end each run instead, the best first
        #[arg(long)]
        list: bool,
    },
    /// Try senseless inputs on everything that reads what others wrote
    Soak(SoakArguments),
    /// One process of a soak
    #[command(name = "soak-worker", hide = true)]
    SoakWorker {
        #[arg(long, value_enum)]
        target: Target,
        #[arg(long)]
        seed: u64,
        #[arg(long)]
        first: u64,
        #[arg(long)]
        seconds: u64,
        #[arg(long)]
        folder: PathBuf,
    },
    /// Run the cases with real processes, and judge their views
    Cases {
        /// Folder of cases
        folder: PathBuf,
        /// Judge the views only
        #[arg(long)]
        views: bool,
        /// A part of the name of a case
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Print the findings in workflow files
    Judge {
        /// Workflow objects, YAML or JSON
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
struct TracesArguments {
    /// Folder of groups of traces, with or without an `invalid.json`
    folder: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// A trace (`group/name` or `name`), a group, or a part of `group/name`
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Leave each trace after its first pass with a difference
    #[arg(long)]
    stop_at_first: bool,
    /// Print the chosen traces pass by pass, with the differences below each
    #[arg(long, requires = "only", conflicts_with_all = ["json", "summary"])]
    show: bool,
    /// Print counts for each group and the most frequent kinds of first differences
    #[arg(long, conflicts_with = "json")]
    summary: bool,
    /// What the counts of the summary are for
    #[arg(long, value_enum, default_value = "group", requires = "summary")]
    group_by: GroupBy,
}

#[derive(clap::Args)]
struct SoakArguments {
    /// Time for each target; two are tried at a time
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// What to try; everything without it
    #[arg(long, value_enum)]
    target: Option<Target>,
    /// The same seed makes the same inputs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where inputs that failed are kept
    #[arg(long, default_value = "target/soak")]
    folder: PathBuf,
    /// Try the input of a file alone
    #[arg(long, requires = "target")]
    input: Option<PathBuf>,
    /// Try one input alone, by its number
    #[arg(long, requires = "target", conflicts_with = "input")]
    number: Option<u64>,
}

#[derive(clap::Args)]
struct UnwindingArguments {
    /// Folder of groups of traces
    #[arg(required_unless_present = "random")]
    folder: Option<PathBuf>,
    /// Stop and terminate each input before each of its passes, too
    #[arg(long)]
    sweep: bool,
    /// A part of `group/name`; of random workflows a course such as `stop at 12`
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Random workflows, told to end at every event
    #[arg(long, value_name = "COUNT")]
    random: Option<usize>,
    /// Seed of the first random workflow
    #[arg(long, default_value_t = 1, requires = "random")]
    seed: u64,
    /// Most nodes of a random workflow
    #[arg(long, default_value_t = 200, requires = "random")]
    nodes: usize,
    /// Every random workflow has as many nodes as may be
    #[arg(long, requires = "random")]
    full: bool,
    /// At how many events of a run it is told to end, at most
    #[arg(long, default_value_t = 1_000, requires = "random")]
    instants: usize,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum GroupBy {
    /// Group of traces
    Group,
    /// Release of the controller
    Release,
}

fn main() -> anyhow::Result<ExitCode> {
    // The programs of cases run under this. Before anything else: it must have no threads.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == cases::SHIM) {
        return Ok(unwind_server::runner::shim_main(arguments));
    }
    match Arguments::parse().command {
        Command::Traces(arguments) => replay_traces(&arguments),
        Command::BenchEngine { most } => {
            bench::engine(&mut std::io::stdout(), most)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::BenchAnalysis => {
            bench::analysis(&mut std::io::stdout())?;
            Ok(ExitCode::SUCCESS)
        }
        Command::BenchManifests { folder } => {
            bench::manifests(&folder)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Manifests { folder } => rehearse_manifests(&folder),
        Command::Unwinding(arguments) => unwind(arguments),
        Command::TakeUp { folder, only } => take_up(&folder, only.as_deref()),
        Command::Judgements { folder } => run("judgements", judgements::replay, &folder),
        Command::Predictions { folder } => predict(&folder),
        Command::Ways { folder, list: true } => {
            for line in predictions::ways::lines(&folder)? {
                println!("{line}");
            }
            Ok(ExitCode::SUCCESS)
        }
        Command::Ways { folder, list: false } => weigh(&folder),
        Command::Soak(arguments) => soak(arguments),
        Command::SoakWorker { target, seed, first, seconds, folder } => {
            soak::work(&soak::Work { target, seed, first, seconds, folder })
        }
        Command::Cases { folder, views, only } => replay_cases(&folder, views, only.as_deref()),
        Command::Judge { files } => judge_files(&files),
    }
}

fn replay_traces(arguments: &TracesArguments) -> anyhow::Result<ExitCode> {
    let options =
        Options { only: arguments.only.clone(), stop_at_first: arguments.stop_at_first || arguments.summary };
    let reports = traces::replay_folder(&arguments.folder, &options)?;
    let text = if arguments.json {
        report::as_json(&reports)
    } else if arguments.summary {
        summary::summary(&reports, arguments.group_by == GroupBy::Release)
    } else if arguments.show {
        let mut text = String::new();
        for report in &reports {
            text += &show::show(&arguments.folder, report)?;
        }
        text + &report::count(&reports)
    } else {
        report::lines(&reports)
    };
    print!("{text}");
    Ok(if reports.iter().all(traces::Report::passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn soak(arguments: SoakArguments) -> anyhow::Result<ExitCode> {
    if let (Some(target), Some(file)) = (arguments.target, &arguments.input) {
        soak::try_file(target, file)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let (Some(target), Some(number)) = (arguments.target, arguments.number) {
        let file = soak::keep(target, arguments.seed, number, &arguments.folder)?;
        soak::try_file(target, &file)?;
        return Ok(ExitCode::SUCCESS);
    }
    let targets = arguments.target.map_or_else(|| Target::ALL.to_vec(), |target| vec![target]);
    let SoakArguments { seconds, seed, folder, .. } = arguments;
    let reports = soak::soak(&soak::Options { targets, seconds, seed, folder })?;
    let passed = reports.iter().filter(|report| report.passed()).count();
    println!("{passed} passed, {} failed", reports.len() - passed);
    Ok(if passed == reports.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn rehearse_manifests(folder: &Path) -> anyhow::Result<ExitCode> {
    let reports = manifests::rehearse_folder(folder)?;
    print!("{}", manifests::lines(&reports));
    Ok(if reports.iter().all(manifests::Report::passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn unwind(arguments: UnwindingArguments) -> anyhow::Result<ExitCode> {
    let mut reports = Vec::new();
    if let Some(folder) = &arguments.folder {
        reports.extend(unwinding::replay(folder, arguments.sweep, arguments.only.as_deref())?);
    }
    if let Some(workflows) = arguments.random {
        reports.extend(sweep::sweep(&sweep::Amount {
            workflows,
            nodes: arguments.nodes,
            is_full: arguments.full,
            seed: arguments.seed,
            instants: arguments.instants,
            only: arguments.only,
        })?);
    }
    print!("{}", unwinding::lines(&reports));
    Ok(if reports.iter().all(Report::passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn take_up(folder: &Path, only: Option<&str>) -> anyhow::Result<ExitCode> {
    let reports = taken_up::replay(folder, only)?;
    print!("{}", unwinding::lines(&reports));
    if only.is_none() {
        taken_up::check(&reports)?;
    }
    Ok(ExitCode::SUCCESS)
}

type Replay = fn(&Path) -> anyhow::Result<Vec<Report>>;

fn run(name: &str, replay: Replay, folder: &Path) -> anyhow::Result<ExitCode> {
    let reports =
        replay(folder).with_context(|| format!("cannot replay the {name} in `{}`", folder.display()))?;
    print!("{}", cases::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    println!("{passed} of {} passed", reports.len());
    ratchet::check(include_str!("../ratchet.txt"), name, passed)?;
    Ok(ExitCode::SUCCESS)
}

fn replay_cases(folder: &Path, views: bool, only: Option<&str>) -> anyhow::Result<ExitCode> {
    let is_wanted = |name: &str| only.is_none_or(|only| name.contains(only));
    let mut reports = cases::replay(folder)
        .with_context(|| format!("cannot replay the cases in `{}`", folder.display()))?;
    reports.retain(|report| is_wanted(&report.name));
    let passed_views = reports.iter().filter(|report| report.passed()).count();
    if !views {
        let program = std::env::current_exe().context("cannot find the path of this program")?;
        reports.extend(cases::play(folder, &program, &is_wanted)?);
    }
    print!("{}", cases::lines(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    let not_yet = reports.iter().filter(|report| matches!(report.result, cases::Outcome::NotYet(_))).count();
    let failed = reports.len() - passed - not_yet;
    println!("{passed} passed, {failed} failed, {not_yet} not yet");
    if only.is_none() {
        ratchet::check(include_str!("../ratchet.txt"), "cases", passed_views)?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn predict(folder: &Path) -> anyhow::Result<ExitCode> {
    let reports = predictions::replay(folder)
        .with_context(|| format!("cannot predict the traces in `{}`", folder.display()))?;
    print!("{}", predictions::going_on_lines(&predictions::let_go_on(folder)?));
    print!("{}", predictions::lines(&reports));
    let is_missed = |report: &predictions::Report| matches!(report.result, predictions::Told::Missed(..));
    Ok(if reports.iter().any(is_missed) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn weigh(folder: &Path) -> anyhow::Result<ExitCode> {
    let reports = predictions::ways::replay(folder)
        .with_context(|| format!("cannot weigh the ways in `{}`", folder.display()))?;
    print!("{}", predictions::ways::failures(&reports));
    let passed = reports.iter().filter(|report| report.passed()).count();
    let not_judged =
        reports.iter().filter(|report| matches!(report.result, cases::Outcome::NotYet(_))).count();
    let failed = reports.len() - passed - not_judged;
    println!("{passed} passed, {failed} failed, {not_judged} not judged");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One line for each finding in each file: file, kind, node.
fn judge_files(files: &[PathBuf]) -> anyhow::Result<ExitCode> {
    for file in files {
        let name = file.display();
        let text = std::fs::read(file).with_context(|| format!("cannot read `{name}`"))?;
        let (workflow, _) = parse_workflow(&text).with_context(|| format!("`{name}` is not a workflow"))?;
        for (kind, node) in cases::findings_of(&workflow) {
            println!("{name} {kind} {node}");
        }
    }
    Ok(ExitCode::SUCCESS)
}
