//! What an expression sees: the flat names of a place as nested maps, and Argo's functions.
//!
//! Source: Argo `util/expr/env/env.go`, `GetFuncMap`; `util/expand/expand.go`, `Expand`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::argo;
use super::identifiers::paths;
use super::time::Moment;
use super::value::{Map, Value};
use crate::lang::{ABSENT, Names};

/// Parts of a flat name that become maps; what is beyond stays one name.
const PARTS: usize = 32;

/// What an expression sees.
#[derive(Clone, Debug)]
pub struct Environment {
    pub(super) root: Map,
    pub(super) now: Option<Moment>,
}

/// What an expression can see of the names at a place, and no more: see [`environment_with`]. A name that is
/// known to be absent is nil.
/// Cost: one comparison for each name and each path that the expression asks for.
pub fn environment_for(source: &str, names: &dyn Names, more: &[(&str, Value)]) -> Environment {
    match super::parse::parse(source) {
        Ok(node) => of_paths(&paths(&node), names, more),
        Err(_) => environment_with(names, more),
    }
}

fn of_paths(paths: &[Vec<&str>], names: &dyn Names, more: &[(&str, Value)]) -> Environment {
    let mut tree = BTreeMap::new();
    names.each(&mut |name, text| put_for(&mut tree, paths, name, &|| Value::text(text)));
    for (name, value) in more {
        put_for(&mut tree, paths, name, &|| value.clone());
    }
    for path in paths {
        for count in 1..=path.len() {
            let name = path[..count].join(".");
            if names.value(&name).is_some_and(|value| value == ABSENT) {
                put(&mut tree, &name, Value::Nil);
            }
        }
    }
    finished(tree)
}

/// Puts a value where one of the paths leads to it, from it or through it. Of others, the maps on the
/// way of a path are made, so that what is missing is missed at the same place.
fn put_for(tree: &mut Branch, paths: &[Vec<&str>], name: &str, value: &dyn Fn() -> Value) {
    let mut shared = 0;
    for path in paths {
        let count = path.iter().zip(name.split('.')).take_while(|(own, part)| **own == *part).count();
        shared = shared.max(count);
        if path.is_empty() || count > 0 && (count == path.len() || count == name.split('.').count()) {
            return put(tree, name, value());
        }
    }
    if shared > 0 {
        branch(tree, name.split('.').take(shared.min(PARTS - 1)));
    }
}

type Branch = BTreeMap<Arc<str>, Tree>;

enum Tree {
    Leaf(Value),
    Branch(Branch),
}

/// The values of all names at a place, as texts.
pub fn environment(names: &dyn Names) -> Environment {
    environment_with(names, &[])
}

/// The values of all names at a place, and `more` by flat name, which win: outputs that a skipped node
/// did not make (nil), artifacts.
/// Source: Argo `workflow/controller/scope.go`, `getParametersAny`, `addSkippedParamToScope`.
pub fn environment_with(names: &dyn Names, more: &[(&str, Value)]) -> Environment {
    let mut tree = BTreeMap::new();
    names.each(&mut |name, text| put(&mut tree, name, Value::text(text)));
    for (name, value) in more {
        put(&mut tree, name, value.clone());
    }
    finished(tree)
}

fn finished(mut tree: Branch) -> Environment {
    for (name, function) in argo::functions() {
        tree.insert(Arc::from(name), Tree::Leaf(function));
    }
    Environment { root: frozen(tree), now: None }
}

impl Environment {
    /// The same with the current time, which `now()` and dates of Sprig ask for.
    #[must_use]
    pub fn at(mut self, now: Moment) -> Self {
        self.now = Some(now);
        self
    }

    /// Whether a dotted path of names is there, be it nil.
    /// Source: Argo `util/template/expression_template.go`, `hasVarInEnv`.
    pub fn has(&self, path: &str) -> bool {
        if self.root.get(path).is_some() {
            return true;
        }
        let mut parts = path.split('.');
        let Some(mut at) = parts.next().and_then(|first| self.root.get(first)) else {
            return false;
        };
        for part in parts {
            match at {
                Value::Map(map) => match map.get(part) {
                    Some(value) => at = value,
                    None => return false,
                },
                _ => return false,
            }
        }
        true
    }
}

/// Puts a value at its place. A name that others go on from is a map and nothing else.
fn put(tree: &mut Branch, name: &str, value: Value) {
    let mut parts: Vec<&str> = name.splitn(PARTS, '.').collect();
    let Some(last) = parts.pop() else {
        return;
    };
    if let Some(at) = branch(tree, parts.into_iter())
        && !matches!(at.get(last), Some(Tree::Branch(_)))
    {
        at.insert(Arc::from(last), Tree::Leaf(value));
    }
}

/// The maps at the end of a way, made where they are missing.
fn branch<'a>(tree: &'a mut Branch, parts: impl Iterator<Item = &'a str>) -> Option<&'a mut Branch> {
    let mut at = tree;
    for part in parts {
        let next = at.entry(Arc::from(part)).or_insert_with(|| Tree::Branch(BTreeMap::new()));
        if matches!(next, Tree::Leaf(_)) {
            *next = Tree::Branch(BTreeMap::new());
        }
        match next {
            Tree::Branch(branch) => at = branch,
            Tree::Leaf(_) => return None,
        }
    }
    Some(at)
}

fn frozen(tree: Branch) -> Map {
    let entry = |(name, tree)| {
        let value = match tree {
            Tree::Leaf(value) => value,
            Tree::Branch(branch) => Value::Map(frozen(branch)),
        };
        (name, value)
    };
    Map::shallow(tree.into_iter().map(entry).collect())
}
