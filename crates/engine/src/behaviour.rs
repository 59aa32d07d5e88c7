//! The table of behaviours: one named field per thing on which the right order and a release differ.
//!
//! It is the only place that knows versions. Each field names the Argo file, function and version
//! range it stands for.

use serde::{Deserialize, Serialize};

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// Name of the row: `unwind`, or the class of Argo releases.
    pub name: String,
}
