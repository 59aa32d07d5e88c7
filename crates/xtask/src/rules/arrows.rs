//! Which crate may use which, and what the pure crates may never reach.
//!
//! In: a graph of packages read from `cargo metadata`. Out: one sentence for each arrow that must not exist.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata};

/// Our crates, and for each the ones of ours it may use; `xtask` starts the others as programs.
const MAY_USE: &[(&str, &[&str])] = &[
    ("unwind-model", &[]),
    ("unwind-engine", &["unwind-model"]),
    ("unwind-layout", &[]),
    ("unwind-present", &["unwind-engine", "unwind-layout", "unwind-model"]),
    ("unwind-api", &["unwind-model"]),
    ("unwind-server", &["unwind-api", "unwind-engine", "unwind-model"]),
    ("unwind-cli", &["unwind-server", "unwind-present", "unwind-api", "unwind-engine", "unwind-model"]),
    ("unwind-page", &["unwind-present", "unwind-api", "unwind-engine", "unwind-layout", "unwind-model"]),
    (
        "unwind-corpus",
        &["unwind-api", "unwind-engine", "unwind-layout", "unwind-present", "unwind-model", "unwind-server"],
    ),
    ("unwind-engine-module", &["unwind-present", "unwind-engine", "unwind-model"]),
    ("xtask", &[]),
];

/// Crates of others that must not be reached, not even through another crate.
const MUST_NOT_REACH: &[(&str, &[&str])] = &[
    ("unwind-model", IMPURE),
    ("unwind-engine", IMPURE),
    ("unwind-layout", IMPURE),
    ("unwind-present", IMPURE),
    ("unwind-server", &["leptos"]),
    ("unwind-cli", &["leptos"]),
];

/// What brings in I/O, a browser, chance or a clock.
const IMPURE: &[&str] = &[
    "axum",
    "chrono",
    "fastrand",
    "getrandom",
    "gloo-net",
    "gloo-timers",
    "hyper",
    "instant",
    "jiff",
    "js-sys",
    "leptos",
    "mio",
    "rand",
    "reqwest",
    "time",
    "tokio",
    "uuid",
    "wasm-bindgen",
    "web-sys",
    "web-time",
];

/// Packages and the arrows between them.
#[derive(Default)]
pub struct Graph {
    /// The workspace's own packages, by name.
    ours: BTreeSet<String>,
    /// Arrows that end up in a program, of all packages.
    built: BTreeMap<String, BTreeSet<String>>,
    /// Arrows that only tests use, of our packages.
    tested: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// Takes the arrows out of `cargo metadata` with its resolved dependencies.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        let mut graph = Self::default();
        let name = |id: &cargo_metadata::PackageId| metadata[id].name.to_string();
        graph.ours.extend(metadata.workspace_members.iter().map(name));
        for node in metadata.resolve.iter().flat_map(|resolve| &resolve.nodes) {
            let from = name(&node.id);
            for dependency in &node.deps {
                let to = name(&dependency.pkg);
                let in_program =
                    dependency.dep_kinds.iter().any(|info| info.kind != DependencyKind::Development);
                graph.add(&from, &to, in_program);
            }
        }
        graph
    }

    fn add(&mut self, from: &str, to: &str, in_program: bool) {
        let arrows = if in_program { &mut self.built } else { &mut self.tested };
        arrows.entry(from.to_owned()).or_default().insert(to.to_owned());
    }

    /// The shortest way from one package to another along arrows that end up in a program.
    fn way(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
        let mut next = std::collections::VecDeque::from([from]);
        while let Some(at) = next.pop_front() {
            if at == to {
                let mut way = vec![to.to_owned()];
                let mut at = to;
                while let Some(before) = came_from.get(at) {
                    way.insert(0, (*before).to_owned());
                    at = before;
                }
                return Some(way);
            }
            for target in self.built.get(at).into_iter().flatten() {
                if target != from && !came_from.contains_key(target.as_str()) {
                    came_from.insert(target, at);
                    next.push_back(target);
                }
            }
        }
        None
    }
}

/// One sentence for each arrow that must not exist.
pub fn check(graph: &Graph) -> Vec<String> {
    let mut broken = Vec::new();
    for from in &graph.ours {
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| name == from) else {
            broken.push(format!(
                "`{from}` has no row in the table of arrows: crates/xtask/src/rules/arrows.rs"
            ));
            continue;
        };
        let arrows = [&graph.built, &graph.tested];
        let targets: BTreeSet<_> = arrows.iter().filter_map(|arrows| arrows.get(from)).flatten().collect();
        for to in targets {
            if graph.ours.contains(to) && !allowed.contains(&to.as_str()) {
                broken.push(format!("`{from}` must not use `{to}`: take it out of its Cargo.toml"));
            }
        }
    }
    for (from, targets) in MUST_NOT_REACH {
        for to in *targets {
            if let Some(way) = graph.way(from, to) {
                broken.push(format!("`{from}` must not reach `{to}`, and does: {}", way.join(" -> ")));
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workspace in which every allowed arrow exists, and `planted` beside them.
    fn graph(planted: &[(&str, &str, bool)]) -> Graph {
        let mut graph = Graph::default();
        for (from, targets) in MAY_USE {
            graph.ours.insert((*from).to_owned());
            for to in *targets {
                graph.add(from, to, true);
            }
        }
        graph.add("unwind-model", "serde", true);
        graph.add("unwind-server", "tokio", true);
        graph.add("unwind-page", "leptos", true);
        graph.add("unwind-engine", "proptest", false);
        graph.add("proptest", "rand", true);
        for (from, to, in_program) in planted {
            graph.add(from, to, *in_program);
        }
        graph
    }

    #[test]
    fn allowed_arrows_pass() {
        assert_eq!(check(&graph(&[])), [""; 0]);
    }

    #[test]
    fn every_arrow_of_ours_that_is_not_allowed_fails() {
        for (from, allowed) in MAY_USE {
            for (to, _) in MAY_USE.iter().filter(|(to, _)| to != from && !allowed.contains(to)) {
                let broken = check(&graph(&[(from, to, true)]));
                assert!(
                    broken.iter().any(|line| line.contains(&format!("`{from}` must not use `{to}`"))),
                    "{from} -> {to}: {broken:?}"
                );
            }
        }
    }

    #[test]
    fn arrow_of_a_test_fails_too() {
        let broken = check(&graph(&[("unwind-api", "unwind-engine", false)]));
        assert_eq!(broken, ["`unwind-api` must not use `unwind-engine`: take it out of its Cargo.toml"]);
    }

    #[test]
    fn each_crate_of_others_that_is_forbidden_fails_directly_and_through_another() {
        for (from, targets) in MUST_NOT_REACH {
            for to in *targets {
                for planted in
                    [vec![(*from, *to, true)], vec![(*from, "between", true), ("between", *to, true)]]
                {
                    let broken = check(&graph(&planted));
                    assert!(
                        broken
                            .iter()
                            .any(|line| line.starts_with(&format!("`{from}` must not reach `{to}`"))),
                        "{planted:?}: {broken:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn way_is_named() {
        let broken = check(&graph(&[("unwind-layout", "a", true), ("a", "b", true), ("b", "rand", true)]));
        assert!(broken.contains(
            &"`unwind-layout` must not reach `rand`, and does: unwind-layout -> a -> b -> rand".to_owned()
        ));
    }

    #[test]
    fn crate_without_a_row_fails() {
        let mut graph = graph(&[]);
        graph.ours.insert("unwind-new".into());
        assert!(check(&graph)[0].contains("`unwind-new` has no row"));
    }

    #[test]
    fn arrows_are_read_from_metadata() {
        let id = |name: &str| format!("path+file:///w/{name}#0.1.0");
        let package = |name: &str| {
            serde_json::json!({
                "name": name, "version": "0.1.0", "id": id(name), "source": null, "dependencies": [],
                "targets": [], "features": {}, "manifest_path": format!("/w/{name}/Cargo.toml"),
                "license": null, "license_file": null, "description": null, "metadata": null, "publish": [],
                "authors": [], "categories": [], "keywords": [], "readme": null, "repository": null,
                "homepage": null, "documentation": null, "edition": "2024", "links": null,
                "default_run": null, "rust_version": null
            })
        };
        let node = |name: &str, to: &[(&str, Option<&str>)]| {
            let deps: Vec<_> = to
                .iter()
                .map(|(to, kind)| {
                    serde_json::json!({
                        "name": to, "pkg": id(to), "dep_kinds": [{ "kind": kind, "target": null }]
                    })
                })
                .collect();
            serde_json::json!({ "id": id(name), "dependencies": [], "deps": deps, "features": [] })
        };
        let metadata = serde_json::json!({
            "packages": [package("unwind-model"), package("unwind-layout"), package("time")],
            "workspace_members": [id("unwind-model"), id("unwind-layout")],
            "workspace_default_members": [],
            "resolve": { "root": null, "nodes": [
                node("unwind-model", &[("time", Some("dev"))]),
                node("unwind-layout", &[("unwind-model", None), ("time", None)]),
                node("time", &[]),
            ] },
            "target_directory": "/w/target", "version": 1, "workspace_root": "/w", "metadata": null
        });
        let metadata: Metadata = serde_json::from_value(metadata).expect("the shape of cargo metadata");
        assert_eq!(
            check(&Graph::from_metadata(&metadata)),
            [
                "`unwind-layout` must not use `unwind-model`: take it out of its Cargo.toml",
                "`unwind-layout` must not reach `time`, and does: unwind-layout -> time",
            ]
        );
    }
}
