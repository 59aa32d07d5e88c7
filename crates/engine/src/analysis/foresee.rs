//! A manifest under any row: what may come of it, from its begin or from the instant in which a node runs.

use std::collections::BTreeMap;

use unwind_model::{NodeName, Workflow};

use super::outlook::{BEGIN, named};
use crate::behaviour::Behaviour;
use crate::forecast::{Assumptions, Course, Forecast, PodMove, Since, Told, Way, forecast, until_running};
use crate::library::Library;
use crate::operate::{PodPhase, PodReport, Run};

/// What is asked of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct Foresight {
    /// The way is taken when this node runs; at the begin without it.
    pub at: Option<NodeName>,
    /// What is done then.
    pub way: Way,
    /// Exit codes of programs that are not to end well.
    pub exits: Vec<(NodeName, i32)>,
}

/// The possible outcomes; `None` where the node never runs.
pub fn foresee(
    workflow: &Workflow,
    library: &Library,
    behaviour: &Behaviour,
    asked: &Foresight,
) -> Option<Forecast> {
    let pods: BTreeMap<NodeName, Vec<Course>> =
        asked.exits.iter().map(|(node, code)| (node.clone(), vec![ends_with(*code)])).collect();
    let assumptions = Assumptions { pods, ..Assumptions::default() };
    let run = Run::new(named(workflow), library.clone(), behaviour.clone());
    let (run, now) = match &asked.at {
        Some(node) => until_running(&run, BEGIN, node, &assumptions)?,
        None => (run, BEGIN),
    };
    Some(forecast(&run, now, &asked.way, &assumptions))
}

/// A program that runs for one pass and ends so.
fn ends_with(code: i32) -> Course {
    let phase = if code == 0 { PodPhase::Succeeded } else { PodPhase::Failed };
    let report = PodReport { phase, exit: Some(code), ..PodReport::pending(BEGIN) };
    let what = PodMove { report: Some(report), complete: Some(true), ..PodMove::default() };
    Course { told: vec![Told { since: Since::Running, passes: 1, what }], ..Course::default() }
}
