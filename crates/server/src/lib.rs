//! The server: HTTP, back ends, runner of processes, store.
//!
//! In: requests of the Argo Server's API and of our own. Out: answers, streams of changes, processes.
//! It must never decide what a workflow does next: that is the engine's.

pub mod backend;
pub mod clock;
pub mod config;
pub mod http;
pub mod hub;
pub mod runner;
pub mod store;
