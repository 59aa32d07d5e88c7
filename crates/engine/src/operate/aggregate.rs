//! Outputs of the items of a loop, gathered into lists.
//! Source: Argo `workflow/controller/operator.go`, `processAggregateNodeOutputs`, `aggregatedJSONValueList`.

use std::collections::BTreeMap;

use serde_json::Value;
use unwind_model::NodePhase;

use crate::lang::go::json;

use super::pass::Pass;
use super::scope::Scope;
use super::table::At;

impl Pass<'_> {
    /// Adds the gathered outputs of items to a scope under a prefix.
    pub(crate) fn aggregate(&self, scope: &mut Scope, prefix: &str, items: &[At]) -> Result<(), String> {
        let mut items: Vec<At> = items.iter().copied().filter(|item| self.is_item(*item)).collect();
        items.sort_by_key(|item| loop_index(self.node(*item).name.as_str()));
        if items.is_empty() {
            return Ok(());
        }
        let mut results: Vec<Value> = Vec::new();
        let mut are_json = true;
        let mut all = Vec::new();
        let mut by_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for item in items {
            let node = self.node(item);
            let Some(outputs) = node.outputs.as_ref().filter(|_| node.phase == NodePhase::Succeeded) else {
                continue;
            };
            if !outputs.parameters.is_empty() {
                let mut given = serde_json::Map::new();
                for parameter in &outputs.parameters {
                    let value = parameter.value.clone().unwrap_or_default();
                    given.insert(parameter.name.clone(), Value::String(value.clone()));
                    by_name.entry(parameter.name.clone()).or_default().push(value);
                }
                all.push(Value::Object(given));
            }
            if let Some(result) = &outputs.result {
                if results.is_empty() {
                    are_json = json::check(result).is_ok();
                }
                let value = if are_json {
                    match serde_json::from_str(result) {
                        Ok(value) => value,
                        Err(_) => {
                            return Err(json::check(result)
                                .err()
                                .map_or_else(String::new, |error| error.to_string()));
                        }
                    }
                } else {
                    Value::String(result.clone())
                };
                results.push(value);
            }
        }
        scope.set(format!("{prefix}.outputs.result"), &json::encode(&Value::Array(results)));
        scope.set(format!("{prefix}.outputs.parameters"), &json::encode(&Value::Array(all)));
        for (name, values) in by_name {
            scope.set(format!("{prefix}.outputs.parameters.{name}"), &value_list(&values));
        }
        Ok(())
    }

    fn is_item(&self, at: At) -> bool {
        let node = self.node(at);
        node.exists && !node.is_hooked() && !node.is_retried()
    }
}

/// Lists and maps are taken as they are, if all values are such; else all values are texts.
fn value_list(values: &[String]) -> String {
    let parsed: Option<Vec<Value>> = values
        .iter()
        .map(|value| {
            serde_json::from_str::<Value>(value).ok().filter(|value| value.is_array() || value.is_object())
        })
        .collect();
    let list = parsed.unwrap_or_else(|| values.iter().cloned().map(Value::String).collect());
    json::encode(&Value::Array(list))
}

/// The number of an item: what stands between its last `(` and `:`.
fn loop_index(name: &str) -> u64 {
    let rest = name.rsplit_once('(').map_or("", |(_, rest)| rest);
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_default()
}
