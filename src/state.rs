//! What the page keeps: signals, the one reducer, and the actions that talk to `data`.

pub mod actions;
pub mod connection;
pub mod documents;
pub mod engine;
pub mod made_up;
pub mod prediction;
pub mod reduce;
pub mod rehearsal;
pub mod settings;
pub mod shown;

use std::time::Duration;

use leptos::prelude::*;
use unwind_model::Timestamp;
use unwind_present::words::live::Freshness;
use unwind_present::words::notice::Notice;

use crate::data::clock;
use crate::data::server::Kind;
use crate::routes::Router;
use connection::Behind;
use shown::Origin;

/// Everything the page keeps, as one context: a handle to what lives as long as the tab.
#[derive(Clone, Copy)]
pub struct State(&'static Parts);

impl std::ops::Deref for State {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        self.0
    }
}

/// What there is to a [`State`].
pub struct Parts {
    /// Where the tab is.
    pub router: Router,
    /// What the reader has set.
    pub settings: settings::Settings,
    /// What is open from files and samples, and what could not be opened.
    pub documents: documents::Documents,
    /// The server behind the page.
    pub connection: connection::Connection,
    /// The engine's module.
    pub engine: engine::Engine,
    /// The manifest that runs in this page.
    pub rehearsal: rehearsal::Rehearsal,
    /// The workflow that is looked at.
    pub shown: &'static shown::Shown,
    /// Requests that failed, newest last.
    pub failures: RwSignal<Vec<Notice>>,
    /// A workflow is being created.
    pub is_submitting: RwSignal<bool>,
    /// The overview of keys is open.
    pub help_open: RwSignal<bool>,
    /// The present, a second at a time.
    pub wall_clock: RwSignal<Timestamp>,
}

impl State {
    /// The state of a fresh tab.
    pub fn new(router: Router) -> Self {
        let wall_clock = RwSignal::new(clock::now());
        set_interval(move || wall_clock.set(clock::now()), Duration::from_secs(1));
        let documents = documents::Documents::new(router);
        let connection = connection::Connection::new(router);
        let engine = engine::Engine::new();
        let rehearsal = rehearsal::Rehearsal::new(engine);
        Self(Box::leak(Box::new(Parts {
            router,
            settings: settings::Settings::load(),
            documents,
            connection,
            engine,
            rehearsal,
            shown: shown::Shown::new(router, connection, rehearsal, documents, engine, wall_clock),
            failures: RwSignal::new(Vec::new()),
            is_submitting: RwSignal::new(false),
            help_open: RwSignal::new(false),
            wall_clock,
        })))
    }

    /// Says that something could not be done.
    pub fn tell(self, notice: Notice) {
        self.failures.update(|failures| failures.push(notice));
    }

    /// What the data source is called in the top bar.
    pub fn source_name(self) -> String {
        match self.connection.behind.get() {
            Behind::Unasked => "this page".to_owned(),
            Behind::Asking => "connecting…".to_owned(),
            Behind::Known(Kind::Unwind(_)) => "this machine".to_owned(),
            Behind::Known(Kind::Argo { version }) => format!("argo-server · {version}"),
            Behind::Known(Kind::Nothing) => "no server".to_owned(),
        }
    }

    /// True when a server answers behind this page.
    pub fn has_server(self) -> bool {
        matches!(self.connection.behind.get(), Behind::Known(Kind::Unwind(_) | Kind::Argo { .. }))
    }

    /// How fresh the picture of the shown workflow is.
    pub fn freshness(self) -> Freshness {
        match self.shown.origin.get() {
            Origin::Rehearsal => Freshness::InPage,
            Origin::File => Freshness::File,
            Origin::Server(_) | Origin::None => self.connection.freshness(self.wall_clock.get()),
        }
    }
}

/// The state of this tab.
pub fn use_state() -> State {
    expect_context::<State>()
}
