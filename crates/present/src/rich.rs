//! A sentence with some words that are stronger than others or lead to a node.

use unwind_model::NodeName;

/// How a piece of a sentence is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// As everything around it.
    Plain,
    /// Stronger.
    Strong,
    /// Stronger, in the colour of what is broken.
    Wrong,
    /// Text to be typed.
    Code,
}

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it says.
    pub text: String,
    /// How it is set.
    pub tone: Tone,
    /// The node it leads to, for names of nodes.
    pub node: Option<NodeName>,
}

/// A sentence in pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rich(pub Vec<Piece>);

impl Rich {
    /// An empty sentence, to be built piece by piece.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sentence of one plain piece.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new().and(text)
    }

    /// Adds plain text.
    #[must_use]
    pub fn and(self, text: impl Into<String>) -> Self {
        self.piece(text.into(), Tone::Plain, None)
    }

    /// Adds strong text.
    #[must_use]
    pub fn strong(self, text: impl Into<String>) -> Self {
        self.piece(text.into(), Tone::Strong, None)
    }

    /// Adds strong text about what is wrong.
    #[must_use]
    pub fn wrong(self, text: impl Into<String>) -> Self {
        self.piece(text.into(), Tone::Wrong, None)
    }

    /// Adds text to be typed.
    #[must_use]
    pub fn code(self, text: impl Into<String>) -> Self {
        self.piece(text.into(), Tone::Code, None)
    }

    /// Adds the name of a node, which leads to it.
    #[must_use]
    pub fn node(self, name: &NodeName, label: impl Into<String>) -> Self {
        self.piece(label.into(), Tone::Plain, Some(name.clone()))
    }

    /// Adds the pieces of another sentence.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// True when nothing is said.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sentence as plain text.
    pub fn text(&self) -> String {
        self.0.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn piece(mut self, text: String, tone: Tone, node: Option<NodeName>) -> Self {
        if !text.is_empty() {
            self.0.push(Piece { text, tone, node });
        }
        self
    }
}
