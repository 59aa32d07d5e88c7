//! The YAML loader: text to JSON values with a position for every one of them.
//!
//! In: YAML or JSON text of one or more documents. Out: values as sigs.k8s.io/yaml gives them.

use serde::{Deserialize, Serialize};

/// A place in a text, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}
