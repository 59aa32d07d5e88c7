//! The made-up cluster of a forecast: pods come up, run and end; results open and close.
//!
//! In: what passes do to pods. Out: what the next pass sees. It looks at the run's table only for templates.

use std::collections::BTreeMap;

use unwind_model::params::{Outputs, Parameter};
use unwind_model::{NodeName, NodeType, Timestamp};

use crate::operate::{ContainerState, Kind, PodAct, PodPhase, PodReport, Run, Seen};

use super::course::{Assumptions, Course, Guess, Life, Open, PodMove, Since};

/// Exit code of a program that a SIGTERM ended.
const SIGTERM_CODE: i32 = 143;

/// Which pods a way is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// None.
    None,
    /// All but those of exit hooks.
    Main,
    /// All.
    All,
}

impl Meant {
    fn contains(self, on_exit: bool) -> bool {
        match self {
            Self::None => false,
            Self::Main => !on_exit,
            Self::All => true,
        }
    }
}

/// How a pod goes of which nothing is told.
static USUAL: Course = Course { begin: None, told: Vec::new(), life: Life::Usual, lag: 0 };

/// One pod.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own")]
struct Pod<'a> {
    course: &'a Course,
    phase: PodPhase,
    /// Passes in which things happened to it.
    since: Passes,
    /// How many of the told moves have happened.
    told: usize,
    /// Whether the controller still looks at it.
    is_visible: bool,
    /// The pass in which the controller let it go.
    let_go: Option<usize>,
    is_hook: bool,
    /// Whether it is there when something is asked that is to end it.
    is_meant: bool,
    is_daemon: bool,
    /// Whether nothing is told of it.
    is_guessed: bool,
}

/// The passes in which things happened to a pod, first times.
#[derive(Clone, Copy, Debug, Default)]
struct Passes([Option<u32>; Since::COUNT]);

impl Passes {
    fn get(&self, since: Since) -> Option<usize> {
        self.0[since as usize].map(|pass| pass as usize)
    }

    /// Unless it has happened already.
    fn note(&mut self, since: Since, pass: usize) {
        self.0[since as usize].get_or_insert(pass as u32);
    }
}

/// All pods and what the agent has to do.
pub(super) struct Cluster<'a> {
    assumptions: &'a Assumptions,
    guess: Guess,
    /// Those of which something may still come.
    pods: BTreeMap<NodeName, Pod<'a>>,
    /// How many pods each node has had.
    lives: BTreeMap<NodeName, usize>,
    answered: BTreeMap<NodeName, usize>,
    /// What was open while it moved.
    pub(super) open: Open,
}

impl<'a> Cluster<'a> {
    /// The cluster around a run as it is.
    pub(super) fn new(run: &Run, meant: Meant, assumptions: &'a Assumptions, guess: Guess) -> Self {
        let mut cluster = Self {
            assumptions,
            guess,
            pods: BTreeMap::new(),
            lives: BTreeMap::new(),
            answered: BTreeMap::new(),
            open: Open::default(),
        };
        let names: Vec<(NodeName, PodPhase, bool)> = run
            .cluster
            .pods
            .sorted()
            .into_iter()
            .map(|(name, pod)| (name.clone(), pod.report.phase, pod.on_exit))
            .collect();
        for (name, phase, on_exit) in names {
            let is_running = phase == PodPhase::Running;
            let pod = cluster.begin(run, &name, 0, on_exit);
            pod.phase = phase;
            pod.is_meant = meant.contains(on_exit);
            if is_running {
                pod.since.note(Since::Running, 0);
            } else if phase != PodPhase::Pending {
                pod.since.note(Since::Ended, 0);
            }
            let is_first = is_running && pod.is_guessed && pod.is_meant && !pod.is_daemon;
            let is_up = phase == PodPhase::Pending && pod.course.life != Life::Still && pod.is_meant;
            cluster.open.first |= is_first;
            cluster.open.up |= is_up;
        }
        // Results of pods that nobody looks at any more.
        for (name, lives) in &assumptions.pods {
            let is_late = lives.first().is_some_and(Course::is_result_only);
            if is_late && !cluster.pods.contains_key(name) && run.table.named(name.as_str()).is_some() {
                cluster.begin(run, name, 0, false).is_visible = false;
            }
        }
        cluster
    }

    fn begin(&mut self, run: &Run, name: &NodeName, pass: usize, is_hook: bool) -> &mut Pod<'a> {
        let assumptions = self.assumptions;
        let life = self.lives.entry(name.clone()).or_default();
        let course = assumptions.course(name, *life);
        *life += 1;
        let at = run.table.named(name.as_str());
        let template = at.and_then(|at| run.table.get(at).template.as_ref());
        let mut since = Passes::default();
        since.note(Since::Now, 0);
        since.note(Since::Made, pass);
        let pod = Pod {
            is_guessed: course.is_none(),
            course: course.unwrap_or(&USUAL),
            phase: PodPhase::Pending,
            since,
            told: 0,
            is_visible: true,
            let_go: None,
            is_hook,
            is_meant: false,
            is_daemon: template.is_some_and(|template| template.is_daemon),
        };
        self.pods.insert(name.clone(), pod);
        self.pods.get_mut(name).expect("it was inserted just now")
    }

    /// Does what a pass has asked for.
    pub(super) fn perform(&mut self, run: &Run, pass: usize, acts: &[PodAct]) {
        for act in acts {
            match act {
                PodAct::Created(created) => {
                    let pod = self.begin(run, &created.node, pass, created.on_exit);
                    let is_open = pod.is_guessed && created.on_exit;
                    self.open.short |= is_open;
                }
                PodAct::Killed { node } => {
                    if let Some(pod) = self.pods.get_mut(node) {
                        pod.since.note(Since::Killed, pass);
                    }
                }
                PodAct::Deleted { node } => {
                    self.pods.remove(node);
                }
                PodAct::Released { node } => {
                    if let Some(pod) = self.pods.get_mut(node) {
                        pod.is_visible = false;
                        pod.let_go.get_or_insert(pass);
                    }
                }
                PodAct::CreatedAgent { .. } | PodAct::DeletedAgent => {}
            }
        }
    }

    /// What the pass sees that comes next; nothing when the cluster rests.
    pub(super) fn move_on(&mut self, run: &Run, pass: usize, at: Timestamp) -> Vec<Seen> {
        let mut seen = Vec::new();
        for (name, pod) in &mut self.pods {
            for moved in pod.moves(run, name, pass, self.guess) {
                put(&mut seen, name, moved, at, pod.is_visible);
            }
        }
        self.pods.retain(|_, pod| !pod.is_done());
        if !self.assumptions.is_agent_silent {
            self.answer(run, pass, &mut seen);
        }
        seen
    }

    /// Nodes whose pods still work, be it in the controller's sight or not. One that was let go and told to end is
    /// over one pass later.
    pub(super) fn working(&self, pass: usize) -> impl Iterator<Item = &NodeName> {
        let works = move |pod: &Pod<'_>| {
            let let_go = pod.let_go.filter(|_| pod.since.get(Since::Killed).is_some());
            pod.phase == PodPhase::Running && !pod.is_daemon && let_go.is_none_or(|let_go| pass <= let_go)
        };
        self.pods.iter().filter(move |(_, pod)| works(pod)).map(|(name, _)| name)
    }

    /// Nodes that have had a pod.
    pub(super) fn with_pods(&self) -> Vec<NodeName> {
        self.lives.keys().cloned().collect()
    }

    /// Whether the pod of a node is over, or there is none.
    pub(super) fn is_over(&self, node: &NodeName) -> bool {
        self.pods.get(node).is_none_or(Pod::is_over)
    }

    /// Whether something is still to come of itself.
    pub(super) fn is_waiting(&self, pass: usize) -> bool {
        self.pods.values().any(|pod| pod.is_waiting(pass))
    }

    fn answer(&mut self, run: &Run, pass: usize, seen: &mut Vec<Seen>) {
        for (node, answer) in run.cluster.tasks.sorted() {
            if answer.is_some() || self.answered.contains_key(node) {
                continue;
            }
            self.answered.insert(node.clone(), pass);
            let task = serde_json::json!({"phase": "Succeeded"});
            seen.push(Seen::Task { node: node.clone(), task });
        }
    }
}

fn put(seen: &mut Vec<Seen>, name: &NodeName, moved: PodMove, at: Timestamp, is_visible: bool) {
    if moved.is_gone && is_visible {
        seen.push(Seen::PodGone { node: name.clone() });
    }
    if let Some(report) = moved.report.filter(|_| is_visible) {
        seen.push(Seen::Pod { node: name.clone(), report: PodReport { at, ..report } });
    }
    if moved.complete.is_some() || moved.outputs.is_some() || moved.progress.is_some() {
        seen.push(Seen::Result {
            node: name.clone(),
            complete: moved.complete,
            outputs: moved.outputs,
            progress: moved.progress,
        });
    }
}

impl Pod<'_> {
    fn is_over(&self) -> bool {
        matches!(self.phase, PodPhase::Succeeded | PodPhase::Failed)
    }

    /// Whether nothing more can come of it.
    fn is_done(&self) -> bool {
        self.is_over() && self.told >= self.course.told.len()
    }

    /// The pass that sees a told move, once that is known.
    fn due(&self, index: usize) -> Option<usize> {
        let told = self.course.told.get(index)?;
        self.since.get(told.since).map(|since| since + told.passes)
    }

    /// The first told move that is due, of those not yet told. Moves for which nothing has happened to count
    /// from are passed over.
    fn next_told(&self, pass: usize) -> Option<usize> {
        (self.told..self.course.told.len()).find(|index| self.due(*index).is_some_and(|due| due <= pass))
    }

    fn is_waiting(&self, pass: usize) -> bool {
        let is_due = (self.told..self.course.told.len()).any(|index| {
            self.due(index).is_some_and(|due| due > pass) && (self.is_visible || self.is_result(index))
        });
        is_due || self.is_visible && self.usual(pass + 1, Guess::default()).is_some()
    }

    fn is_result(&self, index: usize) -> bool {
        self.course.told.get(index).is_some_and(|told| told.what.complete.is_some())
    }

    fn moves(&mut self, run: &Run, name: &NodeName, pass: usize, guess: Guess) -> Vec<PodMove> {
        let mut moves = Vec::new();
        let is_short = guess.is_short && self.is_hook && self.is_guessed;
        let mut budget = if is_short { 2 } else { 1 };
        loop {
            if let Some(index) = self.next_told(pass) {
                let next = self.course.told[index].what.clone();
                self.told = index + 1;
                self.take(&next, pass);
                moves.push(next);
                budget = 0;
            } else if budget > 0
                && self.is_visible
                && let Some(next) = self.usual(pass, guess)
            {
                budget -= 1;
                let begin = self.course.begin.clone().filter(|_| self.phase == PodPhase::Pending);
                let next = begin.unwrap_or_else(|| self.usual_move(run, name, next));
                self.take(&next, pass);
                moves.push(next);
            } else {
                return moves;
            }
        }
    }

    fn take(&mut self, moved: &PodMove, pass: usize) {
        if moved.is_gone {
            self.phase = PodPhase::Failed;
            self.since.note(Since::Ended, pass);
        }
        let Some(report) = &moved.report else { return };
        self.phase = report.phase;
        let since = match report.phase {
            PodPhase::Pending => return,
            PodPhase::Running => Since::Running,
            PodPhase::Succeeded | PodPhase::Failed => Since::Ended,
        };
        self.since.note(since, pass);
    }

    /// What it becomes in the pass when nothing is told; `None`: it stays.
    fn usual(&self, pass: usize, guess: Guess) -> Option<(PodPhase, Option<i32>)> {
        if self.course.life == Life::Still || self.has_told_end() {
            return None;
        }
        let is_since = |since: Since| self.since.get(since).is_some_and(|since| since < pass);
        let is_early = pass == 1 && self.is_meant;
        let is_killed = self.since.get(Since::Killed).is_some_and(|killed| killed + self.course.lag < pass);
        match self.phase {
            PodPhase::Pending if self.has_told_begin() => None,
            PodPhase::Pending => {
                let is_due = is_since(Since::Made) && (guess.is_up || !is_early);
                is_due.then_some((PodPhase::Running, None))
            }
            PodPhase::Running if self.course.life == Life::Endless => None,
            PodPhase::Running if is_killed => Some((PodPhase::Failed, Some(SIGTERM_CODE))),
            PodPhase::Running if self.is_daemon || self.course.life == Life::UntilKilled => None,
            PodPhase::Running => {
                let is_short = guess.is_short && self.is_hook && self.is_guessed;
                let is_due = is_short || is_since(Since::Running) && (guess.is_first || !is_early);
                is_due.then_some((PodPhase::Succeeded, Some(0)))
            }
            PodPhase::Succeeded | PodPhase::Failed => None,
        }
    }

    /// Whether an end is told that is sure to come.
    fn has_told_end(&self) -> bool {
        self.is_over()
            || (self.told..self.course.told.len()).any(|index| {
                let told = &self.course.told[index];
                let ends =
                    told.what.is_gone
                        || told.what.report.as_ref().is_some_and(|report| {
                            matches!(report.phase, PodPhase::Succeeded | PodPhase::Failed)
                        });
                let Some(due) = self.due(index) else { return false };
                // A kill goes before an end of its own that comes later.
                let killed = self.since.get(Since::Killed).filter(|_| told.since != Since::Killed);
                ends && killed.is_none_or(|killed| due <= killed + 1)
            })
    }

    fn has_told_begin(&self) -> bool {
        (self.told..self.course.told.len()).any(|index| {
            self.due(index).is_some()
                && self.course.told[index]
                    .what
                    .report
                    .as_ref()
                    .is_some_and(|report| report.phase != PodPhase::Pending)
        })
    }

    fn usual_move(&self, run: &Run, name: &NodeName, (phase, exit): (PodPhase, Option<i32>)) -> PodMove {
        let is_over = phase != PodPhase::Running;
        let containers = containers(run, name, exit);
        let outputs = (phase == PodPhase::Succeeded).then(|| outputs(run, name)).flatten();
        let closes_later =
            self.course.told.iter().any(|told| told.since == Since::Ended && told.what.complete.is_some());
        PodMove {
            report: Some(PodReport { phase, exit, containers, ..PodReport::pending(Timestamp(0)) }),
            complete: if is_over && closes_later { None } else { Some(is_over) },
            outputs,
            ..PodMove::default()
        }
    }
}

/// The containers of a container set, all in one state.
fn containers(run: &Run, name: &NodeName, exit: Option<i32>) -> Vec<(String, ContainerState)> {
    let Some(at) = run.table.named(name.as_str()) else { return Vec::new() };
    let template = run.table.get(at).template.as_ref();
    if template.is_some_and(|template| template.kind != Kind::ContainerSet) {
        return Vec::new();
    }
    let state = exit.map_or(ContainerState::Running, ContainerState::Ended);
    let children =
        run.table.iter().filter(|(_, node)| node.kind == NodeType::Container && node.boundary == Some(at));
    children.map(|(_, node)| (node.display_name().to_owned(), state)).collect()
}

/// Outputs that the template declares, with values that are made up where no default is given.
fn outputs(run: &Run, name: &NodeName) -> Option<Outputs> {
    let at = run.table.named(name.as_str())?;
    let declared = &run.table.get(at).template.as_ref()?.template.outputs;
    if *declared == Outputs::default() {
        return None;
    }
    let mut outputs = declared.clone();
    for parameter in &mut outputs.parameters {
        fill(parameter);
    }
    Some(outputs)
}

fn fill(parameter: &mut Parameter) {
    let from = parameter.value_from.take();
    let default = from.as_ref().and_then(|from| from.get("default")?.as_str().map(str::to_owned));
    let value = default.or_else(|| parameter.default.clone()).unwrap_or_default();
    parameter.value.get_or_insert(value);
}
