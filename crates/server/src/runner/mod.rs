//! What makes a run happen: supervisors, processes under their shims, timers, logs.
//!
//! In: workflows, requests, files of leaves. Out: events for the engine, changes for the hub. It
//! must never decide what comes next: that is the engine's.

pub mod caches;
pub mod cgroup;
pub mod folder;
pub mod identity;
pub mod logs;
pub mod mounts;
pub mod outputs;
pub mod pod;
pub mod process;
pub mod projection;
pub mod recover;
pub mod request;
pub mod sharing;
pub mod shim;
pub mod supervisor;
pub mod tee;
pub mod workspace;

pub use shim::shim_main;
