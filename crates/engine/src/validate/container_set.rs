//! Container sets: several containers in one pod with dependencies among them.
//! Source: Argo `container_set_template_types.go`, `Validate`, `HasContainerNamed`;
//! `validation_utils.go`, `validateNoCycles`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{artifact, names};

fn containers(set: &Value) -> &[Value] {
    set.get("containers").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether one of the containers is called `main`.
pub(super) fn has_main(set: &Value) -> bool {
    containers(set).iter().any(|container| artifact::text(container, "name") == "main")
}

/// The first path that two volumes are mounted at: index, path and name of the earlier mount.
pub(super) fn mounted_twice(mounts: &Value) -> Option<(usize, &str, &str)> {
    let mut seen = BTreeMap::new();
    for (index, mount) in mounts.as_array()?.iter().enumerate() {
        let (path, name) = (artifact::text(mount, "mountPath"), artifact::text(mount, "name"));
        if let Some(earlier) = seen.insert(path, name) {
            return Some((index, path, earlier));
        }
    }
    None
}

/// What is wrong with a container set.
pub(super) fn check(set: &Value) -> Result<(), String> {
    let containers = containers(set);
    if containers.is_empty() {
        return Err("containers must have at least one container".to_owned());
    }
    let names = containers.iter().map(|container| artifact::text(container, "name"));
    names::check_all(names, names::Rule::Field).map_err(|bad| format!("containers{}", bad.message))?;
    if let Some((index, path, earlier)) = set.get("volumeMounts").and_then(mounted_twice) {
        return Err(format!(
            "volumeMounts[{index}].mountPath '{path}' already mounted in volumeMounts.{earlier}"
        ));
    }
    let graph: BTreeMap<&str, Vec<&str>> = containers
        .iter()
        .map(|container| (artifact::text(container, "name"), dependencies(container)))
        .collect();
    for container in containers {
        let name = artifact::text(container, "name");
        if let Some(unknown) = graph[name].iter().find(|dependency| !graph.contains_key(*dependency)) {
            return Err(format!("containers.{name} dependency '{unknown}' not defined"));
        }
    }
    check_cycles(&graph)
}

fn dependencies(container: &Value) -> Vec<&str> {
    let list = container.get("dependencies").and_then(Value::as_array);
    list.map(|list| list.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
}

/// Walks from every container in the order of names down its dependencies. As in Argo, the way that is
/// told begins behind the container that the walk started from.
fn check_cycles(graph: &BTreeMap<&str, Vec<&str>>) -> Result<(), String> {
    let mut visited = BTreeSet::new();
    for start in graph.keys() {
        let mut way: Vec<&str> = Vec::new();
        // What of each container on the way is still to be walked; the start is no part of the way.
        let mut open = vec![(*start, 0)];
        while let Some((name, next)) = open.last_mut() {
            let dependency = if visited.contains(name) { None } else { graph[name].get(*next) };
            let Some(dependency) = dependency else {
                visited.insert(*name);
                open.pop();
                way.pop();
                continue;
            };
            *next += 1;
            if way.contains(dependency) {
                return Err(format!(
                    "containers dependency cycle detected: {}->{dependency}",
                    way.join("->")
                ));
            }
            way.push(dependency);
            open.push((dependency, 0));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check;

    fn bad(set: &Value) -> String {
        check(set).err().unwrap_or_default()
    }

    #[test]
    fn containers_have_names_and_know_each_other() {
        assert_eq!(bad(&json!({"containers": []})), "containers must have at least one container");
        assert_eq!(bad(&json!({"containers": [{"image": "busybox"}]})), "containers[0].name is required");
        assert_eq!(
            bad(&json!({"containers": [{"name": "a"}, {"name": "a"}]})),
            "containers[1].name 'a' is not unique"
        );
        assert_eq!(
            bad(&json!({"containers": [{"name": "a", "dependencies": ["b"]}]})),
            "containers.a dependency 'b' not defined"
        );
        assert_eq!(
            bad(&json!({"containers": [{"name": "a"}], "volumeMounts": [
                {"name": "x", "mountPath": "/m"}, {"name": "y", "mountPath": "/m"}
            ]})),
            "volumeMounts[1].mountPath '/m' already mounted in volumeMounts.x"
        );
    }

    #[test]
    fn cycles_are_told_from_the_first_name() {
        let after = |name: &str, others: Value| json!({"name": name, "dependencies": others});
        assert_eq!(
            bad(&json!({"containers": [after("a", json!(["b"])), after("b", json!(["a"]))]})),
            "containers dependency cycle detected: b->a->b"
        );
        assert_eq!(
            bad(&json!({"containers": [after("a", json!(["a"]))]})),
            "containers dependency cycle detected: a->a"
        );
        assert_eq!(
            bad(
                &json!({"containers": [after("a", json!(["b", "c"])), after("b", json!(["c"])), {"name": "c"}]})
            ),
            ""
        );
    }
}
