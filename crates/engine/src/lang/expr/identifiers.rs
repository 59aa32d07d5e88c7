//! The names that an expression asks for.
//!
//! Source: Argo `util/template/expression_template.go`, `getIdentifiers`.

use std::collections::BTreeSet;

use super::tree::{Binary, Kind, Node};

/// Dotted paths of names, each once, in the order in which Argo finds them: `tasks`, `tasks.a`,
/// `tasks.a.status`. Members left of `??` or before `?.` are not among them, their first name is.
pub(super) fn identifiers(node: &Node) -> Vec<String> {
    let mut guarded = BTreeSet::new();
    node.walk(&mut |node| match &node.kind {
        Kind::Binary(Binary::Coalesce, left, _) => left.walk(&mut |part| {
            if matches!(part.kind, Kind::Member { .. }) {
                guarded.insert(std::ptr::from_ref(part));
            }
        }),
        Kind::Member { of, optional: true, .. } if matches!(of.kind, Kind::Member { .. }) => {
            guarded.insert(std::ptr::from_ref(&**of));
        }
        _ => {}
    });
    let mut found: Vec<String> = Vec::new();
    node.walk(&mut |node| {
        if guarded.contains(&std::ptr::from_ref(node)) {
            return;
        }
        let path = match &node.kind {
            Kind::Name(name) => Some(name.clone()),
            Kind::Member { .. } => path(node),
            _ => None,
        };
        found.extend(path.filter(|path| !found.contains(path)));
    });
    found
}

/// The path of a member that starts at a name and goes on by names only.
fn path(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Name(name) => Some(name.clone()),
        Kind::Member { of, property, optional: false, .. } => {
            let Kind::Text(own) = &property.kind else {
                return None;
            };
            Some(format!("{}.{own}", path(of)?))
        }
        _ => None,
    }
}

/// The longest paths of names that an expression goes along, as their parts; an empty one where it may
/// look at everything (`$env`).
pub(super) fn paths(node: &Node) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    let mut inner = BTreeSet::new();
    // A node comes after its parts, so a longer path takes the place of the one it goes on from.
    node.walk(&mut |node| {
        let Some(path) = parts(node) else {
            return;
        };
        if let Kind::Member { of, .. } = &node.kind {
            inner.insert(std::ptr::from_ref(unchained(of)));
        }
        found.push((std::ptr::from_ref(node), path));
    });
    found.retain(|(node, _)| !inner.contains(node));
    found.into_iter().map(|(_, path)| if path[0] == "$env" { Vec::new() } else { path }).collect()
}

fn unchained(node: &Node) -> &Node {
    match &node.kind {
        Kind::Chain(inner) => inner,
        _ => node,
    }
}

/// The parts of a path that goes on by names only, `?.` among them.
fn parts(node: &Node) -> Option<Vec<&str>> {
    match &node.kind {
        Kind::Name(name) => Some(vec![name.as_str()]),
        Kind::Member { of, property, .. } => {
            let Kind::Text(own) = &property.kind else {
                return None;
            };
            // A key with dots is no way that flat names know.
            let mut path = parts(unchained(of)).filter(|_| !own.contains('.'))?;
            path.push(own);
            Some(path)
        }
        _ => None,
    }
}
