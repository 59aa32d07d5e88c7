//! Replays corpora against the engine.
fn main() {}
