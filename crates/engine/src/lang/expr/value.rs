//! Values of expressions.
//!
//! They know the Go type that messages name. Lists and maps are shared, so that a clone is cheap, and
//! know their depth and weight, so that nothing recurses or is written out without a limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::time::Moment;

/// Deepest value.
const DEPTH_LIMIT: u16 = 200;

/// Heaviest list or map: what it holds more than once counts as often.
const WEIGHT_LIMIT: usize = 16 << 20;

/// What a value weighs that is no text, list or map.
const PLAIN_WEIGHT: usize = 8;

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

/// How much there is to a list or map, all that it shares with others written out.
#[derive(Clone, Copy, Debug)]
struct Size {
    depth: u16,
    /// Bytes of its texts, and some for everything else.
    weight: usize,
}

impl Size {
    fn over<'a>(values: impl Iterator<Item = &'a Value>) -> Self {
        let mut size = Self { depth: 1, weight: PLAIN_WEIGHT };
        for value in values {
            let inner = value.size();
            size.depth = size.depth.max(inner.depth.saturating_add(1));
            size.weight = size.weight.saturating_add(inner.weight);
        }
        size
    }

    fn within_limits(self) -> Result<Self, String> {
        if self.depth > DEPTH_LIMIT {
            Err("recursion depth exceeded".to_owned())
        } else if self.weight > WEIGHT_LIMIT {
            Err("memory budget exceeded".to_owned())
        } else {
            Ok(self)
        }
    }
}

/// Values in a row.
#[derive(Clone, Debug)]
pub struct List {
    items: Arc<Vec<Value>>,
    pub(super) of: ListOf,
    size: Size,
    /// Whether Go has no list there, only the type of one: it has no items and is nil.
    pub(super) is_nil: bool,
}

/// Values by name.
#[derive(Clone, Debug)]
pub struct Map {
    entries: Arc<BTreeMap<Arc<str>, Value>>,
    /// Whether Go's type is `map[string]string`.
    pub(super) of_texts: bool,
    size: Size,
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
        let size = Size::over(entries.values());
        Self { entries: Arc::new(entries), of_texts: false, size }
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

    /// A list of any values. Fails where it would be nested too deeply or be too heavy.
    pub fn list(items: Vec<Self>) -> Result<Self, String> {
        Self::list_of(items, ListOf::Any)
    }

    pub(super) fn list_of(items: Vec<Self>, of: ListOf) -> Result<Self, String> {
        let size = Size::over(items.iter()).within_limits()?;
        Ok(Self::List(List { items: Arc::new(items), of, size, is_nil: false }))
    }

    /// What Go makes of a list that was never made.
    pub(super) fn no_list(of: ListOf) -> Self {
        Self::List(List { items: Arc::default(), of, size: Size::over([].iter()), is_nil: true })
    }

    pub(super) fn texts<T: Into<Arc<str>>>(texts: impl Iterator<Item = T>) -> Self {
        let items: Vec<Self> = texts.map(Self::text).collect();
        let size = Size::over(items.iter());
        Self::List(List { items: Arc::new(items), of: ListOf::Text, size, is_nil: false })
    }

    /// Values by name. Fails where it would be nested too deeply or be too heavy.
    pub fn map(entries: BTreeMap<Arc<str>, Self>) -> Result<Self, String> {
        let size = Size::over(entries.values()).within_limits()?;
        Ok(Self::Map(Map { entries: Arc::new(entries), of_texts: false, size }))
    }

    pub(super) fn map_of_texts(entries: BTreeMap<Arc<str>, Self>) -> Self {
        let size = Size::over(entries.values());
        Self::Map(Map { entries: Arc::new(entries), of_texts: true, size })
    }

    fn size(&self) -> Size {
        match self {
            Self::List(list) => list.size,
            Self::Map(map) => map.size,
            Self::Keyed(keyed) => Size::over(keyed.entries.iter().map(|(_, value)| value)),
            Self::Text(text) => Size { depth: 0, weight: PLAIN_WEIGHT + text.len() },
            Self::Nil
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Float(_)
            | Self::Function(_)
            | Self::Artifact(_)
            | Self::Time(_)
            | Self::Duration(_) => Size { depth: 0, weight: PLAIN_WEIGHT },
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
