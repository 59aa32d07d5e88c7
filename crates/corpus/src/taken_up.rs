//! Runs of the real controller taken up from their stored status alone, at every pass, and taken to their ends.
//!
//! In: a folder of traces. Each is replayed as the row of its release; after each pass two more runs are made from
//! the object as it is stored then, and see what happens from there on. Out: for each trace, where they end
//! otherwise than the first. One run sees pods and results as they are, as a controller does that was started
//! again. To the other they are what the status tells: what stands in none is taken for the usual, so not every
//! run can be taken up like this.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::Context;
use unwind_engine::Behaviour;
use unwind_engine::library::Library;
use unwind_engine::operate::{Run, Seen as Happened};
use unwind_model::{NodeName, Timestamp, WorkflowStatus};

use crate::cases::{Outcome, Report};
use crate::panics::{catch, keep_panics};
use crate::ratchet;
use crate::traces::recorded::{Asked, Event, Pass, Recorded, read};
use crate::traces::{BEFORE_PASS_MS, FIRST_PASS, names, prepare, start, tell};

/// How a run is taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With pods and results as they are.
    StartedAgain,
    /// From the status alone.
    StatusAlone,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::StartedAgain => "started again",
            Self::StatusAlone => "status alone",
        }
    }
}

/// Takes up every trace of a folder at each of its passes, in both ways. `only`: those with this in `group/name`.
pub fn replay(folder: &Path, only: Option<&str>) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for (name, file) in names(folder)? {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let recorded = read(&text).with_context(|| format!("`{name}` is no trace"))?;
        for way in [Way::StartedAgain, Way::StatusAlone] {
            let result = match keep_panics(|| catch(|| take_up(&recorded, way))) {
                Ok(Ok(wrong)) if wrong.is_empty() => Outcome::Passed,
                Ok(Ok(wrong)) => Outcome::Failed(wrong),
                Ok(Err(error)) => Outcome::Failed(vec![format!("unreadable: {error}")]),
                Err(why) => Outcome::Failed(vec![format!("panic: {why}")]),
            };
            reports.push(Report { name: format!("{name}, {}", way.name()), result });
        }
    }
    Ok(reports)
}

/// Holds how many passed in each way against the ratchet.
pub fn check(reports: &[Report]) -> anyhow::Result<()> {
    for (way, key) in [(Way::StartedAgain, "started-again"), (Way::StatusAlone, "status-alone")] {
        let of_way = reports.iter().filter(|report| report.name.ends_with(way.name()));
        ratchet::check(include_str!("../ratchet.txt"), key, of_way.filter(|report| report.passed()).count())?;
    }
    Ok(())
}

/// Where the run that is taken up after a pass ends otherwise.
fn take_up(recorded: &Recorded, way: Way) -> Result<Vec<String>, serde_json::Error> {
    let (_, library) = prepare(&recorded.input, FIRST_PASS)?;
    let mut run = start(&recorded.input, FIRST_PASS)?;
    let mut seen = Seen::default();
    let mut taken: Vec<(usize, Run)> = Vec::new();
    for pass in &recorded.passes {
        step(&mut run, pass);
        seen.take_in(pass);
        for (_, run) in &mut taken {
            step(run, pass);
        }
        if run.is_completed() {
            continue;
        }
        let mut again = from_status(&run, &library);
        if way == Way::StartedAgain {
            seen.show(&mut again, FIRST_PASS + pass.t * 1000);
        }
        taken.push((pass.n, again));
    }
    let expected = told(&run.status());
    let mut wrong = Vec::new();
    for (pass, run) in taken {
        wrong
            .extend(differences(&expected, &told(&run.status())).map(|text| format!("after {pass}: {text}")));
    }
    Ok(wrong)
}

/// What was seen of the pods that are there.
#[derive(Default)]
struct Seen<'a> {
    /// By full name of the node.
    events: BTreeMap<&'a str, Vec<(Timestamp, Event)>>,
    /// Nodes whose pods are gone, or have the label that no controller looks at them again.
    gone: BTreeSet<&'a str>,
}

impl<'a> Seen<'a> {
    fn take_in(&mut self, pass: &'a Pass) {
        let at = FIRST_PASS + (pass.t * 1000 - BEFORE_PASS_MS);
        for event in &pass.events {
            let node = match event {
                Event::Pod(pod) if pod.deleted => {
                    self.lose(&pod.pod);
                    continue;
                }
                Event::Pod(pod) => pod.pod.as_str(),
                Event::Asked(Asked::Task { node, .. }) => node,
                Event::Asked(_) => continue,
            };
            self.events.entry(node).or_default().push((at, event.clone()));
        }
        for created in &pass.pods.created {
            let node = created["node"].as_str().unwrap_or_default();
            self.lose(node);
            self.gone.remove(node);
        }
        for gone in pass.pods.deleted.iter().chain(&pass.pods.released) {
            self.lose(gone);
        }
    }

    /// A pod is gone; its result stays.
    fn lose(&mut self, node: &'a str) {
        self.gone.insert(node);
        for (_, event) in self.events.get_mut(node).into_iter().flatten() {
            match event {
                Event::Pod(pod) => pod.phase = None,
                Event::Asked(_) => {}
            }
        }
    }

    /// Has a run that was taken up see all that.
    fn show(&self, run: &mut Run, now: Timestamp) {
        for node in &self.gone {
            run.see(now, Happened::PodGone { node: NodeName::from(*node) });
        }
        for (at, event) in self.events.values().flatten() {
            tell(run, *at, event);
        }
    }
}

fn from_status(run: &Run, library: &Library) -> Run {
    let behaviour: Behaviour = run.behaviour().clone();
    Run::from_status(run.object(), library.clone(), behaviour).with_settings(run.settings())
}

fn step(run: &mut Run, pass: &Pass) {
    let now = FIRST_PASS + pass.t * 1000;
    for event in &pass.events {
        tell(run, now + -BEFORE_PASS_MS, event);
    }
    run.pass(now);
}

/// What became of the workflow (under the empty name) and of each node.
fn told(status: &WorkflowStatus) -> BTreeMap<NodeName, String> {
    let nodes = status.nodes.values();
    let mut told: BTreeMap<NodeName, String> = nodes
        .map(|node| (node.name.clone(), format!("{} `{}`", node.phase.as_str(), node.message)))
        .collect();
    told.insert(NodeName::from(""), format!("{} `{}`", status.phase.as_str(), status.message));
    told
}

fn differences<'a>(
    expected: &'a BTreeMap<NodeName, String>,
    got: &'a BTreeMap<NodeName, String>,
) -> impl Iterator<Item = String> {
    let mut names: Vec<&NodeName> = expected.keys().chain(got.keys()).collect();
    names.sort();
    names.dedup();
    names.into_iter().filter(|name| expected.get(*name) != got.get(*name)).map(|name| {
        let word =
            |side: &BTreeMap<NodeName, String>| side.get(name).map_or("missing", String::as_str).to_owned();
        format!("{name} is {}, not {}", word(got), word(expected))
    })
}
