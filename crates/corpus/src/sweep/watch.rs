//! What must hold of a run under UNWIND, seen from outside: only names, phases and the order of events count.
//!
//! In: the status after each event. Out: what is wrong. It knows no plan and shares no code with the engine; which
//! tasks have an exit hook it knows from the ends of their names (`generate::mixed`).

use std::collections::{BTreeMap, BTreeSet};

use unwind_engine::operate::{PodCreated, Seen};
use unwind_model::{NodeName, NodePhase, NodeType, Timestamp, WorkflowStatus};

/// What was asked of a run that ends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// When its main work was told to end: a stop, a terminate or a deadline of zero.
    pub cut: Option<Timestamp>,
    /// When a stop or a terminate was asked.
    pub shutdown: Option<Timestamp>,
    /// When its hooks were told to end as well.
    pub terminated: Option<Timestamp>,
}

/// A node as far as it is watched.
#[derive(Clone, Debug)]
struct Node {
    kind: NodeType,
    phase: NodePhase,
    message: String,
    begun: usize,
    ended: Option<usize>,
}

/// Watches one run.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    pub(super) told: Told,
    /// Number of events so far.
    events: usize,
    nodes: BTreeMap<NodeName, Node>,
    /// Leaves whose programs ran.
    ran: BTreeSet<NodeName>,
    wrong: Vec<String>,
}

impl Watch {
    pub(super) fn asked(&mut self, asked: &Seen, at: Timestamp) {
        let is_deadline = matches!(asked, Seen::Patch(patch) if patch["spec"]["activeDeadlineSeconds"] == 0);
        let is_shutdown = matches!(asked, Seen::Stop | Seen::Terminate);
        if is_deadline || is_shutdown {
            self.told.cut.get_or_insert(at);
        }
        if is_shutdown {
            self.told.shutdown.get_or_insert(at);
        }
        if matches!(asked, Seen::Terminate) {
            self.told.terminated.get_or_insert(at);
        }
    }

    pub(super) fn ran(&mut self, node: &NodeName) {
        self.ran.insert(node.clone());
    }

    pub(super) fn pod_made(&mut self, created: &PodCreated, is_there: bool) {
        let node = &created.node;
        if is_there {
            self.wrong.push(format!("{node} gets a second pod"));
        }
        if self.told.terminated.is_some() || self.told.cut.is_some() && !is_exit_work(node) {
            self.wrong.push(format!("{node} gets a pod after the end was asked"));
        }
    }

    pub(super) fn note(&mut self, wrong: String) {
        self.wrong.push(wrong);
    }

    /// Takes in the status after an event.
    pub(super) fn look(&mut self, status: &WorkflowStatus, now: Timestamp) {
        self.events += 1;
        let event = self.events;
        let told = self.told;
        // One that had not begun still gets a root, which fails.
        let is_first = self.nodes.is_empty();
        for node in status.nodes.values() {
            let Some(known) = self.nodes.get_mut(&node.name) else {
                let is_late = told.terminated.is_some() || told.cut.is_some() && !is_exit_work(&node.name);
                if is_late && !is_first {
                    self.wrong.push(format!("{} begins after the end was asked", node.name));
                }
                let new = Node {
                    kind: node.node_type,
                    phase: node.phase,
                    message: node.message.clone(),
                    begun: event,
                    ended: node.phase.is_final().then_some(event),
                };
                self.nodes.insert(node.name.clone(), new);
                continue;
            };
            if known.phase != node.phase {
                if known.phase.is_final()
                    || known.phase == NodePhase::Running && node.phase == NodePhase::Pending
                {
                    let (from, to) = (known.phase.as_str(), node.phase.as_str());
                    self.wrong.push(format!("{} goes from {from} to {to}", node.name));
                }
                known.phase = node.phase;
                known.ended = node.phase.is_final().then_some(event);
            }
            if known.message != node.message {
                known.message.clone_from(&node.message);
            }
            known.kind = node.node_type;
            if node.finished_at.is_some_and(|ended| ended > now) {
                self.wrong.push(format!("{} ends in the future", node.name));
            }
        }
        if status.nodes.len() < self.nodes.len() {
            self.wrong.push("a node is gone".to_owned());
        }
    }

    /// All that is wrong with a run that is over.
    pub(super) fn verdict(&self, workflow: &str) -> Vec<String> {
        let mut wrong = self.wrong.clone();
        for (name, node) in &self.nodes {
            if !node.phase.is_final() {
                wrong.push(format!("{name} is left {}", node.phase.as_str()));
            }
            if let Some(owner) = name.as_str().strip_suffix(".onExit") {
                self.hook_in_turn(workflow, owner, name, node, &mut wrong);
            }
            self.hook_is_there(name, node, &mut wrong);
            self.ran_as_told(name, node, &mut wrong);
            self.ends_last(name, node, &mut wrong);
        }
        wrong
    }

    /// A box ends after everything inside it; groups of steps may leave daemons behind.
    fn ends_last(&self, name: &NodeName, node: &Node, wrong: &mut Vec<String>) {
        let Some(ended) = node.ended else { return };
        if matches!(node.kind, NodeType::StepGroup | NodeType::Skipped) {
            return;
        }
        for (inner, inside) in self.inside(name.as_str()) {
            if inside.ended.is_none_or(|inside| inside > ended) {
                wrong.push(format!("{name} ends before {inner}"));
            }
        }
    }

    /// Everything inside a node: hooks of what is inside it too, its own not.
    fn inside<'a>(&'a self, owner: &'a str) -> impl Iterator<Item = (&'a NodeName, &'a Node)> {
        let from = NodeName(owner.to_owned());
        let all = self.nodes.range(from..).take_while(move |(name, _)| name.as_str().starts_with(owner));
        all.filter(move |(name, _)| {
            let rest = &name.as_str()[owner.len()..];
            rest.starts_with(['.', '[', '(']) && !is_own_hook(rest)
        })
    }

    /// An exit hook begins after its owner, all inside it and its other hooks have ended.
    fn hook_in_turn(
        &self,
        workflow: &str,
        owner: &str,
        name: &NodeName,
        hook: &Node,
        wrong: &mut Vec<String>,
    ) {
        let is_late = |node: &Node| node.ended.is_none_or(|ended| ended > hook.begun);
        match self.nodes.get(&NodeName(owner.to_owned())) {
            Some(node) => {
                if is_late(node) {
                    wrong.push(format!("{name} begins before its owner has ended"));
                }
                if matches!(node.phase, NodePhase::Skipped | NodePhase::Omitted) && owner != workflow {
                    wrong.push(format!("{name} runs for what did not run"));
                }
            }
            None => wrong.push(format!("{name} has no owner")),
        }
        for (inner, node) in self.inside(owner) {
            if is_late(node) {
                wrong.push(format!("{name} begins before {inner} has ended"));
            }
        }
        let named = format!("{owner}.hooks.");
        for (other, node) in &self.nodes {
            if (other.as_str().starts_with(&named)
                || owner == workflow && other != name && !other.as_str().starts_with(name.as_str()))
                && is_late(node)
            {
                wrong.push(format!("{name} begins before {other} has ended"));
            }
        }
    }

    /// What began and ended runs its exit hook once.
    fn hook_is_there(&self, name: &NodeName, node: &Node, wrong: &mut Vec<String>) {
        if !owns_plain_hook(name, node.kind) || self.told.terminated.is_some() {
            return;
        }
        let has_begun = match node.phase {
            NodePhase::Skipped | NodePhase::Omitted => false,
            NodePhase::Pending | NodePhase::Running => return,
            NodePhase::Succeeded | NodePhase::Failed | NodePhase::Error => !is_refused(&node.message),
        };
        // What could not be made may have a hook or not, as what the deadline met before it ran.
        let is_unclear = node.kind == NodeType::Skipped
            || node.message == "Step exceeded its deadline" && !self.has_run(name);
        let has_hook = self.nodes.contains_key(&NodeName(format!("{name}.onExit")));
        if !is_unclear && has_begun != has_hook {
            let what = if has_hook { "a hook that is not due" } else { "no hook" };
            wrong.push(format!("{name} ({}: {}) has {what}", node.phase.as_str(), node.message));
        }
    }

    /// Only what did not run says so.
    fn ran_as_told(&self, name: &NodeName, node: &Node, wrong: &mut Vec<String>) {
        if is_refused(&node.message) && node.kind != NodeType::Container && self.has_run(name) {
            wrong.push(format!("{name} ran, but says it did not"));
        }
        let is_pod = node.kind == NodeType::Pod;
        if is_pod && node.message.starts_with("workflow shutdown with strategy:  ") && !self.has_run(name) {
            wrong.push(format!("{name} did not run, but says it did"));
        }
    }

    fn has_run(&self, name: &NodeName) -> bool {
        self.ran.contains(name) || self.inside(name.as_str()).any(|(inner, _)| self.ran.contains(inner))
    }
}

/// Whether a node is an exit hook or inside one.
fn is_exit_work(name: &NodeName) -> bool {
    name.as_str().contains(".onExit")
}

/// Whether the rest of a name after its owner's is that of the owner's own hook, or inside that.
fn is_own_hook(rest: &str) -> bool {
    rest.strip_prefix(".onExit").is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '(']))
        || rest.starts_with(".hooks.")
}

/// A node that a shutdown ended before anything of it ran; one space, not two.
fn is_refused(message: &str) -> bool {
    message.strip_prefix("workflow shutdown with strategy: ").is_some_and(|rest| !rest.starts_with(' '))
}

/// Whether a node is a task with an exit hook that is always due, or an item of one.
fn owns_plain_hook(name: &NodeName, kind: NodeType) -> bool {
    if matches!(kind, NodeType::TaskGroup | NodeType::Container) {
        return false;
    }
    let last = name.as_str().rsplit(['.', ']']).next().unwrap_or_default();
    match last.split_once("-x") {
        None => false,
        Some((_, "")) => true,
        // `(0:a)` is an item, `(0)` an attempt.
        Some((_, rest)) => rest.contains(':') && rest.matches('(').count() == 1,
    }
}
