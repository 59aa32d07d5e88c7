//! Positions of all values of one document, found by path.

use serde::{Deserialize, Serialize};

use super::path::{Path, Segment};

/// A place in a text, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

/// Positions of a value and of all values inside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Positions {
    /// Where the value starts; for an entry of a map, where its key starts.
    pub at: Position,
    /// Entries of a map or list, in document order.
    pub inside: Vec<(Segment, Positions)>,
}

impl Positions {
    /// The position of the value at `path`, or of the deepest value on the way to it that exists
    /// (so that a missing field is shown at its owner).
    pub fn find(&self, path: &Path) -> Position {
        let mut here = self;
        for segment in &path.0 {
            // The last of equal keys wins, as in the values.
            match here.inside.iter().rev().find(|(key, _)| key == segment) {
                Some((_, next)) => here = next,
                None => break,
            }
        }
        here.at
    }
}
