//! Parts that know nothing of workflows: glyphs, buttons, chips, marks, tabs, callouts.

pub mod button;
pub mod dynamic;
pub mod glyph;
pub mod mark;
pub mod notice;
pub mod tabs;
