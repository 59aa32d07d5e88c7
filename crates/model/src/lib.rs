//! The words of Argo Workflows as Rust types, their YAML and JSON, and node deltas.
