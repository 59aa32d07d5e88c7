//! How Go prints and reads numbers, durations, lists and JSON, where Argo shows it.
