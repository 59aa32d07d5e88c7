//! The program unwind.
fn main() {}
