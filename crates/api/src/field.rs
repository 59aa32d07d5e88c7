//! `fields`: which members of an answer are wanted.
//!
//! A comma list of paths; a leading `-` makes the whole list an exclusion. Lists are transparent,
//! maps are keyed. Source: Argo `util/fields`; recorded in `argo-api.md`, section 11.

use serde_json::Value;

/// A list of paths to keep or to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Projection {
    paths: Vec<Vec<String>>,
    excludes: bool,
}

impl Projection {
    /// Reads a list; empty text keeps everything.
    pub fn parse(text: &str) -> Self {
        let (excludes, list) = match text.strip_prefix('-') {
            Some(list) => (true, list),
            None => (false, text),
        };
        let paths = list.split(',').filter(|path| !path.is_empty());
        Self { paths: paths.map(|path| path.split('.').map(str::to_owned).collect()).collect(), excludes }
    }

    /// True when everything is kept.
    pub fn keeps_all(&self) -> bool {
        self.paths.is_empty()
    }

    /// Leaves out of `value` what is not wanted.
    pub fn apply(&self, value: &mut Value) {
        if !self.keeps_all() {
            self.walk(value, &mut Vec::new());
        }
    }

    fn walk(&self, value: &mut Value, at: &mut Vec<String>) {
        match value {
            Value::Array(items) => {
                for item in items {
                    self.walk(item, at);
                }
            }
            Value::Object(members) => {
                members.retain(|name, member| {
                    at.push(name.clone());
                    let kept = self.keeps(at);
                    if kept && !self.is_whole(at) {
                        self.walk(member, at);
                    }
                    at.pop();
                    kept
                });
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn keeps(&self, at: &[String]) -> bool {
        if self.excludes {
            return !self.paths.iter().any(|path| path == at);
        }
        self.paths.iter().any(|path| path.starts_with(at) || at.starts_with(path))
    }

    /// True when everything below is kept: no need to look.
    fn is_whole(&self, at: &[String]) -> bool {
        !self.excludes && self.paths.iter().any(|path| at.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn projected(fields: &str) -> Value {
        let mut value = json!({
            "metadata": {"resourceVersion": "5"},
            "items": [{"metadata": {"name": "a", "uid": "1"}, "status": {"phase": "Failed", "nodes": {"a": {}}}}],
        });
        Projection::parse(fields).apply(&mut value);
        value
    }

    #[test]
    fn only_what_is_named_is_kept() {
        assert_eq!(
            projected("metadata,items.metadata.name,items.status.phase"),
            json!({
                "metadata": {"resourceVersion": "5"},
                "items": [{"metadata": {"name": "a"}, "status": {"phase": "Failed"}}],
            })
        );
    }

    #[test]
    fn what_is_excluded_is_left_out() {
        assert_eq!(
            projected("-items.status.nodes,metadata"),
            json!({"items": [{"metadata": {"name": "a", "uid": "1"}, "status": {"phase": "Failed"}}]})
        );
    }

    #[test]
    fn nothing_named_keeps_all() {
        assert_eq!(projected("")["items"][0]["metadata"]["uid"], "1");
    }
}
