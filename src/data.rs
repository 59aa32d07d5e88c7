//! Everything that touches network, files and storage. It knows neither state nor view.

pub mod files;
pub mod samples;
pub mod storage;
