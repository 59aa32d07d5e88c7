//! The façade: a document and a scenario in, everything that page and command line show out.

use unwind_model::{NodeName, Workflow, WorkflowPhase};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::plan::{Plan, lower};
use crate::predict::Prediction;
use crate::trace::Trace;
use crate::verdict::{Judgement, judge};

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
    /// What happened, when the document has a status.
    pub trace: Option<Trace>,
    /// The trace held against the right order. Of a manifest: its findings only.
    pub judgement: Option<Judgement>,
    /// How a Stop and a Terminate would go from here, when the run is not over.
    pub predictions: Vec<Prediction>,
}

/// Analyses one workflow.
pub fn analyse(workflow: &Workflow, _scenario: &Scenario) -> Analysis {
    let (plan, mut diagnostics) = lower(workflow);
    let mut analysis =
        Analysis { plan, diagnostics: Vec::new(), trace: None, judgement: None, predictions: Vec::new() };
    let trace = Trace::from_workflow(&analysis.plan, workflow);
    analysis.judgement = Some(judge(&analysis.plan, &trace));
    if has_status(workflow) {
        // The shutdown of a run was asked, that of a manifest was left in it.
        diagnostics.retain(|found| !matches!(found.code, Code::PresetShutdown { .. }));
        if trace.facts.nodes_elsewhere {
            diagnostics.push(no_nodes(workflow));
        }
        analysis.trace = Some(trace);
    }
    analysis.diagnostics = diagnostics;
    analysis
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
