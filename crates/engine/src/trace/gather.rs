//! Everything that several files tell, sorted by run: one object for each, and what else was seen of it.
//!
//! In: objects, messages, lines, in any order. Out: the newest state of each run, with finer instants and with
//! what contradicts itself. It must never judge, and never lose what only one witness tells.

use std::collections::{BTreeMap, BTreeSet};

use unwind_model::document::Document;
use unwind_model::document::evidence::Evidence;
use unwind_model::document::log::{Log, LogForm};
use unwind_model::document::stream::Stream;
use unwind_model::spec::WorkflowSpec;
use unwind_model::status::WorkflowStatus;
use unwind_model::{NodeId, NodeName, NodeType, Timestamp, Workflow, WorkflowPhase};

use super::log::{Story, subject};
use super::merge::{Reported, merge};
use super::witness::{Fine, Source, Witnesses};
use crate::plan::lower;

/// One thing that tells of runs.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// A manifest or a saved run.
    Object(&'a Workflow),
    /// Messages of a watch.
    Stream(&'a Stream),
    /// A controller's log.
    Log(&'a Log),
}

impl<'a> Piece<'a> {
    /// What a file holds of runs.
    pub fn of(evidence: &'a Evidence) -> Vec<Self> {
        match evidence {
            Evidence::Documents(documents) => {
                let workflow = |document: &'a Document| match document {
                    Document::Workflow(workflow) => Some(Self::Object(workflow)),
                    Document::Unknown { .. } => None,
                };
                documents.iter().filter_map(|parsed| workflow(&parsed.document)).collect()
            }
            Evidence::Stream(stream) => vec![Self::Stream(stream)],
            Evidence::Log(log) => vec![Self::Log(log)],
            Evidence::Rows(rows) => rows.workflows.iter().map(Self::Object).collect(),
        }
    }
}

/// One run, or a manifest of which nothing was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gathered {
    /// Its newest state.
    pub workflow: Workflow,
    /// What else was seen of it.
    pub witnesses: Witnesses,
    /// Which pieces told of it, by their places; none for what is put together by hand.
    pub told_by: BTreeSet<usize>,
}

/// Sorts pieces by run; manifests of which nothing was seen come first, each by itself.
pub fn gather(pieces: &[Piece<'_>]) -> Vec<Gathered> {
    let mut runs = Runs::default();
    let mut in_order: Vec<(usize, &Piece<'_>)> = pieces.iter().enumerate().collect();
    // Files may be named in any order; what was seen first has the lower version. Manifests come first, logs last.
    in_order.sort_by_key(|(_, piece)| match piece {
        Piece::Object(workflow) if !is_seen(workflow) => (0, 0),
        Piece::Object(workflow) => (1, version(workflow).unwrap_or(0)),
        Piece::Stream(stream) => (1, stream.first_version().unwrap_or(0)),
        Piece::Log(_) => (2, 0),
    });
    for (place, piece) in in_order {
        runs.place = place;
        match piece {
            Piece::Object(workflow) => runs.see(workflow, Source::Status),
            Piece::Stream(stream) => stream.replay(&mut |workflow| runs.see(workflow, Source::Watch)),
            Piece::Log(log) => runs.hear(log),
        }
    }
    runs.list.into_iter().map(Run::gathered).collect()
}

fn version(workflow: &Workflow) -> Option<u64> {
    workflow.metadata.resource_version.parse().ok()
}

/// True when a controller has seen it.
fn is_seen(workflow: &Workflow) -> bool {
    workflow.status != WorkflowStatus::default()
}

#[derive(Default)]
struct Runs {
    list: Vec<Run>,
    /// Of the piece that tells now.
    place: usize,
}

/// What is known of one run so far.
#[derive(Default)]
struct Run {
    /// False for a manifest of which nothing was seen.
    was_seen: bool,
    told_by: BTreeSet<usize>,
    namespace: String,
    name: String,
    uid: String,
    /// The manifest, where no state of a run holds the spec.
    manifest: Option<Workflow>,
    /// The newest state by each kind of witness.
    states: BTreeMap<Source, Workflow>,
    /// Messages so far; saved states count as messages too.
    messages: u32,
    version: Option<u64>,
    receipts: BTreeMap<NodeId, Fine>,
    story: Story,
    log: Option<Source>,
}

impl Runs {
    fn see(&mut self, workflow: &Workflow, source: Source) {
        let metadata = &workflow.metadata;
        if !is_seen(workflow) {
            let told_by = BTreeSet::from([self.place]);
            let run = Run { manifest: Some(workflow.clone()), told_by, ..Run::default() };
            self.list.push(run.named(&metadata.namespace, &metadata.name, &metadata.uid));
            return;
        }
        self.run(&metadata.namespace, &metadata.name, &metadata.uid).see(workflow, source);
    }

    fn hear(&mut self, log: &Log) {
        let source = match log.form {
            LogForm::LogrusText | LogForm::LogrusJson => Source::LogV3,
            LogForm::SlogText | LogForm::SlogJson => Source::LogV4,
        };
        for line in &log.lines {
            if let Some((namespace, name)) = subject(line) {
                let run = self.run(namespace, name, "");
                run.log = Some(source);
                run.story.hear(line);
            }
        }
    }

    /// The run of that name; a new one knows the manifest that may be its own.
    fn run(&mut self, namespace: &str, name: &str, uid: &str) -> &mut Run {
        let fits = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
        let is_it = |run: &Run| {
            !run.is_manifest() && run.name == name && fits(&run.namespace, namespace) && fits(&run.uid, uid)
        };
        let place = match self.list.iter().position(is_it) {
            Some(place) => place,
            None => self.begin(namespace, name),
        };
        let run = &mut self.list[place];
        run.told_by.insert(self.place);
        for (own, told) in [(&mut run.namespace, namespace), (&mut run.uid, uid)] {
            if own.is_empty() {
                told.clone_into(own);
            }
        }
        run
    }

    /// A run with its manifest: the one of its name, or the one whose `generateName` begins it.
    fn begin(&mut self, namespace: &str, name: &str) -> usize {
        let of_name = |run: &&Run| run.is_manifest() && run.name == name;
        let begins = |run: &&Run| {
            let start = run.manifest.as_ref().map_or("", |manifest| manifest.metadata.generate_name.as_str());
            run.is_manifest() && !start.is_empty() && name.starts_with(start)
        };
        let own = self.list.iter().find(of_name).or_else(|| self.list.iter().find(begins));
        let manifest = own.and_then(|run| run.manifest.clone());
        let run = Run { was_seen: true, manifest, ..Run::default() };
        self.list.push(run.named(namespace, name, ""));
        self.list.len() - 1
    }
}

impl Run {
    fn named(mut self, namespace: &str, name: &str, uid: &str) -> Self {
        for (own, told) in [(&mut self.namespace, namespace), (&mut self.name, name), (&mut self.uid, uid)] {
            told.clone_into(own);
        }
        self
    }

    fn is_manifest(&self) -> bool {
        !self.was_seen
    }

    /// Takes in a state. One that was seen before (a list after a cut tells all anew) has no place of its own.
    fn see(&mut self, workflow: &Workflow, source: Source) {
        let version = version(workflow);
        let is_old = version.is_some() && version <= self.version;
        if !is_old {
            self.version = version.or(self.version);
            self.count(workflow);
        }
        if !is_old || !self.states.contains_key(&source) {
            self.states.insert(source, workflow.clone());
        }
    }

    fn count(&mut self, workflow: &Workflow) {
        let number = self.messages;
        self.messages += 1;
        for (id, node) in &workflow.status.nodes {
            let seen = self.receipts.entry(id.clone()).or_default();
            seen.begun_in.get_or_insert(number);
            if node.phase.is_final() {
                seen.ended_in.get_or_insert(number);
            } else {
                seen.ended_in = None;
            }
        }
    }

    /// The newest state, and what else was seen.
    fn gathered(mut self) -> Gathered {
        let has_watch = self.states.contains_key(&Source::Watch);
        let mut states: Vec<Reported> = std::mem::take(&mut self.states)
            .into_iter()
            .map(|(source, workflow)| Reported { source, workflow })
            .collect();
        states.sort_by_key(|state| (version(&state.workflow), last_news(&state.workflow)));
        let mut newest = match states.pop() {
            Some(newest) => newest,
            None => Reported { source: self.log.unwrap_or(Source::Status), workflow: Workflow::default() },
        };
        self.complete(&mut newest.workflow, &states);
        let mut witnesses = Witnesses::default();
        for (id, node) in &newest.workflow.status.nodes {
            if let Some(receipt) = self.receipts.get(id).filter(|_| self.messages > 1) {
                witnesses.nodes.insert(node.name.clone(), *receipt);
            }
        }
        for older in &states {
            super::merge::compare(&newest, older, &mut witnesses.contradictions);
        }
        if let Some(source) = self.log {
            let names = self.names(&newest.workflow);
            let workflow = self.name.clone();
            self.story.settle(&|name| NodeId::of(&workflow, &NodeName::from(name)).0);
            merge(&mut newest, &self.story, source, &names, &mut witnesses);
        }
        witnesses.sources.extend(has_watch.then_some(Source::Watch));
        witnesses.sources.extend(self.log);
        Gathered { workflow: newest.workflow, witnesses, told_by: self.told_by }
    }

    /// Name and spec, where the newest state has none: messages may leave the spec out.
    fn complete(&self, workflow: &mut Workflow, others: &[Reported]) {
        let specs = others.iter().map(|other| &other.workflow).chain(&self.manifest);
        if workflow.spec == WorkflowSpec::default()
            && let Some(with) = specs.clone().find(|other| other.spec != WorkflowSpec::default())
        {
            workflow.spec = with.spec.clone();
        }
        if let Some(manifest) = self.manifest.as_ref().filter(|_| !is_seen(workflow)) {
            *workflow = manifest.clone();
        }
        let metadata = &mut workflow.metadata;
        for (own, told) in [(&mut metadata.name, &self.name), (&mut metadata.namespace, &self.namespace)] {
            if own.is_empty() {
                own.clone_from(told);
            }
        }
    }

    /// Names by id, as far as they are known: those of the object, of the plan, and all that stand in lines,
    /// with what has to be around them. v4 writes ids only, and an id is the hash of a name.
    fn names(&self, workflow: &Workflow) -> BTreeMap<String, (NodeName, Option<NodeType>)> {
        let mut names = BTreeMap::new();
        let mut add = |name: NodeName, kind: Option<NodeType>| {
            names.entry(NodeId::of(&self.name, &name).0).or_insert((name, kind));
        };
        let (plan, _) = lower(workflow);
        for node in plan.outline() {
            add(node.name, Some(node.node_type));
        }
        let mut told: BTreeSet<&str> = self.story.names.iter().map(String::as_str).collect();
        for name in self.story.names.iter().map(String::as_str) {
            let mut rest = name;
            while let Some(cut) = rest.rfind(['.', '[', '(']) {
                // `wf[0].step` lies in `wf[0]` and in `wf`.
                rest = &rest[..cut];
                told.insert(rest);
            }
        }
        told.insert(&self.name);
        for name in &told {
            add(NodeName::from(*name), kind_of(name, &told));
            add(NodeName::from(format!("{name}.onExit")), None);
        }
        for (id, node) in &workflow.status.nodes {
            names.insert(id.0.clone(), (node.name.clone(), Some(node.node_type)));
        }
        names
    }
}

/// What a node is, judged by the names of what lies in it; nothing for what holds nothing.
fn kind_of(name: &str, all: &BTreeSet<&str>) -> Option<NodeType> {
    let inside = |mark: char| {
        all.iter().any(|other| {
            let rest = other.strip_prefix(name).and_then(|rest| rest.strip_prefix(mark));
            // A hook of a node does not make it a box.
            rest.is_some_and(|rest| {
                mark != '.' || !(rest.starts_with("onExit") || rest.starts_with("hooks."))
            })
        })
    };
    let is_group = name.ends_with(']');
    if inside('[') {
        Some(NodeType::Steps)
    } else if inside('(') {
        let is_loop = all.iter().any(|other| {
            let rest = other.strip_prefix(name).and_then(|rest| rest.strip_prefix('('));
            rest.is_some_and(|rest| rest.split(')').next().is_some_and(|number| number.contains(':')))
        });
        Some(if is_loop { NodeType::TaskGroup } else { NodeType::Retry })
    } else if is_group {
        Some(NodeType::StepGroup)
    } else {
        inside('.').then_some(NodeType::DAG)
    }
}

/// The latest time that an object tells of.
pub(super) fn last_news(workflow: &Workflow) -> Option<Timestamp> {
    let status = &workflow.status;
    let nodes = status.nodes.values().flat_map(|node| [node.started_at, node.finished_at]);
    let over = status.finished_at.filter(|_| status.phase != WorkflowPhase::Unset);
    nodes.chain([status.started_at, over]).flatten().max()
}
