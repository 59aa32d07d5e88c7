//! One object put over another, as the cluster merges objects whose types it knows.
//! Source: Kubernetes `apimachinery/pkg/util/strategicpatch/patch.go`, `StrategicMergePatch`, `mergeSortedSlice`;
//! the keys of lists: Argo `workflow_types.go` and Kubernetes `core/v1`, `patchMergeKey`.

use serde_json::{Map, Value};

/// Puts the fields of `over` over those of `base`: maps are merged, lists of things with a key too, everything
/// else is replaced.
pub(crate) fn put_over(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => put_fields(base, over),
        (base, over) => *base = over,
    }
}

fn put_fields(base: &mut Map<String, Value>, over: Map<String, Value>) {
    for (field, value) in over {
        let known = base.entry(&field).or_insert(Value::Null);
        match (known, value, merge_key(&field)) {
            (Value::Array(known), Value::Array(new), Some(key)) => {
                let list = merged(known, new, key);
                *known = list;
            }
            (known, value, _) => put_over(known, value),
        }
    }
}

/// By which field the things of a list are known.
fn merge_key(field: &str) -> Option<&'static str> {
    match field {
        "templates" | "tasks" | "parameters" | "artifacts" | "volumes" | "env" | "initContainers"
        | "sidecars" | "imagePullSecrets" | "prometheus" => Some("name"),
        "volumeMounts" => Some("mountPath"),
        "volumeDevices" => Some("devicePath"),
        "ports" => Some("containerPort"),
        "hostAliases" => Some("ip"),
        "tolerations" => Some("key"),
        _ => None,
    }
}

/// The things of `over`, each over the one of `base` with its key, in their order; what `base` alone has stands
/// before the first of them that is behind it there, else at the end.
fn merged(base: &[Value], over: Vec<Value>, key: &str) -> Vec<Value> {
    let place = |thing: &Value| {
        let wanted = thing.get(key)?;
        base.iter().position(|known| known.get(key) == Some(wanted))
    };
    let places: Vec<Option<usize>> = over.iter().map(place).collect();
    let mut left = (0..base.len()).filter(|at| !places.contains(&Some(*at))).peekable();
    let mut list = Vec::with_capacity(base.len() + over.len());
    for (thing, place) in over.into_iter().zip(&places) {
        while let (Some(at), Some(place)) = (left.peek(), place)
            && at < place
        {
            list.extend(left.next().map(|at| base[at].clone()));
        }
        let mut known = place.map_or(Value::Null, |at| base[at].clone());
        put_over(&mut known, thing);
        list.push(known);
    }
    list.extend(left.map(|at| base[at].clone()));
    list
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::put_over;

    fn check(base: Value, over: Value, expected: &Value) {
        let mut base = base;
        put_over(&mut base, over);
        assert_eq!(base, *expected);
    }

    #[test]
    fn lists_are_merged_by_key_or_replaced() {
        check(
            json!({"env": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}], "args": ["x", "y"]}),
            json!({"env": [{"name": "b", "value": "3"}, {"name": "c", "value": "4"}], "args": ["z"]}),
            &json!({"env": [{"name": "a", "value": "1"}, {"name": "b", "value": "3"}, {"name": "c", "value": "4"}],
                "args": ["z"]}),
        );
    }

    #[test]
    fn what_only_one_of_them_has_stands_behind_what_both_have() {
        check(
            json!({"parameters": [{"name": "a", "default": "1"}, {"name": "b"}]}),
            json!({"parameters": [{"name": "c"}, {"name": "a", "value": "2"}]}),
            &json!({"parameters": [{"name": "c"}, {"name": "a", "default": "1", "value": "2"}, {"name": "b"}]}),
        );
    }

    #[test]
    fn maps_are_merged_to_any_depth() {
        check(
            json!({"a": {"b": 1, "c": 2}}),
            json!({"a": {"b": 3}, "d": 4}),
            &json!({"a": {"b": 3, "c": 2}, "d": 4}),
        );
    }
}
