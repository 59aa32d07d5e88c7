//! What is known of a value before an expression runs.
//!
//! Argo compiles each expression against the very values it will run with: texts at the top are known
//! as texts, what is inside of maps is not known. Source: expr-lang `checker/nature/nature.go`.

use super::value::{ListOf, Value};

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Nature {
    /// Nothing at all.
    Unknown,
    /// Only that it is some value (`interface {}`).
    Any,
    Nil,
    Bool,
    Int,
    Float,
    Text,
    List(Type, Box<Nature>),
    /// The type's name.
    Map(&'static str, Box<Nature>),
    Function(&'static Signature),
    Time,
    Duration,
}

/// A type in a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Any,
    Bool,
    Int,
    Float,
    Text,
    Anys,
    Texts,
    Ints,
    Floats,
    Time,
    Duration,
}

/// What a function takes and gives.
#[derive(Debug, PartialEq)]
pub(super) struct Signature {
    pub(super) takes: &'static [Type],
    pub(super) gives: Type,
}

/// `map[string]interface {}`
pub(super) const NAMED: &str = "map[string]interface {}";
/// `map[interface {}]interface {}`
pub(super) const KEYED: &str = "map[interface {}]interface {}";
/// `map[interface {}][]interface {}`
pub(super) const GROUPS: &str = "map[interface {}][]interface {}";

impl Type {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float64",
            Self::Text => "string",
            Self::Anys => "[]interface {}",
            Self::Texts => "[]string",
            Self::Ints => "[]int",
            Self::Floats => "[]float64",
            Self::Time => "time.Time",
            Self::Duration => "time.Duration",
        }
    }

    pub(super) fn nature(self) -> Nature {
        match self {
            Self::Any => Nature::Any,
            Self::Bool => Nature::Bool,
            Self::Int => Nature::Int,
            Self::Float => Nature::Float,
            Self::Text => Nature::Text,
            Self::Anys => Nature::List(self, Box::new(Nature::Any)),
            Self::Texts => Nature::List(self, Box::new(Nature::Text)),
            Self::Ints => Nature::List(self, Box::new(Nature::Int)),
            Self::Floats => Nature::List(self, Box::new(Nature::Float)),
            Self::Time => Nature::Time,
            Self::Duration => Nature::Duration,
        }
    }
}

impl Nature {
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Nil => Self::Nil,
            Value::Bool(_) => Self::Bool,
            Value::Int(_) => Self::Int,
            Value::Float(_) => Self::Float,
            Value::Text(_) => Self::Text,
            Value::List(list) => match list.of {
                ListOf::Text => Type::Texts.nature(),
                ListOf::Int => Type::Ints.nature(),
                ListOf::Any | ListOf::Pair | ListOf::Pairs | ListOf::Lists => Type::Anys.nature(),
            },
            Value::Map(_) => Self::map(),
            Value::Keyed(keyed) if keyed.of_lists => Self::Map(GROUPS, Box::new(Type::Anys.nature())),
            Value::Keyed(_) => Self::Map(KEYED, Box::new(Self::Any)),
            Value::Function(name) => super::argo::signature(name).map_or(Self::Any, Self::Function),
            Value::Artifact(_) => Self::Any,
            Value::Time(_) => Self::Time,
            Value::Duration(_) => Self::Duration,
        }
    }

    /// `map[string]interface {}`
    pub(super) fn map() -> Self {
        Self::Map(NAMED, Box::new(Self::Any))
    }

    /// A list of anything, of whose items this is known.
    pub(super) fn list(self) -> Self {
        Self::List(Type::Anys, Box::new(self))
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Unknown | Self::Nil => "unknown",
            Self::Any => "interface {}",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float64",
            Self::Text => "string",
            Self::List(of, _) => of.name(),
            Self::Map(name, _) => name,
            Self::Function(_) => "func(interface {}) interface {}",
            Self::Time => "time.Time",
            Self::Duration => "time.Duration",
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown | Self::Any)
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Self::Int | Self::Float)
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self, Self::List(..))
    }

    /// What is known of an item.
    pub(super) fn item(&self) -> Self {
        match self {
            Self::List(_, item) | Self::Map(_, item) => (**item).clone(),
            Self::Unknown
            | Self::Any
            | Self::Nil
            | Self::Bool
            | Self::Int
            | Self::Float
            | Self::Text
            | Self::Function(_)
            | Self::Time
            | Self::Duration => Self::Unknown,
        }
    }

    /// Whether Go would take the value for one of type `to`.
    pub(super) fn fits(&self, to: &Self) -> bool {
        match (self, to) {
            (Self::Nil, Self::Any | Self::Map(..) | Self::List(..) | Self::Function(_)) => true,
            (Self::Unknown | Self::Nil, _) | (_, Self::Unknown | Self::Nil) => false,
            (_, Self::Any) => true,
            (left, right) => left.name() == right.name(),
        }
    }

    /// Whether `==` may stand between them.
    pub(super) fn compares(&self, other: &Self) -> bool {
        self.is_unknown()
            || other.is_unknown()
            || *self == Self::Nil
            || *other == Self::Nil
            || self.is_number() && other.is_number()
            || self.is_list() && other.is_list()
            || self.fits(other)
    }

    /// Whether one is unknown, and the other too or one of those that `test` takes.
    pub(super) fn may_be(&self, other: &Self, test: fn(&Self) -> bool) -> bool {
        match (self.is_unknown(), other.is_unknown()) {
            (true, true) => true,
            (true, false) => test(other),
            (false, true) => test(self),
            (false, false) => false,
        }
    }

    /// The type of a sum of two numbers.
    pub(super) fn promoted(&self, other: &Self) -> Self {
        if self.is_unknown() || other.is_unknown() {
            Self::Unknown
        } else if *self == Self::Float || *other == Self::Float {
            Self::Float
        } else {
            Self::Int
        }
    }
}
