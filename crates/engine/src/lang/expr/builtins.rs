//! The functions of the language that walk no list with a predicate.
//!
//! Source: expr-lang `builtin/builtin.go` and `builtin/lib.go`.

mod lists;
mod numbers;
mod texts;

pub(super) use numbers::{float, int};
pub(super) use texts::pieces;

use super::nature::{Signature, Type};
use super::run::Budget;
use super::time::{self, Moment};
use super::value::Value;
use super::{json, print};
use crate::lang::go::parse_duration;

/// Names, with what they take and give; no signature where a function looks at types itself.
const BUILTINS: [(&str, &[Signature]); 54] = {
    use Type::{Any, Anys, Bool, Duration, Floats, Int, Ints, Text, Texts};
    const fn to(takes: &'static [Type], gives: Type) -> Signature {
        Signature { takes, gives }
    }
    [
        ("len", &[]),
        ("type", &[to(&[Any], Text)]),
        ("abs", &[]),
        ("ceil", &[]),
        ("floor", &[]),
        ("round", &[]),
        ("int", &[]),
        ("float", &[]),
        ("string", &[to(&[Any], Text)]),
        ("trim", &[to(&[Text], Text), to(&[Text, Text], Text)]),
        ("trimPrefix", &[to(&[Text, Text], Text), to(&[Text], Text)]),
        ("trimSuffix", &[to(&[Text, Text], Text), to(&[Text], Text)]),
        ("upper", &[to(&[Text], Text)]),
        ("lower", &[to(&[Text], Text)]),
        ("split", &[to(&[Text, Text], Texts), to(&[Text, Text, Int], Texts)]),
        ("splitAfter", &[to(&[Text, Text], Texts), to(&[Text, Text, Int], Texts)]),
        ("replace", &[to(&[Text, Text, Text, Int], Text), to(&[Text, Text, Text], Text)]),
        ("repeat", &[to(&[Text, Int], Text)]),
        (
            "join",
            &[
                to(&[Texts, Text], Text),
                to(&[Anys, Text], Text),
                to(&[Anys], Text),
                to(&[Texts, Text], Text),
                to(&[Texts], Text),
            ],
        ),
        ("indexOf", &[to(&[Text, Text], Int)]),
        ("lastIndexOf", &[to(&[Text, Text], Int)]),
        ("hasPrefix", &[to(&[Text, Text], Bool)]),
        ("hasSuffix", &[to(&[Text, Text], Bool)]),
        ("max", &[]),
        ("min", &[]),
        ("mean", &[]),
        ("median", &[]),
        ("toJSON", &[to(&[Any], Text)]),
        ("fromJSON", &[to(&[Text], Any)]),
        ("toBase64", &[to(&[Text], Text)]),
        ("fromBase64", &[to(&[Text], Text)]),
        ("now", &[]),
        ("duration", &[to(&[Text], Duration)]),
        ("date", &[]),
        ("timezone", &[to(&[Text], Any)]),
        ("first", &[]),
        ("last", &[]),
        ("get", &[]),
        ("take", &[]),
        ("keys", &[]),
        ("values", &[]),
        ("toPairs", &[]),
        ("fromPairs", &[]),
        ("reverse", &[]),
        ("uniq", &[]),
        ("concat", &[]),
        ("flatten", &[]),
        (
            "sort",
            &[
                to(&[Anys, Text], Anys),
                to(&[Ints, Text], Anys),
                to(&[Floats, Text], Anys),
                to(&[Texts, Text], Anys),
                to(&[Anys], Anys),
                to(&[Floats], Anys),
                to(&[Texts], Anys),
                to(&[Ints], Anys),
            ],
        ),
        ("bitand", &[to(&[Int, Int], Int)]),
        ("bitor", &[to(&[Int, Int], Int)]),
        ("bitxor", &[to(&[Int, Int], Int)]),
        ("bitnand", &[to(&[Int, Int], Int)]),
        ("bitshl", &[to(&[Int, Int], Int)]),
        ("bitshr", &[to(&[Int, Int], Int)]),
    ]
};

/// Two more, apart since they are rare.
const MORE: [(&str, &[Signature]); 2] = [
    ("bitushr", &[Signature { takes: &[Type::Int, Type::Int], gives: Type::Int }]),
    ("bitnot", &[Signature { takes: &[Type::Int], gives: Type::Int }]),
];

/// The name of a function of the language.
pub(super) fn name_of(text: &str) -> Option<&'static str> {
    BUILTINS.iter().chain(&MORE).find(|(name, _)| *name == text).map(|(name, _)| *name)
}

/// What a function takes and gives, in the order in which it is tried.
pub(super) fn signatures(text: &str) -> &'static [Signature] {
    BUILTINS.iter().chain(&MORE).find(|(name, _)| *name == text).map_or(&[], |(_, signatures)| *signatures)
}

/// Calls a function.
pub(super) fn call(
    name: &str,
    arguments: &[Value],
    now: Option<Moment>,
    budget: &mut Budget,
) -> Result<Value, String> {
    match (name, arguments) {
        ("type", [value]) => Ok(Value::text(type_of(value))),
        ("string", [value]) => Ok(Value::text(print::plain(value))),
        ("toJSON", [value]) => print::json(value, "  ").map(Value::text),
        ("fromJSON", [text]) => json::read(super::operators::text(text)?),
        ("now", []) => now.map(Value::Time).ok_or_else(no_clock),
        ("duration", [text]) => parse_duration(super::operators::text(text)?).map(Value::Duration),
        ("date", _) => time::date(arguments),
        ("timezone", _) => Err("timezone is not supported: only UTC is known here".to_owned()),
        _ => None
            .or_else(|| texts::call(name, arguments, budget))
            .or_else(|| numbers::call(name, arguments))
            .or_else(|| lists::call(name, arguments, budget))
            .unwrap_or_else(|| {
                Err(format!("invalid number of arguments for {name} (got {})", arguments.len()))
            }),
    }
}

/// Why a function that asks for the time does not work.
pub(super) fn no_clock() -> String {
    "the current time is not known here".to_owned()
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Float(_) => "float",
        Value::Text(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) | Value::Keyed(_) => "map",
        Value::Function(_) => "func",
        Value::Artifact(_) => "github.com/argoproj/argo-workflows/v4/pkg/apis/workflow/v1alpha1.Artifact",
        Value::Time(_) => "time.Time",
        Value::Duration(_) => "time.Duration",
    }
}
