//! A run driven in the engine alone, with made-up durations: for the page without a server, for
//! `unwind rehearse`, and for tests.

mod answers;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::json;
use unwind_model::params::Outputs;
use unwind_model::{NodeId, NodeName, NodePhase, NodeType, Timestamp, Workflow};

use crate::again::NodeValues;
use crate::behaviour::Behaviour;
use crate::event::{Action, Change, Event, LeafEnd};
use crate::library::Library;
use crate::run::Run;

pub use answers::{Answers, references};

/// What is made up in a rehearsal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Rehearsal {
    /// Time of the first event.
    pub begin: Timestamp,
    /// Duration of a leaf without a duration of its own, in milliseconds.
    pub leaf_ms: i64,
    /// How long a leaf takes to end once it is told to, in milliseconds.
    pub grace_ms: i64,
    /// Durations and exit codes by full node name; those of a task count for all of its items and tries.
    pub leaves: BTreeMap<NodeName, RehearsedLeaf>,
}

/// How one leaf goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RehearsedLeaf {
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// How it ends.
    pub end: LeafEnd,
}

impl Rehearsal {
    fn leaf(&self, name: &NodeName) -> Option<&RehearsedLeaf> {
        named_or_whole(&self.leaves, name)
    }
}

/// What is said of a node, or else of the whole task that it is an item or a try of.
pub(crate) fn named_or_whole<'a, T>(said: &'a BTreeMap<NodeName, T>, name: &NodeName) -> Option<&'a T> {
    if said.is_empty() {
        return None;
    }
    let mut name = name.as_str();
    loop {
        if let Some(found) = said.get(&NodeName::from(name)) {
            return Some(found);
        }
        let at = name.strip_suffix(')').and_then(|name| name.rfind('('))?;
        name = &name[..at];
    }
}

impl Default for Rehearsal {
    fn default() -> Self {
        Self { begin: Timestamp(0), leaf_ms: 10_000, grace_ms: 1_000, leaves: BTreeMap::new() }
    }
}

/// When an event comes, and its number among those of one time.
type Coming = (Timestamp, u64);

/// What is foreseen of one leaf.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    /// Its begin, when that was still to come.
    start: Option<Coming>,
    /// Its end.
    end: Coming,
}

/// A run with its own clock and queue of coming events.
#[derive(Clone, Debug)]
pub struct Simulation {
    rehearsal: Rehearsal,
    run: Run,
    answers: Answers,
    now: Timestamp,
    /// Coming events by time; at one time in the order in which they were foreseen.
    coming: BTreeMap<Coming, Event>,
    foreseen: u64,
    /// What is foreseen of the leaves that run or will.
    leaves: BTreeMap<NodeId, Leaf>,
    /// HTTP and plug-in nodes whose answer is foreseen or was given.
    answered: BTreeSet<NodeId>,
    timer: Option<Coming>,
    journal: Vec<(Timestamp, Event)>,
}

/// One step of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// When.
    pub at: Timestamp,
    /// What moved.
    pub changes: Vec<Change>,
}

impl Simulation {
    /// Begins the workflow.
    pub fn new(workflow: &Workflow, rehearsal: Rehearsal, behaviour: Behaviour) -> Self {
        Self::with_library(workflow, Library::default(), rehearsal, behaviour)
    }

    /// Begins a workflow that refers to other documents.
    pub fn with_library(
        workflow: &Workflow,
        library: Library,
        rehearsal: Rehearsal,
        behaviour: Behaviour,
    ) -> Self {
        let mut simulation = Self::of(Run::new(workflow, behaviour).with_library(library), rehearsal);
        simulation.begin();
        simulation
    }

    /// Goes on with a run at any point, from `rehearsal.begin` on.
    pub(crate) fn of(run: Run, rehearsal: Rehearsal) -> Self {
        let mut simulation = Self {
            now: rehearsal.begin,
            rehearsal,
            answers: Answers::new(run.object(), run.library()),
            run,
            coming: BTreeMap::new(),
            foreseen: 0,
            leaves: BTreeMap::new(),
            answered: BTreeSet::new(),
            timer: None,
            journal: Vec::new(),
        };
        simulation.foresee_open();
        simulation
    }

    /// Has the run look at what is still to be looked at, as it is after being taken up.
    pub(crate) fn settle(&mut self) {
        let step = self.run.settle(self.now);
        self.foresee_actions(step.actions);
    }

    /// Begins a run that has not begun.
    pub(crate) fn begin(&mut self) {
        self.apply(Event::Begun);
    }

    pub(crate) fn into_run(self) -> Run {
        self.run
    }

    /// The run as it is now.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The workflow object as it is now, with milliseconds.
    pub fn workflow(&self) -> Workflow {
        let mut workflow = self.run.object().clone();
        if !self.run.is_suspended() {
            workflow.spec.suspend = workflow.spec.suspend.filter(|suspend| !suspend);
        }
        workflow.status = self.run.status();
        workflow
    }

    /// The events so far, with their times: replaying them gives the same run.
    pub fn journal(&self) -> &[(Timestamp, Event)] {
        &self.journal
    }

    /// The simulation's own clock.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Time of the next event that will come by itself; `None` when the run is over.
    pub fn next_at(&self) -> Option<Timestamp> {
        self.coming.keys().next().map(|(at, _)| *at)
    }

    /// Lets the next event happen. `None` when nothing comes by itself: the run is over, suspended,
    /// or waits for a resume.
    pub fn advance(&mut self) -> Option<Moment> {
        let ((at, _), event) = self.coming.pop_first()?;
        self.now = self.now.max(at);
        Some(self.apply(event))
    }

    /// Lets everything happen that comes at the next instant, at once. `false` when nothing comes by itself.
    pub(crate) fn advance_together(&mut self) -> bool {
        let Some(at) = self.next_at() else { return false };
        let mut events = Vec::new();
        while let Some(next) = self.coming.first_entry().filter(|next| next.key().0 == at) {
            events.push(next.remove());
        }
        self.now = self.now.max(at);
        let step = self.run.handle_together(self.now, events);
        self.foresee_actions(step.actions);
        true
    }

    /// Lets everything up to and including `until` happen and sets the clock to `until`.
    pub fn advance_to(&mut self, until: Timestamp) -> Vec<Moment> {
        let mut moments = Vec::new();
        while self.next_at().is_some_and(|at| at <= until) {
            moments.extend(self.advance());
        }
        self.now = self.now.max(until);
        moments
    }

    /// Asks for a stop now. Nothing moves when the run is over.
    pub fn stop(&mut self) -> Moment {
        self.apply(Event::StopRequested)
    }

    /// Asks for a terminate now. Nothing moves when the run is over.
    pub fn terminate(&mut self) -> Moment {
        self.apply(Event::TerminateRequested)
    }

    /// Resumes the workflow and the waits that are under way; what they wait for is made up.
    pub fn resume(&mut self) -> Vec<Moment> {
        let mut moments = Vec::new();
        let table = &self.run.walk.table;
        let waits = table.iter().map(|(at, _)| at).filter(|at| {
            let node = table.get(*at);
            node.kind == NodeType::Suspend && node.phase == NodePhase::Running
        });
        let waits: Vec<_> = waits.filter_map(|at| self.run.walk.node_status(at)).collect();
        for node in waits {
            let given = self.answers.supplied(&node).into_iter();
            let output_parameters: Vec<(String, String)> = given
                .filter_map(|given| {
                    let text = |field: &str| given[field].as_str().map(str::to_owned);
                    Some((text("name")?, text("value")?))
                })
                .collect();
            if !output_parameters.is_empty() {
                let values = NodeValues { output_parameters, ..NodeValues::default() };
                moments.push(self.apply(Event::NodesSet { selector: format!("id={}", node.id), values }));
            }
        }
        moments.push(self.apply(Event::ResumeRequested));
        moments
    }

    /// Applies an event and foresees what its actions lead to. An event that the run refuses (a
    /// shutdown of a run that is over) moves nothing.
    fn apply(&mut self, event: Event) -> Moment {
        let Ok(step) = self.run.handle(self.now, event.clone()) else {
            return Moment { at: self.now, changes: Vec::new() };
        };
        self.journal.push((self.now, event));
        self.foresee_actions(step.actions);
        Moment { at: self.now, changes: step.changes }
    }

    fn foresee_actions(&mut self, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Start(start) => self.foresee_leaf(&start.node, &start.name),
                Action::End { node } => self.foresee_early_end(&node),
                Action::SetTimer { at } => self.set_timer(at),
                Action::Finished => self.coming.clear(),
            }
        }
        for node in self.run.open_tasks() {
            self.foresee_answer(node);
        }
    }

    fn set_timer(&mut self, at: Timestamp) {
        if let Some(before) = self.timer.take() {
            self.coming.remove(&before);
        }
        self.timer = Some(self.foresee(at.max(self.now), Event::TimerFired { node: None }));
    }

    /// An HTTP or plug-in node is answered like a leaf that ends.
    fn foresee_answer(&mut self, node: NodeId) {
        if !self.answered.insert(node.clone()) {
            return;
        }
        let outputs = self.made_up(&node);
        let answer = json!({"phase": "Succeeded", "outputs": outputs});
        let at = self.now + self.rehearsal.leaf_ms.max(0);
        self.foresee(at, Event::TaskAnswered { node, answer });
    }

    /// Outputs for a leaf that gives none of its own.
    fn made_up(&mut self, node: &NodeId) -> Option<Outputs> {
        let at = self.run.walk.table.with_id(node)?;
        let node = self.run.walk.table.get(at);
        let template = &node.template.as_ref()?.template;
        if !self.answers.gives_results() && template.outputs == Outputs::default() {
            self.answers.give_nothing();
            return None;
        }
        let template = serde_json::to_value(template).ok()?;
        let outputs = self.answers.outputs(node.display_name(), Some(&template));
        serde_json::from_value(outputs).ok().filter(|outputs| *outputs != Outputs::default())
    }

    fn is_daemon(&self, node: &NodeId) -> bool {
        let at = self.run.walk.table.with_id(node);
        let template = at.and_then(|at| self.run.walk.table.get(at).template.as_ref());
        template.is_some_and(|template| template.is_daemon)
    }

    fn foresee(&mut self, at: Timestamp, event: Event) -> Coming {
        let key = (at, self.foreseen);
        self.coming.insert(key, event);
        self.foreseen += 1;
        key
    }

    fn foresee_leaf(&mut self, node: &NodeId, name: &NodeName) {
        let end = self.rehearsal.leaf(name).map(|leaf| &leaf.end);
        let starts = !matches!(end, Some(LeafEnd::NotStarted { .. }));
        let start = starts.then(|| self.foresee(self.now, Event::LeafStarted { node: node.clone() }));
        self.foresee_end(node, name, start);
    }

    fn foresee_end(&mut self, node: &NodeId, name: &NodeName, start: Option<Coming>) {
        let leaf = self.rehearsal.leaf(name);
        let duration_ms = leaf.map_or(self.rehearsal.leaf_ms, |leaf| leaf.duration_ms);
        let mut end = leaf.map_or_else(|| exited(0), |leaf| leaf.end.clone());
        if self.is_daemon(node) {
            // It runs until it is told to end.
            return;
        }
        if let LeafEnd::Exited { code: 0, outputs: outputs @ None } = &mut end {
            *outputs = self.made_up(node);
        }
        let event = Event::LeafEnded { node: node.clone(), end };
        let end = self.foresee(self.now + duration_ms.max(0), event);
        self.leaves.insert(node.clone(), Leaf { start, end });
    }

    /// A leaf that was told to end does so after the grace period, if not before; one whose program
    /// has not started never will.
    fn foresee_early_end(&mut self, node: &NodeId) {
        let latest = self.now + self.rehearsal.grace_ms.max(0);
        let has_started = self.run.node(node).is_some_and(|(_, phase)| phase == NodePhase::Running);
        if let Some(leaf) = self.leaves.remove(node) {
            if has_started && leaf.end.0 <= latest {
                return;
            }
            self.coming.remove(&leaf.end);
            leaf.start.and_then(|start| self.coming.remove(&start));
        }
        let node = node.clone();
        if has_started {
            self.foresee(latest, Event::LeafEnded { node, end: exited(SIGTERM_CODE) });
        } else {
            let end = LeafEnd::NotStarted { message: String::new() };
            self.foresee(self.now, Event::LeafEnded { node, end });
        }
    }

    /// Foresees the ends of leaves and waits that are under way already.
    fn foresee_open(&mut self) {
        for start in self.run.open_leaves() {
            let phase = self.run.node(&start.node).map(|(_, phase)| phase);
            if phase == Some(NodePhase::Running) {
                self.foresee_end(&start.node, &start.name, None);
            } else {
                self.foresee_leaf(&start.node, &start.name);
            }
        }
        for node in self.run.ending_leaves() {
            self.foresee_early_end(&node);
        }
        if let Some(at) = self.run.open_timer() {
            self.set_timer(at);
        }
    }
}

/// Exit code of a program that SIGTERM ended, as in a pod.
const SIGTERM_CODE: i32 = 143;

fn exited(code: i32) -> LeafEnd {
    LeafEnd::Exited { code, outputs: None }
}
