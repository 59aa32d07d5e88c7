//! List and watch without I/O: what to open, what came of it, what to do when it is cut.
//!
//! In: answers, bytes, ends of connections and timers, each with its time. Out: URLs to open, deltas
//! to apply, timers to start, and how the link is. Deltas come in order, none twice, whichever
//! server is behind: our own stream sends them, of a real Argo Server they are the differences of
//! whole objects. It must never open anything itself or read a clock.

mod known;
mod source;

use unwind_model::Timestamp;
use unwind_model::delta::WorkflowDelta;

use crate::error::ApiError;
use crate::sse::{Decoder, Item};
use known::Known;
pub use source::Source;
use source::{Message, Plan};

/// Milliseconds without a sign of life after which a connection counts as dead. Servers send one
/// at least every 15 s.
pub const QUIET_MS: i64 = 45_000;
/// Milliseconds before the first try to connect again; doubled by every failure.
pub const BACK_OFF_MS: i64 = 500;
/// Longest wait between two tries.
pub const BACK_OFF_MAX_MS: i64 = 30_000;

/// Which of the connections that were opened one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Connection(pub u64);

/// What happened outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A stream was answered with 200.
    Opened(Connection),
    /// The next bytes of a stream.
    Bytes(Connection, Vec<u8>),
    /// The whole body of what `Output::Fetch` asked for, answered with 200.
    Answered(Connection, String),
    /// An answer with another status, with its body.
    Refused(Connection, u16, String),
    /// A connection ended, or could not be made.
    Closed(Connection),
    /// A timer fired.
    TimerFired(Timer),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Open a stream (`Accept: text/event-stream`). The URL is relative to the base href.
    Open(Connection, String),
    /// Get a whole answer.
    Fetch(Connection, String),
    /// Give up a connection; nothing of it is wanted any more.
    Abort(Connection),
    /// A change, to be applied now.
    Apply(WorkflowDelta),
    /// Call back after so many milliseconds.
    StartTimer(Timer, i64),
    /// The link is in another state.
    Report(Link),
}

/// A timer. Late ones are ignored, so none has to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// Time to connect again.
    BackOff(Connection),
    /// Time to look whether anything came.
    Quiet(Connection),
}

/// How the link is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Link {
    /// Not asked to run.
    #[default]
    Off,
    /// The first connection is being made.
    Connecting,
    /// Changes come as they happen.
    Live,
    /// What is known may be old; it is tried again.
    Reconnecting,
    /// The server does not want to, and trying again would not help.
    Refused(ApiError),
}

/// Keeps what is known of a server's workflows up to date.
#[derive(Clone, Debug)]
pub struct ListWatch {
    source: Source,
    known: Known,
    connection: Connection,
    stage: Stage,
    link: Link,
    decoder: Decoder,
    /// The last version told by a watch; a watch from here misses nothing.
    since: Option<u64>,
    failures: u32,
    last_news: Option<Timestamp>,
    last_sign: Timestamp,
}

/// What the current connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No connection is wanted.
    Off,
    /// A list, or one object, is being got.
    Listing,
    /// A stream that first tells everything there is.
    Telling,
    /// A stream of changes.
    Following,
    /// Waits before the next try.
    Waiting,
}

impl ListWatch {
    /// Nothing is opened before `start`.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            known: Known::default(),
            connection: Connection::default(),
            stage: Stage::Off,
            link: Link::Off,
            decoder: Decoder::default(),
            since: None,
            failures: 0,
            last_news: None,
            last_sign: Timestamp::default(),
        }
    }

    /// How the link is.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// When the last sign of life came, keep-alives included.
    pub fn last_news(&self) -> Option<Timestamp> {
        self.last_news
    }

    /// Begins, or begins anew after `Refused` or `stop`.
    pub fn start(&mut self, now: Timestamp) -> Vec<Output> {
        let mut outputs = Vec::new();
        self.abort(&mut outputs);
        outputs.extend(self.report(Link::Connecting));
        self.failures = 0;
        self.connect(now, &mut outputs);
        outputs
    }

    /// Changes what is followed. Everything is told anew; what is no longer asked for is forgotten
    /// without a delta.
    pub fn follow(&mut self, now: Timestamp, source: Source) -> Vec<Output> {
        if source == self.source && self.stage != Stage::Off {
            return Vec::new();
        }
        self.source = source;
        self.since = None;
        self.known.forget(&self.source);
        self.start(now)
    }

    /// Ends; what is known stays known.
    pub fn stop(&mut self) -> Vec<Output> {
        let mut outputs = Vec::new();
        self.abort(&mut outputs);
        self.stage = Stage::Off;
        outputs.extend(self.report(Link::Off));
        outputs
    }

    /// Takes what happened at `now`; gives what is to be done, in order.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> Vec<Output> {
        let mut outputs = Vec::new();
        match input {
            Input::TimerFired(timer) => self.timer_fired(now, timer, &mut outputs),
            Input::Opened(connection) if self.is_open(connection) => {
                self.sign(now, &mut outputs);
            }
            Input::Bytes(connection, bytes) if self.is_open(connection) => {
                self.sign(now, &mut outputs);
                for item in self.decoder.push(&bytes) {
                    // A message may have ended the connection; the rest of the bytes is void.
                    if !self.is_open(connection) {
                        break;
                    }
                    match item {
                        Item::Comment => self.failures = 0,
                        Item::Event(event) => self.message(&event.data, &mut outputs),
                    }
                }
            }
            Input::Answered(connection, body) if self.is_open(connection) => {
                self.sign(now, &mut outputs);
                self.answered(now, &body, &mut outputs);
            }
            Input::Refused(connection, status, body) if self.is_open(connection) => {
                self.fail(&ApiError::read(status, &body), &mut outputs);
            }
            Input::Closed(connection) if self.is_open(connection) => {
                self.wait(&mut outputs);
            }
            Input::Opened(_)
            | Input::Bytes(..)
            | Input::Answered(..)
            | Input::Refused(..)
            | Input::Closed(_) => {}
        }
        outputs
    }

    fn is_open(&self, connection: Connection) -> bool {
        connection == self.connection
            && match self.stage {
                Stage::Listing | Stage::Telling | Stage::Following => true,
                Stage::Off | Stage::Waiting => false,
            }
    }

    /// Opens what the source needs next.
    fn connect(&mut self, now: Timestamp, outputs: &mut Vec<Output>) {
        self.connection = Connection(self.connection.0 + 1);
        self.decoder = Decoder::default();
        self.last_sign = now;
        let plan = self.source.plan(self.since);
        let output = match plan {
            Plan::Fetch(url) => {
                self.stage = Stage::Listing;
                Output::Fetch(self.connection, url)
            }
            Plan::Tell(url) => {
                self.stage = Stage::Telling;
                self.known.begin_telling();
                Output::Open(self.connection, url)
            }
            Plan::Follow(url) => {
                self.stage = Stage::Following;
                Output::Open(self.connection, url)
            }
        };
        outputs.push(output);
        outputs.push(Output::StartTimer(Timer::Quiet(self.connection), QUIET_MS));
    }

    fn timer_fired(&mut self, now: Timestamp, timer: Timer, outputs: &mut Vec<Output>) {
        match timer {
            Timer::BackOff(connection) => {
                if connection == self.connection && self.stage == Stage::Waiting {
                    self.connect(now, outputs);
                }
            }
            Timer::Quiet(connection) if self.is_open(connection) => {
                let quiet_ms = now - self.last_sign;
                if quiet_ms < QUIET_MS {
                    outputs.push(Output::StartTimer(timer, QUIET_MS - quiet_ms));
                } else {
                    self.abort(outputs);
                    self.wait(outputs);
                }
            }
            Timer::Quiet(_) => {}
        }
    }

    fn sign(&mut self, now: Timestamp, outputs: &mut Vec<Output>) {
        self.last_news = Some(now);
        self.last_sign = now;
        if self.stage != Stage::Listing {
            outputs.extend(self.report(Link::Live));
        }
    }

    fn answered(&mut self, now: Timestamp, body: &str, outputs: &mut Vec<Output>) {
        match self.source.read_answer(body) {
            Ok((workflows, since)) => {
                self.known.begin_telling();
                for workflow in workflows {
                    let told = self.known.object(workflow);
                    outputs.extend(told.map(Output::Apply));
                }
                let gone = self.known.end_telling();
                outputs.extend(gone.into_iter().map(Output::Apply));
                self.since = since;
                self.connection = Connection(self.connection.0 + 1);
                self.decoder = Decoder::default();
                self.stage = Stage::Following;
                let url = self.source.watch_url(since);
                outputs.push(Output::Open(self.connection, url));
                outputs.push(Output::StartTimer(Timer::Quiet(self.connection), QUIET_MS));
                self.last_sign = now;
            }
            Err(error) => self.fail(&error, outputs),
        }
    }

    fn message(&mut self, data: &str, outputs: &mut Vec<Output>) {
        let message = match self.source.read_message(data) {
            Ok(message) => message,
            Err(error) => return self.fail(&error, outputs),
        };
        self.failures = 0;
        match message {
            Message::Delta { row, delta } => {
                let version = delta.resource_version.parse().ok();
                match self.known.delta(delta, row, self.stage == Stage::Telling) {
                    Ok(told) => outputs.extend(told.map(Output::Apply)),
                    Err(known::Gap) => return self.begin_anew(outputs),
                }
                if self.stage == Stage::Following {
                    self.since = version.max(self.since);
                }
            }
            Message::Object(workflow) => {
                self.since = version_of(&workflow.metadata.resource_version).max(self.since);
                outputs.extend(self.known.object(*workflow).map(Output::Apply));
            }
            Message::Gone(workflow) => {
                self.since = version_of(&workflow.metadata.resource_version).max(self.since);
                outputs.extend(self.known.gone(&workflow).map(Output::Apply));
            }
            Message::Synced(version) => {
                if self.stage == Stage::Telling {
                    let gone = self.known.end_telling();
                    outputs.extend(gone.into_iter().map(Output::Apply));
                    self.stage = Stage::Following;
                }
                self.since = version;
            }
            Message::Bookmark(version) => self.since = version.max(self.since),
        }
    }

    /// The server said no, or something that is not its language.
    fn fail(&mut self, error: &ApiError, outputs: &mut Vec<Output>) {
        self.abort(outputs);
        if error.is_too_old() {
            return self.begin_anew(outputs);
        }
        if error.status() == 404
            && let Some(gone) = self.source.run().and_then(|run| self.known.remove(run))
        {
            outputs.push(Output::Apply(gone));
        }
        let is_final =
            matches!(error.status(), 401 | 403) || (error.status() == 404 && self.source.run().is_some());
        if is_final {
            self.stage = Stage::Off;
            outputs.extend(self.report(Link::Refused(error.clone())));
        } else {
            self.wait(outputs);
        }
    }

    /// The version is no longer kept, or something was missed: everything is to be told again.
    fn begin_anew(&mut self, outputs: &mut Vec<Output>) {
        self.abort(outputs);
        self.since = None;
        self.wait(outputs);
    }

    fn abort(&mut self, outputs: &mut Vec<Output>) {
        if self.is_open(self.connection) {
            outputs.push(Output::Abort(self.connection));
            self.stage = Stage::Off;
        }
    }

    fn wait(&mut self, outputs: &mut Vec<Output>) {
        self.stage = Stage::Waiting;
        let ms = BACK_OFF_MS.saturating_mul(1 << self.failures.min(16));
        self.failures = self.failures.saturating_add(1);
        if self.last_news.is_some() {
            outputs.extend(self.report(Link::Reconnecting));
        }
        let timer = Timer::BackOff(self.connection);
        outputs.push(Output::StartTimer(timer, ms.min(BACK_OFF_MAX_MS)));
    }

    fn report(&mut self, link: Link) -> Option<Output> {
        if self.link == link {
            return None;
        }
        self.link = link;
        Some(Output::Report(self.link.clone()))
    }
}

/// Kubernetes' versions are opaque by contract and decimal numbers in fact.
fn version_of(text: &str) -> Option<u64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests;
