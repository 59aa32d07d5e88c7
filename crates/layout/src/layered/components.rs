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
