//! The façade: a document and a scenario in, everything that page and command line show out.

use unwind_model::{NodeName, Workflow};

use crate::diagnostic::Diagnostic;
use crate::plan::Plan;
use crate::predict::Prediction;
use crate::trace::Trace;
use crate::verdict::Judgement;

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
    /// The trace held against the right order.
    pub judgement: Option<Judgement>,
    /// How a Stop and a Terminate would go from here, when the run is not over.
    pub predictions: Vec<Prediction>,
}

/// Analyses one workflow.
pub fn analyse(_workflow: &Workflow, _scenario: &Scenario) -> Analysis {
    unimplemented!()
}
