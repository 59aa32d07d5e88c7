//! A run driven event by event, with all that it said kept as text.

use std::collections::BTreeSet;
use std::fmt::Write;

use expect_test::Expect;
use unwind_engine::event::LeafStart;
use unwind_engine::library::Library;
use unwind_engine::{Action, Behaviour, Change, Event, LeafEnd, Run, Step};
use unwind_model::document::parse_workflow;
use unwind_model::{NodeId, NodeName, NodePhase, Timestamp};

/// A run of a manifest, driven event by event.
pub struct Driven {
    pub run: Run,
    /// Moves from phase to phase.
    pub moves: BTreeSet<(NodePhase, NodePhase)>,
    pub now: i64,
    pub starts: Vec<LeafStart>,
    pub lines: String,
}

/// A run of a spec under UNWIND.
pub fn driven(spec: &str) -> Driven {
    driven_by(spec, Behaviour::UNWIND, &[])
}

/// A run of a spec under a row, with the documents it refers to.
pub fn driven_by(spec: &str, behaviour: Behaviour, needs: &[serde_json::Value]) -> Driven {
    let text = format!("metadata: {{name: wf, namespace: here}}\nspec:\n{spec}");
    let (workflow, _) = parse_workflow(text.as_bytes()).expect("the test's manifest is a workflow");
    let mut library = Library::default();
    for document in needs {
        library.add(document).expect("the test's document can be read");
    }
    let run = Run::new(&workflow, behaviour).with_library(library);
    Driven { run, moves: BTreeSet::new(), now: 0, starts: Vec::new(), lines: String::new() }
}

impl Driven {
    /// One event, a millisecond after the one before.
    pub fn handle(&mut self, event: Event) -> &mut Self {
        self.now += 1;
        let _ = writeln!(self.lines, "{}", event.name());
        match self.run.handle(Timestamp(self.now), event) {
            Ok(step) => self.note(step),
            Err(error) => {
                let _ = writeln!(self.lines, "    refused: {error}");
            }
        }
        self
    }

    fn note(&mut self, step: Step) {
        for change in step.changes {
            if let Change::Node { from: Some(from), to, .. } = change
                && from != to
            {
                self.moves.insert((from, to));
            }
        }
        for action in step.actions {
            let (what, node) = match action {
                Action::Start(start) => {
                    let node = start.node.clone();
                    self.starts.push(*start);
                    ("start", Some(node))
                }
                Action::End { node } => ("end", Some(node)),
                Action::SetTimer { at } => {
                    let _ = writeln!(self.lines, "    timer at {} ms", at.0);
                    continue;
                }
                Action::Finished => ("finished", None),
            };
            let name = node.map_or_else(String::new, |node| self.name(&node));
            let _ = writeln!(self.lines, "    {what} {name}");
        }
    }

    fn name(&self, id: &NodeId) -> String {
        self.run.node(id).map_or_else(|| id.0.clone(), |(name, _)| name.0.clone())
    }

    /// Id of the node of a full name.
    pub fn id(&self, name: &str) -> NodeId {
        self.run.id_of(&NodeName::from(name)).cloned().unwrap_or_else(|| NodeId::from(name))
    }

    /// A program runs.
    pub fn started(&mut self, name: &str) -> &mut Self {
        let node = self.id(name);
        self.handle(Event::LeafStarted { node })
    }

    /// A program exits.
    pub fn exited(&mut self, name: &str, code: i32) -> &mut Self {
        let end = LeafEnd::Exited { code, outputs: None };
        let node = self.id(name);
        self.handle(Event::LeafEnded { node, end })
    }

    /// A program ends in some other way.
    pub fn ended(&mut self, name: &str, end: LeafEnd) -> &mut Self {
        let node = self.id(name);
        self.handle(Event::LeafEnded { node, end })
    }

    /// The timer fires as late as is told.
    pub fn fired(&mut self, at: i64) -> &mut Self {
        self.now = at - 1;
        self.handle(Event::TimerFired { node: None })
    }

    /// Everything that was done, then the nodes and the workflow.
    pub fn text(&self) -> String {
        let mut text = self.lines.clone();
        let status = self.run.status();
        let mut nodes: Vec<_> = status.nodes.values().collect();
        nodes.sort_by_key(|node| &node.name);
        for node in nodes {
            let line = format!("{} {} {}", node.name, node.phase.as_str(), node.message);
            let _ = writeln!(text, "{}", line.trim_end());
        }
        let line = format!("= {} {} {}", status.phase.as_str(), status.progress, status.message);
        let _ = writeln!(text, "{}", line.trim_end());
        text
    }

    /// Holds the text against what is expected.
    pub fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.text());
    }
}
