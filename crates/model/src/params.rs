//! Arguments, inputs and outputs.
//! Source: Argo `workflow_types.go`, `Arguments`, `Inputs`, `Outputs`, `Parameter`, `AnyString`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::{Other, is_default, null_default, optional_text, text};

/// One parameter: a name and perhaps a value. `value` is the raw JSON value as text (Argo's
/// `AnyString`: numbers and booleans become their text).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parameter {
    /// Name, unique in its list.
    #[serde(default, deserialize_with = "text")]
    pub name: String,
    /// Used when no argument gives a value.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The value.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Where the value comes from: `path`, `expression`, `default`, … (raw).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_from: Option<Value>,
    /// Everything else, unchanged (`enum`, `description`, `globalName`).
    #[serde(flatten)]
    pub other: Other,
}

/// Parameters and artifacts given to a template.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arguments {
    /// Parameters in document order.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// Everything else, unchanged (`artifacts`).
    #[serde(flatten)]
    pub other: Other,
}

/// What a template takes.
pub type Inputs = Arguments;

/// What a template or node gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outputs {
    /// Parameters in document order.
    #[serde(default, deserialize_with = "null_default", skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// Standard output of a script.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Exit code of the main container, as text.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<String>,
    /// Everything else, unchanged (`artifacts`).
    #[serde(flatten)]
    pub other: Other,
}

impl Arguments {
    /// True when nothing is given.
    pub fn is_empty(&self) -> bool {
        is_default(self)
    }
}
