//! The world around one run: pods, agents and people, one event at a time.
//!
//! In: a run that was just made, a seed. Out: after each event what the run did, all of it kept in a journal. What
//! comes next is drawn from what may happen; leaves do what their arguments say (`generate::mixed`), and end when
//! they are told to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};
use unwind_engine::operate::{ContainerState, PodAct, PodCreated, PodPhase, PodReport, Run, Seen};
use unwind_model::{NodeName, NodePhase, NodeStatus, NodeType, Timestamp, WorkflowStatus};

use super::watch::{Told, Watch};
use crate::numbers::Numbers;

/// One event and what came of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// What was seen; nothing when only time went by.
    pub seen: Option<Seen>,
    /// What the run did to pods.
    pub acts: Vec<PodAct>,
    /// The status after it.
    pub status: Arc<WorkflowStatus>,
}

/// A pod.
#[derive(Clone, Debug)]
struct Pod {
    phase: PodPhase,
    is_told_to_end: bool,
    is_ready: bool,
    /// Whether its result came before its end.
    result_is_done: bool,
    /// What was told of it last.
    report: Option<PodReport>,
    words: Arc<Words>,
}

/// What a leaf does.
#[derive(Clone, Debug, Default)]
struct Words {
    exit: i32,
    /// How many attempts fail.
    fails: Option<usize>,
    result: Option<String>,
    outputs: Vec<(String, String)>,
    is_daemon: bool,
    /// It is a container set of `main` and `side`.
    is_set: bool,
}

/// What may happen next.
enum Next {
    /// A pod takes its next step.
    Pod(NodeName),
    /// The deletion of a pod that had not begun is seen.
    Lost(NodeName),
    /// The agent answers.
    Answer(NodeName),
    /// Somebody resumes a suspended node.
    Resume(String),
    /// Somebody resumes the workflow.
    ResumeAll,
}

/// A run with everything around it.
#[derive(Clone)]
pub struct World {
    pub(super) run: Run,
    pub(super) now: Timestamp,
    pub(super) journal: Vec<Arc<Entry>>,
    pub(super) watch: Watch,
    numbers: Numbers,
    pods: BTreeMap<NodeName, Pod>,
    /// Pods deleted before they ran, which the run has not seen.
    lost: BTreeSet<NodeName>,
    answered: BTreeSet<NodeName>,
    is_suspended: bool,
    /// After every so many events the walk is held against one that looks at everything.
    looks_every: usize,
    status: Arc<WorkflowStatus>,
}

impl World {
    /// Makes the first pass of `run` at `now`.
    pub fn new(run: Run, now: Timestamp, seed: u64) -> Self {
        let status = Arc::new(run.status());
        let mut world = Self {
            run,
            now,
            journal: Vec::new(),
            watch: Watch::default(),
            numbers: Numbers::new(seed),
            pods: BTreeMap::new(),
            lost: BTreeSet::new(),
            answered: BTreeSet::new(),
            is_suspended: false,
            looks_every: 3,
            status,
        };
        world.settle(None);
        world.is_suspended = world.run.is_suspended();
        world
    }

    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.run.is_completed()
    }

    /// Pods that have not ended.
    pub(super) fn open_pods(&self) -> impl Iterator<Item = &NodeName> {
        let is_open = |pod: &Pod| matches!(pod.phase, PodPhase::Pending | PodPhase::Running);
        self.pods.iter().filter(move |(_, pod)| is_open(pod)).map(|(name, _)| name)
    }

    /// Something is asked of the run.
    pub fn ask(&mut self, asked: Seen) {
        self.now = self.now + 1_000;
        self.watch.asked(&asked, self.now);
        match &asked {
            Seen::Suspend => self.is_suspended = true,
            Seen::Patch(patch) if patch["spec"]["suspend"] == false => self.is_suspended = false,
            _ => {}
        }
        self.settle(Some(asked));
    }

    /// Lets one thing happen, or lets time go by. False when nothing can move it any more.
    pub fn step(&mut self) -> bool {
        let mut choices = self.choices();
        let is_quick = self.numbers.below(4) != 0;
        self.now = self.now + if is_quick { 1_000 } else { 11_000 };
        if choices.is_empty() {
            let Some(wake) = self.run.next_wake() else { return false };
            self.now = self.now.max(wake);
            self.settle(None);
            return true;
        }
        let chosen = choices.swap_remove(self.numbers.below(choices.len()));
        let seen = match chosen {
            Next::Pod(name) => self.move_pod(&name),
            Next::Lost(node) => {
                self.lost.remove(&node);
                Seen::PodLost { node, message: String::new(), ran: false }
            }
            Next::Answer(node) => {
                let phase = if self.numbers.below(6) == 0 { "Failed" } else { "Succeeded" };
                let parameters = json!([{"name": "p", "value": "answered"}]);
                let task = json!({"phase": phase, "outputs": {"parameters": parameters}});
                self.answered.insert(node.clone());
                Seen::Task { node, task }
            }
            Next::Resume(id) => {
                let selector = format!("id={id}");
                if self.numbers.below(6) == 0 {
                    Seen::StopNode { selector, message: "not wanted".to_owned() }
                } else {
                    Seen::Resume { selector: Some(selector) }
                }
            }
            Next::ResumeAll => {
                self.is_suspended = false;
                Seen::Resume { selector: None }
            }
        };
        self.settle(Some(seen));
        true
    }

    fn choices(&self) -> Vec<Next> {
        let mut choices: Vec<Next> = self
            .pods
            .iter()
            .filter(|(_, pod)| pod.can_move())
            .map(|(name, _)| Next::Pod(name.clone()))
            .collect();
        choices.extend(self.lost.iter().cloned().map(Next::Lost));
        let open = self.status.nodes.values().filter(|node| !node.phase.is_final());
        choices.extend(open.filter_map(|node| self.choice_of(node)));
        if self.is_suspended && (choices.is_empty() || self.pods.is_empty()) {
            choices.push(Next::ResumeAll);
        }
        choices
    }

    /// What people or agents can do for a node.
    fn choice_of(&self, node: &NodeStatus) -> Option<Next> {
        match node.node_type {
            NodeType::Suspend if node.phase == NodePhase::Running => {
                Some(Next::Resume(node.id.as_str().to_owned()))
            }
            // One that waits for a lock is not handed to the agent.
            NodeType::HTTP | NodeType::Plugin
                if !node.message.starts_with("Waiting for") && !self.answered.contains(&node.name) =>
            {
                Some(Next::Answer(node.name.clone()))
            }
            _ => None,
        }
    }

    /// The next step of a pod.
    fn move_pod(&mut self, name: &NodeName) -> Seen {
        let chance = self.numbers.bits();
        let at = self.now;
        let Some(pod) = self.pods.get_mut(name) else { return Seen::PodGone { node: name.clone() } };
        let words = Arc::clone(&pod.words);
        match pod.phase {
            PodPhase::Pending => {
                pod.phase = PodPhase::Running;
                self.watch.ran(name);
                let ready = words.is_daemon.then_some(false);
                let report = PodReport {
                    ready,
                    containers: words.containers(None),
                    ..pod_report(PodPhase::Running, at)
                };
                Seen::Pod { node: name.clone(), report }
            }
            PodPhase::Running if !pod.is_ready && words.is_daemon && !pod.is_told_to_end => {
                pod.is_ready = true;
                let report = PodReport { ready: Some(true), ..pod_report(PodPhase::Running, at) };
                Seen::Pod { node: name.clone(), report }
            }
            // Sometimes a machine goes away.
            PodPhase::Running if chance.is_multiple_of(150) && !pod.is_told_to_end => {
                self.pods.remove(name);
                Seen::PodGone { node: name.clone() }
            }
            PodPhase::Running if !pod.result_is_done && chance.is_multiple_of(3) => {
                pod.result_is_done = true;
                words.result_seen(name, attempt_of(name))
            }
            PodPhase::Running | PodPhase::Succeeded | PodPhase::Failed => {
                let code = match (pod.is_told_to_end, chance.is_multiple_of(4)) {
                    (true, true) => 0,
                    (true, false) => 143,
                    (false, _) => words.code(attempt_of(name)),
                };
                if matches!(pod.phase, PodPhase::Succeeded | PodPhase::Failed) {
                    // Its result comes after its end.
                    pod.result_is_done = true;
                    return words.result_seen(name, attempt_of(name));
                }
                pod.phase = if code == 0 { PodPhase::Succeeded } else { PodPhase::Failed };
                let report = PodReport {
                    exit: Some(code),
                    containers: words.containers(Some(code)),
                    ..pod_report(pod.phase, at)
                };
                Seen::Pod { node: name.clone(), report }
            }
        }
    }

    /// Whether something is under way that stands in no status: a daemon was told to end with its box.
    pub(super) fn ends_a_daemon(&self) -> bool {
        self.pods.values().any(|pod| pod.words.is_daemon && pod.is_told_to_end)
    }

    /// In place of the run comes one that is taken up from its status, and sees the pods as they are.
    pub(super) fn take_up(&mut self) {
        let object = self.run.object();
        let library = self.run.library().clone();
        self.run = Run::from_status(object, library, self.run.behaviour().clone());
        for (name, pod) in &self.pods {
            let Some(report) = pod.report.clone() else { continue };
            let seen = Seen::Pod { node: name.clone(), report };
            let beside = beside(&seen);
            self.run.see(self.now, seen);
            if let Some(beside) = beside {
                self.run.see(self.now, beside);
            }
            if pod.result_is_done {
                self.run.see(self.now, pod.words.result_seen(name, attempt_of(name)));
            }
        }
        self.settle(None);
    }

    fn settle(&mut self, seen: Option<Seen>) {
        if let Some(Seen::Pod { node, report }) = &seen
            && let Some(pod) = self.pods.get_mut(node)
        {
            pod.report = Some(report.clone());
        }
        if let Some(seen) = &seen {
            self.run.see(self.now, seen.clone());
            if let Some(beside) = beside(seen) {
                self.run.see(self.now, beside);
            }
        }
        let acts = self.run.pass(self.now);
        self.status = Arc::new(self.run.status());
        if self.journal.len().is_multiple_of(self.looks_every) {
            self.look_at_all();
        }
        self.watch.look(&self.status, self.now);
        for act in &acts {
            self.perform(act);
        }
        let status = Arc::clone(&self.status);
        self.journal.push(Arc::new(Entry { at: self.now, seen, acts, status }));
    }

    /// A walk that looks at everything finds nothing to do.
    fn look_at_all(&mut self) {
        let mut whole = self.run.clone();
        whole.look_at_all();
        let acts = whole.pass(self.now);
        // Pods that garbage collection is to delete are deleted by the next pass, whatever that is.
        let acts: Vec<_> = acts.iter().filter(|act| !matches!(act, PodAct::Deleted { .. })).collect();
        if !acts.is_empty() {
            self.watch.note(format!("a whole walk after event {} does {acts:?}", self.journal.len()));
        }
        let status = whole.status();
        for (id, node) in &status.nodes {
            let known = self.status.nodes.get(id);
            if known != Some(node) {
                let text = format!("a whole walk after event {} moves {}", self.journal.len(), node.name);
                self.watch.note(text);
                self.watch.note(format!("  from {known:?}"));
                self.watch.note(format!("  to   {node:?}"));
            }
        }
    }

    fn perform(&mut self, act: &PodAct) {
        match act {
            PodAct::Created(created) => {
                self.watch.pod_made(created, self.pods.contains_key(&created.node));
                let pod = Pod {
                    phase: PodPhase::Pending,
                    is_told_to_end: false,
                    is_ready: false,
                    result_is_done: false,
                    report: None,
                    words: Arc::new(Words::of(created)),
                };
                self.pods.insert(created.node.clone(), pod);
            }
            PodAct::Killed { node } => {
                if let Some(pod) = self.pods.get_mut(node) {
                    pod.is_told_to_end = true;
                }
            }
            PodAct::Deleted { node } => {
                if let Some(pod) = self.pods.remove(node)
                    && pod.phase == PodPhase::Pending
                {
                    self.lost.insert(node.clone());
                }
            }
            PodAct::Released { node } => {
                self.pods.remove(node);
            }
            PodAct::CreatedAgent { .. } | PodAct::DeletedAgent => {}
        }
    }

    /// What was asked of it so far, in the words of the watch.
    pub(super) fn told(&self) -> Told {
        self.watch.told
    }
}

impl Pod {
    fn can_move(&self) -> bool {
        match self.phase {
            PodPhase::Running if self.words.is_daemon && self.is_ready => {
                self.is_told_to_end || self.words.exit != 0
            }
            PodPhase::Pending | PodPhase::Running => true,
            PodPhase::Succeeded | PodPhase::Failed => !self.result_is_done && !self.words.is_daemon,
        }
    }
}

impl Words {
    fn of(created: &PodCreated) -> Self {
        let lines = created.source.as_deref().unwrap_or_default().lines();
        let mut words = Self::default();
        for word in created.args.iter().map(String::as_str).chain(lines) {
            match word.split_once('=') {
                None => {
                    words.is_daemon |= word == "daemon";
                    words.is_set |= word == "set";
                }
                Some(("exit", code)) => words.exit = code.parse().unwrap_or(1),
                Some(("fails", times)) => words.fails = times.parse().ok(),
                Some(("result", result)) => words.result = Some(result.to_owned()),
                Some((key, value)) => {
                    if let Some(name) = key.strip_prefix("out.") {
                        words.outputs.push((name.to_owned(), value.to_owned()));
                    }
                }
            }
        }
        words
    }

    fn code(&self, attempt: usize) -> i32 {
        match self.fails {
            Some(fails) if attempt < fails => 1,
            Some(_) => 0,
            None => self.exit,
        }
    }

    /// The result of a leaf, complete.
    fn result_seen(&self, node: &NodeName, attempt: usize) -> Seen {
        let parameters: Vec<Value> =
            self.outputs.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
        let mut outputs = json!({});
        if self.code(attempt) == 0 {
            if !parameters.is_empty() {
                outputs["parameters"] = json!(parameters);
            }
            if let Some(result) = &self.result {
                outputs["result"] = json!(result);
            }
        }
        let outputs = if outputs == json!({}) { None } else { serde_json::from_value(outputs).ok() };
        Seen::Result { node: node.clone(), complete: Some(true), outputs, progress: None }
    }

    fn containers(&self, exit: Option<i32>) -> Vec<(String, ContainerState)> {
        let state = exit.map_or(ContainerState::Running, ContainerState::Ended);
        let names: &[&str] = if self.is_set { &["main", "side"] } else { &[] };
        names.iter().map(|name| ((*name).to_owned(), state)).collect()
    }
}

/// The number of an attempt by its name; 0 for what is none.
fn attempt_of(name: &NodeName) -> usize {
    let inside = name.as_str().strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    inside.and_then(|(_, number)| number.parse().ok()).unwrap_or_default()
}

/// What comes together with something seen: a pod that begins has an open result from then on. A daemon has none.
pub(super) fn beside(seen: &Seen) -> Option<Seen> {
    match seen {
        Seen::Pod { node, report } if report.phase == PodPhase::Running && report.ready.is_none() => {
            Some(Seen::Result { node: node.clone(), complete: Some(false), outputs: None, progress: None })
        }
        _ => None,
    }
}

fn pod_report(phase: PodPhase, at: Timestamp) -> PodReport {
    PodReport { phase, ..PodReport::pending(at) }
}
