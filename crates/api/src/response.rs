//! Bodies of answers and messages of streams, in Argo's shape.

use serde::{Deserialize, Serialize};
use unwind_model::Workflow;

use crate::error::FrameError;

/// A page of workflows. `items` is `null` when there are none on a real server; we write `[]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkflowList {
    /// Where to go on and from which version to watch.
    pub metadata: ListMeta,
    /// Unfinished first, then the latest to end.
    #[serde(deserialize_with = "null_is_empty")]
    pub items: Vec<Workflow>,
}

/// About a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListMeta {
    /// A watch from here misses nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// The offset of the next page; empty when this is the last.
    #[serde(rename = "continue", skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// How many come after this page, when that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remaining_item_count: Option<usize>,
}

/// A message of a stream: a result, or the error that ends it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Envelope<T> {
    /// What came.
    Result(T),
    /// Why nothing more comes.
    Error(FrameError),
}

/// What happened to an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkflowEvent {
    /// Created, changed or gone.
    #[serde(rename = "type")]
    pub kind: EventKind,
    /// The whole object as it is now (before it went, when it is gone).
    pub object: Workflow,
}

/// Created, changed or gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EventKind {
    /// New, or seen for the first time by this watch.
    Added,
    /// Changed.
    Modified,
    /// Gone, or out of the selection.
    Deleted,
    /// Nothing but a version.
    Bookmark,
}

/// One line of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LogEntry {
    /// The line; absent when it is empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// Whose line it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pod_name: String,
}

/// What the server is. `version` is dotted: the Argo UI cuts it at the last dot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Version {
    /// `v1.2.3`.
    pub version: String,
    /// When it was built; empty.
    pub build_date: String,
    /// From which commit; empty.
    pub git_commit: String,
    /// The same as `version`.
    pub git_tag: String,
    /// Empty.
    pub git_tree_state: String,
    /// Empty: no Go here.
    pub go_version: String,
    /// `rustc`.
    pub compiler: String,
    /// `linux/x86_64`.
    pub platform: String,
}

/// Settings for a page. What the Argo UI asks at its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Info {
    /// The one namespace there is, when there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub managed_namespace: String,
    /// Windows of the Argo UI that may pop up.
    pub modals: Modals,
}

/// Windows of the Argo UI that may pop up; none of them is ours to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Modals {
    /// Asks for an opinion.
    pub feedback: bool,
    /// Greets.
    pub first_time_user: bool,
    /// Tells of a new version.
    pub new_version: bool,
}

/// JSON on one line as Go writes it: `<`, `>` and `&` escaped, so that no browser takes it for a page.
pub fn to_json<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(value)?;
    if !json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return Ok(json);
    }
    // Outside of texts JSON has none of these characters.
    let mut escaped = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            '\u{2028}' => escaped.push_str("\\u2028"),
            '\u{2029}' => escaped.push_str("\\u2029"),
            c => escaped.push(c),
        }
    }
    Ok(escaped)
}

fn null_is_empty<'de, D>(deserializer: D) -> Result<Vec<Workflow>, D::Error>
where
    D: serde::Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_is_read_in_both_forms() {
        for text in [
            r#"{"metadata":{"resourceVersion":"5"},"items":null}"#,
            r#"{"metadata":{"resourceVersion":"5"},"items":[]}"#,
        ] {
            let list: WorkflowList = serde_json::from_str(text).expect("a list");
            assert!(list.items.is_empty() && list.metadata.resource_version == "5");
        }
    }

    #[test]
    fn an_empty_line_has_no_content() {
        let entry = LogEntry { content: String::new(), pod_name: "p".to_owned() };
        let message = to_json(&Envelope::Result(entry)).expect("JSON");
        assert_eq!(message, r#"{"result":{"podName":"p"}}"#);
    }

    /// As recorded from a real server.
    #[test]
    fn angle_brackets_are_escaped() {
        let entry = LogEntry { content: "<b>&amp; tail</b>".to_owned(), pod_name: "p".to_owned() };
        assert_eq!(
            to_json(&Envelope::Result(entry)).expect("JSON"),
            r#"{"result":{"content":"\u003cb\u003e\u0026amp; tail\u003c/b\u003e","podName":"p"}}"#
        );
    }
}
