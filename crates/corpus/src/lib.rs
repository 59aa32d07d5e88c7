//! Replays corpora against the engine.
//!
//! In: folders of recorded or reported situations. Out: one line each, passed or what is not as it
//! has to be, and a count that may not fall (`ratchet.txt`).

pub mod bench;
pub mod cases;
pub mod cluster;
pub mod generate;
pub mod judgements;
pub mod manifests;
pub mod numbers;
pub mod panics;
pub mod predictions;
pub mod ratchet;
pub mod soak;
pub mod sweep;
pub mod taken_up;
pub mod traces;
pub mod unwinding;
