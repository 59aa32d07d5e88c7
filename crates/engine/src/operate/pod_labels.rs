//! The labels of a pod, as far as garbage collection asks for them.
//! Source: Argo `workflow/controller/workflowpod.go`, `createWorkflowPod`, `addMetadata`; Kubernetes
//! `metav1.LabelSelectorAsSelector`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::pass::Pass;
use super::table::At;

const WORKFLOW: &str = "workflows.argoproj.io/workflow";
const COMPLETED: &str = "workflows.argoproj.io/completed";

impl Pass<'_> {
    /// Whether `podGC.labelSelector` means the pod of a node. Without a selector it means every pod.
    pub(crate) fn may_be_collected(&self, at: At, selector: Option<&Value>) -> bool {
        selector.is_none_or(|selector| matches(selector, &self.labels_of(at)))
    }

    /// Tags in labels of templates are not filled in.
    fn labels_of(&self, at: At) -> BTreeMap<String, String> {
        let mut labels = BTreeMap::from([
            (WORKFLOW.to_owned(), self.run.workflow.metadata.name.clone()),
            (COMPLETED.to_owned(), "false".to_owned()),
        ]);
        let template = self.node(at).template.as_ref();
        let of_template = template.and_then(|template| template.template.other.get("metadata"));
        let given = [self.spec.other.get("podMetadata"), of_template].into_iter().flatten();
        for (key, value) in given.filter_map(|metadata| metadata.get("labels")?.as_object()).flatten() {
            labels.insert(key.clone(), text(value));
        }
        labels
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Whether labels fit a selector: all of `matchLabels` and `matchExpressions`.
fn matches(selector: &Value, labels: &BTreeMap<String, String>) -> bool {
    let equal = selector.get("matchLabels").and_then(Value::as_object);
    let mut equal = equal.into_iter().flatten();
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    let mut expressions = expressions.into_iter().flatten();
    equal.all(|(key, value)| labels.get(key) == Some(&text(value)))
        && expressions.all(|expression| holds(expression, labels))
}

fn holds(expression: &Value, labels: &BTreeMap<String, String>) -> bool {
    let word = |field: &str| expression.get(field).and_then(Value::as_str).unwrap_or_default();
    let label = labels.get(word("key"));
    let values = expression.get("values").and_then(Value::as_array);
    let is_among = label.is_some_and(|label| values.into_iter().flatten().any(|value| text(value) == *label));
    match word("operator") {
        "In" => is_among,
        "NotIn" => !is_among,
        "Exists" => label.is_some(),
        "DoesNotExist" => label.is_none(),
        // Validation refuses it.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::matches;

    #[test]
    fn a_selector_means_what_fits_all_of_it() {
        let labels =
            BTreeMap::from([("keep".to_owned(), "no".to_owned()), ("size".to_owned(), "3".to_owned())]);
        let expression = |key: &str, operator: &str, values: &[&str]| json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]});
        for (selector, expected) in [
            (json!({}), true),
            (json!({"matchLabels": {"keep": "no", "size": "3"}}), true),
            (json!({"matchLabels": {"keep": "no", "other": "x"}}), false),
            (expression("keep", "In", &["yes", "no"]), true),
            (expression("other", "In", &["x"]), false),
            (expression("keep", "NotIn", &["no"]), false),
            (expression("other", "NotIn", &["x"]), true),
            (expression("size", "Exists", &[]), true),
            (expression("size", "DoesNotExist", &[]), false),
        ] {
            assert_eq!(matches(&selector, &labels), expected, "{selector}");
        }
    }
}
