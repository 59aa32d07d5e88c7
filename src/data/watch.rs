//! Drives `api::watch::ListWatch`: opens what it asks for, feeds it bytes and timers, hands on what it
//! gives. One stream a tab.
//!
//! In: what is to be followed. Out: deltas in bunches, one bunch a frame, and the state of the link.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use gloo_net::http::Request;
use leptos::prelude::set_timeout;
use leptos::task::spawn_local;
use unwind_api::watch::{Connection, Input, Link, ListWatch, Output, Source};
use unwind_model::Timestamp;
use unwind_model::delta::WorkflowDelta;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, ReadableStreamDefaultReader};

use super::clock;
use super::server::Server;

/// Deltas of this many milliseconds are handed on together.
const BUNCH_MS: u64 = 16;

/// What came of the stream.
pub enum News {
    /// Changes in order.
    Deltas(Vec<WorkflowDelta>),
    /// The link is in another state.
    Link(Link),
    /// A sign of life came.
    Sign(Timestamp),
}

/// The one stream of this tab. Copies share it.
#[derive(Clone)]
pub struct Watch(Rc<RefCell<Inner>>);

struct Inner {
    server: Server,
    list_watch: ListWatch,
    open: Option<(Connection, AbortController)>,
    bunch: Vec<WorkflowDelta>,
    on_news: Rc<dyn Fn(News)>,
}

impl Watch {
    /// Nothing is opened before `follow`.
    pub fn new(server: Server, source: Source, on_news: impl Fn(News) + 'static) -> Self {
        Self(Rc::new(RefCell::new(Inner {
            server,
            list_watch: ListWatch::new(source),
            open: None,
            bunch: Vec::new(),
            on_news: Rc::new(on_news),
        })))
    }

    /// Follows `source` from now on.
    pub fn follow(&self, source: Source) {
        let outputs = self.0.borrow_mut().list_watch.follow(clock::now(), source);
        self.perform(outputs);
    }

    /// Tries again at once after a refusal or while waiting.
    pub fn retry(&self) {
        let outputs = self.0.borrow_mut().list_watch.start(clock::now());
        self.perform(outputs);
    }

    fn feed(&self, input: Input) {
        let before = self.0.borrow().list_watch.last_news();
        let outputs = self.0.borrow_mut().list_watch.handle(clock::now(), input);
        self.perform(outputs);
        let after = self.0.borrow().list_watch.last_news();
        if let Some(at) = after.filter(|_| after != before) {
            self.tell(News::Sign(at));
        }
    }

    fn tell(&self, news: News) {
        let on_news = self.0.borrow().on_news.clone();
        on_news(news);
    }

    fn perform(&self, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Open(connection, url) => self.connect(connection, &url, true),
                Output::Fetch(connection, url) => self.connect(connection, &url, false),
                Output::Abort(connection) => self.abort(connection),
                Output::Apply(delta) => self.gather(delta),
                Output::StartTimer(timer, ms) => {
                    let watch = self.clone();
                    let wait = Duration::from_millis(ms.max(0).unsigned_abs());
                    set_timeout(move || watch.feed(Input::TimerFired(timer)), wait);
                }
                Output::Report(link) => self.tell(News::Link(link)),
            }
        }
    }

    fn gather(&self, delta: WorkflowDelta) {
        let mut inner = self.0.borrow_mut();
        inner.bunch.push(delta);
        if inner.bunch.len() == 1 {
            let watch = self.clone();
            set_timeout(move || watch.flush(), Duration::from_millis(BUNCH_MS));
        }
    }

    fn flush(&self) {
        let bunch = std::mem::take(&mut self.0.borrow_mut().bunch);
        if !bunch.is_empty() {
            self.tell(News::Deltas(bunch));
        }
    }

    fn abort(&self, connection: Connection) {
        let mut inner = self.0.borrow_mut();
        if let Some((_, controller)) = inner.open.take_if(|(open, _)| *open == connection) {
            controller.abort();
        }
    }

    fn connect(&self, connection: Connection, url: &str, is_stream: bool) {
        let Ok(controller) = AbortController::new() else { return };
        let signal = controller.signal();
        let url = self.0.borrow().server.url(url);
        self.0.borrow_mut().open = Some((connection, controller));
        let watch = self.clone();
        spawn_local(async move {
            let accept = if is_stream { "text/event-stream" } else { "application/json" };
            let request = Request::get(&url).header("accept", accept).abort_signal(Some(&signal));
            let Ok(response) = request.send().await else {
                return watch.feed(Input::Closed(connection));
            };
            if !response.ok() {
                let body = response.text().await.unwrap_or_default();
                return watch.feed(Input::Refused(connection, response.status(), body));
            }
            if !is_stream {
                return watch.feed(match response.text().await {
                    Ok(body) => Input::Answered(connection, body),
                    Err(_) => Input::Closed(connection),
                });
            }
            watch.feed(Input::Opened(connection));
            if let Some(body) = response.body() {
                watch.read(connection, body.get_reader().unchecked_into()).await;
            }
            watch.feed(Input::Closed(connection));
        });
    }

    /// Feeds the bytes of a body until it ends.
    async fn read(&self, connection: Connection, reader: ReadableStreamDefaultReader) {
        while let Ok(chunk) = JsFuture::from(reader.read()).await {
            let value = js_sys::Reflect::get(&chunk, &"value".into()).unwrap_or_default();
            let Ok(bytes) = value.dyn_into::<js_sys::Uint8Array>() else { return };
            self.feed(Input::Bytes(connection, bytes.to_vec()));
        }
    }
}
