//! Coordinates for nested boxes and for timelines.
//!
//! In: a [`LayoutRequest`] (sizes, nesting, edges, direction) or instants and rows. Out: a [`Layout`]
//! or pixels. The crate measures no text, draws nothing and knows neither workflows nor phases, so a
//! change of phase can never cause a new layout. Same input, same output, natively and in WASM.
//!
//! [`layout`] is `compound`: sizes from the inside out, then places from the outside in. For the contents
//! of every box it calls `layered`, whose passes are files, in this order: `components`, `acyclic`, `rank`,
//! `rows`, `layers`, `breaks`, `order`, `position`, `settle` (with `tracks` and `skyline`), `route`, `pack`.
//! To look at a layout: `cargo run -p unwind-layout --example picture < crates/layout/tests/samples/seed.txt`.

mod compound;
mod geometry;
mod layered;
pub mod measure;
mod request;
mod result;
mod sorting;
pub mod timeline;
pub mod viewport;

pub use compound::layout;
pub use geometry::{Point, Rect, Size};
pub use request::{Direction, Edge, ItemIndex, ItemRequest, Lane, LaneContent, LayoutRequest, Shape};
pub use result::{Bracket, ItemLayout, LaneLayout, Layout, Route, RouteIndex, RowLayout};
