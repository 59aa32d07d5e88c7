//! How Go writes JSON and how sigs.k8s.io/yaml reads YAML, taken back: `null` where a list, map or
//! text is empty, and numbers or booleans where the type wants text.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

pub(crate) use crate::other::Other;

/// Reads `null` as the default value, as Go does for lists, maps and texts.
pub(crate) fn null_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads a large part by way of a value, with `null` as the default.
///
/// See [`crate::json`] for why.
pub(crate) fn through_value<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + serde::de::DeserializeOwned,
{
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(T::default()),
        value => T::deserialize(&value).map_err(D::Error::custom),
    }
}

/// True for a value that Go's `omitempty` would leave out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads text, or a number or boolean as its text; `null` is empty.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Text::deserialize(deserializer)?.0.unwrap_or_default())
}

/// As `text`, with `null` kept apart from an empty text.
pub(crate) fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Text::deserialize(deserializer)?.0)
}

/// A list of texts; `null` is empty.
pub(crate) fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let list = Option::<Vec<Text>>::deserialize(deserializer)?.unwrap_or_default();
    let mut texts: Vec<String> = list.into_iter().map(|text| text.0.unwrap_or_default()).collect();
    texts.shrink_to_fit();
    Ok(texts)
}

/// A map of texts; `null` is empty.
pub(crate) fn text_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    let map = Option::<BTreeMap<String, Text>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(crate::ordered::map(map.into_iter().map(|(key, text)| (key, text.0.unwrap_or_default()))))
}

struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text")
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }
    fn visit_string<E: Error>(self, text: String) -> Result<Text, E> {
        Ok(Text(Some(text)))
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Text, E> {
        Ok(Text(Some(value.to_string())))
    }
    fn visit_unit<E: Error>(self) -> Result<Text, E> {
        Ok(Text(None))
    }
    fn visit_none<E: Error>(self) -> Result<Text, E> {
        Ok(Text(None))
    }
}
