//! What a dropped text is.
//!
//! In: bytes. Out: documents with positions, or an error with line, column and path.

use crate::workflow::Workflow;

/// One document of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// A Workflow: a manifest, or a run when it has a status.
    Workflow(Box<Workflow>),
    /// Something else, with what was found instead.
    Unknown {
        /// What it looks like, for example `kind: Deployment`.
        found: String,
    },
}
