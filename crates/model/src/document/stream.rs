//! Messages of a watch that were written into a file: server-sent events, lines of JSON, objects one after
//! the other; of an Argo Server, of `kubectl`, or deltas of our own server.
//!
//! In: text. Out: messages in the order in which they came. Half a message is left out and counted. Source:
//! Argo `server/workflow/workflow_server.go` (`WatchWorkflows`), grpc-gateway (`{"result": …}`), Kubernetes
//! `metav1.WatchEvent`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::delta::{DeltaChange, WorkflowDelta, apply};
use crate::workflow::Workflow;

/// Messages of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    messages: Vec<Value>,
    /// Messages that are not whole, as where a connection was cut.
    pub cut: usize,
}

impl Stream {
    /// Reads a text; `None` where it is no stream.
    pub fn read(text: &str) -> Option<Self> {
        let is_events =
            text.lines().map(str::trim_end).find(|line| !line.is_empty() && !line.starts_with(':'));
        let first = is_events?;
        let is_events = ["data:", "event:", "id:", "retry:"].iter().any(|field| first.starts_with(field));
        let stream = if is_events { events(text) } else { objects(text) };
        let is_stream = match stream.messages.as_slice() {
            [] => false,
            [only] => is_envelope(only),
            [first, ..] => is_envelope(first) || is_object(first),
        };
        is_stream.then_some(stream)
    }

    /// How many messages there are.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// True for a stream without messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Version of the first object that a message tells of, which is the place of a stream among others.
    pub fn first_version(&self) -> Option<u64> {
        self.messages.iter().find_map(|message| {
            let told = message.get("result").unwrap_or(message);
            let object = told.get("object").unwrap_or(told);
            let version = match message.get("delta") {
                Some(delta) => delta.get("resourceVersion"),
                None => object.get("metadata").and_then(|metadata| metadata.get("resourceVersion")),
            };
            version?.as_str()?.parse().ok()
        })
    }

    /// Every state that a workflow is told to be in, in the order in which they came. A message that tells of
    /// no workflow (an error, a bookmark, the end of a list) tells nothing.
    pub fn replay(&self, see: &mut dyn FnMut(&Workflow)) {
        let mut known: BTreeMap<String, Workflow> = BTreeMap::new();
        for message in &self.messages {
            if let Some(delta) = message.get("delta") {
                let Ok(delta) = WorkflowDelta::deserialize(delta) else { continue };
                if let Some(workflow) = moved(&mut known, &delta) {
                    see(workflow);
                }
                continue;
            }
            let told = message.get("result").unwrap_or(message);
            if told.get("type").and_then(Value::as_str) == Some("BOOKMARK") {
                continue;
            }
            let object = told.get("object").unwrap_or(told);
            if let Some(workflow) = object_of(object) {
                see(&workflow);
            }
        }
    }
}

fn object_of(value: &Value) -> Option<Workflow> {
    let workflow = is_object(value).then(|| Workflow::deserialize(value).ok())??;
    Some(super::whole(workflow))
}

/// The state that a delta leads to.
fn moved<'k>(known: &'k mut BTreeMap<String, Workflow>, delta: &WorkflowDelta) -> Option<&'k Workflow> {
    let key = format!("{}/{}/{}", delta.namespace, delta.name, delta.uid);
    match &delta.change {
        DeltaChange::Whole { workflow } => {
            known.insert(key.clone(), Workflow::clone(workflow));
        }
        DeltaChange::Changed { .. } => apply(known.get_mut(&key)?, delta).ok()?,
        DeltaChange::Deleted => return None,
    }
    known.get(&key)
}

/// A message of a watch: an event, an error, a delta.
fn is_envelope(value: &Value) -> bool {
    let has = |value: &Value, key: &str| value.get(key).is_some();
    let is_event = |value: &Value| has(value, "type") && (has(value, "object") || has(value, "delta"));
    let result = value.get("result");
    result.is_some_and(is_event)
        || is_event(value)
        || value.get("type").is_some_and(|kind| kind == "synced")
        || value.get("error").is_some_and(|error| has(error, "message"))
}

/// A workflow as it stands in a watch.
fn is_object(value: &Value) -> bool {
    super::is_workflow(value) || value.get("status").is_some_and(|status| status.get("phase").is_some())
}

/// Server-sent events; the lines of one are joined. An event without a blank line after it is not over.
/// Source: WHATWG HTML, "Interpreting an event stream".
fn events(text: &str) -> Stream {
    let mut stream = Stream { messages: Vec::new(), cut: 0 };
    let mut data = String::new();
    let mut close = |data: &mut String| {
        if !data.is_empty() {
            match crate::json::read(data) {
                Ok(value) => stream.messages.push(value),
                Err(_) => stream.cut += 1,
            }
            data.clear();
        }
    };
    for line in text.lines() {
        if line.is_empty() {
            close(&mut data);
            continue;
        }
        let Some(part) = line.strip_prefix("data:") else { continue };
        // Some servers write one line each and no blank one: a text that is whole is a message.
        if is_whole(&data) {
            close(&mut data);
        }
        if !data.is_empty() {
            data.push('\n');
        }
        data.push_str(part.strip_prefix(' ').unwrap_or(part));
    }
    close(&mut data);
    stream
}

/// Whether a text may be a whole object; cheap, and asked only where lines follow each other.
fn is_whole(text: &str) -> bool {
    text.trim_end().ends_with('}') && crate::json::read::<Value>(text).is_ok()
}

/// Objects one after the other, each in one line or in many. What cannot be read is left out up to the next
/// line that begins an object.
fn objects(text: &str) -> Stream {
    let mut stream = Stream { messages: Vec::new(), cut: 0 };
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if !rest.starts_with('{') {
            return stream;
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let mut good = 0;
        while let Some(Ok(value)) = values.next() {
            stream.messages.push(value);
            good = values.byte_offset();
        }
        rest = rest.get(good..).unwrap_or_default().trim_start();
        if rest.starts_with('{') {
            stream.cut += 1;
            rest = rest.find("\n{").map_or("", |next| &rest[next + 1..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        let Some(stream) = Stream::read(text) else { return "no stream".into() };
        let mut seen = Vec::new();
        stream.replay(&mut |workflow| {
            seen.push(format!("{} {}", workflow.metadata.name, workflow.status.phase.as_str()));
        });
        format!("{} messages, {} cut: {}", stream.len(), stream.cut, seen.join(", "))
    }

    const RUNNING: &str = r#"{"metadata":{"name":"a"},"status":{"phase":"Running","nodes":{}}}"#;
    const OVER: &str = r#"{"metadata":{"name":"a"},"status":{"phase":"Failed","nodes":{}}}"#;

    #[test]
    fn all_forms_of_a_watch_are_read() {
        let argo = |object: &str| format!(r#"{{"result":{{"type":"MODIFIED","object":{object}}}}}"#);
        let kube = |object: &str| format!(r#"{{"type":"MODIFIED","object":{object}}}"#);
        let both = "2 messages, 0 cut: a Running, a Failed";
        assert_eq!(check(&format!(": hello\n\ndata: {}\n\ndata: {}\n\n", argo(RUNNING), argo(OVER))), both);
        assert_eq!(check(&format!("data: {}\r\n\r\ndata: {}\r\n\r\n", argo(RUNNING), argo(OVER))), both);
        assert_eq!(check(&format!("{}\n{}\n", argo(RUNNING), argo(OVER))), both);
        assert_eq!(check(&format!("{}\n{}\n", kube(RUNNING), kube(OVER))), both);
        assert_eq!(check(&format!("{RUNNING}\n{OVER}\n")), both);
        let pretty = RUNNING.replace(',', ",\n  ");
        assert_eq!(check(&format!("{pretty}\n{OVER}\n")), both);
    }

    #[test]
    fn half_a_message_is_left_out_and_what_follows_is_read() {
        let half = &RUNNING[..40];
        assert_eq!(
            check(&format!("data: {{\"type\":\"ADDED\",\"object\":{RUNNING}}}\n\ndata: {half}")),
            "1 messages, 1 cut: a Running"
        );
        assert_eq!(check(&format!("{RUNNING}\n{half}\n{OVER}\n")), "2 messages, 1 cut: a Running, a Failed");
        let error = r#"{"error":{"grpc_code":2,"message":"resource version 5 is too old"}}"#;
        assert_eq!(check(&format!("data: {error}\n\n")), "1 messages, 0 cut: ");
    }

    #[test]
    fn deltas_lead_from_state_to_state() {
        let whole = r#"{"type":"delta","delta":{"namespace":"n","name":"a","uid":"u","resourceVersion":"1","change":{"type":"whole","workflow":{"metadata":{"name":"a","namespace":"n","uid":"u"},"status":{"phase":"Running"}}}}}"#;
        let moved = r#"{"type":"delta","delta":{"namespace":"n","name":"a","uid":"u","resourceVersion":"2","change":{"type":"changed","fields":{"status":{"phase":"Failed"}},"nodes":[]}}}"#;
        assert_eq!(
            check(&format!("id: 1\ndata: {whole}\n\nid: 2\ndata: {moved}\n\n")),
            "2 messages, 0 cut: a Running, a Failed"
        );
    }

    #[test]
    fn what_is_no_stream_is_none() {
        assert_eq!(check(RUNNING), "no stream");
        assert_eq!(check("kind: Workflow\n"), "no stream");
        assert_eq!(check(""), "no stream");
    }
}
