//! Values of a condition.

use std::fmt;

use super::pattern::Pattern;
use crate::lang::go::float_v;

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Nil,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Pattern(Pattern),
}

/// As Go prints it with `%v`.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => out.write_str("<nil>"),
            Self::Bool(is_true) => write!(out, "{is_true}"),
            Self::Number(number) => out.write_str(&float_v(*number)),
            Self::Text(text) => out.write_str(text),
            Self::Pattern(pattern) => out.write_str(pattern.source()),
            Self::List(list) => {
                out.write_str("[")?;
                for (at, value) in list.iter().enumerate() {
                    if at > 0 {
                        out.write_str(" ")?;
                    }
                    write!(out, "{value}")?;
                }
                out.write_str("]")
            }
        }
    }
}

impl Value {
    /// As Go's `reflect.DeepEqual`: values of different kinds are never equal.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            #[expect(clippy::float_cmp, reason = "govaluate compares exactly")]
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_equal(other))
            }
            (Self::Pattern(one), Self::Pattern(other)) => one.source() == other.source(),
            (
                Self::Nil
                | Self::Bool(_)
                | Self::Number(_)
                | Self::Text(_)
                | Self::List(_)
                | Self::Pattern(_),
                _,
            ) => false,
        }
    }
}
