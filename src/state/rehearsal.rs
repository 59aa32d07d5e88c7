//! A manifest that runs in this page: pace, past events, outcomes of its leaves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use unwind_engine::Way;
use unwind_engine::host::{Answer, Request};
use unwind_model::{NodeName, Timestamp, Workflow, WorkflowStatus};

use super::engine::{Engine, Stage};
pub use super::made_up::LeafPlan;
use super::made_up::{default_leaves, rehearsal};
use crate::data::clock;
use crate::reactive::effect;

/// How often the simulation is moved on while it plays.
const TICK_MS: i64 = 100;

/// How fast it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// As fast as real time.
    One,
    /// Ten times.
    Ten,
    /// Fifty times.
    Fifty,
}

impl Speed {
    /// All speeds, slowest first.
    pub const ALL: [Self; 3] = [Self::One, Self::Ten, Self::Fifty];

    /// The factor.
    pub fn factor(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Ten => 10,
            Self::Fifty => 50,
        }
    }
}

/// The rehearsal of the open document.
#[derive(Clone, Copy)]
pub struct Rehearsal {
    /// The workflow as it is now; none before one was begun.
    pub workflow: RwSignal<Option<Arc<Workflow>>>,
    /// The simulation's own clock.
    pub now: RwSignal<Timestamp>,
    /// When it began.
    pub begun: RwSignal<Timestamp>,
    /// Instants at which something happened.
    pub events: RwSignal<Vec<Timestamp>>,
    /// How fast it goes.
    pub speed: RwSignal<Speed>,
    /// Whether it goes on by itself.
    pub is_playing: RwSignal<bool>,
    /// Whether anything will still happen.
    pub has_more: RwSignal<bool>,
    /// How its leaves go, by full name.
    pub leaves: RwSignal<BTreeMap<NodeName, LeafPlan>>,
    /// When a stop or terminate was asked.
    pub shutdown_at: RwSignal<Option<Timestamp>>,
    /// Whether the run waits for somebody: it, or a node of it, is suspended.
    pub awaits_resume: RwSignal<bool>,
    engine: Engine,
    manifest: StoredValue<Option<Arc<Workflow>>>,
    /// The manifest has not begun: the engine is not there yet.
    is_due: StoredValue<bool>,
    asked: StoredValue<Asked>,
}

/// What the engine was asked and has not answered.
#[derive(Clone, Copy, Default)]
struct Asked {
    /// Counts the beginnings; answers to what was asked before the last one are not shown.
    turn: u32,
    /// How many answers of this turn are awaited.
    open: u32,
}

impl Rehearsal {
    /// Nothing is rehearsed yet.
    pub fn new(engine: Engine) -> Self {
        let rehearsal = Self {
            workflow: RwSignal::new(None),
            now: RwSignal::new(Timestamp::default()),
            begun: RwSignal::new(Timestamp::default()),
            events: RwSignal::new(Vec::new()),
            speed: RwSignal::new(Speed::One),
            is_playing: RwSignal::new(false),
            has_more: RwSignal::new(false),
            leaves: RwSignal::new(BTreeMap::new()),
            shutdown_at: RwSignal::new(None),
            awaits_resume: RwSignal::new(false),
            engine,
            manifest: StoredValue::new(None),
            is_due: StoredValue::new(false),
            asked: StoredValue::new(Asked::default()),
        };
        effect(move || match engine.stage.get() {
            Stage::Ready if rehearsal.is_due.get_value() => {
                rehearsal.start_over();
                rehearsal.is_playing.set(true);
            }
            Stage::Failed { .. } => {
                rehearsal.is_playing.set(false);
                rehearsal.is_due.set_value(rehearsal.manifest.with_value(Option::is_some));
            }
            Stage::Absent | Stage::Loading | Stage::Ready => {}
        });
        let tick = move || {
            let awaits = rehearsal.asked.with_value(|asked| asked.open > 0);
            if rehearsal.is_playing.get_untracked() && !awaits {
                rehearsal.pass(TICK_MS * rehearsal.speed.get_untracked().factor());
            }
        };
        set_interval(tick, Duration::from_millis(TICK_MS.unsigned_abs()));
        rehearsal
    }

    /// Begins a manifest from the start, with the usual outcomes, as soon as the engine is there.
    pub fn begin(self, manifest: Arc<Workflow>) {
        let (plan, _) = unwind_engine::lower(&manifest);
        self.leaves.set(default_leaves(&plan));
        self.manifest.set_value(Some(manifest));
        self.engine.want();
        self.start_over();
        self.is_playing.set(!self.is_due.get_value());
    }

    /// Begins the same manifest again; outcomes stay.
    pub fn start_over(self) {
        let Some(manifest) = self.manifest.get_value() else { return };
        let begin = clock::now().whole_seconds();
        let mut workflow = Workflow::clone(&manifest);
        workflow.status = WorkflowStatus::default();
        let rehearsal = rehearsal(begin, &self.leaves.get_untracked());
        self.now.set(begin);
        self.begun.set(begin);
        self.events.set(Vec::new());
        self.shutdown_at.set(None);
        self.has_more.set(true);
        self.workflow.set(Some(Arc::new(workflow.clone())));
        self.asked.update_value(|asked| *asked = Asked { turn: asked.turn + 1, open: 0 });
        let has_begun = self.ask(&Request::Begin { workflow: Box::new(workflow), rehearsal });
        self.is_due.set_value(!has_begun);
        // Programs that can start do so at the same instant.
        self.ask(&Request::PassTo { until: begin });
    }

    /// Changes how some leaves go; takes effect from the start.
    pub fn set_leaves(self, names: &[NodeName], leaf: LeafPlan) {
        self.leaves.update(|leaves| {
            for name in names {
                leaves.insert(name.clone(), leaf);
            }
        });
        self.start_over();
        self.is_playing.set(true);
    }

    /// Lets the next event happen.
    pub fn step(self) {
        self.is_playing.set(false);
        self.ask(&Request::Step);
    }

    /// Lets everything happen.
    pub fn to_the_end(self) {
        self.is_playing.set(false);
        self.ask(&Request::Finish);
    }

    /// Resumes what is suspended.
    pub fn resume(self) {
        self.ask(&Request::Resume);
        self.is_playing.set(true);
    }

    /// Asks for a stop or terminate.
    pub fn end(self, way: Way) {
        self.ask(&Request::End { way });
    }

    fn pass(self, ms: i64) {
        let until = self.now.get_untracked() + ms;
        self.ask(&Request::PassTo { until });
    }

    /// Asks the engine and shows what it answers; false when it is not there.
    fn ask(self, request: &Request) -> bool {
        let turn = self.asked.get_value().turn;
        let is_asked = self.engine.ask(request, move |answer| {
            if self.asked.get_value().turn == turn {
                self.asked.update_value(|asked| asked.open -= 1);
                self.show(answer);
            }
        });
        if is_asked {
            self.asked.update_value(|asked| asked.open += 1);
        } else {
            self.is_playing.set(false);
            self.is_due.set_value(true);
        }
        is_asked
    }

    fn show(self, answer: Answer) {
        let Answer::Moved(moved) = answer else { return };
        let now = moved.now;
        self.now.set(now);
        let has_more = moved.next_at.is_some();
        if self.has_more.get_untracked() != has_more {
            self.has_more.set(has_more);
        }
        if !has_more && self.is_playing.get_untracked() {
            self.is_playing.set(false);
        }
        if moved.shutdown.is_some() && self.shutdown_at.get_untracked().is_none() {
            self.shutdown_at.set(Some(now));
        }
        if moved.has_moved
            && let Some(shown) = self.workflow.get_untracked()
        {
            let mut workflow = Workflow::clone(&shown);
            moved.apply(&mut workflow);
            let awaits_resume = !has_more && !workflow.status.phase.is_final();
            self.awaits_resume.set(awaits_resume);
            self.workflow.set(Some(Arc::new(workflow)));
            self.events.update(|events| events.push(now));
        }
    }
}
