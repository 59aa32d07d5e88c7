//! What the page shows and says of whole workflows, text in, text out.

mod graph;
mod kit;
mod seed;
