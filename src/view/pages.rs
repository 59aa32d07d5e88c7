//! One module a route.

pub mod file;
pub mod list;
pub mod rehearse;
pub mod start;
pub mod unknown;
pub mod workflow;
