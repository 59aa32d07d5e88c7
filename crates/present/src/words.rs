//! Every sentence of the product, in one place.
//!
//! In: facts with their names and times as text. Out: sentences. Source of the wording: `ui.md`
//! section 8. Labels, cells and verdicts have no full stop, sentences of panels and errors have one.

pub mod diagnostic;
pub mod live;
pub mod node;
pub mod notice;
pub mod refusal;
pub mod shutdown;
pub mod verdict;
