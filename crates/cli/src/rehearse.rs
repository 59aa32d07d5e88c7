//! `unwind rehearse`: a workflow played through in the engine alone.

mod outcomes;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use unwind_engine::behaviour::Release;
use unwind_engine::event::LeafEnd;
use unwind_engine::forecast::Way;
use unwind_engine::lower;
use unwind_engine::predict;
use unwind_engine::rehearse::{Rehearsal, RehearsedLeaf};
use unwind_model::{NodeName, Timestamp};
use unwind_present::format::Zone;
use unwind_present::graph::Folding;
use unwind_present::report::{Asked, find_node, rehearsal_text, rehearse_as, report_json};
use unwind_present::roster::Roster;
use unwind_present::tree;

use crate::document::{self, Among};
use crate::paint;

/// How long a leaf runs.
const LEAF_MS: i64 = 10_000;

/// Arguments of `rehearse`.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  unwind rehearse workflow.yaml                                       to its end
  unwind rehearse --stop-at cap workflow.yaml                         stop when the task `cap` runs
  unwind rehearse --stop-at cap --as argo-4.1.2 workflow.yaml         what Argo 4.1.2 would do then
  unwind rehearse --in-order-at cap --as argo-4.1.2 workflow.yaml     the same with a deadline of zero
  unwind rehearse --leaf press=fail:3 workflow.yaml                   `press` ends with exit code 3
  unwind rehearse --stop-at cap workflow.yaml library.yaml            with the templates it refers to

Exit code: 0 it was rehearsed, 1 it cannot be (no such node, or one that never runs), 2 a file cannot be read.")]
pub struct Arguments {
    /// Manifest, YAML or JSON, and what it refers to; `-` reads standard input. The first workflow is rehearsed
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
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
    /// How a program ends: `NODE=fail:3` or `NODE=ok`; of a loop or a retried task, all of its programs
    #[arg(long = "leaf", value_name = "NODE=END")]
    leaves: Vec<String>,
    /// Print data instead of sentences
    #[arg(long)]
    json: bool,
}

/// What is asked, with full names.
struct Wanted {
    at: Option<NodeName>,
    way: Way,
    exits: Vec<(NodeName, i32)>,
}

/// Prints what would happen: no program is run, every leaf takes as long as the others.
pub fn rehearse(arguments: &Arguments) -> Result<ExitCode> {
    let among = document::manifest_among(&arguments.files)?;
    if among.others > 0 {
        let name = &among.workflow.metadata.name;
        eprintln!("unwind: there are {} more workflows; {name}, the first, is rehearsed", among.others);
    }
    let wanted = wanted(arguments, &among)?;
    match &arguments.release {
        Some(release) => outcomes::print(arguments, &among, wanted, release),
        None => here(arguments, among, wanted),
    }
}

fn wanted(arguments: &Arguments, among: &Among) -> Result<Wanted> {
    let (plan, _) = lower(&among.workflow);
    let roster = Roster::new(&plan.outline(), &among.workflow);
    let named = |flag: &str, text: &str| {
        let node = find_node(&roster, text);
        node.with_context(|| format!("`{flag}` names no node"))
    };
    let asked = [
        ("--stop-at", &arguments.stop_at, Way::Stop),
        ("--terminate-at", &arguments.terminate_at, Way::Terminate),
        ("--in-order-at", &arguments.in_order_at, Way::StopInOrder),
    ];
    let asked = asked.into_iter().find_map(|(flag, text, way)| Some((flag, text.as_ref()?, way)));
    let (at, way) = match asked {
        Some((flag, text, way)) => (Some(named(flag, text)?), way),
        None => (None, Way::GoOn),
    };
    let mut exits = Vec::new();
    for text in &arguments.leaves {
        let (node, code) =
            exit(text).ok_or_else(|| anyhow!("`--leaf {text}`: write NODE=fail:3 or NODE=ok"))?;
        exits.push((named("--leaf", node)?, code));
    }
    Ok(Wanted { at, way, exits })
}

/// A node and its exit code, from `NODE=fail:3` or `NODE=ok`.
fn exit(text: &str) -> Option<(&str, i32)> {
    let (node, end) = text.rsplit_once('=')?;
    let code = match end.split_once(':') {
        None if end == "ok" => 0,
        None if end == "fail" => 1,
        Some(("fail", code)) => code.parse().ok()?,
        None | Some(_) => return None,
    };
    Some((node, code))
}

/// As the engine of this machine does it, where every stop is in order.
fn here(arguments: &Arguments, among: Among, wanted: Wanted) -> Result<ExitCode> {
    let way = match wanted.way {
        Way::Terminate => predict::Way::Terminate,
        Way::Stop | Way::StopInOrder | Way::GoOn | Way::Patch(_) => predict::Way::Stop,
    };
    let leaf = |code| RehearsedLeaf { duration_ms: LEAF_MS, end: LeafEnd::Exited { code, outputs: None } };
    let leaves: BTreeMap<NodeName, RehearsedLeaf> =
        wanted.exits.into_iter().map(|(node, code)| (node, leaf(code))).collect();
    let rehearsal = Rehearsal { leaves, ..Rehearsal::default() };
    let rehearsed =
        rehearse_as(&among.workflow, Asked { library: among.library, at: wanted.at, way, rehearsal });
    let never = rehearsed.report.stop_at.as_ref().filter(|_| rehearsed.report.stopped.is_none());
    let code = if never.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    if arguments.json {
        paint::print_plain(&report_json(&rehearsed.report).context("cannot write the report as JSON")?);
        return Ok(code);
    }
    let study = &rehearsed.after;
    let now = study.trace.over.unwrap_or_else(|| last_move(&rehearsed.report.moments));
    let nodes = tree::text(&tree::tree(study, &Folding::at_opening(study), None, now));
    paint::print(&format!("{}\nAt the end\n{nodes}", rehearsal_text(&rehearsed, Zone::UTC)));
    Ok(code)
}

fn last_move(moments: &[unwind_engine::rehearse::Moment]) -> Timestamp {
    moments.last().map(|moment| moment.at).unwrap_or_default()
}
