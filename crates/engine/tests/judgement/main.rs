//! Runs in, rows, verdicts and findings out.

mod facade;
mod files;
mod live;
#[path = "../it/kit/notation.rs"]
mod notation;
mod scale;
mod table;
mod tables;
mod told;
mod witnesses;
