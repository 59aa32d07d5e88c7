//! Random workflows under UNWIND, told to end at every event, and made anew at every event.
//!
//! In: how many workflows, of how many nodes, a seed. Out: a report for each course, with what must not be. A
//! course is a run to its end, or the same up to an event and then told to end: stopped, terminated, both, with a
//! deadline of zero, or suspended first; or it is taken up from its status and goes on. What must hold stands in
//! `watch`; the judge is asked too. Replay: a run made from the same input sees the journal again and must do the
//! same at every event.

mod story;
mod watch;
mod world;

use std::collections::BTreeSet;

use anyhow::Context;
use serde_json::json;
use unwind_engine::library::Library;
use unwind_engine::operate::{Run, Seen};
use unwind_engine::trace::{Resolution, Trace};
use unwind_engine::verdict::{FindingKind, judge};
use unwind_engine::{Behaviour, lower};
use unwind_model::{NodeName, Timestamp, Workflow};

use crate::cases::{Outcome, Report};
use crate::generate::mixed::{Mixed, mixed};
use crate::numbers::Numbers;
use crate::panics::{catch, keep_panics};

pub use world::World;

/// When every run begins.
const BEGIN: Timestamp = Timestamp(1_772_442_000_000);

/// More events than this are taken for a run without an end.
const MOST_EVENTS: usize = 3_000;

/// How much is tried.
#[derive(Clone, Debug)]
pub struct Amount {
    /// Workflows.
    pub workflows: usize,
    /// Most nodes of one.
    pub nodes: usize,
    /// Whether every one has as many; otherwise most are small, which show more for the time they take.
    pub is_full: bool,
    /// Seed of the first; the next have the next seeds.
    pub seed: u64,
    /// At how many events of a run it is told to end, at most; they are spread evenly.
    pub instants: usize,
    /// The only course to take, by its name.
    pub only: Option<String>,
}

/// Ways to end a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Stop,
    Terminate,
    /// A terminate some events after a stop.
    StopThenTerminate,
    /// The whole workflow is suspended first.
    SuspendThenStop,
    Deadline,
    /// Suspended, then a deadline of zero that ends the suspension in the same patch.
    SuspendThenDeadline,
    DeadlineThenStop,
}

impl Way {
    const ALL: [Self; 7] = [
        Self::Stop,
        Self::Terminate,
        Self::StopThenTerminate,
        Self::SuspendThenStop,
        Self::Deadline,
        Self::SuspendThenDeadline,
        Self::DeadlineThenStop,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Terminate => "terminate",
            Self::StopThenTerminate => "stop-then-terminate",
            Self::SuspendThenStop => "suspend-then-stop",
            Self::Deadline => "deadline",
            Self::SuspendThenDeadline => "suspend-then-deadline",
            Self::DeadlineThenStop => "deadline-then-stop",
        }
    }

    /// What is asked, one after the other.
    fn asks(self) -> Vec<Seen> {
        let deadline = || Seen::Patch(json!({"spec": {"activeDeadlineSeconds": 0}}));
        match self {
            Self::Stop => vec![Seen::Stop],
            Self::Terminate => vec![Seen::Terminate],
            Self::StopThenTerminate => vec![Seen::Stop, Seen::Terminate],
            Self::SuspendThenStop => vec![Seen::Suspend, Seen::Stop],
            Self::Deadline => vec![deadline()],
            Self::SuspendThenDeadline => {
                vec![
                    Seen::Suspend,
                    Seen::Patch(json!({"spec": {"activeDeadlineSeconds": 0, "suspend": false}})),
                ]
            }
            Self::DeadlineThenStop => vec![deadline(), Seen::Stop],
        }
    }
}

/// Tries many workflows in all courses.
pub fn sweep(amount: &Amount) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    let mut numbers = Numbers::new(amount.seed);
    for number in 0..amount.workflows {
        let seed = amount.seed + number as u64;
        let nodes = if amount.is_full || number % 8 == 7 {
            amount.nodes
        } else {
            4 + numbers.below(amount.nodes / 4)
        };
        reports.extend(sweep_one(nodes, seed, amount)?);
    }
    Ok(reports)
}

/// Tries one workflow of about `nodes` nodes in all courses.
pub fn sweep_one(nodes: usize, seed: u64, amount: &Amount) -> anyhow::Result<Vec<Report>> {
    let made = mixed(nodes, seed);
    let input = Made::new(&made).with_context(|| format!("seed {seed} makes no workflow"))?;
    let name = |course: &str| format!("{nodes} nodes of seed {seed}, {course}");
    let mut reports = Vec::new();
    let mut take = |course: &str, outcome: &mut dyn FnMut() -> Vec<String>| {
        if amount.only.as_deref().is_some_and(|only| only != course) {
            return;
        }
        let wrong = keep_panics(|| catch(outcome)).unwrap_or_else(|why| vec![format!("panic: {why}")]);
        let result = if wrong.is_empty() { Outcome::Passed } else { Outcome::Failed(wrong) };
        reports.push(Report { name: name(course), result });
    };
    let mut events = 0;
    take("to its end", &mut || {
        let mut world = World::new(input.run(), BEGIN, seed);
        let mut wrong = run_on(&mut world);
        events = world.journal.len();
        wrong.extend(input.wrong(&world));
        wrong.extend(input.replay(&world));
        tell(amount, &world, wrong)
    });
    if events == 0 {
        events = amount.instants;
    }
    let mut world = World::new(input.run(), BEGIN, seed);
    let stride = events.div_ceil(amount.instants.max(1)).max(1);
    let mut instant = 0;
    while !world.is_over() && instant < events {
        if instant % stride == 0 {
            for (at, way) in Way::ALL.into_iter().enumerate().filter(|(_, way)| input.obeys(*way)) {
                let course = format!("{} at {instant}", way.name());
                let replays = (instant + at) % 16 == 0;
                take(&course, &mut || end_in(&input, world.clone(), way, replays, amount));
            }
            if !input.remembers && !world.ends_a_daemon() {
                let course = format!("taken up at {instant}");
                take(&course, &mut || go_on_taken_up(&input, world.clone(), amount));
            }
        }
        world.step();
        instant += 1;
    }
    Ok(reports)
}

/// Takes one way to end a run from here on.
fn end_in(input: &Made, mut world: World, way: Way, replays: bool, amount: &Amount) -> Vec<String> {
    let asks = way.asks();
    let several = asks.len() > 1;
    for (number, asked) in asks.into_iter().enumerate() {
        if number > 0 && several {
            for _ in 0..world.journal.len() % 5 {
                if !world.is_over() {
                    world.step();
                }
            }
        }
        if !world.is_over() {
            world.ask(asked);
        }
    }
    let mut wrong = run_on(&mut world);
    wrong.extend(input.wrong(&world));
    if replays {
        wrong.extend(input.replay(&world));
    }
    tell(amount, &world, wrong)
}

/// Takes the run up from its status here, and goes on: it must end as it would have.
fn go_on_taken_up(input: &Made, mut world: World, amount: &Amount) -> Vec<String> {
    let mut other = world.clone();
    other.take_up();
    let mut wrong = run_on(&mut world);
    wrong.extend(run_on(&mut other));
    wrong.extend(input.wrong(&other));
    let [expected, got] = [&world, &other].map(|world| {
        let nodes = world.run.status().nodes.into_values();
        nodes.map(|node| format!("{} {} {}", node.name, node.phase.as_str(), node.message)).collect()
    });
    let [expected, got]: [BTreeSet<String>; 2] = [expected, got];
    wrong.extend(got.difference(&expected).map(|node| format!("only when taken up: {node}")));
    wrong.extend(expected.difference(&got).map(|node| format!("not when taken up: {node}")));
    tell(amount, &other, wrong)
}

/// What is wrong, and below it the course event by event where only one is looked at.
fn tell(amount: &Amount, world: &World, mut wrong: Vec<String>) -> Vec<String> {
    if !wrong.is_empty() && amount.only.is_some() {
        wrong.extend(story::story(world));
    }
    wrong
}

/// Lets things happen until the run is over.
fn run_on(world: &mut World) -> Vec<String> {
    while !world.is_over() {
        let has_moved = world.step();
        if !has_moved || world.journal.len() > MOST_EVENTS {
            return vec![format!("not over after {} events", world.journal.len())];
        }
    }
    Vec::new()
}

/// A made-up workflow, read.
struct Made {
    workflow: Workflow,
    library: Library,
    /// Whether the judge knows all templates.
    is_judged: bool,
    /// Whether a template is memoized: what others gave stands in no status.
    remembers: bool,
}

impl Made {
    fn new(made: &Mixed) -> anyhow::Result<Self> {
        let mut workflow: Workflow = serde_json::from_value(made.workflow.clone())?;
        workflow.metadata.uid = format!("uid-{}", workflow.metadata.name);
        workflow.metadata.creation_timestamp = Some(BEGIN);
        let mut library = Library::default();
        for document in &made.needs {
            library.add(document)?;
        }
        let is_judged = made.needs.iter().all(|document| document["kind"] == "ConfigMap");
        let has_memory = |document: &serde_json::Value| document.to_string().contains("\"memoize\"");
        let remembers = made.needs.iter().chain([&made.workflow]).any(has_memory);
        Ok(Self { workflow, library, is_judged, remembers })
    }

    fn run(&self) -> Run {
        Run::new(self.workflow.clone(), self.library.clone(), Behaviour::UNWIND)
    }

    /// Whether a way of ending it works: a deadline is not taken over into the copy of what is referred to.
    fn obeys(&self, way: Way) -> bool {
        let refers = self.workflow.spec.entrypoint.is_empty();
        !refers || matches!(way, Way::Stop | Way::Terminate | Way::StopThenTerminate | Way::SuspendThenStop)
    }

    /// All that is wrong with a run that was driven to its end.
    fn wrong(&self, world: &World) -> Vec<String> {
        let object = world.run.object();
        let mut wrong = world.watch.verdict(&object.metadata.name);
        if object.status.nodes.is_empty() && world.told().cut.is_none() {
            wrong.push(format!("it was refused: {}", object.status.message));
        }
        wrong.extend(world.open_pods().map(|pod| format!("{pod} still has a pod")));
        if self.is_judged {
            let (plan, _) = lower(&object);
            let mut trace = Trace::from_workflow(&plan, &object);
            trace.resolution = Resolution::Milliseconds;
            if let Some(at) = world.told().terminated.or(world.told().shutdown) {
                trace = trace.with_shutdown_at(at);
            }
            let found = judge(&plan, &trace).findings.into_iter();
            // What else a document allows to fail is its own affair.
            let is_cut = |node: &NodeName| {
                let mut known = object.status.nodes.values().filter(|known| known.name == *node);
                known.any(|known| known.message.contains("strategy"))
            };
            let found = found.filter(|finding| {
                is_wrong(finding.kind)
                    && (finding.kind != FindingKind::MaskedFailure || is_cut(&finding.node))
            });
            wrong.extend(found.map(|finding| format!("judge: {:?} {}", finding.kind, finding.node)));
        }
        wrong
    }

    /// A run made anew sees the journal and must do the same at every event.
    fn replay(&self, world: &World) -> Vec<String> {
        let mut run = self.run();
        for (number, entry) in world.journal.iter().enumerate() {
            if let Some(seen) = &entry.seen {
                run.see(entry.at, seen.clone());
                if let Some(beside) = world::beside(seen) {
                    run.see(entry.at, beside);
                }
            }
            if run.pass(entry.at) != entry.acts {
                return vec![format!("replay does something else at event {number}")];
            }
            if run.status() != *entry.status {
                return vec![format!("replay comes to another status at event {number}")];
            }
        }
        Vec::new()
    }
}

/// Whether the right order never shows this.
fn is_wrong(kind: FindingKind) -> bool {
    match kind {
        FindingKind::LeftUnfinished
        | FindingKind::EarlyEnd
        | FindingKind::HookMissing
        | FindingKind::HookUnwanted
        | FindingKind::HookOrder
        | FindingKind::Clock
        | FindingKind::StopIgnored
        | FindingKind::MaskedFailure
        | FindingKind::LinkMissing
        | FindingKind::LockHeld
        | FindingKind::Unresolved
        | FindingKind::Contradiction => true,
        // Of the document, or of what times cannot tell.
        FindingKind::OrderUnknown
        | FindingKind::StopUnsafe
        | FindingKind::NoNodes
        | FindingKind::PresetShutdown => false,
    }
}
