//! The connected parts of a graph, each a graph of its own.
//!
//! After: every node and every edge is in exactly one part; parts are in the order of their first node.

use super::Graph;

/// One connected part. `nodes[i]`, `edges[i]`: where its node or edge `i` is in the whole graph.
pub(super) struct Component {
    pub graph: Graph,
    pub nodes: Vec<usize>,
    pub edges: Vec<usize>,
}

pub(super) fn split(graph: &Graph) -> Vec<Component> {
    let part_of = parts(graph);
    let count = part_of.iter().max().map_or(0, |&last| last + 1);
    let empty = || Component { graph: Graph::default(), nodes: Vec::new(), edges: Vec::new() };
    let mut components: Vec<Component> = (0..count).map(|_| empty()).collect();
    let mut place = Vec::with_capacity(graph.nodes.len());
    for (node, &part) in part_of.iter().enumerate() {
        let component = &mut components[part];
        place.push(component.nodes.len());
        component.nodes.push(node);
        component.graph.nodes.push(graph.nodes[node]);
    }
    for (edge, &(from, to)) in graph.edges.iter().enumerate() {
        let component = &mut components[part_of[from]];
        component.edges.push(edge);
        component.graph.edges.push((place[from], place[to]));
    }
    components
}

/// `parts(..)[n]`: the part of node `n`, parts numbered by their first node.
fn parts(graph: &Graph) -> Vec<usize> {
    let mut beside = vec![Vec::new(); graph.nodes.len()];
    for &(from, to) in &graph.edges {
        beside[from].push(to);
        beside[to].push(from);
    }
    let mut part_of: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let mut count = 0;
    let mut open = Vec::new();
    for start in 0..graph.nodes.len() {
        if part_of[start].is_some() {
            continue;
        }
        part_of[start] = Some(count);
        open.push(start);
        while let Some(node) = open.pop() {
            for &next in &beside[node] {
                if part_of[next].is_none() {
                    part_of[next] = Some(count);
                    open.push(next);
                }
            }
        }
        count += 1;
    }
    part_of.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::Node;

    #[test]
    fn parts_keep_nodes_and_edges_with_their_places() {
        let nodes = vec![Node { breadth: 10.0, length: 10.0, row: None }; 5];
        let components = split(&Graph { nodes, edges: vec![(3, 1), (0, 4), (1, 3)] });
        let seen: Vec<_> = components
            .iter()
            .map(|part| (part.nodes.clone(), part.edges.clone(), part.graph.edges.clone()))
            .collect();
        assert_eq!(
            seen,
            [
                (vec![0, 4], vec![1], vec![(0, 1)]),
                (vec![1, 3], vec![0, 2], vec![(1, 0), (0, 1)]),
                (vec![2], vec![], vec![]),
            ]
        );
    }
}
