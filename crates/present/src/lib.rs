//! What is shown and said, without a screen.
