//! Bodies that go on: messages as they come, with something said while nothing does.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use tokio::time::{Instant, Interval, MissedTickBehavior};
use unwind_api::sse;

/// How often something is said on a quiet stream, as a real Argo Server does.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How messages are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Events,
    /// One JSON value a line, nothing in between.
    Lines,
}

impl Framing {
    /// Argo's choice: events only for exactly this `Accept`.
    pub fn asked(headers: &HeaderMap) -> Self {
        match headers.get(header::ACCEPT) {
            Some(value) if value == "text/event-stream" => Self::Events,
            Some(_) | None => Self::Lines,
        }
    }

    /// A message in Argo's bytes.
    pub fn frame(self, json: &str) -> String {
        match self {
            Self::Events => sse::argo_frame(json),
            Self::Lines => format!("{json}\n"),
        }
    }

    /// The last message of a stream that ends with an error, in Argo's bytes.
    pub fn last_frame(self, json: &str) -> String {
        match self {
            Self::Events => sse::argo_last_frame(json),
            Self::Lines => json.to_owned(),
        }
    }
}

/// An answer whose body is these texts as they come. Headers are sent at once.
pub fn response(framing: Framing, messages: BoxStream<'static, String>) -> Response {
    let (content_type, messages) = match framing {
        Framing::Events => ("text/event-stream", kept_alive(messages)),
        Framing::Lines => ("application/json", messages),
    };
    let body = Body::from_stream(messages.map(Ok::<String, Infallible>));
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    // Proxies that buffer would hold messages back.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn kept_alive(messages: BoxStream<'static, String>) -> BoxStream<'static, String> {
    let mut interval = tokio::time::interval_at(Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    stream::unfold((messages, interval), next).boxed()
}

type Kept = (BoxStream<'static, String>, Interval);

async fn next((mut messages, mut interval): Kept) -> Option<(String, Kept)> {
    let text = tokio::select! {
        biased;
        message = messages.next() => message?,
        _ = interval.tick() => sse::KEEP_ALIVE.to_owned(),
    };
    interval.reset();
    Some((text, (messages, interval)))
}
