//! `JSONPath` as Argo's `jsonpath` function reads it.

use super::value::Value;

/// What a path finds in a document.
pub(super) fn query(path: &str, document: &Value) -> Result<Value, String> {
    let mut at = document.clone();
    for part in path.trim_start_matches('$').split('.').filter(|part| !part.is_empty()) {
        let Value::Map(map) = &at else {
            return Err(format!("key: invalid token key '{part}' not found"));
        };
        at = map.get(part).cloned().ok_or_else(|| format!("key: invalid token key '{part}' not found"))?;
    }
    Ok(at)
}
