//! What is drawn. Everything said here about a workflow comes from `unwind-present`.

pub mod drop_target;
pub mod engine_stage;
pub mod gate;
pub mod graph;
pub mod header;
pub mod help;
pub mod keys;
pub mod link;
pub mod notices;
pub mod pages;
pub mod panels;
pub mod rehearse;
pub mod rich;
pub mod run;
pub mod samples;
pub mod timeline;
pub mod top_bar;
pub mod window;
