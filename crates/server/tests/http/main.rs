//! HTTP: the router with a local back end and real processes, held against recorded exchanges.

mod argo;
mod documents;
mod harness;
mod page;
mod safety;
mod streams;
mod verbs;

#[test]
fn shim_entry() {
    harness::shim_entry();
}
