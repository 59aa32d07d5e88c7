//! Coordinates of a timeline: time to px and back, ticks, rows and nested brackets. No text, no clock.
//!
//! Instants are ms since the epoch as `f64` (exact to the year 287,396); x is px from the left end of
//! the bars, y px from the first row.

mod lanes;
mod scale;
mod ticks;

pub use lanes::{
    BracketPiece, BracketRows, Gutter, LabelPlace, PieceKind, Span, gutters, place_label, rows_in_view,
    y_of_row,
};
pub use scale::TimeScale;
pub use ticks::{Tick, labels_beside, ticks};
