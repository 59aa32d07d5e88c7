//! Second pass: the layer of each node.
//!
//! Before: edges without cycle. After: every edge leads to a later rank, each node stands as early as
//! its edges allow, ranks have no holes. With step rows the row is the rank, whatever the edges say.

use super::Graph;

/// `ranks(..)[n]`: the rank of node `n`, from 0.
pub(super) fn ranks(graph: &Graph, forward: &[(usize, usize)]) -> Vec<usize> {
    if let Some(rows) = graph.nodes.iter().map(|node| node.row).collect::<Option<Vec<usize>>>() {
        return rows;
    }
    longest_paths(graph.nodes.len(), forward)
}

fn longest_paths(count: usize, forward: &[(usize, usize)]) -> Vec<usize> {
    let mut outgoing = vec![Vec::new(); count];
    let mut waiting = vec![0_usize; count];
    for &(from, to) in forward {
        outgoing[from].push(to);
        waiting[to] += 1;
    }
    let mut ranks = vec![0; count];
    let mut ready: Vec<usize> = (0..count).filter(|&node| waiting[node] == 0).collect();
    while let Some(node) = ready.pop() {
        for &to in &outgoing[node] {
            ranks[to] = ranks[to].max(ranks[node] + 1);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::Node;

    fn graph(rows: &[Option<usize>]) -> Graph {
        let node = |&row: &Option<usize>| Node { breadth: 10.0, length: 10.0, row };
        Graph { nodes: rows.iter().map(node).collect(), edges: Vec::new() }
    }

    #[test]
    fn the_longest_way_counts() {
        let edges = [(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)];
        assert_eq!(ranks(&graph(&[None; 5]), &edges), [0, 1, 2, 0, 3]);
    }

    #[test]
    fn a_step_row_is_the_rank() {
        assert_eq!(ranks(&graph(&[Some(1), Some(0), Some(1)]), &[(0, 1)]), [1, 0, 1]);
    }
}
