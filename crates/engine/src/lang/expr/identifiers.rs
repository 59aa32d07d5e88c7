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
