//! What is drawn. Everything said here about a workflow comes from `unwind-present`.

pub mod drop_target;
pub mod link;
pub mod notices;
pub mod pages;
pub mod top_bar;
