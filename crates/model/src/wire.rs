//! How Go writes JSON, taken back: `null` where a list, map or text is empty.

use serde::{Deserialize, Deserializer};

/// Unknown fields of an object, kept in their order and written back unchanged.
pub(crate) type Other = serde_json::Map<String, serde_json::Value>;

/// Reads `null` as the default value, as Go does for lists, maps and texts.
pub(crate) fn null_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// True for a value that Go's `omitempty` would leave out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
