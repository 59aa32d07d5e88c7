//! Properties of random nested workflows, with a stop or terminate at every event.
//!
//! A workflow is made as text in the short notation, so that a shrunk failure can be pasted into a
//! test. `UNWIND_SOAK` multiplies the number of workflows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use unwind_engine::library::Library;
use unwind_engine::plan::{PlannedNode, Role};
use unwind_engine::predict::Outcome;
use unwind_engine::rehearse::{Moment, Simulation};
use unwind_engine::{Behaviour, Change, Event, Run, Trace, Way, judge, lower, predict};
use unwind_model::{NodeId, NodeName, NodePhase, NodeStatus, NodeType, WorkflowStatus};

use crate::kit::simulation;

/// A task with what is inside it.
#[derive(Clone, Debug)]
struct Shape {
    marks: String,
    inside: Insides,
}

#[derive(Clone, Debug)]
enum Insides {
    Leaf,
    /// Tasks, and for each the earlier ones it needs as bits.
    Dag(Vec<(Shape, u8)>),
    Steps(Vec<Vec<Shape>>),
}

fn leaf() -> impl Strategy<Value = Shape> {
    let hook = prop_oneof![3 => Just(""), 4 => Just("!"), 1 => Just("!d"), 1 => Just("!s")];
    let code = prop_oneof![8 => Just(""), 2 => Just("=3"), 1 => Just("=none"), 1 => Just("=lost")];
    let when = prop_oneof![9 => Just(""), 1 => Just("?")];
    let goes_on = prop_oneof![5 => Just(""), 1 => Just("^")];
    let duration = prop_oneof![Just("@10"), Just("@40"), Just("@90"), Just("@200")];
    (hook, code, when, goes_on, duration).prop_map(|(hook, code, when, goes_on, duration)| Shape {
        marks: format!("{hook}{code}{when}{goes_on}{duration}"),
        inside: Insides::Leaf,
    })
}

fn shape() -> impl Strategy<Value = Shape> {
    leaf().prop_recursive(4, 14, 3, |inner| {
        let hook = prop_oneof![2 => Just(""), 5 => Just("!"), 1 => Just("!d")];
        let dag = vec((inner.clone(), any::<u8>()), 1..4).prop_map(Insides::Dag);
        let steps = vec(vec(inner, 1..3), 1..3).prop_map(Insides::Steps);
        (hook, prop_oneof![dag, steps]).prop_map(|(hook, inside)| Shape { marks: hook.to_owned(), inside })
    })
}

/// A box around a shape, so that deep nesting is common.
fn wrap(shape: Shape, (is_dag, is_hooked): (bool, bool)) -> Shape {
    let inside = if is_dag { Insides::Dag(vec![(shape, 0)]) } else { Insides::Steps(vec![vec![shape]]) };
    let marks = if is_hooked { "!" } else { "" };
    Shape { marks: marks.to_owned(), inside }
}

/// The notation of a shape; tasks are named `a`, `b`, … in each box.
fn write(name: &str, shape: &Shape) -> String {
    let name_of = |at: usize| char::from(b'a' + at as u8).to_string();
    let mut text = format!("{name}{}", shape.marks);
    match &shape.inside {
        Insides::Leaf => {}
        Insides::Dag(tasks) => {
            text.push_str("[ ");
            for (at, (task, _)) in tasks.iter().enumerate() {
                text.push_str(&write(&name_of(at), task));
                text.push(' ');
            }
            for (at, (_, needs)) in tasks.iter().enumerate() {
                for need in (0..at).filter(|need| needs & (1 << need) != 0) {
                    let _ = write!(text, "{}>{} ", name_of(need), name_of(at));
                }
            }
            text.push(']');
        }
        Insides::Steps(groups) => {
            text.push_str("{ ");
            let mut next = 0;
            for (at, group) in groups.iter().enumerate() {
                text.push_str(if at > 0 { "; " } else { "" });
                for step in group {
                    text.push_str(&write(&name_of(next), step));
                    text.push(' ');
                    next += 1;
                }
            }
            text.push('}');
        }
    }
    text
}

fn soak() -> u32 {
    std::env::var("UNWIND_SOAK").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

fn on_random_workflows(cases: u32, check: impl Fn(&str) -> Result<(), TestCaseError>) {
    let config = Config {
        cases: cases * soak(),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let texts = (shape(), vec((any::<bool>(), any::<bool>()), 1..5)).prop_map(|(shape, around)| {
        let root = around.into_iter().fold(shape, wrap);
        write("main", &root)
    });
    let mut runner = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    if let Err(failure) = runner.run(&texts, |text| check(&text)) {
        panic!("{failure}");
    }
}

/// A simulation that is looked at after every moment.
struct Watched {
    simulation: Simulation,
    plan: Vec<PlannedNode>,
    /// Nodes as one knows them who only looks at those that changes name.
    followed: BTreeMap<NodeId, NodeStatus>,
}

impl Watched {
    fn new(text: &str) -> Self {
        let simulation = simulation(text);
        let plan = lower(&simulation.workflow()).0.outline();
        let followed = simulation.run().status().nodes;
        Self { simulation, plan, followed }
    }

    fn status(&self) -> WorkflowStatus {
        self.simulation.run().status()
    }

    /// One more event; false when there is none.
    fn advance(&mut self) -> Result<bool, TestCaseError> {
        let Some(moment) = self.simulation.advance() else {
            return Ok(false);
        };
        self.look_at(&moment)?;
        Ok(true)
    }

    fn ask(&mut self, way: Way) -> Result<(), TestCaseError> {
        let moment = match way {
            Way::Stop => self.simulation.stop(),
            Way::Terminate => self.simulation.terminate(),
            Way::GoOn => return Ok(()),
        };
        self.look_at(&moment)
    }

    fn run_out(&mut self) -> Result<(), TestCaseError> {
        while self.advance()? {}
        Ok(())
    }

    /// No exit hook begins while anything inside its owner still runs.
    fn look_at(&mut self, moment: &Moment) -> Result<(), TestCaseError> {
        self.follow(moment)?;
        let begun = moment.changes.iter().filter_map(|change| match change {
            Change::Node { name, from: None, .. } if name.as_str().ends_with(".onExit") => Some(name),
            Change::Node { .. } | Change::Workflow { .. } => None,
        });
        for hook in begun {
            let owner = hook.as_str().trim_end_matches(".onExit");
            for node in self.status().nodes.values() {
                let in_owner = is_inside(&node.name, owner) && !is_inside_or_is(&node.name, hook);
                prop_assert!(
                    !in_owner && node.name.as_str() != owner || node.phase.is_final(),
                    "{hook} began while {} was {:?}",
                    node.name,
                    node.phase
                );
            }
        }
        Ok(())
    }

    /// Nothing moves that the changes do not name.
    fn follow(&mut self, moment: &Moment) -> Result<(), TestCaseError> {
        for change in &moment.changes {
            if let Change::Node { id, .. } = change {
                let node = self.simulation.run().node_status(id).expect("a change names a node");
                self.followed.insert(id.clone(), node);
            }
        }
        prop_assert_eq!(&self.followed, &self.status().nodes);
        Ok(())
    }

    /// What holds of every run that is over.
    fn check_end(&self, way: Way) -> Result<(), TestCaseError> {
        let status = self.status();
        prop_assert!(status.phase.is_final(), "the workflow is {:?}", status.phase);
        let mut names = BTreeSet::new();
        for node in status.nodes.values() {
            prop_assert!(node.phase.is_final(), "{} is {:?}", node.name, node.phase);
            prop_assert!(node.finished_at.is_some(), "{} has no end", node.name);
            prop_assert!(names.insert(&node.name), "{} is there twice", node.name);
        }
        for hook in self.plan.iter().filter(|node| node.role == Role::ExitHook) {
            let owner = hook.owner.as_ref().expect("a hook has an owner");
            let owner = named(&status, owner);
            let due = owner.is_some_and(ran);
            let has_node = named(&status, &hook.name).is_some();
            let agrees = if way == Way::Terminate { due || !has_node } else { due == has_node };
            prop_assert!(agrees, "{}: due {due}, has a node {has_node}", hook.name);
        }
        self.check_judgement()?;
        self.check_replay()
    }

    fn check_judgement(&self) -> Result<(), TestCaseError> {
        let workflow = self.simulation.workflow();
        let (plan, _) = lower(&workflow);
        let judgement = judge(&plan, &Trace::from_workflow(&plan, &workflow));
        let broken: Vec<_> = judgement
            .verdicts
            .iter()
            .filter(|verdict| verdict.holds == unwind_engine::verdict::Holds::Broken)
            .collect();
        prop_assert!(broken.is_empty(), "{broken:?}");
        Ok(())
    }

    /// The same events, through their encoding, give the same table.
    fn check_replay(&self) -> Result<(), TestCaseError> {
        let mut workflow = self.simulation.workflow();
        workflow.spec.shutdown = None;
        let mut again = Run::new(&workflow, Behaviour::UNWIND);
        for (at, event) in self.simulation.journal() {
            let text = serde_json::to_string(event).expect("events can be written");
            let event: Event = serde_json::from_str(&text).expect("events can be read");
            again.handle(*at, event).expect("what was taken once is taken again");
        }
        prop_assert_eq!(again.status(), self.status());
        Ok(())
    }
}

fn named<'status>(status: &'status WorkflowStatus, name: &NodeName) -> Option<&'status NodeStatus> {
    status.nodes.values().find(|node| node.name == *name)
}

/// Whether a node began and ended. One that a shutdown refused says so with one space.
fn ran(node: &NodeStatus) -> bool {
    let refused = node.message.starts_with("workflow shutdown with strategy: S")
        || node.message.starts_with("workflow shutdown with strategy: T");
    node.node_type != NodeType::Skipped && node.phase.is_completed() && !refused
}

fn is_inside(name: &NodeName, outer: &str) -> bool {
    name.as_str().strip_prefix(outer).is_some_and(|rest| rest.starts_with(['.', '[']))
}

fn is_inside_or_is(name: &NodeName, outer: &NodeName) -> bool {
    name == outer || is_inside(name, outer.as_str())
}

/// How many events a workflow has without any request.
fn length(text: &str) -> usize {
    let mut simulation = simulation(text);
    std::iter::from_fn(|| simulation.advance()).count()
}

/// A watched simulation after `events` events.
fn after(text: &str, events: usize) -> Result<Watched, TestCaseError> {
    let mut watched = Watched::new(text);
    for _ in 0..events {
        watched.advance()?;
    }
    Ok(watched)
}

#[test]
fn every_run_ends_with_its_hooks_run_in_order() {
    on_random_workflows(60, |text| {
        let mut watched = Watched::new(text);
        watched.run_out()?;
        watched.check_end(Way::GoOn)
    });
}

#[test]
fn a_shutdown_at_any_event_unwinds() {
    on_random_workflows(8, |text| {
        for events in 0..=length(text) {
            for way in [Way::Stop, Way::Terminate] {
                let mut watched = after(text, events)?;
                watched.ask(way)?;
                watched.run_out()?;
                watched.check_end(way)?;
            }
        }
        Ok(())
    });
}

#[test]
fn a_terminate_at_any_event_of_an_unwinding_ends_it() {
    on_random_workflows(6, |text| {
        let all = length(text);
        for stop_after in [0, all / 3, all / 2] {
            let mut unwinding = after(text, stop_after)?;
            unwinding.ask(Way::Stop)?;
            while unwinding.advance()? {
                let mut ending = Watched {
                    simulation: unwinding.simulation.clone(),
                    plan: unwinding.plan.clone(),
                    followed: unwinding.followed.clone(),
                };
                ending.ask(Way::Terminate)?;
                let hooks = ending.status().nodes.len();
                ending.run_out()?;
                ending.check_end(Way::Terminate)?;
                prop_assert_eq!(ending.status().nodes.len(), hooks, "something began");
            }
        }
        Ok(())
    });
}

#[test]
fn what_is_foretold_comes_true_also_from_a_saved_status() {
    on_random_workflows(5, |text| {
        for events in 0..length(text) {
            for way in [Way::Stop, Way::Terminate, Way::GoOn] {
                let mut watched = after(text, events)?;
                let foretold = predict(watched.simulation.run(), way);
                let workflow = watched.simulation.workflow();
                let (taken, diagnostics) = Run::from_status(&workflow, Library::default(), Behaviour::UNWIND);
                prop_assert_eq!(diagnostics, []);
                prop_assert_eq!(taken.status(), workflow.status, "taken up as it was");
                let from_status = predict(&taken, way);
                prop_assert_eq!(&from_status, &foretold);
                if way == Way::GoOn {
                    // How the leaves end that nobody ends cannot be foretold.
                    continue;
                }
                watched.ask(way)?;
                watched.run_out()?;
                let status = watched.status();
                let outcome = &foretold.outcomes[0];
                prop_assert_eq!(outcome.phase, status.phase);
                prop_assert_eq!(&outcome.message, &status.message);
                for node in status.nodes.values() {
                    prop_assert_eq!(outcome.nodes.get(&node.name), Some(&node.phase), "{}", node.name);
                }
                prop_assert_eq!(outcome.nodes.len(), status.nodes.len());
                let left: &[NodeName] = &[];
                prop_assert_eq!(outcome.left_unfinished.as_slice(), left);
                check_arrows(outcome, &status)?;
            }
        }
        Ok(())
    });
}

/// Every arrow and every difference of turns along an arrow holds in what happened.
fn check_arrows(outcome: &Outcome, status: &WorkflowStatus) -> Result<(), TestCaseError> {
    for arrow in &outcome.arrows {
        let before = named(status, &arrow.before).and_then(|node| node.finished_at);
        let after = named(status, &arrow.after).and_then(|node| node.started_at);
        prop_assert!(before.is_some() && before <= after, "{arrow:?}: {before:?} {after:?}");
    }
    for hook in &outcome.hooks {
        let phase = named(status, &hook.node).map(|node| node.phase);
        prop_assert_eq!(phase.map(NodePhase::is_final), Some(true), "{}", hook.node);
    }
    Ok(())
}
