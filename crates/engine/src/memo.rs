//! Memoization: outputs that are kept under a key in a config map, and used again.
//! Source: Argo `workflow/controller/cache/cache.go`, `configmap_cache.go`; `workflow/controller/operator.go`,
//! `executeTemplate`.
//!
//! In: what a template says of its cache, with all tags filled in, config maps, outputs to keep. Out:
//! outputs that were kept. One value serves all workflows of a server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unwind_model::features::Memoize;
use unwind_model::params::Outputs;
use unwind_model::{NodeId, Timestamp};

use crate::lang::go;
use crate::library::Library;

/// Label that a config map must have to be used.
const TYPE_LABEL: &str = "workflows.argoproj.io/configmap-type";
/// The value it must have.
const TYPE_CACHE: &str = "Cache";

/// `memoizationStatus` of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoStatus {
    /// Whether the node's outputs were kept from before.
    pub hit: bool,
    /// The key.
    pub key: String,
    /// Name of the config map.
    pub cache_name: String,
}

/// What was found under a key.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What to write on the node.
    pub status: MemoStatus,
    /// The kept outputs; only looked at when `status.hit`.
    pub outputs: Option<Outputs>,
}

/// Why a cache cannot be used. The texts are Argo's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoError {
    /// The template names no config map.
    #[error("cache could not be found or created")]
    NoCache,
    /// The key has other characters than letters, digits and `-`, or begins with `-`.
    #[error("invalid cache key: {0}")]
    Key(String),
    /// The config map lacks the label.
    #[error("memoization configmap doesn't have {TYPE_LABEL} label, refusing to use it")]
    NoLabel,
    /// The config map is labelled as something else.
    #[error("memoization configmap doesn't have label {TYPE_LABEL} = {TYPE_CACHE}, refusing to use it")]
    OtherLabel,
    /// What is kept under the key cannot be read.
    #[error("malformed cache entry: could not unmarshal JSON; unable to parse: {0}")]
    Entry(String),
    /// `maxAge` is no duration.
    #[error("invalid maxAge: {0}")]
    MaxAge(String),
}

/// What is kept under a key, as JSON.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default, rename = "nodeID")]
    node_id: NodeId,
    #[serde(default)]
    outputs: Option<Outputs>,
    #[serde(default)]
    creation_timestamp: Option<Timestamp>,
    #[serde(default)]
    last_hit_timestamp: Option<Timestamp>,
}

/// The config maps that were written to, over those of the library.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caches {
    /// Data by name of the config map.
    written: BTreeMap<String, BTreeMap<String, String>>,
}

impl Caches {
    /// What is kept for a template. The controller asks when it makes the node, or when the node has
    /// got the lock it waited for.
    pub fn find(&mut self, memoize: &Memoize, library: &Library, now: Timestamp) -> Result<Found, MemoError> {
        let map = memoize.config_map();
        let entry = self.load(map, &memoize.key, library, now)?;
        let mut hit = entry.as_ref().is_some_and(|entry| !entry.node_id.is_empty());
        if !memoize.max_age.is_empty() {
            let max_age_ns = go::parse_duration(&memoize.max_age).map_err(MemoError::MaxAge)?;
            let created = entry.as_ref().and_then(|entry| entry.creation_timestamp);
            hit &= created.is_some_and(|created| (now - created).saturating_mul(1_000_000) <= max_age_ns);
        }
        let status = MemoStatus { hit, key: memoize.key.clone(), cache_name: map.to_owned() };
        Ok(Found { status, outputs: entry.filter(|_| hit).and_then(|entry| entry.outputs) })
    }

    /// Keeps the outputs of a node that has ended well. On an error the controller makes a pod's node
    /// Error with the text, and goes on otherwise.
    pub fn keep(
        &mut self,
        status: &MemoStatus,
        node: &NodeId,
        outputs: Option<&Outputs>,
        library: &Library,
        now: Timestamp,
    ) -> Result<(), MemoError> {
        check_key(&status.key)?;
        self.check_label(&status.cache_name, library)?;
        let now = Some(now.whole_seconds());
        let entry = Entry {
            node_id: node.clone(),
            outputs: outputs.cloned(),
            creation_timestamp: now,
            last_hit_timestamp: now,
        };
        self.write(&status.cache_name, &status.key, &entry, library);
        Ok(())
    }

    /// All data of the config maps that were written to, by their names.
    pub fn written(&self) -> &BTreeMap<String, BTreeMap<String, String>> {
        &self.written
    }

    /// The data of a config map as it is now; `None` when there is none of that name.
    pub fn config_map<'a>(
        &'a self,
        name: &str,
        library: &'a Library,
    ) -> Option<&'a BTreeMap<String, String>> {
        self.written.get(name).or_else(|| library.config_map(name))
    }

    fn load(
        &mut self,
        map: &str,
        key: &str,
        library: &Library,
        now: Timestamp,
    ) -> Result<Option<Entry>, MemoError> {
        if map.is_empty() {
            return Err(MemoError::NoCache);
        }
        check_key(key)?;
        let Some(data) = self.config_map(map, library) else { return Ok(None) };
        let text = data.get(key).cloned().unwrap_or_default();
        self.check_label(map, library)?;
        if text.is_empty() {
            return Ok(None);
        }
        let mut entry: Entry =
            unwind_model::json::read(&text).map_err(|error| MemoError::Entry(error.to_string()))?;
        entry.last_hit_timestamp = Some(now.whole_seconds());
        self.write(map, key, &entry, library);
        Ok(Some(entry))
    }

    /// A map that is only here was made here, with its label.
    fn check_label(&self, map: &str, library: &Library) -> Result<(), MemoError> {
        if library.config_map(map).is_none() || self.written.contains_key(map) {
            return Ok(());
        }
        match library.config_map_label(map, TYPE_LABEL) {
            Some(TYPE_CACHE) => Ok(()),
            Some(_) => Err(MemoError::OtherLabel),
            None => Err(MemoError::NoLabel),
        }
    }

    fn write(&mut self, map: &str, key: &str, entry: &Entry, library: &Library) {
        let text = serde_json::to_string(entry).unwrap_or_default();
        if !self.written.contains_key(map) {
            let data = library.config_map(map).cloned().unwrap_or_default();
            self.written.insert(map.to_owned(), data);
        }
        if let Some(data) = self.written.get_mut(map) {
            data.insert(key.to_owned(), text);
        }
    }
}

/// `^[a-zA-Z0-9][-a-zA-Z0-9]*$`.
fn check_key(key: &str) -> Result<(), MemoError> {
    let is_fine = !key.is_empty()
        && !key.starts_with('-')
        && key.bytes().all(|byte| byte == b'-' || byte.is_ascii_alphanumeric());
    if is_fine { Ok(()) } else { Err(MemoError::Key(key.to_owned())) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOON: Timestamp = Timestamp(1_772_452_800_000);

    fn memoize(key: &str, max_age: &str) -> Memoize {
        let text = json!({"key": key, "maxAge": max_age, "cache": {"configMap": {"name": "cache"}}});
        serde_json::from_value(text).expect("a memoize")
    }

    fn outputs(value: &str) -> Outputs {
        serde_json::from_value(json!({"parameters": [{"name": "x", "value": value}]})).expect("outputs")
    }

    fn library(label: Option<&str>, entry: &str) -> Library {
        let mut library = Library::default();
        let labels = label.map(|label| json!({TYPE_LABEL: label}));
        let metadata = json!({"name": "cache", "labels": labels});
        let document = json!({"kind": "ConfigMap", "metadata": metadata, "data": {"key": entry}});
        library.add(&document).expect("a config map");
        library
    }

    #[test]
    fn what_is_kept_is_found_until_it_is_too_old() {
        let (mut caches, library) = (Caches::default(), Library::default());
        let missed = caches.find(&memoize("key", "10s"), &library, NOON).expect("no error");
        let status = MemoStatus { hit: false, key: "key".to_owned(), cache_name: "cache".to_owned() };
        assert_eq!(missed, Found { status: status.clone(), outputs: None });

        caches.keep(&status, &"wf-1".into(), Some(&outputs("5")), &library, NOON).expect("no error");
        let hit = caches.find(&memoize("key", "10s"), &library, NOON + 10_000).expect("no error");
        assert!(hit.status.hit);
        assert_eq!(hit.outputs, Some(outputs("5")));
        let written = &caches.config_map("cache", &library).expect("a config map")["key"];
        assert_eq!(
            written,
            r#"{"nodeID":"wf-1","outputs":{"parameters":[{"name":"x","value":"5"}]},"creationTimestamp":"2026-03-02T12:00:00Z","lastHitTimestamp":"2026-03-02T12:00:10Z"}"#
        );
        let old = caches.find(&memoize("key", "10s"), &library, NOON + 10_001).expect("no error");
        assert!(!old.status.hit);
        assert_eq!(old.outputs, None);
        assert!(caches.find(&memoize("key", ""), &library, NOON + 99_000_000).expect("no error").status.hit);
    }

    #[test]
    fn entries_of_a_labelled_config_map_are_found() {
        let entry = r#"{"nodeID":"a","outputs":{"parameters":[{"name":"x","value":"7"}],"exitCode":"0"},"creationTimestamp":"2021-10-12T15:14:04Z","lastHitTimestamp":null}"#;
        let found = Caches::default().find(&memoize("key", ""), &library(Some("Cache"), entry), NOON);
        let outputs = found.expect("no error").outputs.expect("outputs");
        assert_eq!(outputs.parameters[0].value.as_deref(), Some("7"));
        assert_eq!(outputs.exit_code.as_deref(), Some("0"));
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_argos_words() {
        let check = |library: &Library, memoize: Memoize, expected: &str| {
            let found = Caches::default().find(&memoize, library, NOON);
            assert_eq!(found.expect_err("an error").to_string(), expected);
        };
        let label = "workflows.argoproj.io/configmap-type";
        let refused = "refusing to use it";
        check(
            &library(None, "{}"),
            memoize("key", ""),
            &format!("memoization configmap doesn't have {label} label, {refused}"),
        );
        check(
            &library(Some("Parameter"), "{}"),
            memoize("key", ""),
            &format!("memoization configmap doesn't have label {label} = Cache, {refused}"),
        );
        check(&Library::default(), memoize("a_b", ""), "invalid cache key: a_b");
        check(
            &Library::default(),
            Memoize { key: "k".to_owned(), ..Memoize::default() },
            "cache could not be found or created",
        );
        check(
            &library(Some("Cache"), ""),
            memoize("key", "10"),
            "invalid maxAge: time: missing unit in duration \"10\"",
        );
    }
}
