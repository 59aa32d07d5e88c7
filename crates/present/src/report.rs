//! A rehearsal from begin to end, as data and as text: what `unwind rehearse` prints.
//!
//! The page makes the same report from the same engine in WASM; both print the same bytes.

mod text;

use std::collections::BTreeMap;

use serde::Serialize;
use unwind_engine::behaviour::Behaviour;
use unwind_engine::diagnostic::Diagnostic;
use unwind_engine::library::Library;
use unwind_engine::plan::lower;
use unwind_engine::predict::{Prediction, Way, predict};
use unwind_engine::rehearse::{Moment, Rehearsal, Simulation};
use unwind_engine::verdict::Judgement;
use unwind_model::{NodeName, NodePhase, Timestamp, Workflow, WorkflowPhase};

use crate::roster::Roster;
use crate::study::{Study, Watched};

pub use text::{preview_text, rehearsal_text, timeline_text};

/// More events than this are a run that does not end.
const MOMENTS_MAX: usize = 1_000_000;

/// A rehearsal from begin to end.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RehearsalReport {
    /// The workflow's name.
    pub workflow: NodeName,
    /// The node at whose begin the end was to be asked.
    pub stop_at: Option<NodeName>,
    /// What was to be asked then.
    pub way: Way,
    /// When it was asked; none when that node never ran, or no stop was wanted.
    pub stopped: Option<Timestamp>,
    /// What is wrong with the document.
    pub diagnostics: Vec<Diagnostic>,
    /// What was predicted right before the stop.
    pub prediction: Option<Prediction>,
    /// Everything that moved, in order.
    pub moments: Vec<Moment>,
    /// All nodes at the end, by full name.
    pub nodes: BTreeMap<NodeName, ReportedNode>,
    /// Phase of the workflow at the end.
    pub phase: WorkflowPhase,
    /// Its message.
    pub message: String,
    /// The right order held against what happened.
    pub judgement: Judgement,
}

/// A node at the end of a rehearsal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportedNode {
    /// Its phase.
    pub phase: NodePhase,
    /// When it was created.
    pub begun: Option<Timestamp>,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// Its message.
    pub message: String,
}

/// A rehearsal with the studies its texts are made from.
#[derive(Clone, Debug)]
pub struct Rehearsed {
    /// The report.
    pub report: RehearsalReport,
    /// The workflow right before the stop, when there was one.
    pub before: Option<Study>,
    /// The workflow at the end.
    pub after: Study,
}

/// Why a text names no node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing is called that.
    #[error("no node is called `{name}`; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// Some names that there are.
        known: String,
    },
    /// Several are.
    #[error("`{name}` is the name of several nodes: {candidates}; name one in full")]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// Their full names.
        candidates: String,
    },
}

/// How many names an error lists.
const NAMES_LISTED: usize = 8;

/// The full name of the node that `text` means: a full name, or a label that only one node has.
pub fn find_node(roster: &Roster, text: &str) -> Result<NodeName, NameError> {
    let name = NodeName::from(text);
    // Items of loops and tries come to be in the run: only their full names can be told beforehand.
    let is_unforeseen = text.contains('(')
        && text.strip_prefix(&roster.workflow).is_some_and(|rest| rest.starts_with(['.', '[']));
    if is_unforeseen || roster.find(&name).is_some() {
        return Ok(name);
    }
    let found: Vec<&NodeName> =
        roster.members.iter().filter(|member| member.label == text).map(|member| &member.name).collect();
    let listed = |names: &[&NodeName]| {
        let shown: Vec<&str> = names.iter().take(NAMES_LISTED).map(|name| name.as_str()).collect();
        let more = if names.len() > NAMES_LISTED { ", …" } else { "" };
        format!("`{}`{more}", shown.join("`, `"))
    };
    match found[..] {
        [one] => Ok(one.clone()),
        [] => {
            let all: Vec<&NodeName> = roster.members.iter().map(|member| &member.name).collect();
            Err(NameError::Unknown { name: text.to_owned(), known: listed(&all) })
        }
        _ => Err(NameError::Ambiguous { name: text.to_owned(), candidates: listed(&found) }),
    }
}

/// What is asked of a rehearsal.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The documents that the workflow refers to.
    pub library: Library,
    /// The node at whose begin an end is asked.
    pub at: Option<NodeName>,
    /// What is asked then: a stop or a terminate.
    pub way: Way,
    /// How leaves go.
    pub rehearsal: Rehearsal,
}

impl Default for Asked {
    fn default() -> Self {
        Self { library: Library::default(), at: None, way: Way::Stop, rehearsal: Rehearsal::default() }
    }
}

/// Runs `workflow` until `stop_at` runs, predicts, stops, runs to the end and judges. Without
/// `stop_at`, or when that node never runs, nothing is stopped.
pub fn rehearse_report(workflow: &Workflow, stop_at: Option<&NodeName>) -> RehearsalReport {
    rehearse(workflow, stop_at).report
}

/// The same, with the studies that texts are made from.
pub fn rehearse(workflow: &Workflow, stop_at: Option<&NodeName>) -> Rehearsed {
    rehearse_as(workflow, Asked { at: stop_at.cloned(), ..Asked::default() })
}

/// The same with other documents, leaves of its own, or a terminate.
pub fn rehearse_as(workflow: &Workflow, asked: Asked) -> Rehearsed {
    let Asked { library, at: stop_at, way, rehearsal } = asked;
    let mut simulation = Simulation::with_library(workflow, library, rehearsal, Behaviour::UNWIND);
    let mut moments = Vec::new();
    let mut stopped = None;
    let mut prediction = None;
    let mut before = None;
    while moments.len() < MOMENTS_MAX {
        let is_due = stop_at.as_ref().is_some_and(|node| stopped.is_none() && is_running(&simulation, node));
        if is_due {
            prediction = Some(predict(simulation.run(), way));
            before = Some(study(&simulation, None));
            stopped = Some(simulation.now());
            moments.push(match way {
                Way::Stop | Way::GoOn => simulation.stop(),
                Way::Terminate => simulation.terminate(),
            });
            continue;
        }
        match simulation.advance() {
            Some(moment) => moments.push(moment),
            None => break,
        }
    }
    let after = study(&simulation, stopped);
    let status = &after.workflow.status;
    let nodes = status.nodes.values().map(|node| {
        let reported = ReportedNode {
            phase: node.phase,
            begun: node.started_at,
            ended: node.finished_at,
            message: node.message.clone(),
        };
        (node.name.clone(), reported)
    });
    let report = RehearsalReport {
        workflow: NodeName::from(after.roster.workflow.as_str()),
        stop_at,
        way,
        stopped,
        diagnostics: after.diagnostics.clone(),
        prediction,
        moments,
        nodes: nodes.collect(),
        phase: status.phase,
        message: status.message.clone(),
        judgement: after.judgement.clone(),
    };
    Rehearsed { report, before, after }
}

/// The report as JSON, with a line break at its end: the bytes that every host prints.
pub fn report_json(report: &RehearsalReport) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}

fn study(simulation: &Simulation, shutdown_at: Option<Timestamp>) -> Study {
    let workflow = simulation.workflow();
    let (plan, diagnostics) = lower(&workflow);
    Study::new(workflow, plan, diagnostics, Watched { is_exact: true, shutdown_at })
}

fn is_running(simulation: &Simulation, name: &NodeName) -> bool {
    let status = simulation.run().status();
    let node = status.nodes.values().find(|node| &node.name == name);
    node.is_some_and(|node| node.phase == NodePhase::Running)
}
