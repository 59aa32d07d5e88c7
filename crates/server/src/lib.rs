//! The server: HTTP, back ends, runner of processes, store.
