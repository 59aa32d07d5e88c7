//! The façade: a document and a scenario in, everything that page, server and command line tell out, as data.

mod conditions;
mod effect;
mod foresee;
mod held;
mod outlook;
mod retry;
mod told;

use unwind_model::spec::WorkflowSpec;
use unwind_model::{NodeName, NodePhase, Timestamp, Workflow, WorkflowPhase};

use crate::behaviour::{Behaviour, Release};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::library::Library;
use crate::plan::{Plan, lower};
use crate::predict::{Prediction, Way, predict_with};
use crate::rehearse::{Rehearsal, Simulation};
use crate::run::Run;
use crate::trace::{Resolution, Trace, Witnesses};
use crate::verdict::{Cause, FindingKind, Judgement, Phases, cause, judge, phases};

pub use effect::without_effect;
pub use foresee::{Foresaid, Foresight, foresee};
pub use held::{Held, Why, held_up};
pub use outlook::{Foreseen, Outlook, foreseen, outlook};
pub use retry::{RetryPreview, retry_preview};
pub use told::{Told, told};

/// What is asked about a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// Rehearse a stop at the begin of this node (manifests only).
    pub stop_at: Option<NodeName>,
    /// The release of Argo that is to run it, or runs it.
    pub release: Option<Release>,
    /// The documents it refers to.
    pub library: Library,
    /// How it was watched.
    pub watched: Watched,
    /// What was seen of it beside its object.
    pub witnesses: Witnesses,
}

/// How a workflow was watched, beyond what its object says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// The times are exact to the millisecond (our own engine), even where none has a fraction.
    pub is_exact: bool,
    /// When the shutdown was asked, where that was seen.
    pub shutdown_at: Option<Timestamp>,
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
    /// Phases as reported and as worked out, of a run and of its groups.
    pub phases: Option<Phases>,
    /// What hooks and handlers were told of outcomes, beside how those were.
    pub told: Vec<Told>,
    /// Where a run went wrong first.
    pub cause: Option<Cause>,
    /// Why a run is still running: from the workflow to what holds it. Empty when it is over.
    pub held_up: Vec<Held>,
    /// How a Stop and a Terminate would go from here, when the run is not over; in a rehearsal from
    /// the instant of its stop.
    pub predictions: Vec<Prediction>,
    /// What the release that was named does with it from here on.
    pub outlook: Option<Outlook>,
    /// What a manual retry would run again, when the run is over and can be retried.
    pub retry: Option<RetryPreview>,
}

/// What happened in a workflow, and what is to be said of that.
#[derive(Clone, Debug)]
pub struct Examined {
    /// What is wrong with the document.
    pub diagnostics: Vec<Diagnostic>,
    /// What happened.
    pub trace: Trace,
    /// The right order held against that.
    pub judgement: Judgement,
}

/// Trace and judgement of a workflow whose plan is known. Of a run whose shutdown was asked it is no
/// diagnostic that its spec says so.
pub fn examine(
    workflow: &Workflow,
    plan: &Plan,
    diagnostics: Vec<Diagnostic>,
    watched: &Watched,
) -> Examined {
    examine_trace(workflow, plan, diagnostics, watched, Trace::from_workflow(plan, workflow))
}

fn examine_trace(
    workflow: &Workflow,
    plan: &Plan,
    mut diagnostics: Vec<Diagnostic>,
    watched: &Watched,
    mut trace: Trace,
) -> Examined {
    if watched.is_exact {
        trace.resolution = Resolution::Milliseconds;
    }
    if let Some(at) = watched.shutdown_at {
        trace = trace.with_shutdown_at(at);
    }
    let judgement = judge(plan, &trace);
    if has_status(workflow) {
        diagnostics.retain(|found| !matches!(found.code, Code::PresetShutdown { .. }));
    }
    Examined { diagnostics, trace, judgement }
}

/// A rehearsal that has not come to its node after so many events will not: it goes round.
const REHEARSED_EVENTS: usize = 1_000_000;

/// Analyses one workflow. What a diagnostic tells with its place is no finding beside it.
pub fn analyse(workflow: &Workflow, scenario: &Scenario) -> Analysis {
    let (plan, mut diagnostics) = lower(workflow);
    diagnostics.extend(conditions::unreadable(workflow));
    diagnostics.extend(without_effect(workflow, &scenario.library));
    diagnostics.extend(scenario.release.as_ref().and_then(nearest_release));
    let mut analysis = if has_status(workflow) {
        of_run(workflow, scenario, plan, diagnostics)
    } else {
        of_manifest(workflow, scenario, plan, diagnostics)
    };
    analysis.outlook = scenario.release.as_ref().and_then(|release| outlook(workflow, scenario, release));
    analysis
}

/// A run: what happened, and how it may go on.
fn of_run(workflow: &Workflow, scenario: &Scenario, plan: Plan, diagnostics: Vec<Diagnostic>) -> Analysis {
    let trace = Trace::from_workflow(&plan, workflow).with_witnesses(&scenario.witnesses);
    let Examined { mut diagnostics, trace, mut judgement } =
        examine_trace(workflow, &plan, diagnostics, &scenario.watched, trace);
    if workflow.spec == WorkflowSpec::default() {
        // Messages and logs may leave the spec out: nothing is wrong with what is not here.
        diagnostics.clear();
    }
    let mut predictions = Vec::new();
    let mut held_up = Vec::new();
    if trace.facts.nodes_elsewhere {
        diagnostics.push(no_nodes(workflow));
    } else if !trace.is_over() {
        let (run, told) = Run::from_status(workflow, scenario.library.clone(), Behaviour::UNWIND);
        diagnostics.extend(told);
        predictions = [Way::Stop, Way::Terminate].map(|way| predict_with(&plan, &run, way)).into();
        held_up = held::held_up(workflow, &plan, &trace, &judgement);
    }
    keep_findings(&mut judgement);
    let phases = phases(&plan, &trace);
    Analysis {
        told: told(workflow, &plan, &trace, &phases),
        phases: Some(phases).filter(|_| !trace.facts.nodes_elsewhere),
        cause: cause(&plan, &trace),
        retry: retry_preview(workflow).ok(),
        plan,
        diagnostics,
        trace: Some(trace),
        judgement: Some(judgement),
        held_up,
        predictions,
        outlook: None,
    }
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
    let trace = Trace::from_workflow(&plan, workflow);
    let judged = rehearsed.as_ref().map_or(&trace, |rehearsed| &rehearsed.trace);
    let mut judgement = judge(&plan, judged);
    keep_findings(&mut judgement);
    let (trace, predictions) = match rehearsed {
        Some(rehearsed) => (Some(rehearsed.trace), rehearsed.predictions),
        None => (None, Vec::new()),
    };
    Analysis {
        plan,
        diagnostics,
        trace,
        judgement: Some(judgement),
        phases: None,
        told: Vec::new(),
        cause: None,
        held_up: Vec::new(),
        predictions,
        outlook: None,
        retry: None,
    }
}

/// What a diagnostic tells is no finding.
fn keep_findings(judgement: &mut Judgement) {
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
        | FindingKind::LinkMissing
        | FindingKind::LockHeld
        | FindingKind::Unresolved
        | FindingKind::Contradiction => true,
    });
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
    let predictions = [Way::Stop, Way::Terminate].map(|way| predict_with(plan, simulation.run(), way)).into();
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

/// That the row of another release stands in.
fn nearest_release(release: &Release) -> Option<Diagnostic> {
    release.is_nearest().then(|| Diagnostic {
        code: Code::NearestRelease { asked: release.asked.clone(), taken: release.taken.clone() },
        severity: Severity::Note,
        path: String::new(),
        position: None,
    })
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
