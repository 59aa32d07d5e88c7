//! What stands at the right of the graph: the preview of a stop, or the selected node.

mod bracket_list;
mod log;
pub mod node;
pub mod preview;
