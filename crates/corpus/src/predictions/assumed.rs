//! How the pods of a trace end, as far as its later lines tell: exit code, time from running or from the kill,
//! when the result closes, outputs.
//!
//! When a pod comes up is not told, nor anything that the controller wrote; that it made a pod, told it to end
//! or let it go is used to count from only.

use std::collections::BTreeMap;

use unwind_engine::forecast::{Assumptions, Course, Life, PodMove, Since, Told, Way};
use unwind_engine::operate::{PodPhase, PodReport};
use unwind_model::NodeName;

use super::Window;
use crate::traces::recorded::{Event, Pass, PodEvent};
use crate::traces::{pod_phase, pod_report};

/// One pod of the trace. Passes are counted from the first one that sees the ending, which is 1.
#[derive(Clone, Debug, Default)]
struct Pod {
    made: isize,
    running: Option<isize>,
    killed: Option<isize>,
    ended: Option<isize>,
    /// Deleted, let go, or gone.
    left: Option<isize>,
    begin: Option<PodMove>,
    told: Vec<Told>,
}

/// What the later lines tell.
pub(super) fn assumptions(window: &Window<'_>) -> Assumptions {
    let passes = &window.recorded.passes;
    let last = window.next.unwrap_or(passes.len());
    let mut pods: BTreeMap<String, Vec<Pod>> = BTreeMap::new();
    for (index, pass) in passes[..last].iter().enumerate() {
        take(&mut pods, pass, index.cast_signed() - window.first.cast_signed() + 1);
    }
    let is_known =
        |pod: &Pod| pod.left.is_none_or(|left| left > 0) || !pod.told.is_empty() || pod.begin.is_some();
    // What a run that is over leaves open goes on out of sight.
    let is_over = window.next.is_none() && window.recorded.end.end == "completed";
    let after = is_over.then(|| last.cast_signed() - window.first.cast_signed() + 1);
    let mut courses: BTreeMap<NodeName, Vec<Course>> = BTreeMap::new();
    for (name, lives) in pods {
        let lives = lives.into_iter().filter(|pod| is_known(pod));
        let lives: Vec<Course> = lives.map(|pod| course(pod, window.way == Way::GoOn, after)).collect();
        if !lives.is_empty() {
            courses.insert(NodeName(name), lives);
        }
    }
    // The agent's answers are asked for in a trace: they end the window.
    let passes = window.next.map(|next| next - window.first);
    Assumptions { pods: courses, passes, is_agent_silent: true, ..Assumptions::default() }
}

fn take(pods: &mut BTreeMap<String, Vec<Pod>>, pass: &Pass, number: isize) {
    for event in &pass.events {
        if let Event::Pod(event) = event
            && let Some(pod) = pods.get_mut(&event.pod).and_then(|lives| lives.last_mut())
        {
            pod.take(event, number);
        }
    }
    for node in &pass.pods.kill {
        if let Some(pod) = last(pods, node) {
            pod.killed.get_or_insert(number);
        }
    }
    for node in pass.pods.deleted.iter().chain(&pass.pods.released) {
        if let Some(pod) = last(pods, node) {
            pod.left.get_or_insert(number);
        }
    }
    for node in pass.pods.created.iter().filter_map(|created| created["node"].as_str()) {
        pods.entry(node.to_owned()).or_default().push(Pod { made: number, ..Pod::default() });
    }
}

fn last<'a>(pods: &'a mut BTreeMap<String, Vec<Pod>>, node: &str) -> Option<&'a mut Pod> {
    pods.get_mut(node).and_then(|lives| lives.last_mut())
}

impl Pod {
    fn take(&mut self, event: &PodEvent, number: isize) {
        let phase = event.phase.as_deref().and_then(pod_phase);
        if phase == Some(PodPhase::Pending) {
            return;
        }
        let is_end = matches!(phase, Some(PodPhase::Succeeded | PodPhase::Failed)) || event.deleted;
        let is_begin = self.running.is_none() && self.ended.is_none();
        let (since, begin) = self.anchor(is_end);
        if phase == Some(PodPhase::Running) {
            self.running.get_or_insert(number);
        }
        if is_end {
            self.ended.get_or_insert(number);
        }
        if event.deleted {
            self.left.get_or_insert(number);
        }
        if number < 1 {
            return;
        }
        let what = moved(event, phase);
        if is_begin && (phase.is_some() || event.deleted) {
            self.begin = Some(what);
            return;
        }
        let (since, passes) = if begin < 1 { (Since::Now, number) } else { (since, number - begin) };
        self.told.push(Told { since, passes: passes as usize, what });
    }

    /// Has what is open when the run is over go on in the pass `after`: a pod comes up or ends, a result closes.
    /// Whether its life goes on as usual then.
    fn end_after(&mut self, after: isize) -> bool {
        let what = match (self.ended, self.running, self.killed.or(self.left)) {
            (None, None, None) => usual(PodPhase::Running),
            (None, Some(_), None) => usual(PodPhase::Succeeded),
            (Some(_), _, _) => PodMove { complete: Some(true), ..PodMove::default() },
            (None, _, Some(_)) => return false,
        };
        let (since, begin) = self.anchor(false);
        let (since, passes) = if begin < 1 { (Since::Now, after) } else { (since, after - begin) };
        self.told.push(Told { since, passes: passes.cast_unsigned(), what });
        self.ended.is_none()
    }

    /// What the next event is counted from.
    fn anchor(&self, is_end: bool) -> (Since, isize) {
        if let Some(ended) = self.ended {
            return (Since::Ended, ended);
        }
        match (self.killed.filter(|_| is_end), self.running) {
            (Some(killed), _) => (Since::Killed, killed),
            (None, Some(running)) => (Since::Running, running),
            (None, None) => (Since::Made, self.made),
        }
    }
}

fn moved(event: &PodEvent, phase: Option<PodPhase>) -> PodMove {
    PodMove {
        report: phase.map(|phase| pod_report(event, phase, unwind_model::Timestamp(0))),
        complete: event.result.as_ref().map(|state| state == "done"),
        outputs: event.outputs.clone().and_then(|outputs| serde_json::from_value(outputs).ok()),
        progress: event.progress.clone(),
        is_gone: event.deleted,
    }
}

/// `goes_on`: nothing was asked, so that a pod that never came up would not have. `after`: the first pass that
/// nothing tells of.
fn course(mut pod: Pod, goes_on: bool, after: Option<isize>) -> Course {
    let goes_on_after = after.is_some_and(|after| pod.end_after(after));
    let life = match (pod.ended, pod.killed.or(pod.left), pod.running) {
        _ if goes_on_after => Life::Usual,
        (None, _, None) if goes_on => Life::Still,
        // Let go, it ended out of sight.
        (None, Some(_), Some(_)) if goes_on && pod.killed.is_none() => Life::Usual,
        // What was told to end would have run on.
        (Some(_), Some(_), Some(_)) | (None, Some(_), _) => Life::UntilKilled,
        (Some(_), _, _) => Life::Usual,
        (None, None, Some(_)) => Life::Endless,
        (None, None, None) => Life::Still,
    };
    // Let go, it still ran.
    let lag = match (pod.ended, pod.killed, pod.left) {
        (None, Some(killed), Some(left)) => left - killed,
        (Some(_), _, _) | (None, None, _) | (None, Some(_), None) => 0,
    };
    Course { begin: pod.begin, told: pod.told, life, lag: lag.max(0).cast_unsigned() }
}

/// A pod that comes up, or ends well.
fn usual(phase: PodPhase) -> PodMove {
    let is_over = phase == PodPhase::Succeeded;
    let exit = is_over.then_some(0);
    let report = PodReport { phase, exit, ..PodReport::pending(unwind_model::Timestamp(0)) };
    PodMove { report: Some(report), complete: Some(is_over), ..PodMove::default() }
}
