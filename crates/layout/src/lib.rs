//! Coordinates for nested boxes and for timelines.
