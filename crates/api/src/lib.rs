//! The API of a server as its clients see it: paths, bodies, errors, SSE and list-watch logic.
//!
//! In: texts of requests, answers and streams. Out: typed routes, bodies, errors and deltas.
//! It serves both ends, compiles for WASM, and must never do I/O, read a clock or know the engine.

pub mod error;
pub mod field;
pub mod paths;
pub mod pod;
pub mod query;
pub mod request;
pub mod response;
pub mod select;
pub mod sse;
pub mod unwind;
pub mod watch;

pub use error::{ApiError, Code};
pub use paths::{Collection, Route, Verb};
pub use query::Query;
