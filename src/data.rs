//! Everything that touches network, files, storage and the clock. It knows neither state nor view.

pub mod clock;
pub mod engine;
pub mod files;
pub mod samples;
pub mod server;
pub mod storage;
pub mod watch;
