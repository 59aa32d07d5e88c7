//! Fields that no type names, kept in their order and written back unchanged.
//!
//! Most objects have none and there are tens of thousands of them, so an empty one takes no more than a pointer.
//! Copies share the fields until one is changed, and there is no room for more than there are.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Unknown fields of an object.
#[derive(Clone, Debug, Default)]
pub struct Other(Option<Arc<Map<String, Value>>>);

static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

impl Deref for Other {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl DerefMut for Other {
    fn deref_mut(&mut self) -> &mut Self::Target {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl PartialEq for Other {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => true,
            (Some(_) | None, _) => **self == **other,
        }
    }
}

impl From<Map<String, Value>> for Other {
    fn from(fields: Map<String, Value>) -> Self {
        Self((!fields.is_empty()).then(|| Arc::new(fitted(fields))))
    }
}

/// The same without room for more. Maps of one field, which most are, have room for four otherwise.
fn fitted(fields: Map<String, Value>) -> Map<String, Value> {
    let mut fitted = Map::with_capacity(fields.len());
    for (name, value) in fields {
        let value = match value {
            Value::Object(inner) => Value::Object(self::fitted(inner)),
            Value::Array(mut values) => {
                values.shrink_to_fit();
                Value::Array(values)
            }
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => value,
        };
        fitted.insert(name, value);
    }
    fitted
}

impl FromIterator<(String, Value)> for Other {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(fields: I) -> Self {
        Map::from_iter(fields).into()
    }
}

impl<'a> IntoIterator for &'a Other {
    type Item = (&'a String, &'a Value);
    type IntoIter = serde_json::map::Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Serialize for Other {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Other {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Other;

    #[test]
    fn an_empty_one_is_small_and_equal_to_one_that_was_emptied() {
        assert_eq!(size_of::<Other>(), size_of::<usize>());
        let mut emptied: Other = serde_json::from_value(json!({"b": 1, "a": null})).expect("fields");
        assert_eq!(serde_json::to_string(&emptied).expect("text"), r#"{"b":1,"a":null}"#);
        assert_eq!(emptied.get("b"), Some(&Value::from(1)));
        emptied.clear();
        assert_eq!(emptied, Other::default());
    }
}
