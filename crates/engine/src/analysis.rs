//! The façade: a document and a scenario in, everything that page and command line show out.

use unwind_model::{NodeName, NodePhase, Workflow, WorkflowPhase};

use crate::behaviour::Behaviour;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::library::Library;
use crate::plan::{Plan, lower};
use crate::predict::{Prediction, Way, predict};
use crate::rehearse::{Rehearsal, Simulation};
use crate::run::Run;
use crate::trace::{Resolution, Trace};
use crate::verdict::{FindingKind, Judgement, judge};

/// What is asked about a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// Rehearse a stop at the begin of this node (manifests only).
    pub stop_at: Option<NodeName>,
}

/// Everything that can be said about one workflow.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The lowered spec.
    pub plan: Plan,
    /// What is wrong with the document.
    pub diagnostics: Vec<Diagnostic>,
    /// What happened, when the document has a status; or the rehearsal that was asked for.
    pub trace: Option<Trace>,
    /// The trace held against the right order. Of a manifest: its findings only.
    pub judgement: Option<Judgement>,
    /// How a Stop and a Terminate would go from here, when the run is not over; in a rehearsal from
    /// the instant of its stop.
    pub predictions: Vec<Prediction>,
}

/// A rehearsal that has not come to its node after so many events will not: it goes round.
const REHEARSED_EVENTS: usize = 1_000_000;

/// Analyses one workflow. What a diagnostic tells with its place is no finding beside it.
pub fn analyse(workflow: &Workflow, scenario: &Scenario) -> Analysis {
    let (plan, mut diagnostics) = lower(workflow);
    if has_status(workflow) {
        // The shutdown of a run was asked, that of a manifest was left in it.
        diagnostics.retain(|found| !matches!(found.code, Code::PresetShutdown { .. }));
        of_run(workflow, plan, diagnostics)
    } else {
        of_manifest(workflow, scenario, plan, diagnostics)
    }
}

/// A run: what happened, and how it may go on.
fn of_run(workflow: &Workflow, plan: Plan, mut diagnostics: Vec<Diagnostic>) -> Analysis {
    let trace = Trace::from_workflow(&plan, workflow);
    let mut predictions = Vec::new();
    if trace.facts.nodes_elsewhere {
        diagnostics.push(no_nodes(workflow));
    } else if !trace.is_over() {
        let (run, told) = Run::from_status(workflow, Library::default(), Behaviour::UNWIND);
        diagnostics.extend(told);
        predictions = [Way::Stop, Way::Terminate].map(|way| predict(&run, way)).into();
    }
    let judgement = Some(findings_of(&plan, &trace));
    Analysis { plan, diagnostics, trace: Some(trace), judgement, predictions }
}

/// A manifest: how it goes on from its begin, or from the instant in which it is stopped. That a
/// node to stop at never begins shows in there being no trace.
fn of_manifest(
    workflow: &Workflow,
    scenario: &Scenario,
    plan: Plan,
    diagnostics: Vec<Diagnostic>,
) -> Analysis {
    let can_run = diagnostics.iter().all(|found| found.severity != Severity::Error);
    let rehearsed = match &scenario.stop_at {
        Some(node) if can_run => rehearse(workflow, &plan, node),
        Some(_) | None => None,
    };
    if let Some(rehearsed) = rehearsed {
        let judgement = Some(findings_of(&plan, &rehearsed.trace));
        let (trace, predictions) = (Some(rehearsed.trace), rehearsed.predictions);
        return Analysis { plan, diagnostics, trace, judgement, predictions };
    }
    let judgement = Some(findings_of(&plan, &Trace::from_workflow(&plan, workflow)));
    Analysis { plan, diagnostics, trace: None, judgement, predictions: Vec::new() }
}

fn findings_of(plan: &Plan, trace: &Trace) -> Judgement {
    let mut judgement = judge(plan, trace);
    judgement.findings.retain(|found| match found.kind {
        FindingKind::PresetShutdown | FindingKind::NoNodes => false,
        FindingKind::LeftUnfinished
        | FindingKind::EarlyEnd
        | FindingKind::HookMissing
        | FindingKind::HookUnwanted
        | FindingKind::HookOrder
        | FindingKind::OrderUnknown
        | FindingKind::Clock
        | FindingKind::MaskedFailure
        | FindingKind::StopIgnored
        | FindingKind::StopUnsafe
        | FindingKind::LinkMissing => true,
    });
    judgement
}

/// A manifest run to its end in the engine, stopped on the way.
struct Rehearsed {
    trace: Trace,
    predictions: Vec<Prediction>,
}

/// Runs a manifest with made-up durations, stops it when `node` begins to run, and goes on to the
/// end. `None` when that node never runs.
fn rehearse(workflow: &Workflow, plan: &Plan, node: &NodeName) -> Option<Rehearsed> {
    let mut simulation = Simulation::new(workflow, Rehearsal::default(), Behaviour::UNWIND);
    let runs = |simulation: &Simulation| {
        let id = simulation.run().id_of(node)?;
        let (_, phase) = simulation.run().node(id)?;
        Some(phase != NodePhase::Pending)
    };
    for _ in 0..REHEARSED_EVENTS {
        if runs(&simulation) == Some(true) {
            break;
        }
        simulation.advance()?;
    }
    runs(&simulation).filter(|runs| *runs)?;
    let predictions = [Way::Stop, Way::Terminate].map(|way| predict(simulation.run(), way)).into();
    let stopped_at = simulation.now();
    simulation.stop();
    while simulation.advance().is_some() {}
    let mut trace = Trace::from_workflow(plan, &simulation.workflow()).with_shutdown_at(stopped_at);
    trace.resolution = Resolution::Milliseconds;
    Some(Rehearsed { trace, predictions })
}

/// True when a controller has seen it, however little came of that.
fn has_status(workflow: &Workflow) -> bool {
    let status = &workflow.status;
    status.phase != WorkflowPhase::Unset
        || !status.nodes.is_empty()
        || !status.compressed_nodes.is_empty()
        || !status.offload_node_status_version.is_empty()
}

fn no_nodes(workflow: &Workflow) -> Diagnostic {
    let field = if workflow.status.compressed_nodes.is_empty() {
        "offloadNodeStatusVersion"
    } else {
        "compressedNodes"
    };
    Diagnostic {
        code: Code::NoNodes,
        severity: Severity::Note,
        path: format!("status.{field}"),
        position: None,
    }
}
