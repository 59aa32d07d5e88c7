//! The server behind the page: what it is, how the link is, and what it told.

use leptos::prelude::*;
use unwind_api::unwind::{RunKey, Subscriptions};
use unwind_api::watch::{Link, Source};
use unwind_model::Timestamp;
use unwind_present::words::live::{Freshness, STALE_AFTER_MS};

use super::reduce::Known;
use crate::data::clock;
pub use crate::data::server::Kind;
use crate::data::server::Server;
use crate::data::watch::{News, Watch};
use crate::reactive::{effect, memo};
use crate::routes::{Route, Router};

/// News may be this much late before they count as old, in ms: servers send a sign every 15 s.
const LATE_MS: i64 = 3_000;

/// What is known of what stands behind the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behind {
    /// Not asked yet.
    Unasked,
    /// Asked, no answer yet.
    Asking,
    /// Answered.
    Known(Kind),
}

/// The connection.
#[derive(Clone, Copy)]
pub struct Connection {
    /// What stands behind the page.
    pub behind: RwSignal<Behind>,
    /// How the link is.
    pub link: RwSignal<Link>,
    /// When the last sign of life came.
    pub last_news: RwSignal<Option<Timestamp>>,
    /// What it told.
    pub known: RwSignal<Known>,
    server: StoredValue<Server>,
    watch: StoredValue<Option<Watch>, LocalStorage>,
    followed: StoredValue<Vec<RunKey>>,
}

impl Connection {
    /// Not connected. Behind a server that serves the page the kind is asked at once; from static
    /// files only when a page of the server's is opened, since asking there costs an error.
    pub fn new(router: Router) -> Self {
        let base = router.api_root();
        let connection = Self {
            behind: RwSignal::new(Behind::Unasked),
            link: RwSignal::new(Link::Off),
            last_news: RwSignal::new(None),
            known: RwSignal::new(Known::default()),
            server: StoredValue::new(Server::new(base.as_deref().unwrap_or("./"))),
            watch: StoredValue::new_local(None),
            followed: StoredValue::new(Vec::new()),
        };
        let is_served = base.is_some();
        let is_from_disk = window().location().protocol().is_ok_and(|protocol| protocol == "file:");
        if is_from_disk {
            connection.behind.set(Behind::Known(Kind::Nothing));
        }
        let route = memo(move || router.address.with(|address| address.route.clone()));
        effect(move || {
            let route = route.get();
            let needs_server = matches!(route, Route::List { .. } | Route::Workflow { .. });
            match connection.behind.get() {
                Behind::Unasked if is_served || needs_server => connection.ask(),
                Behind::Unasked | Behind::Asking | Behind::Known(Kind::Nothing) => {}
                Behind::Known(kind @ (Kind::Unwind(_) | Kind::Argo { .. })) => {
                    connection.follow(&kind, &route);
                }
            }
        });
        connection
    }

    /// The server, for one request.
    pub fn server(self) -> Server {
        self.server.get_value()
    }

    /// Tries again at once.
    pub fn retry(self) {
        self.watch.with_value(|watch| {
            if let Some(watch) = watch {
                watch.retry();
            }
        });
    }

    fn ask(self) {
        self.behind.set(Behind::Asking);
        let server = self.server();
        leptos::task::spawn_local(async move {
            let kind = server.kind().await;
            self.behind.set(Behind::Known(kind));
        });
    }

    /// Follows what the route shows: of our own server list and run in one stream, of an Argo Server
    /// one of the two.
    fn follow(self, kind: &Kind, route: &Route) {
        let run = match route {
            Route::Workflow { namespace, name } => {
                Some(RunKey { namespace: namespace.clone(), name: name.clone() })
            }
            Route::List { .. } | Route::Start | Route::Rehearse | Route::File | Route::Unknown { .. } => None,
        };
        let source = match (kind, &run) {
            (Kind::Unwind(about), _) if !about.signed_in => return,
            (Kind::Unwind(_), _) => Source::Unwind(Subscriptions {
                list: Some(String::new()),
                runs: run.iter().cloned().collect(),
            }),
            (Kind::Argo { .. }, Some(run)) => Source::ArgoRun(run.clone()),
            (Kind::Argo { .. }, None) => Source::ArgoList { namespace: String::new() },
            (Kind::Nothing, _) => return,
        };
        self.forget_nodes_but(run.as_ref());
        self.followed.set_value(run.into_iter().collect());
        let watch = self.watch.get_value().unwrap_or_else(|| {
            let watch = Watch::new(self.server(), source.clone(), move |news| self.take(news));
            self.watch.set_value(Some(watch.clone()));
            watch
        });
        watch.follow(source);
    }

    /// What is no longer followed will be told anew before it is shown again.
    fn forget_nodes_but(self, run: Option<&RunKey>) {
        let is_stale = |key: &RunKey| Some(key) != run;
        if self.known.with_untracked(|known| known.with_nodes.iter().any(is_stale)) {
            self.known.update(|known| known.with_nodes.retain(|key| !is_stale(key)));
        }
    }

    fn take(self, news: News) {
        match news {
            News::Deltas(deltas) => {
                let followed = self.followed.get_value();
                let now = clock::now();
                let mut fits = true;
                self.known.update(|known| {
                    for delta in &deltas {
                        fits &= known.apply(delta, &followed, now);
                    }
                });
                if !fits {
                    self.retry();
                }
            }
            News::Link(link) => self.link.set(link),
            News::Sign(at) => self.last_news.set(Some(at)),
        }
    }

    /// How fresh the picture is.
    pub fn freshness(self, now: Timestamp) -> Freshness {
        let last_news = self.last_news.get();
        match (self.link.get(), last_news) {
            (Link::Live, Some(at)) if now - at >= STALE_AFTER_MS + LATE_MS => {
                Freshness::Silent { last_news: at }
            }
            (Link::Live, _) => Freshness::Live,
            (Link::Off | Link::Connecting | Link::Reconnecting | Link::Refused(_), last_news) => {
                Freshness::Reconnecting { last_news }
            }
        }
    }
}
