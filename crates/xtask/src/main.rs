//! Builds the page, runs, tests, checks arrows.
fn main() {}
