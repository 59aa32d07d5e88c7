//! Runs in, rows, verdicts and findings out.

mod files;
mod live;
#[path = "../kit/notation.rs"]
mod notation;
mod scale;
mod table;
mod tables;
mod told;
