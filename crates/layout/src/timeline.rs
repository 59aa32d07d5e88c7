//! Coordinates of a timeline: time to px, ticks, rows and nested brackets. No text, no clock.
