//! Values of expressions.
//!
//! They know the Go type that messages name. Lists and maps are shared, so that a clone is cheap, and
//! know their depth, so that nothing recurses without a limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::time::Moment;

/// Deepest value.
const DEPTH_LIMIT: u16 = 200;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// `nil`; also an output that a skipped node did not make.
    Nil,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Arc<str>),
    /// Values in a row.
    List(List),
    /// Values by name.
    Map(Map),
    /// Values by any value.
    Keyed(Keyed),
    /// A function that Argo adds, by its name; those of Sprig with `sprig.` before it.
    Function(&'static str),
    /// An artifact, by its flat name (`tasks.a.outputs.artifacts.x`): expressions can only choose one.
    Artifact(Arc<str>),
    /// A point in time.
    Time(Moment),
    /// A span of time in nanoseconds.
    Duration(i64),
}

/// Go's type of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOf {
    /// `[]interface {}`
    Any,
    /// `[]string`
    Text,
    /// `[]int`
    Int,
    /// `[2]interface {}`, a pair of `toPairs`
    Pair,
    /// `[][2]interface {}`
    Pairs,
    /// `[][]interface {}`
    Lists,
}

/// Values in a row.
#[derive(Clone, Debug)]
pub struct List {
    items: Arc<Vec<Value>>,
    pub(super) of: ListOf,
    depth: u16,
    /// Whether Go has no list there, only the type of one: it has no items and is nil.
    pub(super) is_nil: bool,
}

/// Values by name.
#[derive(Clone, Debug)]
pub struct Map {
    entries: Arc<BTreeMap<Arc<str>, Value>>,
    /// Whether Go's type is `map[string]string`.
    pub(super) of_texts: bool,
    depth: u16,
}

/// Values by any value, in the order in which the keys were met.
#[derive(Clone, Debug)]
pub struct Keyed {
    pub(super) entries: Arc<Vec<(Value, Value)>>,
    /// Whether Go's type is `map[interface {}][]interface {}`.
    pub(super) of_lists: bool,
}

impl List {
    /// The items.
    pub fn items(&self) -> &[Value] {
        &self.items
    }
}

impl Map {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.get(name)
    }

    /// Names and values, sorted by name.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(name, value)| (&**name, value))
    }

    /// A map of an environment, whose maps are nested by the dots of a name and no deeper.
    pub(super) fn shallow(entries: BTreeMap<Arc<str>, Value>) -> Self {
        let depth = entries.values().map(Value::depth).max().unwrap_or(0).saturating_add(1);
        Self { entries: Arc::new(entries), of_texts: false, depth }
    }

    /// How many names it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no name.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A count as Go has it.
pub(super) fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Value {
    /// A count.
    pub(super) fn count(count: usize) -> Self {
        Self::Int(signed(count))
    }

    /// A text.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text(text.into())
    }

    /// A list of any values. Fails where it would be nested too deeply.
    pub fn list(items: Vec<Self>) -> Result<Self, String> {
        Self::list_of(items, ListOf::Any)
    }

    pub(super) fn list_of(items: Vec<Self>, of: ListOf) -> Result<Self, String> {
        let depth = depth_over(items.iter())?;
        Ok(Self::List(List { items: Arc::new(items), of, depth, is_nil: false }))
    }

    /// What Go makes of a list that was never made.
    pub(super) fn no_list(of: ListOf) -> Self {
        Self::List(List { items: Arc::default(), of, depth: 1, is_nil: true })
    }

    pub(super) fn texts<T: Into<Arc<str>>>(texts: impl Iterator<Item = T>) -> Self {
        let items = texts.map(Self::text).collect();
        Self::List(List { items: Arc::new(items), of: ListOf::Text, depth: 1, is_nil: false })
    }

    /// Values by name. Fails where it would be nested too deeply.
    pub fn map(entries: BTreeMap<Arc<str>, Self>) -> Result<Self, String> {
        let depth = depth_over(entries.values())?;
        Ok(Self::Map(Map { entries: Arc::new(entries), of_texts: false, depth }))
    }

    pub(super) fn map_of_texts(entries: BTreeMap<Arc<str>, Self>) -> Self {
        Self::Map(Map { entries: Arc::new(entries), of_texts: true, depth: 1 })
    }

    fn depth(&self) -> u16 {
        match self {
            Self::List(list) => list.depth,
            Self::Map(map) => map.depth,
            Self::Keyed(keyed) => keyed.entries.iter().map(|(_, value)| value.depth()).max().unwrap_or(0) + 1,
            Self::Nil
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Text(_)
            | Self::Function(_)
            | Self::Artifact(_)
            | Self::Time(_)
            | Self::Duration(_) => 0,
        }
    }

    pub(super) fn is_nil(&self) -> bool {
        matches!(self, Self::Nil | Self::List(List { is_nil: true, .. }))
    }

    /// The name of Go's type, as `%T` prints it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::List(list) => match list.of {
                ListOf::Any => "[]interface {}",
                ListOf::Text => "[]string",
                ListOf::Int => "[]int",
                ListOf::Pair => "[2]interface {}",
                ListOf::Pairs => "[][2]interface {}",
                ListOf::Lists => "[][]interface {}",
            },
            Self::Map(map) if map.of_texts => "map[string]string",
            Self::Map(_) => "map[string]interface {}",
            Self::Keyed(keyed) if keyed.of_lists => "map[interface {}][]interface {}",
            Self::Keyed(_) => "map[interface {}]interface {}",
            Self::Function(_) => "func(interface {}) interface {}",
            Self::Artifact(_) => "v1alpha1.Artifact",
            Self::Time(_) => "time.Time",
            Self::Duration(_) => "time.Duration",
        }
    }

    /// The name of Go's kind, as `reflect` prints it.
    pub(super) fn kind_name(&self) -> &'static str {
        match self {
            Self::Nil => "invalid",
            Self::List(list) if list.of == ListOf::Pair => "array",
            Self::List(_) => "slice",
            Self::Map(_) | Self::Keyed(_) => "map",
            Self::Function(_) => "func",
            Self::Artifact(_) | Self::Time(_) => "struct",
            Self::Duration(_) => "int64",
            Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Text(_) => self.type_name(),
        }
    }

    /// The value of a JSON document: every number is a float, as Go reads it.
    /// Source: Go `encoding/json`, `Unmarshal` into an interface.
    pub fn from_json(json: &serde_json::Value) -> Result<Self, String> {
        Ok(match json {
            serde_json::Value::Null => Self::Nil,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => Self::text(text.as_str()),
            serde_json::Value::Array(items) => {
                Self::list(items.iter().map(Self::from_json).collect::<Result<_, _>>()?)?
            }
            serde_json::Value::Object(entries) => {
                let entry = |(name, value): (&String, &serde_json::Value)| {
                    Self::from_json(value).map(|value| (Arc::from(name.as_str()), value))
                };
                Self::map(entries.iter().map(entry).collect::<Result<_, _>>()?)?
            }
        })
    }
}

fn depth_over<'a>(values: impl Iterator<Item = &'a Value>) -> Result<u16, String> {
    let depth = values.map(Value::depth).max().unwrap_or(0) + 1;
    if depth > DEPTH_LIMIT { Err("recursion depth exceeded".to_owned()) } else { Ok(depth) }
}
