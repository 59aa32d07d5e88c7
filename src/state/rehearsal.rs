//! A manifest that runs in this page: pace, past events, outcomes of its leaves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use unwind_engine::Way;
use unwind_model::{NodeName, Timestamp, Workflow};

use crate::data::clock;
pub use crate::data::local::LeafPlan;
use crate::data::local::{Local, default_leaves};

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
    local: StoredValue<Option<Local>, LocalStorage>,
    manifest: StoredValue<Option<Arc<Workflow>>>,
}

impl Rehearsal {
    /// Nothing is rehearsed yet.
    pub fn new() -> Self {
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
            local: StoredValue::new_local(None),
            manifest: StoredValue::new(None),
        };
        let tick = move || {
            if rehearsal.is_playing.get_untracked() {
                rehearsal.pass(TICK_MS * rehearsal.speed.get_untracked().factor());
            }
        };
        set_interval(tick, Duration::from_millis(TICK_MS.unsigned_abs()));
        rehearsal
    }

    /// Begins a manifest from the start, with the usual outcomes.
    pub fn begin(self, manifest: Arc<Workflow>) {
        let (plan, _) = unwind_engine::sketch::lower(&manifest);
        self.leaves.set(default_leaves(&plan));
        self.manifest.set_value(Some(manifest));
        self.start_over();
        self.is_playing.set(true);
    }

    /// Begins the same manifest again; outcomes stay.
    pub fn start_over(self) {
        let Some(manifest) = self.manifest.get_value() else { return };
        let begin = clock::now().whole_seconds();
        let mut local = Local::new(&manifest, begin, &self.leaves.get_untracked());
        local.pass(0);
        self.local.set_value(Some(local));
        self.begun.set(begin);
        self.events.set(vec![begin]);
        self.shutdown_at.set(None);
        self.workflow.set(None);
        self.show(true);
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
        self.with_local(Local::step);
    }

    /// Lets everything happen.
    pub fn to_the_end(self) {
        self.is_playing.set(false);
        self.with_local(|local| {
            local.run_to_end();
            true
        });
    }

    /// Asks for a stop or terminate.
    pub fn end(self, way: Way) {
        if self.shutdown_at.get_untracked().is_none() {
            self.shutdown_at.set(Some(self.now.get_untracked()));
        }
        self.with_local(|local| {
            match way {
                Way::Stop => local.stop(),
                Way::Terminate => local.terminate(),
                Way::GoOn => return false,
            }
            true
        });
    }

    fn pass(self, ms: i64) {
        self.with_local(|local| local.pass(ms));
        if !self.has_more.get_untracked() {
            self.is_playing.set(false);
        }
    }

    fn with_local(self, act: impl FnOnce(&mut Local) -> bool) {
        let moved = self.local.try_update_value(|local| local.as_mut().is_some_and(act));
        self.show(moved == Some(true));
    }

    fn show(self, moved: bool) {
        self.local.with_value(|local| {
            let Some(local) = local else { return };
            let now = local.now();
            self.now.set(now);
            let has_more = local.next_at().is_some();
            if self.has_more.get_untracked() != has_more {
                self.has_more.set(has_more);
            }
            if moved {
                self.workflow.set(Some(Arc::new(local.workflow())));
                self.events.update(|events| events.push(now));
            }
        });
    }
}
