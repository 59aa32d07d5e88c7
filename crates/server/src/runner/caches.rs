//! Outputs of memoized templates, kept for later runs: in config maps beside the other documents.
//!
//! In: what one run keeps. Out: the config maps on disk. A run sees what was kept when it was submitted.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use unwind_engine::Run;

use super::supervisor::Surroundings;
use crate::backend::documents::{DocumentKey, Kind};
use crate::store::{StoreError, Write, versioned};

/// Data of config maps by their names.
pub type Maps = BTreeMap<String, BTreeMap<String, String>>;

/// Label that says what a config map is for. Source: Argo `workflow/common/common.go`.
const TYPE: (&str, &str) = ("workflows.argoproj.io/configmap-type", "Cache");

/// Writes down what a run keeps and did not find.
pub async fn publish(around: &Surroundings, namespace: &str, run: &Run) -> Result<(), StoreError> {
    for (name, data) in run.caches() {
        let found = run.library().config_map(name);
        let is_new = |(key, text): &(&String, &String)| found.and_then(|found| found.get(*key)) != Some(text);
        let news: Vec<_> = data.iter().filter(is_new).collect();
        if news.is_empty() {
            continue;
        }
        let _writing = around.writing.lock().await;
        let key = DocumentKey { kind: Kind::ConfigMap, namespace: namespace.to_owned(), name: name.clone() };
        let mut document = around.documents.get(&key).map_or_else(
            || {
                let labels = json!({TYPE.0: TYPE.1});
                let metadata = json!({"name": name, "namespace": namespace, "labels": labels});
                json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {}})
            },
            |document| Value::clone(&document),
        );
        for (key, text) in news {
            document["data"][key] = json!(text);
        }
        let write = Write::Keep { key: key.clone(), document: document.clone() };
        let ticket = around.hub.ticket(around.store.commit(vec![write]).await?);
        let kept = versioned(document, ticket.version());
        ticket.settle(None);
        around.documents.put(key, kept);
    }
    Ok(())
}
