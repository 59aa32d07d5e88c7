//! What is shown and said, without a screen.
//!
//! In: plans, workflows, predictions, traces and judgements. Out: pictures, rows and sentences as
//! data, and texts. The page draws them, the command line prints them. It must never touch a screen,
//! read a clock or decide what happens in a run.

pub mod capability;
pub mod estimate;
pub mod format;
pub mod glyph;
pub mod graph;
pub mod hook_state;
pub mod outcomes;
pub mod outline;
pub mod panel;
pub mod phase;
pub mod preview;
pub mod progress;
pub mod remarks;
pub mod report;
pub mod rich;
pub mod roster;
pub mod study;
pub mod summary;
pub mod svg;
pub mod text_width;
pub mod timeline;
pub mod token;
pub mod tree;
pub mod truth;
pub mod unwinding;
pub mod words;
