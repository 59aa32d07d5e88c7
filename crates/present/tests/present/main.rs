//! What the page shows and says of whole workflows, text in, text out.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them on update")]

mod graph;
mod kit;
mod preview;
mod report;
mod seed;
mod svg;
