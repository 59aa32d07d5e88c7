//! Statuses that others wrote may hold nodes in a ring; whoever follows boundaries or children would never end.
//!
//! In: a table as it was read. Out: the same without the boundary or child that closes a ring. Argo writes none.

use std::collections::BTreeMap;

use super::table::{At, Table};

/// How far a node has been looked at.
#[derive(Clone, Copy, PartialEq)]
enum Looked {
    Under,
    Done,
}

impl Table {
    /// Leaves out what closes a ring: of boundaries, and of children and last nodes.
    pub(crate) fn cut_rings(&mut self) {
        self.cut_boundaries();
        self.cut_children();
    }

    fn cut_boundaries(&mut self) {
        let mut looked: BTreeMap<At, Looked> = BTreeMap::new();
        for start in self.all() {
            let mut way = Vec::new();
            let mut next = Some(start);
            while let Some(at) = next.filter(|at| !looked.contains_key(at)) {
                looked.insert(at, Looked::Under);
                way.push(at);
                next = self.get(at).boundary;
            }
            if let (Some(last), Some(met)) = (way.last(), next)
                && looked.get(&met) == Some(&Looked::Under)
            {
                self.get_mut(*last).boundary = None;
            }
            looked.extend(way.into_iter().map(|at| (at, Looked::Done)));
        }
    }

    fn cut_children(&mut self) {
        let mut looked: BTreeMap<At, Looked> = BTreeMap::new();
        for start in self.all() {
            // Nodes under way, each with those below it that are still to be looked at.
            let mut way = vec![(start, self.below(start))];
            while let Some((at, mut below)) = way.pop() {
                looked.insert(at, Looked::Under);
                let Some(inner) = below.pop() else {
                    looked.insert(at, Looked::Done);
                    continue;
                };
                way.push((at, below));
                match looked.get(&inner) {
                    Some(Looked::Done) => {}
                    Some(Looked::Under) => {
                        let node = self.get_mut(at);
                        node.children.retain(|child| *child != inner);
                        node.outbound.retain(|last| *last != inner);
                    }
                    None => way.push((inner, self.below(inner))),
                }
            }
        }
    }

    fn below(&self, at: At) -> Vec<At> {
        let node = self.get(at);
        node.children.iter().chain(&node.outbound).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn what_closes_a_ring_is_left_out() {
        let mut table = Table::default();
        let nodes = ["a", "b", "c"].map(|name| table.reserve("w", name));
        let [a, b, c] = nodes;
        for (at, inner, boundary) in [(a, b, b), (b, c, c), (c, a, a)] {
            let node = table.get_mut(at);
            node.exists = true;
            node.children = vec![inner, at];
            node.outbound = vec![inner];
            node.boundary = Some(boundary);
        }
        table.cut_rings();
        let boundaries = nodes.map(|at| table.get(at).boundary);
        assert_eq!(boundaries, [Some(b), Some(c), None]);
        let below = nodes.map(|at| table.below(at));
        assert_eq!(below, [vec![b, b], vec![c, c], vec![]]);
    }
}
