//! The page's files that were built into this program.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Names below the page's root, and bytes; compressed forms end in `.br` and `.gz`.
pub(super) fn files() -> &'static [(&'static str, &'static [u8])] {
    FILES
}
