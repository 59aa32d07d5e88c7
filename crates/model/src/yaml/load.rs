//! Parser events to values and positions, within limits.

use std::collections::BTreeMap;

use granit_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::{Map, Value};
use thiserror::Error;

use super::path::{Path, Segment};
use super::position::{Position, Positions};
use super::scalar;

/// What a text may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// Nesting of maps and lists.
    pub depth: usize,
    /// Values that aliases may add by copying.
    pub alias_values: usize,
    /// Values of all documents together, and copies of those with an anchor: some 300 bytes each.
    pub values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 128, alias_values: 100_000, values: 3_000_000 }
    }
}

/// Why a text cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {}, column {}: expected {expected}, found {found}", at.line, at.column)]
pub struct YamlError {
    /// Where.
    pub at: Position,
    /// Path of the value that was being read.
    pub path: String,
    /// What was expected there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

/// Loads all documents of a text; an empty document is `null`.
pub fn load(text: &str, limits: &Limits) -> Result<Vec<(Value, Positions)>, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut loader =
        Loader { limits, stack: Vec::new(), anchors: BTreeMap::new(), copied: 0, made: 0, done: Vec::new() };
    if text.len() > limits.bytes {
        let expected = format!("at most {} bytes", limits.bytes);
        let start = Position { line: 1, column: 1 };
        return Err(loader.fault(start, &expected, &format!("{} bytes", text.len())));
    }
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| loader.scan_error(&error))?;
        loader.take(event, span)?;
    }
    Ok(loader.done)
}

type Node = (Value, Positions);

/// The key that merges another map in.
const MERGE: &str = "<<";

/// A map or list that is being read.
struct Open {
    at: Position,
    anchor: usize,
    inside: Vec<(Segment, Positions)>,
    content: Content,
}

enum Content {
    Map {
        map: Map<String, Value>,
        /// The key whose value comes next, and where it stands.
        key: Option<Key>,
    },
    List(Vec<Value>),
}

struct Key {
    text: String,
    at: Position,
    merge: bool,
}

struct Loader<'a> {
    limits: &'a Limits,
    stack: Vec<Open>,
    anchors: BTreeMap<usize, Node>,
    /// Values that aliases copied.
    copied: usize,
    /// Values that there are or were, copies included.
    made: usize,
    done: Vec<Node>,
}

impl Loader<'_> {
    fn take(&mut self, event: Event, span: Span) -> Result<(), YamlError> {
        let at = position(span.start);
        match event {
            Event::DocumentStart(..) => self.anchors.clear(),
            Event::Scalar(text, style, anchor, tag) => {
                self.make(1, at)?;
                let merge = text == MERGE && style == ScalarStyle::Plain;
                let value = self.scalar(&text, style, tag.as_deref(), at)?;
                self.put((value, Positions { at, inside: Vec::new() }), anchor, merge)?;
            }
            Event::Alias(anchor) => self.alias(anchor, at)?,
            Event::MappingStart(_, anchor, _) => {
                self.open(anchor, at, Content::Map { map: Map::new(), key: None })?;
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(anchor, at, Content::List(Vec::new()))?;
            }
            Event::MappingEnd | Event::SequenceEnd => self.close()?,
            // Comments, stream marks and events that are off by default carry no values.
            _ => {}
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: Position) -> Result<(), YamlError> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(self.fault(
                at,
                "an alias of a value that is complete",
                "an alias inside its own value",
            ));
        };
        let values = count(&node.1);
        let (value, positions) = node.clone();
        self.make(values, at)?;
        self.copied += values;
        if self.copied > self.limits.alias_values {
            let expected = format!("aliases that copy at most {} values", self.limits.alias_values);
            return Err(self.fault(at, &expected, "more"));
        }
        self.put((value, Positions { at, inside: positions.inside }), 0, false)
    }

    /// Counts values that are made.
    fn make(&mut self, values: usize, at: Position) -> Result<(), YamlError> {
        self.made += values;
        if self.made > self.limits.values {
            let expected = format!("at most {} values", self.limits.values);
            return Err(self.fault(at, &expected, "more"));
        }
        Ok(())
    }

    fn open(&mut self, anchor: usize, at: Position, content: Content) -> Result<(), YamlError> {
        if self.stack.len() >= self.limits.depth {
            let expected = format!("at most {} levels of nesting", self.limits.depth);
            return Err(self.fault(at, &expected, "one more"));
        }
        self.make(1, at)?;
        self.stack.push(Open { at, anchor, inside: Vec::new(), content });
        Ok(())
    }

    fn close(&mut self) -> Result<(), YamlError> {
        let Some(Open { at, anchor, inside, content }) = self.stack.pop() else {
            return Ok(());
        };
        let value = match content {
            Content::Map { map, .. } => Value::Object(map),
            Content::List(list) => Value::Array(list),
        };
        self.put((value, Positions { at, inside }), anchor, false)
    }

    /// Puts a complete value where it belongs: key or value of the open map, entry of the open list,
    /// or a document.
    fn put(&mut self, node: Node, anchor: usize, merge: bool) -> Result<(), YamlError> {
        if anchor != 0 {
            self.make(count(&node.1), node.1.at)?;
            self.anchors.insert(anchor, node.clone());
        }
        let (value, positions) = node;
        let Some(open) = self.stack.last_mut() else {
            self.done.push((value, positions));
            return Ok(());
        };
        match &mut open.content {
            Content::List(list) => {
                open.inside.push((Segment::Index(list.len()), positions));
                list.push(value);
            }
            Content::Map { map, key } => match key.take() {
                None => {
                    let at = positions.at;
                    let Some(text) = scalar::key_text(&value) else {
                        let found = if value.is_null() { "an empty one" } else { "a map or list" };
                        return Err(self.fault(at, "a text as key", found));
                    };
                    *key = Some(Key { text, at, merge });
                }
                Some(key) if key.merge => {
                    if !merge_into(map, &mut open.inside, value, &positions) {
                        return Err(self.fault(
                            positions.at,
                            "a map, or a list of maps, to merge",
                            "something else",
                        ));
                    }
                }
                Some(key) => {
                    let positions = Positions { at: key.at, inside: positions.inside };
                    open.inside.push((Segment::Key(key.text.clone()), positions));
                    map.insert(key.text, value);
                }
            },
        }
        Ok(())
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        at: Position,
    ) -> Result<Value, YamlError> {
        let value = match tag {
            Some(tag) if tag.handle().starts_with("tag:yaml.org,2002:") => scalar::tagged(tag.suffix(), text),
            None if style == ScalarStyle::Plain => scalar::resolve(text),
            Some(_) | None => Some(Value::String(text.to_owned())),
        };
        value.ok_or_else(|| self.fault(at, "a value that JSON can write", &format!("`{text}`")))
    }

    fn scan_error(&self, error: &ScanError) -> YamlError {
        self.fault(position(*error.marker()), "well-formed YAML or JSON", &error.info())
    }

    fn fault(&self, at: Position, expected: &str, found: &str) -> YamlError {
        YamlError {
            at,
            path: self.path().to_string(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }

    /// Path of the value that is being read.
    fn path(&self) -> Path {
        let segment = |open: &Open| match &open.content {
            Content::Map { key, .. } => key.as_ref().map(|key| Segment::Key(key.text.clone())),
            Content::List(list) => Some(Segment::Index(list.len())),
        };
        Path(self.stack.iter().filter_map(segment).collect())
    }
}

/// Merges as go-yaml v2 does: what is merged later overwrites, a list from its last to its first.
/// Source: sigs.k8s.io/yaml `goyaml.v2/decode.go`, `merge`.
fn merge_into(
    map: &mut Map<String, Value>,
    inside: &mut Vec<(Segment, Positions)>,
    value: Value,
    positions: &Positions,
) -> bool {
    match value {
        Value::Object(entries) => {
            // Of equal keys the last stands, as in the map.
            let known: BTreeMap<&Segment, &Positions> =
                positions.inside.iter().map(|(segment, positions)| (segment, positions)).collect();
            for (key, value) in entries {
                let segment = Segment::Key(key.clone());
                let nothing = || Positions { at: positions.at, inside: Vec::new() };
                let found = known.get(&segment).map_or_else(nothing, |found| (*found).clone());
                inside.push((segment, found));
                map.insert(key, value);
            }
            true
        }
        Value::Array(list) => list
            .into_iter()
            .zip(&positions.inside)
            .rev()
            .all(|(value, (_, positions))| value.is_object() && merge_into(map, inside, value, positions)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// How many values there are, those included that an equal key put out of sight.
fn count(positions: &Positions) -> usize {
    1 + positions.inside.iter().map(|(_, inner)| count(inner)).sum::<usize>()
}

fn position(marker: Marker) -> Position {
    Position { line: marker.line().max(1) as u32, column: marker.col() as u32 + 1 }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    fn value(text: &str) -> Value {
        let mut documents = load(text, &Limits::default()).expect(text);
        assert_eq!(documents.len(), 1, "{text}");
        documents.remove(0).0
    }

    fn error(text: &str) -> String {
        let error = load(text, &Limits::default()).expect_err(text);
        format!("{error} [{}]", error.path)
    }

    #[test]
    fn values_are_those_of_sigs_yaml() {
        assert_eq!(value("a: yes\non: '1'\n\"b\": 0755\n"), json!({"a": true, "true": "1", "b": 493}));
        assert_eq!(value("a: |\n  x\n  y\nb: >-\n  x\n  y\n"), json!({"a": "x\ny\n", "b": "x y"}));
        assert_eq!(value("{\"a\": [1, 2.5, null]}"), json!({"a": [1, 2.5, null]}));
        assert_eq!(value("a: 1\na: 2\n"), json!({"a": 2}));
        assert_eq!(value("\u{feff}a: !!str 1\r\nb: 2\r\n"), json!({"a": "1", "b": 2}));
    }

    #[test]
    fn merges_are_applied_in_document_order() {
        let text = "base: &b {x: 1, k: 2}\nuse:\n  k: 3\n  <<: *b\n  x: 4\nmany:\n  <<: [*b, {x: 9, z: 9}]\n";
        let value = value(text);
        assert_eq!(value["use"], json!({"k": 2, "x": 4}));
        assert_eq!(value["many"], json!({"x": 1, "z": 9, "k": 2}));
    }

    #[test]
    fn documents_are_split() {
        let documents = load("a: 1\n---\nb: 2\n---\n", &Limits::default()).expect("three documents");
        let values: Vec<Value> = documents.into_iter().map(|(value, _)| value).collect();
        assert_eq!(values, [json!({"a": 1}), json!({"b": 2}), json!(null)]);
    }

    #[test]
    fn positions_are_those_of_keys_and_entries() {
        let text = "spec:\n  templates:\n  - name: a\n  - name: b\n    dag:\n      tasks: []\n";
        let documents = load(text, &Limits::default()).expect("one document");
        let at = |path: &str| {
            let found = documents[0].1.find(&Path::parse(path));
            (found.line, found.column)
        };
        assert_eq!(at("spec.templates[1].dag.tasks"), (6, 7));
        assert_eq!(at("spec.templates[1]"), (4, 5));
        assert_eq!(at("spec.templates[1].missing"), (4, 5));
    }

    #[test]
    fn errors_say_line_column_and_path() {
        let text = error("spec:\n  templates:\n  - name: a\n  - {name: [}\n");
        assert!(text.starts_with("line 4, column ") && text.contains("spec.templates[1]"), "{text}");
        let text = error("a:\n  ~: 1\n");
        assert_eq!(text, "line 2, column 3: expected a text as key, found an empty one [a]");
        assert!(error("a: .inf").contains("found `.inf`"));
        assert!(error("a: *nowhere").contains("line 1"));
    }

    #[test]
    fn wide_maps_are_merged_in_one_pass() {
        let mut text = String::from("base: &b {");
        for number in 0..40_000 {
            write!(text, "k{number}: {number}, ").expect("a text takes it");
        }
        text += "}\nuse:\n  <<: *b\n";
        let value = value(&text);
        assert_eq!(value["use"]["k39999"], json!(39_999));
    }

    #[test]
    fn bombs_are_defused() {
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
        for level in 1..12 {
            let before = format!("*a{}", level - 1);
            let copies = [before.as_str(); 9].join(",");
            writeln!(bomb, "a{level}: &a{level} [{copies}]").expect("a text takes it");
        }
        assert!(error(&bomb).contains("aliases that copy at most 100000 values"));
        assert!(error(&"[".repeat(20_000)).contains("line 1"));
        let hidden = format!("base: &b {{{}}}\nuse:\n{}", "k: 1, ".repeat(20_000), "  <<: *b\n".repeat(10));
        assert!(error(&hidden).contains("aliases that copy at most 100000 values"));
        let limits = Limits { values: 1_000, ..Limits::default() };
        let many = format!("[{}]", "x,".repeat(1_000));
        let nested = format!("{}{}{}", "&a [".repeat(20), "x,".repeat(100), "]".repeat(20));
        for text in [many, nested] {
            let error = load(&text, &limits).expect_err("too many values").to_string();
            assert!(error.contains("expected at most 1000 values"), "{error}");
        }
        let limits = Limits { bytes: 3, ..Limits::default() };
        assert!(load("a: 1", &limits).is_err());
    }
}
