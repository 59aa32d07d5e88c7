//! HTTP: the Argo Server's API, our own extension, and the page.
//!
//! In: requests. Out: answers in Argo's shape, streams, files of the page. It must never change a
//! workflow itself: that is the back end's. Every request passes `guard` (whom it is addressed to,
//! where it comes from), then `auth`, then `router`.

mod answer;
pub mod auth;
mod diagnostic;
mod documents;
mod embedded;
mod events;
mod guard;
mod info;
mod live;
mod logs;
pub mod page;
mod router;
mod serve;
mod submit;
mod unwind;
mod verbs;
mod workflows;

pub use auth::{TOKEN_FILE, read_token};
pub use router::{App, router};
pub use serve::{Server, StartError};
