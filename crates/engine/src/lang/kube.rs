//! Templates of `kubectl get -o jsonpath`: `{.status.phase}`, `{.items[*].name}`.
//!
//! In: the template of a parameter's `valueFrom.jsonPath` and the object of a resource template. Out: the
//! text that kubectl prints, or its words for what is wrong. What is missing prints nothing.
//! Source: Argo `workflow/executor/resource.go`, `SaveResourceParameters`; Kubernetes client-go
//! `util/jsonpath`.

mod find;
mod parse;

#[cfg(test)]
mod tests;

/// Most parts of a template, and the deepest nesting of a filter.
const PART_LIMIT: usize = 200;

/// A part of a template between braces.
#[derive(Debug)]
enum Part {
    Text(String),
    Field(String),
    /// From, to, step. Without `:`, `to` is one more than `from`.
    Items {
        from: Option<i64>,
        to: Option<i64>,
        step: Option<i64>,
        is_single: bool,
    },
    Filter {
        left: Vec<Part>,
        right: Vec<Part>,
        /// A comparison, or `exists`.
        operator: String,
    },
    Int(i64),
    Float(f64),
    Bool(bool),
    Wildcard,
    Recursive,
    Union(Vec<Vec<Part>>),
    /// `range`, `end`.
    Word(String),
}

/// The text that a template makes of an object.
pub fn kube_path(template: &str, object: &serde_json::Value) -> Result<String, String> {
    let blocks = parse::parse(template)?;
    find::print(&blocks, object)
}
