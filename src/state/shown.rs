//! The one workflow that is looked at, and everything that follows from it.
//!
//! In: what the route, the server, the rehearsal or a file say. Out: memos for all views: study,
//! structure, layout, picture, timeline, preview. It decides nothing: `unwind-present` does.

use std::sync::Arc;

use leptos::prelude::*;
use unwind_api::unwind::RunKey;
use unwind_engine::{Diagnostic, Plan, Way};
use unwind_layout::{Direction, Layout};
use unwind_model::{NodeName, Timestamp, Workflow};
use unwind_present::estimate::Estimates;
use unwind_present::format::Zone;
use unwind_present::graph::{self, Folding, Picture, Place, Structure};
use unwind_present::preview::{Keeper, Preview};
use unwind_present::study::{Study, Watched};
use unwind_present::unwinding::Unwinding;

use super::connection::{Behind, Connection};
use super::documents::Documents;
use super::engine::Engine;
use super::prediction::{self, Sources};
use super::rehearsal::Rehearsal;
use crate::data::clock;
use crate::data::server::Kind;
use crate::reactive::{effect, memo};
use crate::routes::{Route, Router};

/// A value that is compared by identity.
pub struct Shared<T>(pub Arc<T>);

impl<T> Shared<T> {
    /// Wraps a value.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> std::ops::Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Where the workflow comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The page shows none.
    None,
    /// The server.
    Server(RunKey),
    /// The engine in this page.
    Rehearsal,
    /// A file.
    File,
}

/// The workflow that is looked at. There is one for as long as the tab lives.
pub struct Shown {
    /// Where it comes from.
    pub origin: Memo<Origin>,
    /// The object; none while it is loading or not there.
    pub workflow: Memo<Option<Shared<Workflow>>>,
    /// The present of this workflow.
    pub now: Signal<Timestamp>,
    /// The reader's zone.
    pub zone: Memo<Zone>,
    /// All that follows from the object.
    pub study: Memo<Option<Shared<Study>>>,
    /// What is folded.
    pub folding: RwSignal<Folding>,
    /// Where edges lead.
    pub direction: RwSignal<Direction>,
    /// Which boxes and leaves there are.
    pub structure: Memo<Arc<Structure>>,
    /// Where they stand.
    pub layout: Memo<Arc<Layout>>,
    /// How they look.
    pub picture: Memo<Arc<Picture>>,
    /// Guesses of durations.
    pub estimates: Memo<Arc<Estimates>>,
    /// What the way that is previewed would do.
    pub prediction: RwSignal<Option<Shared<Preview>>>,
    /// The selected node.
    pub selected: RwSignal<Option<NodeName>>,
    /// The node the pointer is on.
    pub hovered: RwSignal<Option<NodeName>>,
    /// The preview that is open.
    pub preview: RwSignal<Option<Way>>,
    /// A stop or terminate that was asked and is not yet in the object.
    pub asked: RwSignal<Option<Way>>,
    /// The selection follows the running hook, until the reader selects something.
    pub follows_hooks: RwSignal<bool>,
    /// The timeline is open.
    pub timeline_open: RwSignal<Option<bool>>,
}

impl Shown {
    /// Follows the route.
    pub fn new(
        router: Router,
        connection: Connection,
        rehearsal: Rehearsal,
        documents: Documents,
        engine: Engine,
        wall_clock: RwSignal<Timestamp>,
    ) -> &'static Self {
        let origin = memo(move || match router.address.with(|address| address.route.clone()) {
            Route::Workflow { namespace, name } => Origin::Server(RunKey { namespace, name }),
            Route::Rehearse => Origin::Rehearsal,
            Route::File => Origin::File,
            Route::Start | Route::List { .. } | Route::Unknown { .. } => Origin::None,
        });
        let workflow = memo(move || match origin.get() {
            Origin::None => None,
            Origin::Server(key) => connection.known.with(|known| {
                let has_nodes = known.with_nodes.contains(&key);
                known.workflows.get(&key).filter(|_| has_nodes).cloned().map(Shared)
            }),
            Origin::Rehearsal => rehearsal.workflow.get().map(Shared),
            Origin::File => documents
                .open
                .get()
                .filter(|open| open.is_run())
                .map(|open| Shared::new(open.workflow.clone())),
        });
        let now = Signal::derive(move || match origin.get() {
            // News may be younger than the last tick of the clock.
            Origin::None | Origin::Server(_) => {
                connection.last_news.get().map_or(wall_clock.get(), |news| news.max(wall_clock.get()))
            }
            Origin::Rehearsal => rehearsal.now.get(),
            Origin::File => {
                workflow.get().map_or_else(|| wall_clock.get(), |workflow| last_instant(&workflow))
            }
        });
        let zone = memo(move || {
            let begun = workflow.get().and_then(|workflow| workflow.status.started_at);
            clock::zone(begun.unwrap_or_else(clock::now))
        });
        let watched = memo(move || match (origin.get(), connection.behind.get()) {
            (Origin::Rehearsal, _) => Watched { is_exact: true, shutdown_at: rehearsal.shutdown_at.get() },
            (Origin::Server(_), Behind::Known(Kind::Unwind(_))) => {
                Watched { is_exact: true, shutdown_at: None }
            }
            (Origin::Server(_) | Origin::File | Origin::None, _) => Watched::default(),
        });
        let study = study_memo(workflow, watched);
        let folding = RwSignal::new(Folding::default());
        let direction = RwSignal::new(Direction::TopDown);
        let structure = memo(move || {
            Arc::new(study.get().map_or_else(Structure::default, |study| {
                folding.with(|folding| {
                    graph::structure(&study.roster, &study.workflow, folding, direction.get())
                })
            }))
        });
        let layout =
            memo(move || Arc::new(structure.with(|structure| unwind_layout::layout(&structure.request))));
        let estimates = memo(move || Arc::new(estimates(study, origin, rehearsal)));
        let preview = RwSignal::new(None::<Way>);
        let keeper = memo(move || keeper(origin, connection));
        let prediction = prediction::follow(Sources { engine, way: preview, study, estimates, keeper, now });
        let picture = memo(move || {
            Arc::new(study.get().map_or_else(Picture::default, |study| {
                let marks = prediction.get();
                graph::paint(&structure.get(), &study, marks.as_ref().map(|preview| &preview.marks))
            }))
        });
        let shown: &Self = Box::leak(Box::new(Self {
            origin,
            workflow,
            now,
            zone,
            study,
            folding,
            direction,
            structure,
            layout,
            picture,
            estimates,
            prediction,
            selected: RwSignal::new(None),
            hovered: RwSignal::new(None),
            preview,
            asked: RwSignal::new(None),
            follows_hooks: RwSignal::new(false),
            timeline_open: RwSignal::new(None),
        }));
        shown.forget_on_change();
        shown.follow_hooks();
        shown
    }

    /// Another workflow: nothing of the last one stays.
    fn forget_on_change(&'static self) {
        let identity = memo(move || {
            let metadata = self.workflow.get().map(|workflow| {
                let metadata = &workflow.metadata;
                (metadata.namespace.clone(), metadata.name.clone(), metadata.uid.clone())
            });
            (self.origin.get(), metadata)
        });
        Effect::new(move |before: Option<(Origin, Option<_>)>| {
            let now = identity.get();
            // What is still loading is no other workflow yet.
            let is_other = before.is_some_and(|(origin, metadata)| {
                origin != now.0 || metadata.is_some() && now.1.is_some() && metadata != now.1
            });
            if is_other {
                self.folding.set(Folding::default());
                self.selected.set(None);
                self.hovered.set(None);
                self.preview.set(None);
                self.asked.set(None);
                self.follows_hooks.set(false);
                self.timeline_open.set(None);
            }
            now
        });
        effect(move || {
            let is_shut_down = self.study.get().is_some_and(|study| study.is_shut_down());
            if is_shut_down && self.asked.get_untracked().is_some() {
                self.asked.set(None);
            }
        });
    }

    /// After a stop was confirmed, each hook is selected as its turn begins.
    fn follow_hooks(&'static self) {
        effect(move || {
            let Some(study) = self.study.get().filter(|_| self.follows_hooks.get()) else { return };
            let running = Unwinding::of(&study).and_then(|unwinding| unwinding.running.first().copied());
            let name = running.map(|hook| study.roster.member(hook).name.clone());
            if name.is_some() && self.selected.with_untracked(|selected| *selected != name) {
                self.selected.set(name);
            }
        });
    }

    /// Where a node is shown in the graph.
    pub fn place(&self, name: &NodeName) -> Option<Place> {
        let study = self.study.get()?;
        let member = study.roster.find(name)?;
        self.structure.with(|structure| structure.place(member))
    }

    /// Selects nothing.
    pub fn deselect(&self) {
        self.follows_hooks.set(false);
        self.selected.set(None);
    }

    /// Selects a node and opens what hides it.
    pub fn select(&self, name: &NodeName) {
        if let Some(study) = self.study.get_untracked()
            && let Some(member) = study.roster.find(name)
            && self.structure.with_untracked(|structure| structure.is_hidden(member))
        {
            self.folding.update(|folding| folding.reveal(&study.roster, member));
        }
        self.follows_hooks.set(false);
        self.selected.set(Some(name.clone()));
    }
}

/// A lowered spec, and what it was lowered from.
type Lowered = (Arc<Workflow>, Plan, Vec<Diagnostic>);

/// The study, with a plan that is lowered again only when the spec has changed.
fn study_memo(
    workflow: Memo<Option<Shared<Workflow>>>,
    watched: Memo<Watched>,
) -> Memo<Option<Shared<Study>>> {
    let lowered = StoredValue::new(None::<Lowered>);
    memo(move || {
        let workflow = workflow.get()?;
        let is_known = lowered.with_value(|lowered| {
            lowered.as_ref().is_some_and(|(of, ..)| {
                of.spec == workflow.spec && of.metadata.name == workflow.metadata.name
            })
        });
        if !is_known {
            let (plan, diagnostics) = unwind_engine::lower(&workflow);
            lowered.set_value(Some((workflow.0.clone(), plan, diagnostics)));
        }
        let (_, plan, diagnostics) = lowered.get_value()?;
        Some(Shared::new(Study::new(Workflow::clone(&workflow), plan, diagnostics, watched.get())))
    })
}

/// The last instant that a file knows of.
fn last_instant(workflow: &Workflow) -> Timestamp {
    let status = &workflow.status;
    let nodes = status.nodes.values().flat_map(|node| [node.started_at, node.finished_at]);
    nodes.chain([status.finished_at, status.started_at]).flatten().max().unwrap_or_default()
}

/// Who will carry a stop out.
fn keeper(origin: Memo<Origin>, connection: Connection) -> Keeper {
    match (origin.get(), connection.behind.get()) {
        (Origin::Server(_), Behind::Known(Kind::Argo { version })) => {
            Keeper::Argo { version: Some(version), foreseen: None }
        }
        _ => Keeper::OwnEngine,
    }
}

/// What this run has told, and in a rehearsal what was chosen.
fn estimates(study: Memo<Option<Shared<Study>>>, origin: Memo<Origin>, rehearsal: Rehearsal) -> Estimates {
    let Some(study) = study.get() else { return Estimates::default() };
    let mut estimates = Estimates::of(&study);
    if origin.get() == Origin::Rehearsal {
        for (name, leaf) in rehearsal.leaves.get() {
            if let Some(member) = study.roster.find(&name) {
                estimates = estimates.with(&study.roster.member(member).template, leaf.duration_ms);
            }
        }
    }
    estimates
}
