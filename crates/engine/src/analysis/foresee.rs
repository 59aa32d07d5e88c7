//! A manifest under any row: what may come of it, from its begin or from the instant in which a node runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, Workflow};

use super::outlook::{BEGIN, named};
use crate::behaviour::Behaviour;
use crate::forecast::{Assumptions, Course, Ranked, Ranking, Way, going_on, ranking, until_running, weigh};
use crate::library::Library;
use crate::operate::Run;

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

/// What comes of what was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Foresaid {
    /// The way that was asked for.
    pub asked: Ranked,
    /// All ways to end it there, the best first; `None` where it is let go on.
    pub ways: Option<Ranking>,
}

/// What comes of it; `None` where the node never runs.
pub fn foresee(
    workflow: &Workflow,
    library: &Library,
    behaviour: &Behaviour,
    asked: &Foresight,
) -> Option<Foresaid> {
    let tasks: BTreeMap<NodeName, Course> =
        asked.exits.iter().map(|(node, code)| (node.clone(), Course::ending_with(*code))).collect();
    let assumptions = Assumptions { tasks, ..Assumptions::default() };
    let run = Run::new(named(workflow), library.clone(), behaviour.clone());
    let (run, now) = match &asked.at {
        Some(node) => until_running(&run, BEGIN, node, &assumptions)?,
        None => (run, BEGIN),
    };
    if asked.way == Way::GoOn {
        return Some(Foresaid { asked: going_on(&run, now, &assumptions), ways: None });
    }
    let ranking = ranking(&run, now, &assumptions);
    let ranked = ranking.ways.iter().find(|ranked| ranked.forecast.way == asked.way).cloned();
    let ranked = ranked.unwrap_or_else(|| weigh(&run, now, &asked.way, &assumptions));
    Some(Foresaid { asked: ranked, ways: Some(ranking) })
}
