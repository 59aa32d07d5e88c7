//! Spans as a tree: what lies inside what, and which hooks belong to whom.
//!
//! Indices are places in the list of spans. No recursion: files may nest as deep as they like.

use unwind_model::{NodeName, Timestamp, ordered};

use super::Span;
use super::known::Known;
use crate::plan::Role;

/// The tree of a list of spans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// `parent[i]`: what encloses span `i`. A hook is enclosed by what encloses its owner.
    pub(crate) parent: Vec<Option<usize>>,
    /// `owner[i]`: whose hook span `i` is.
    pub(crate) owner: Vec<Option<usize>>,
    /// `insides[i]`: main work inside span `i`, and hooks inside it whose owner is not there.
    pub(crate) insides: Vec<Vec<usize>>,
    /// `named[i]`: hooks of span `i` that are not its exit hook.
    pub(crate) named: Vec<Vec<usize>>,
    /// `exit[i]`: exit hook (or handler) of span `i`.
    pub(crate) exit: Vec<Option<usize>>,
    /// Spans that nothing encloses and nobody owns: the root, then what is loose.
    pub(crate) roots: Vec<usize>,
    /// Owners before what they hold, hooks after it: an order in which everything inside a node
    /// comes after the node.
    pub(crate) downward: Vec<usize>,
}

impl Tree {
    /// Links that are not possible (a boundary with a name as long as the node's own) are left out.
    pub(crate) fn build(spans: &[Span]) -> Self {
        let index = ordered::map(spans.iter().enumerate().map(|(at, span)| (span.node.as_str(), at)));
        let find = |span: &Span, name: Option<&str>| {
            name.filter(|name| name.len() < span.node.as_str().len())
                .and_then(|name| index.get(name).copied())
        };
        let mut tree = Self {
            insides: vec![Vec::new(); spans.len()],
            named: vec![Vec::new(); spans.len()],
            exit: vec![None; spans.len()],
            ..Self::default()
        };
        for (at, span) in spans.iter().enumerate() {
            let parent = find(span, span.boundary.as_ref().map(NodeName::as_str));
            let owner = find(span, span.owner.as_ref().map(NodeName::as_str));
            tree.parent.push(parent);
            tree.owner.push(owner);
            match (span.role, owner, parent) {
                (Role::ExitHook | Role::Handler, Some(owner), _) if tree.exit[owner].is_none() => {
                    tree.exit[owner] = Some(at);
                }
                (Role::NamedHook, Some(owner), _) => tree.named[owner].push(at),
                (_, _, Some(parent)) => tree.insides[parent].push(at),
                (Role::Root, _, None) => tree.roots.insert(0, at),
                (_, _, None) => tree.roots.push(at),
            }
        }
        tree.downward = tree.bracket_walk();
        tree
    }

    /// Spans in bracket order: owner, its insides (in plan order where the plan knows them, else by
    /// begin, then by name), named hooks, exit hook.
    pub(crate) fn bracket_order(&self, spans: &[Span], known: &[Known<'_>]) -> Vec<usize> {
        let key = |at: &usize| Sibling {
            known: known[*at].ordinal.is_none(),
            ordinal: known[*at].ordinal,
            number: number(spans[*at].node.as_str()),
            begun: spans[*at].begun,
            name: spans[*at].node.as_str(),
        };
        let mut sorted = self.clone();
        for list in sorted.insides.iter_mut().chain(sorted.named.iter_mut()) {
            ordered::sort_by(list, |a, b| key(a).cmp(&key(b)));
        }
        let loose = usize::from(sorted.roots.first().is_some_and(|at| matches!(spans[*at].role, Role::Root)));
        ordered::sort_by(&mut sorted.roots[loose..], |a, b| key(a).cmp(&key(b)));
        sorted.bracket_walk()
    }

    fn bracket_walk(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.parent.len());
        let mut open: Vec<usize> = self.roots.iter().rev().copied().collect();
        // An owner is taken twice: itself with its insides on top of its hooks.
        while let Some(at) = open.pop() {
            order.push(at);
            open.extend(self.exit[at]);
            open.extend(self.named[at].iter().rev());
            open.extend(self.insides[at].iter().rev());
        }
        order
    }
}

/// How siblings are sorted.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Sibling<'a> {
    known: bool,
    ordinal: Option<usize>,
    number: Option<u64>,
    begun: Option<Timestamp>,
    name: &'a str,
}

/// The number in `task(12:harbour)`, `task(3)`, `steps[4]`.
pub(crate) fn number(name: &str) -> Option<u64> {
    let start = match name.as_bytes().last()? {
        b')' => name.rfind('(')?,
        b']' => name.rfind('[')?,
        _ => return None,
    };
    let digits: &str = name[start + 1..name.len() - 1].split(':').next()?;
    digits.parse().ok()
}
