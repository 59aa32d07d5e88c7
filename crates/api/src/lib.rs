//! Paths, bodies, errors, SSE and list-watch logic of the Argo-compatible API.
