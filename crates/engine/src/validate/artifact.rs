//! Artifacts: where they lie and where a container finds them.
//! Source: Argo `workflow_types.go`, `ArtifactLocation`, `CleanPath`;
//! `workflow/validate/validate.go`, `validateArtifactLocation`; `workflow/artifacts/hdfs/hdfs.go`,
//! `ValidateArtifact`.

use serde_json::Value;

/// The raw artifacts of inputs, outputs or arguments.
pub(super) fn list(other: &serde_json::Map<String, Value>) -> &[Value] {
    other.get("artifacts").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A text field of a raw object; empty when it is absent or no text.
pub(super) fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn set<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    object.get(name).filter(|value| !value.is_null())
}

/// Whether it says where it lies, or at least under what key.
pub(super) fn has_location_or_key(artifact: &Value) -> bool {
    let has = |object: &Value, name: &str| !text(object, name).is_empty();
    if let Some(place) = set(artifact, "artifactory") {
        return has_url_path(text(place, "url"))
            || (has(place, "url") && set(place, "usernameSecret").is_some());
    }
    if let Some(place) = set(artifact, "azure") {
        return has(place, "blob");
    }
    if let Some(place) = set(artifact, "git") {
        return has(place, "repo");
    }
    if let Some(place) = set(artifact, "gcs") {
        return has(place, "key");
    }
    if let Some(place) = set(artifact, "hdfs") {
        return has(place, "path")
            || place.get("addresses").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    }
    if let Some(place) = set(artifact, "http") {
        return has(place, "url");
    }
    if let Some(place) = set(artifact, "oss") {
        return has(place, "key");
    }
    if set(artifact, "raw").is_some() {
        return true;
    }
    ["s3", "plugin"].iter().any(|kind| set(artifact, kind).is_some_and(|place| has(place, "key")))
}

fn has_url_path(url: &str) -> bool {
    let after = url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
    !after.split(['?', '#']).next().unwrap_or_default().is_empty()
}

/// What is wrong with the place of an artifact called `name` in messages.
pub(super) fn check_location(name: &str, artifact: &Value) -> Result<(), String> {
    if set(artifact, "git").is_some_and(|git| text(git, "repo").is_empty()) {
        return Err(format!("{name}.git.repo is required"));
    }
    match set(artifact, "hdfs") {
        Some(hdfs) => check_hdfs(&format!("{name}.hdfs"), hdfs),
        None => Ok(()),
    }
}

fn check_hdfs(name: &str, hdfs: &Value) -> Result<(), String> {
    let is_empty = |field: &str| text(hdfs, field).is_empty();
    if hdfs.get("addresses").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return Err(format!("{name}.addresses is required"));
    }
    if is_empty("path") {
        return Err(format!("{name}.path is required"));
    }
    if !text(hdfs, "path").starts_with('/') {
        return Err(format!("{name}.path must be a absolute file path"));
    }
    let ccache = set(hdfs, "krbCCacheSecret").is_some();
    let keytab = set(hdfs, "krbKeytabSecret").is_some();
    let config = set(hdfs, "krbConfigConfigMap").is_some();
    if is_empty("hdfsUser") && !ccache && !keytab {
        return Err(format!(
            "either {name}.hdfsUser, {name}.krbCCacheSecret or {name}.krbKeytabSecret is required"
        ));
    }
    let lacks_service = is_empty("krbServicePrincipalName") || !config;
    if keytab && (lacks_service || is_empty("krbUsername") || is_empty("krbRealm")) {
        return Err(format!(
            "{name}.krbServicePrincipalName, {name}.krbConfigConfigMap, {name}.krbUsername and \
             {name}.krbRealm are required with {name}.krbKeytabSecret"
        ));
    }
    if ccache && lacks_service {
        return Err(format!(
            "{name}.krbServicePrincipalName and {name}.krbConfigConfigMap are required with \
             {name}.krbCCacheSecret"
        ));
    }
    Ok(())
}

/// What is wrong with the path of an artifact in a container.
pub(super) fn check_path(artifact: &Value) -> Result<(), String> {
    let (name, path) = (text(artifact, "name"), text(artifact, "path"));
    if path.is_empty() {
        return Err(format!("Artifact '{name}' did not specify a path"));
    }
    let Some(safe) = safe_directory(path).filter(|safe| !safe.is_empty()) else { return Ok(()) };
    let clean = cleaned(path);
    let stays = clean.strip_prefix(safe).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1);
    if stays {
        return Ok(());
    }
    Err(format!(
        "Artifact '{name}' attempted to use a path containing '..'. Directory traversal is not permitted"
    ))
}

/// The directory that a path with `..` in it must not leave. As in Argo, a last part of any two
/// characters counts as one.
fn safe_directory(path: &str) -> Option<&str> {
    if let Some(at) = path.find("/../") {
        return Some(&path[..at]);
    }
    let (before, last) = path.rsplit_once('/')?;
    (last.chars().count() == 2).then_some(before)
}

/// Go's `filepath.Clean`.
fn cleaned(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_rooted => {}
            other => parts.push(other),
        }
    }
    format!("{}{}", if is_rooted { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{check_location, check_path, has_location_or_key};

    fn path(path: &str) -> String {
        check_path(&json!({"name": "a", "path": path})).err().unwrap_or_default()
    }

    #[test]
    fn a_path_must_be_there_and_stay_inside() {
        assert_eq!(path(""), "Artifact 'a' did not specify a path");
        for good in ["/tmp/a", "/tmp/in", "/ab", "/tmp/safe/../safe/x", "x/{{inputs.parameters.p}}"] {
            assert_eq!(path(good), "", "{good}");
        }
        for bad in ["/tmp/safe/../x", "/tmp/..", "/tmp/../../etc"] {
            assert!(path(bad).contains("Directory traversal is not permitted"), "{bad}");
        }
    }

    #[test]
    fn a_key_is_enough_for_a_location() {
        let has = |artifact: Value| has_location_or_key(&artifact);
        assert!(has(json!({"s3": {"key": "k"}})));
        assert!(has(json!({"raw": {}})));
        assert!(has(json!({"http": {"url": "https://host.example"}})));
        assert!(has(json!({"artifactory": {"url": "https://host.example/a"}})));
        assert!(!has(json!({"artifactory": {"url": "https://host.example"}})));
        assert!(!has(json!({"s3": {"bucket": "b"}})));
        assert!(!has(json!({"git": {}})));
        assert!(!has(json!({"name": "a", "path": "/a"})));
    }

    #[test]
    fn git_and_hdfs_say_what_they_lack() {
        let lacks = |artifact: Value| check_location("x", &artifact).err().unwrap_or_default();
        assert_eq!(lacks(json!({"git": {"revision": "main"}})), "x.git.repo is required");
        assert_eq!(lacks(json!({"hdfs": {}})), "x.hdfs.addresses is required");
        let addresses = ["name:8020"];
        assert_eq!(lacks(json!({"hdfs": {"addresses": addresses}})), "x.hdfs.path is required");
        assert_eq!(
            lacks(json!({"hdfs": {"addresses": addresses, "path": "/a"}})),
            "either x.hdfs.hdfsUser, x.hdfs.krbCCacheSecret or x.hdfs.krbKeytabSecret is required"
        );
        assert_eq!(lacks(json!({"hdfs": {"addresses": addresses, "path": "/a", "hdfsUser": "u"}})), "");
    }
}
