//! The functions that Argo adds to the language: `asInt`, `asFloat`, `jsonpath`, `toJson` and `sprig.…`.
//!
//! Source: Argo `util/expr/env/env.go`, `GetFuncMap`.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::builtins;
use super::json;
use super::jsonpath;
use super::nature::{Signature, Type};
use super::operators;
use super::print;
use super::run::Budget;
use super::sprig;
use super::time::Moment;
use super::value::Value;

const FUNCTIONS: [(&str, Signature); 4] = [
    ("asInt", Signature { takes: &[Type::Any], gives: Type::Any }),
    ("asFloat", Signature { takes: &[Type::Any], gives: Type::Any }),
    ("jsonpath", Signature { takes: &[Type::Text, Type::Text], gives: Type::Any }),
    ("toJson", Signature { takes: &[Type::Any], gives: Type::Text }),
];

/// What a function takes and gives, where that is known before it runs.
pub(super) fn signature(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|(own, _)| *own == name).map(|(_, signature)| signature)
}

/// The names that Argo puts beside the variables.
pub(super) fn functions() -> impl Iterator<Item = (&'static str, Value)> {
    FUNCTIONS.iter().map(|(name, _)| (*name, Value::Function(name))).chain([("sprig", library())])
}

/// The functions of Sprig by name.
fn library() -> Value {
    static LIBRARY: OnceLock<Value> = OnceLock::new();
    let make = || {
        let entries: BTreeMap<Arc<str>, Value> =
            sprig::names().map(|name| (Arc::from(name), Value::Function(name))).collect();
        Value::map(entries).unwrap_or(Value::Nil)
    };
    LIBRARY.get_or_init(make).clone()
}

/// Calls a function.
pub(super) fn call(
    name: &'static str,
    arguments: &[Value],
    now: Option<Moment>,
    budget: &mut Budget,
) -> Result<Value, String> {
    match (name, arguments) {
        ("asInt", [value]) => builtins::int(value).map(Value::Int),
        ("asFloat", [value]) => builtins::float(value).map(Value::Float),
        ("toJson", [value]) => print::json(value, "").map(Value::text),
        ("jsonpath", [document, path]) => {
            let text = |value: &Value| if value.is_nil() { Ok(String::new()) } else { called_with(value) };
            let (document, path) = (text(document)?, text(path)?);
            jsonpath::query(&path, &json::read(&document)?)
        }
        _ => sprig::call(name, arguments, now, budget),
    }
}

fn called_with(value: &Value) -> Result<String, String> {
    operators::text(value)
        .map(str::to_owned)
        .map_err(|_| format!("reflect: Call using {} as type string", value.type_name()))
}
