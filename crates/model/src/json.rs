//! JSON to types by way of one value.
//!
//! Serde makes the code that reads a type once for each source it is read from (text, value, borrowed
//! value, content of a tagged enum), and the page carries every copy. Read by way of a borrowed value,
//! each type exists once: a tenth of the page's size.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a JSON text. Errors of the text itself have line and column, those of its shape have not.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let value: Value = serde_json::from_str(text)?;
    T::deserialize(&value)
}
