//! The dashboard of Unwind.
fn main() {}
