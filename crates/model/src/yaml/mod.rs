//! The YAML loader: text to JSON values with a position for every one of them.
//!
//! In: YAML or JSON text of one or more documents, and limits. Out: values as sigs.k8s.io/yaml
//! gives them (go-yaml v2 scalars, merge keys, last of two equal keys wins), or an error with line,
//! column and path. It never panics and never takes more memory than the limits allow.

mod load;
mod path;
mod position;
mod scalar;

pub use load::{Limits, YamlError, load};
pub use path::{Path, Segment};
pub use position::{Position, Positions};
