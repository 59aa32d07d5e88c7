//! The words of Argo Workflows as Rust types, their YAML and JSON, and node deltas.
//!
//! In: bytes of manifests, status dumps, events. Out: typed objects that keep unknown fields and
//! write them back unchanged. It must never decide anything about a run, do I/O or read a clock.

pub mod cron;
mod decimal;
pub mod delta;
pub mod document;
pub mod features;
pub mod hooks;
pub mod ids;
pub mod json;
pub mod ordered;
mod other;
pub mod params;
pub mod spec;
pub mod status;
mod tasks;
pub mod time;
mod wire;
pub mod workflow;
pub mod yaml;

pub use decimal::decimal;
pub use ids::{NodeId, NodeName, TemplateName};
pub use other::Other;
pub use spec::{Shutdown, Template, WorkflowSpec};
pub use status::{NodePhase, NodeStatus, NodeType, WorkflowPhase, WorkflowStatus};
pub use tasks::Tasks;
pub use time::Timestamp;
pub use workflow::{ObjectMeta, Workflow};
