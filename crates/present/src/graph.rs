//! The graph as data, in two stages.
//!
//! [`structure`] says which boxes, leaves and lanes there are and how large their texts are; out of
//! it comes the request for the layout. It knows no phase, so a phase change asks for no layout.
//! [`paint`] says how each of them looks now. Both are parallel to the items of the layout.

mod folding;
mod lane;
mod paint;
mod picture;
mod structure;

pub(crate) use lane::LaneFacts;
pub(crate) use structure::{condition_text, hook_glyph};

pub use folding::{FOLD_ITEMS_ABOVE, Folding};
pub use paint::paint;
pub use picture::{Badge, Clock, ItemPaint, LanePaint, Marks, Picture, Right};
pub use structure::{Item, ItemKind, LaneItem, Place, Structure, structure};
