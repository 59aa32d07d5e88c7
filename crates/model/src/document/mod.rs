//! What a dropped text is.
//!
//! In: bytes of a file. Out: its documents with positions, or an error with line, column and path.
//! It must never guess: what is not known is said to be unknown, with what was found instead.

pub mod evidence;
pub mod log;
mod misfit;
#[cfg(feature = "packed")]
pub mod packed;
pub mod rows;
pub mod stream;

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use crate::workflow::Workflow;
use crate::yaml::{self, Limits, Path, Position, Positions, Segment, YamlError};

/// One document of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// A Workflow: a manifest, or a run when it has a status.
    Workflow(Box<Workflow>),
    /// Something else, with what was found instead.
    Unknown {
        /// What it looks like, for example `kind: Deployment`.
        found: String,
    },
}

/// A document and where its values stand in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The document.
    pub document: Document,
    /// What is no workflow, as it stands there.
    value: Option<Value>,
    positions: Positions,
}

impl Parsed {
    /// The document as it stands in the file, where it is no workflow.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    /// Where the value at a path such as `spec.templates[2].dag` stands; where its nearest owner
    /// stands when it is not there.
    pub fn position(&self, path: &str) -> Position {
        self.positions.find(&Path::parse(path))
    }
}

/// A workflow that stands in no file of its own, as one that a stream or a log tells of.
impl From<Workflow> for Parsed {
    fn from(workflow: Workflow) -> Self {
        let positions = Positions { at: START, inside: Vec::new() };
        Self { document: Document::Workflow(Box::new(workflow)), value: None, positions }
    }
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {}, column {}{}: expected {expected}, found {found}", at.line, at.column, display_path(path))]
pub struct ParseError {
    /// Where.
    pub at: Position,
    /// JSON path of the value; empty when the text as a whole is meant.
    pub path: String,
    /// What was expected there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

fn display_path(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", `{path}`") }
}

impl From<YamlError> for ParseError {
    fn from(error: YamlError) -> Self {
        Self { at: error.at, path: error.path, expected: error.expected, found: error.found }
    }
}

const START: Position = Position { line: 1, column: 1 };

/// What a reader of workflows hopes for.
const EXPECTED: &str = "an Argo Workflow, as YAML or JSON";

/// Reads a file with the default limits. Items of a List become documents of their own; empty
/// documents are left out.
pub fn parse(bytes: &[u8]) -> Result<Vec<Parsed>, ParseError> {
    parse_within(bytes, &Limits::default())
}

/// Reads a file within `limits`.
pub fn parse_within(bytes: &[u8], limits: &Limits) -> Result<Vec<Parsed>, ParseError> {
    let text = std::str::from_utf8(bytes).map_err(|error| not_text(bytes, error.valid_up_to()))?;
    let mut documents = Vec::new();
    for (value, positions) in yaml::load(text, limits)? {
        sort_out(value, positions, &mut documents)?;
    }
    if documents.is_empty() {
        return Err(ParseError {
            at: START,
            path: String::new(),
            expected: EXPECTED.into(),
            found: "nothing".into(),
        });
    }
    Ok(documents)
}

/// The one workflow of a file, for places that can use only one.
pub fn parse_workflow(bytes: &[u8]) -> Result<(Workflow, Parsed), ParseError> {
    let documents = parse(bytes)?;
    let first = documents.iter().map(|parsed| &parsed.document).find_map(|document| match document {
        Document::Workflow(_) => None,
        Document::Unknown { found } => Some(found.clone()),
    });
    for parsed in documents {
        if let Document::Workflow(workflow) = &parsed.document {
            return Ok((Workflow::clone(workflow), parsed));
        }
    }
    let found = first.unwrap_or_else(|| "nothing".into());
    Err(ParseError { at: START, path: String::new(), expected: EXPECTED.into(), found })
}

fn not_text(bytes: &[u8], valid: usize) -> ParseError {
    let before = &bytes[..valid];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let at = Position {
        line: before.split(|byte| *byte == b'\n').count() as u32,
        column: String::from_utf8_lossy(&before[line_start..]).chars().count() as u32 + 1,
    };
    let found = format!("the byte 0x{:02x}", bytes.get(valid).copied().unwrap_or_default());
    ParseError { at, path: String::new(), expected: "text in UTF-8".into(), found }
}

/// Lists are taken apart with a worklist, so that a list in a list in a list is no deep call.
fn sort_out(value: Value, positions: Positions, documents: &mut Vec<Parsed>) -> Result<(), ParseError> {
    let mut waiting = vec![(value, positions)];
    while let Some((mut value, positions)) = waiting.pop() {
        if value.is_null() {
            continue;
        }
        let Some(items) = list_items(&mut value) else {
            documents.push(document(value, positions)?);
            continue;
        };
        let mut inside = positions.inside.into_iter().filter(|(key, _)| *key == Segment::Key("items".into()));
        let places = inside.next_back().map(|(_, items)| items.inside).unwrap_or_default();
        let fallback = Positions { at: positions.at, inside: Vec::new() };
        let mut places = places.into_iter().map(|(_, place)| place);
        let items: Vec<_> =
            items.into_iter().map(|item| (item, places.next().unwrap_or_else(|| fallback.clone()))).collect();
        waiting.extend(items.into_iter().rev());
    }
    Ok(())
}

/// The items of a `List`, `WorkflowList` or a list answer of a server.
fn list_items(value: &mut Value) -> Option<Vec<Value>> {
    let map = value.as_object_mut()?;
    let kind = map.get("kind").and_then(Value::as_str).unwrap_or("List");
    if !kind.ends_with("List") {
        return None;
    }
    match map.get_mut("items")?.take() {
        Value::Array(items) => Some(items),
        Value::Null => Some(Vec::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
    }
}

fn document(value: Value, positions: Positions) -> Result<Parsed, ParseError> {
    if !is_workflow(&value) {
        let document = Document::Unknown { found: describe(&value) };
        return Ok(Parsed { document, value: Some(value), positions });
    }
    match Workflow::deserialize(&value) {
        Ok(workflow) => {
            Ok(Parsed { document: Document::Workflow(Box::new(workflow)), value: None, positions })
        }
        Err(error) => {
            let (path, error) = misfit::locate::<Workflow>(&value, error);
            let (found, expected) = misfit::describe(&error);
            Err(ParseError { at: positions.find(&path), path: path.to_string(), expected, found })
        }
    }
}

/// A workflow with its nodes unpacked, where they can be and this program can.
fn whole(workflow: Workflow) -> Workflow {
    #[cfg(feature = "packed")]
    let workflow = {
        let mut workflow = workflow;
        // What cannot be unpacked stays packed, and is told where it is asked for.
        let _ = packed::unpack(&mut workflow);
        workflow
    };
    workflow
}

/// A Workflow by its kind; without a kind (answers of Argo leave it out) by its parts.
fn is_workflow(value: &Value) -> bool {
    if let Some(kind) = value.get("kind").and_then(Value::as_str).filter(|kind| !kind.is_empty()) {
        let version = value.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        return kind == "Workflow" && (version.is_empty() || version.starts_with("argoproj.io/"));
    }
    let spec = value.get("spec").and_then(Value::as_object);
    let status = value.get("status").and_then(Value::as_object);
    spec.is_some_and(|spec| {
        ["templates", "entrypoint", "workflowTemplateRef"].iter().any(|key| spec.contains_key(*key))
    }) || status.is_some_and(|status| status.contains_key("nodes"))
}

/// What a value that is no workflow looks like.
fn describe(value: &Value) -> String {
    match value {
        Value::Object(map) => match map.get("kind").and_then(Value::as_str) {
            Some(kind) if !kind.is_empty() => format!("`kind: {kind}`"),
            Some(_) | None if map.is_empty() => "an empty map".into(),
            Some(_) | None => {
                let keys: Vec<_> = map.keys().take(4).map(|key| format!("`{key}`")).collect();
                format!("a map with {}", keys.join(", "))
            }
        },
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::String(text) => {
            let start: String = text.chars().take(40).collect();
            format!("the text `{}`", start.lines().next().unwrap_or_default())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> String {
        match parse(text.as_bytes()) {
            Err(error) => error.to_string(),
            Ok(documents) => {
                let one = |parsed: &Parsed| match &parsed.document {
                    Document::Workflow(workflow) => format!("Workflow {}", workflow.metadata.name),
                    Document::Unknown { found } => format!("Unknown {found}"),
                };
                documents.iter().map(one).collect::<Vec<_>>().join("; ")
            }
        }
    }

    #[test]
    fn documents_are_told_apart() {
        let workflow = "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: a}\n";
        assert_eq!(check(workflow), "Workflow a");
        assert_eq!(
            check(&format!("{workflow}---\n---\nkind: Deployment\n")),
            "Workflow a; Unknown `kind: Deployment`"
        );
        assert_eq!(
            check(r#"{"kind":"List","items":[{"kind":"Workflow","metadata":{"name":"b"}},{"kind":"Pod"}]}"#),
            "Workflow b; Unknown `kind: Pod`"
        );
        assert_eq!(check(r#"{"metadata":{"name":"c"},"spec":{"entrypoint":"x"}}"#), "Workflow c");
        assert_eq!(check("kind: Workflow\napiVersion: other/v1\n"), "Unknown `kind: Workflow`");
        assert_eq!(check("just text"), "Unknown the text `just text`");
        assert_eq!(
            check("\n"),
            "line 1, column 1: expected an Argo Workflow, as YAML or JSON, found nothing"
        );
    }

    #[test]
    fn a_value_that_does_not_fit_is_shown_at_its_place() {
        let text = "kind: Workflow\nspec:\n  templates:\n  - name: a\n    dag:\n      tasks:\n      - name: t\n        dependencies: x\n";
        assert_eq!(
            check(text),
            "line 8, column 9, `spec.templates[0].dag.tasks[0].dependencies`: expected a list, found the text `x`"
        );
        let text = "kind: Workflow\nspec:\n  shutdown: Halt\n";
        assert_eq!(
            check(text),
            "line 3, column 3, `spec.shutdown`: expected `Stop` or `Terminate`, found `Halt`"
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_at_their_place() {
        let error = parse(b"a: 1\nb: \xff").expect_err("not UTF-8");
        assert_eq!(error.to_string(), "line 2, column 4: expected text in UTF-8, found the byte 0xff");
    }

    #[test]
    fn numbers_and_booleans_are_read_where_text_is_wanted() {
        let text = "kind: Workflow\nspec:\n  templates:\n  - name: a\n    container: {command: [sleep, 5], args: [yes]}\n    inputs: {parameters: [{name: p, value: 0755}]}\n";
        let (workflow, _) = parse_workflow(text.as_bytes()).expect("a workflow");
        let template = &workflow.spec.templates[0];
        let container = template.container.as_ref().expect("a container");
        assert_eq!((container.command[1].as_str(), container.args[0].as_str()), ("5", "true"));
        assert_eq!(template.inputs.parameters[0].value.as_deref(), Some("493"));
    }

    #[test]
    fn unknown_fields_are_written_back_unchanged() {
        let text = r#"{"kind":"Workflow","metadata":{"name":"a","managedFields":[{"manager":"x"}]},"spec":{"entrypoint":"m","podGC":{"strategy":"OnPodCompletion"},"templates":[{"name":"m","container":{"image":"i","resources":{"limits":{"cpu":1}}},"retryStrategy":{"limit":"2"}}]},"more":{"z":1,"a":2}}"#;
        let (workflow, _) = parse_workflow(text.as_bytes()).expect("a workflow");
        let written = serde_json::to_value(&workflow).expect("JSON");
        let expected: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(written, expected);
    }
}
