//! What a log tells, joined with the object of the run; and two states of one run held against each other.
//!
//! The object counts unless the log goes on after it. Where both tell of one instant the log is finer; where
//! they cannot both be right, that is noted.

use std::collections::{BTreeMap, BTreeSet};

use unwind_model::{NodeId, NodeName, NodePhase, NodeStatus, NodeType, Timestamp, Workflow, ordered};

use super::gather::last_news;
use super::log::{Logged, Story};
use super::witness::{Bound, Contradiction, Said, Source, What, Witnesses};

/// What may lie between the time that is stored and the line that tells of it: a second is cut off, and the
/// line comes after.
const SLACK_MS: i64 = 2_000;

/// A state of a run, and who told it.
pub(super) struct Reported {
    pub(super) source: Source,
    pub(super) workflow: Workflow,
}

/// Names and kinds by id.
pub(super) type Names = BTreeMap<String, (NodeName, Option<NodeType>)>;

/// Joins what a log tells into the newest state.
pub(super) fn merge(
    newest: &mut Reported,
    story: &Story,
    source: Source,
    names: &Names,
    witnesses: &mut Witnesses,
) {
    let news = last_news(&newest.workflow);
    let mut join = Join {
        log: source,
        own: newest.source,
        is_over: newest.workflow.status.phase.is_final(),
        news,
        witnesses,
    };
    let root = newest.workflow.metadata.name.clone();
    for (id, logged) in &story.nodes {
        let key = NodeId::from(id.as_str());
        if let Some(node) = newest.workflow.status.nodes.get_mut(&key) {
            join.known(node, logged);
            continue;
        }
        let (name, kind) = match names.get(id) {
            Some((name, kind)) => (name.clone(), *kind),
            None => (NodeName::from(id.as_str()), None),
        };
        if let Some(node) = join.unknown(key.clone(), name, kind, logged) {
            newest.workflow.status.nodes.insert(key, node);
        }
    }
    join.whole(&mut newest.workflow, story, &root);
    witnesses.shutdown_at = story.shutdown.map(|(_, at)| at);
    if newest.workflow.spec.shutdown.is_none() && !newest.workflow.status.phase.is_final() {
        newest.workflow.spec.shutdown = story.shutdown.map(|(strategy, _)| strategy);
    }
    linked(&mut newest.workflow);
}

struct Join<'a> {
    log: Source,
    own: Source,
    is_over: bool,
    /// The latest time that the object tells of.
    news: Option<Timestamp>,
    witnesses: &'a mut Witnesses,
}

impl Join<'_> {
    fn contradict(&mut self, node: &NodeName, own: What, log: What) {
        let says = [Said { source: self.own, what: own }, Said { source: self.log, what: log }];
        self.witnesses.contradictions.push(Contradiction { node: node.clone(), says });
    }

    /// Whether the object was stored after this.
    fn covers(&self, at: Timestamp) -> bool {
        self.is_over || self.news.is_some_and(|news| news > at + SLACK_MS)
    }

    /// A node that both know.
    fn known(&mut self, node: &mut NodeStatus, logged: &Logged) {
        let mut fine = self.witnesses.nodes.get(&node.name).copied().unwrap_or_default();
        if let Some(begun) = logged.begun {
            match node.started_at {
                Some(stored) if fits(stored, begun) => fine.begun = Some(Bound::at(begun)),
                Some(stored) if logged.is_made => {
                    self.contradict(&node.name, What::Begun(stored), What::Begun(begun));
                }
                // Its pod may come long after it.
                Some(_) => {}
                None => fine.begun = Some(Bound::at(begun)),
            }
        }
        fine.noted = logged.ended.filter(|_| logged.is_noted);
        if let Some(ended) = logged.ended {
            self.ended(node, logged, ended, &mut fine.ended);
        }
        self.witnesses.nodes.insert(node.name.clone(), fine);
    }

    fn ended(&mut self, node: &mut NodeStatus, logged: &Logged, ended: Timestamp, fine: &mut Option<Bound>) {
        if !node.phase.is_final() {
            if self.covers(ended) {
                let phase = |phase: NodePhase| What::Phase(phase.as_str().to_owned());
                self.contradict(&node.name.clone(), phase(node.phase), phase(logged.phase));
                return;
            }
            // The log goes on after the object.
            node.phase = logged.phase;
            node.finished_at = Some(ended);
            if !logged.message.is_empty() {
                node.message.clone_from(&logged.message);
            }
            let from = logged.begun.or(node.started_at).unwrap_or(ended);
            *fine = Some(up_to(from, ended, node.node_type));
            return;
        }
        if node.phase != logged.phase && logged.phase.is_final() {
            let phase = |phase: NodePhase| What::Phase(phase.as_str().to_owned());
            self.contradict(&node.name.clone(), phase(node.phase), phase(logged.phase));
        }
        let Some(stored) = node.finished_at else {
            *fine = Some(Bound { from: logged.begun.unwrap_or(ended), to: ended });
            return;
        };
        if is_own_doing(node.node_type) && fits(stored, ended) {
            *fine = Some(Bound::at(ended));
        } else if is_own_doing(node.node_type) || stored - ended > SLACK_MS {
            self.contradict(&node.name.clone(), What::Ended(stored), What::Ended(ended));
        } else if logged.is_noted && ended >= stored && ended - stored < 1000 {
            // Within the second the controller's own word counts: it is what it acted on.
            *fine = Some(Bound::at(ended));
        } else if ended >= stored {
            *fine = Some(Bound { from: stored, to: ended.min(stored + 999) });
        }
    }

    /// A node that only the log knows.
    fn unknown(
        &mut self,
        id: NodeId,
        name: NodeName,
        kind: Option<NodeType>,
        logged: &Logged,
    ) -> Option<NodeStatus> {
        let begun = logged.begun.or(logged.ended);
        if self.news.is_some() && begun.is_none_or(|begun| self.covers(begun)) {
            if logged.begun.is_some() {
                self.contradict(&name, What::Nothing, What::Begun(logged.begun?));
            }
            return None;
        }
        let node_type = logged.kind.or(kind).unwrap_or_default();
        let mut fine = self.witnesses.nodes.get(&name).copied().unwrap_or_default();
        fine.begun = logged.begun.map(Bound::at);
        fine.ended = logged.ended.map(|ended| up_to(logged.begun.unwrap_or(ended), ended, node_type));
        fine.noted = logged.ended.filter(|_| logged.is_noted);
        self.witnesses.nodes.insert(name.clone(), fine);
        Some(NodeStatus {
            id,
            display_name: name.as_str().rsplit('.').next().unwrap_or_default().to_owned(),
            name,
            node_type,
            phase: logged.phase,
            started_at: begun,
            finished_at: logged.ended,
            message: logged.message.clone(),
            ..NodeStatus::default()
        })
    }

    /// The workflow itself.
    fn whole(&mut self, workflow: &mut Workflow, story: &Story, root: &str) {
        let status = &mut workflow.status;
        if status.started_at.is_none() {
            status.started_at = story.begun;
        }
        let Some(phase) = story.phase else { return };
        if self.is_over {
            if phase.is_final() && phase != status.phase {
                let [own, log] = [status.phase, phase].map(|phase| What::Phase(phase.as_str().to_owned()));
                self.contradict(&NodeName::from(root), own, log);
            }
            return;
        }
        if phase.is_final() || self.news.is_none() {
            status.phase = phase;
            status.finished_at = story.over.filter(|_| phase.is_final());
            if let Some(message) = &story.message {
                status.message.clone_from(message);
            }
        }
    }
}

/// When a node ended whose end is known from a line only.
fn up_to(from: Timestamp, ended: Timestamp, kind: NodeType) -> Bound {
    if is_own_doing(kind) { Bound::at(ended) } else { Bound { from: from.min(ended), to: ended } }
}

/// Whether a stored second and the line about it are of one instant.
fn fits(stored: Timestamp, line: Timestamp) -> bool {
    let apart = line - stored;
    // A stored time with milliseconds is not cut.
    (-999..SLACK_MS).contains(&apart)
}

/// Whether the controller itself ends such a node, so that the line is of the instant of its end. That of a
/// pod comes when its end is seen.
fn is_own_doing(node: NodeType) -> bool {
    match node {
        NodeType::Steps
        | NodeType::StepGroup
        | NodeType::DAG
        | NodeType::TaskGroup
        | NodeType::Retry
        | NodeType::Skipped
        | NodeType::Suspend => true,
        NodeType::Pod | NodeType::Container | NodeType::HTTP | NodeType::Plugin => false,
    }
}

/// Nothing links nodes that only a log tells of: of such a run no link is told.
fn linked(workflow: &mut Workflow) {
    let nodes = &mut workflow.status.nodes;
    let children: BTreeSet<NodeId> = nodes.values().flat_map(|node| node.children.iter().cloned()).collect();
    if children.is_empty() {
        return;
    }
    let by_name = ordered::map(nodes.iter().map(|(id, node)| (node.name.clone(), id.clone())));
    let loose: Vec<(NodeId, NodeName)> = nodes
        .iter()
        .filter(|(id, node)| {
            !children.contains(*id) && node.boundary_id.is_empty() && node.children.is_empty()
        })
        .map(|(id, node)| (id.clone(), node.name.clone()))
        .collect();
    for (id, name) in loose {
        let mut rest = name.as_str();
        while let Some(cut) = rest.rfind(['.', '[', '(']) {
            rest = &rest[..cut];
            if let Some(outer) = by_name.get(rest) {
                nodes.entry(outer.clone()).and_modify(|node| node.children.push(id.clone()));
                break;
            }
        }
    }
}

/// Notes where an older state cannot have led to the newest one. A run that was retried begins anew, and a
/// controller may take back the phase of what still moves.
pub(super) fn compare(newest: &Reported, older: &Reported, found: &mut Vec<Contradiction>) {
    let (new, old) = (&newest.workflow.status, &older.workflow.status);
    let same = !newest.workflow.metadata.resource_version.is_empty()
        && newest.workflow.metadata.resource_version == older.workflow.metadata.resource_version;
    let is_over = old.phase.is_final();
    let is_retried = is_over && !new.phase.is_final() || new.started_at != old.started_at;
    if new.nodes.is_empty() || is_retried {
        return;
    }
    let mut note = |node: &NodeName, own: What, other: What| {
        let says = [Said { source: newest.source, what: own }, Said { source: older.source, what: other }];
        found.push(Contradiction { node: node.clone(), says });
    };
    let phase = |phase: &str| What::Phase(phase.to_owned());
    if is_over && old.phase != new.phase {
        let root = NodeName::from(newest.workflow.metadata.name.as_str());
        note(&root, phase(new.phase.as_str()), phase(old.phase.as_str()));
    }
    for (id, before) in &old.nodes {
        let Some(after) = new.nodes.get(id) else {
            if let Some(begun) = before.started_at {
                note(&before.name, What::Nothing, What::Begun(begun));
            }
            continue;
        };
        if (is_over || same) && before.phase != after.phase {
            note(&before.name, phase(after.phase.as_str()), phase(before.phase.as_str()));
        }
        if let (Some(was), Some(is)) = (before.started_at, after.started_at)
            && (was - is).abs() > SLACK_MS
        {
            note(&before.name, What::Begun(is), What::Begun(was));
        }
    }
}
