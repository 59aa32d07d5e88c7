//! Parts of the rehearsal: the manifest with its diagnostics, and the transport.

pub mod manifest;
pub mod transport;
