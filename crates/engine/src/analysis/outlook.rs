//! What a release does with a workflow from here on, found by running its row.

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, Timestamp, Workflow};

use super::{Scenario, has_status};
use crate::behaviour::Release;
use crate::forecast::{self, Assumptions, IfFails, Ranked, Ranking, going_on, ranking, when_tasks_fail};
use crate::library::Library;
use crate::operate::Run;
use crate::predict::Way;
use crate::validate::{ValidateOptions, validate};

/// When a manifest is taken to begin; nothing that is told depends on it.
pub(super) const BEGIN: Timestamp = Timestamp(1_772_442_000_000);

/// What a release does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outlook {
    /// Which, and how its row is known.
    pub release: Release,
    /// Letting it go on: what is lost, begins too early or hangs beyond what the right order does with it.
    pub goes_on: Ranked,
    /// What goes wrong only when a task fails; of manifests with few tasks.
    pub if_fails: Vec<IfFails>,
    /// All ways to end a run that has begun, the best first.
    pub ways: Option<Ranking>,
}

/// What a release does on one way to end a run, in short: what a page needs of an outlook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Foreseen {
    /// Whether the workflow hangs.
    pub hangs: bool,
    /// Exit hooks that are due and do not run.
    pub lost: Vec<NodeName>,
    /// Exit hooks that begin before what is inside their owner is over.
    pub too_early: Vec<NodeName>,
    /// Nodes that never become final.
    pub unfinished: Vec<NodeName>,
    /// The command, word by word, of a way that leaves, loses and breaks nothing.
    pub better: Option<Vec<String>>,
}

impl Foreseen {
    /// Whether nothing is left, lost or broken.
    pub fn is_right(&self) -> bool {
        !self.hangs && self.unfinished.is_empty() && self.lost.is_empty() && self.too_early.is_empty()
    }
}

/// What comes of one way to end a run from its last news on. `None` for what is over or has not begun, and where
/// the nodes are not in the object.
pub fn foreseen(workflow: &Workflow, library: Library, release: &Release, way: Way) -> Option<Foreseen> {
    if !is_under_way(workflow) {
        return None;
    }
    let run = taken_up(workflow, library, release);
    let Ranking { ways, is_first_recommended } = ranking(&run, last_news(workflow), &Assumptions::default());
    let better = ways.first().filter(|_| is_first_recommended).map(|best| best.command.clone());
    let is_it = |ranked: &Ranked| match &ranked.forecast.way {
        forecast::Way::Stop => way == Way::Stop,
        forecast::Way::Terminate => way == Way::Terminate,
        forecast::Way::GoOn => way == Way::GoOn,
        forecast::Way::StopInOrder | forecast::Way::Patch(_) => false,
    };
    let Ranked { hangs, lost, too_early, unfinished, .. } = ways.into_iter().find(is_it)?;
    Some(Foreseen { hangs, lost, too_early, unfinished, better })
}

fn is_under_way(workflow: &Workflow) -> bool {
    let status = &workflow.status;
    has_status(workflow) && !status.phase.is_final() && !(status.nodes.is_empty() && is_elsewhere(workflow))
}

/// The outlook of a manifest from its begin, of a run from its last news. `None` for what is over, what cannot
/// run, and where the nodes are not in the object.
pub fn outlook(workflow: &Workflow, scenario: &Scenario, release: &Release) -> Option<Outlook> {
    let assumptions = Assumptions::default();
    if !has_status(workflow) {
        let options = ValidateOptions { lint: true, ..ValidateOptions::default() };
        validate(workflow, &scenario.library, options).ok()?;
        let run = Run::new(named(workflow), scenario.library.clone(), release.behaviour.clone());
        let goes_on = going_on(&run, BEGIN, &assumptions);
        let if_fails = when_tasks_fail(&run, BEGIN, &goes_on);
        return Some(Outlook { release: release.clone(), goes_on, if_fails, ways: None });
    }
    if !is_under_way(workflow) {
        return None;
    }
    let run = taken_up(workflow, scenario.library.clone(), release);
    let now = last_news(workflow);
    Some(Outlook {
        release: release.clone(),
        goes_on: going_on(&run, now, &assumptions),
        if_fails: Vec::new(),
        ways: Some(ranking(&run, now, &assumptions)),
    })
}

fn taken_up(workflow: &Workflow, library: Library, release: &Release) -> Run {
    Run::from_status(workflow.clone(), library, release.behaviour.clone())
}

fn is_elsewhere(workflow: &Workflow) -> bool {
    let status = &workflow.status;
    !status.compressed_nodes.is_empty() || !status.offload_node_status_version.is_empty()
}

/// The latest time that the object tells of.
fn last_news(workflow: &Workflow) -> Timestamp {
    let nodes = workflow.status.nodes.values().flat_map(|node| [node.started_at, node.finished_at]);
    nodes.chain([workflow.status.started_at]).flatten().max().unwrap_or(BEGIN) + 10_000
}

/// The workflow with a name: where it has none, the start of the one it is to get.
pub(super) fn named(workflow: &Workflow) -> Workflow {
    let mut workflow = workflow.clone();
    let metadata = &mut workflow.metadata;
    if metadata.name.is_empty() {
        metadata.name = metadata.generate_name.trim_end_matches('-').to_owned();
    }
    workflow
}
