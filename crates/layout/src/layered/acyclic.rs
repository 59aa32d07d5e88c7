//! First pass: which edges lead backwards, so that the others make no cycle.
//!
//! Before: any pairs. After: turning the marked edges round leaves no cycle; a graph without cycles
//! has no marks. Depth first from the first node on, so what comes first in the request stays first.

/// The edges of `edges` among `count` nodes, each turned so that no cycle is left.
pub(super) fn forward_edges(count: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let is_back = back_edges(count, edges);
    edges
        .iter()
        .zip(is_back)
        .map(|(&(from, to), is_back)| if is_back { (to, from) } else { (from, to) })
        .collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    Open,
    Done,
}

fn back_edges(count: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let outgoing = outgoing(count, edges);
    let mut visit = vec![Visit::New; count];
    let mut is_back = vec![false; edges.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in starts(count, edges) {
        if visit[start] != Visit::New {
            continue;
        }
        visit[start] = Visit::Open;
        stack.push((start, 0));
        while let Some((node, next)) = stack.pop() {
            let Some(&edge) = outgoing[node].get(next) else {
                visit[node] = Visit::Done;
                continue;
            };
            stack.push((node, next + 1));
            let to = edges[edge].1;
            match visit[to] {
                Visit::New => {
                    visit[to] = Visit::Open;
                    stack.push((to, 0));
                }
                Visit::Open => is_back[edge] = true,
                Visit::Done => {}
            }
        }
    }
    is_back
}

/// `outgoing(..)[n]`: the edges that leave node `n`.
fn outgoing(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut outgoing = vec![Vec::new(); count];
    for (edge, &(from, _)) in edges.iter().enumerate() {
        outgoing[from].push(edge);
    }
    outgoing
}

/// All nodes, those without incoming edges first: a cycle is then entered where the graph leads into it.
fn starts(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut has_incoming = vec![false; count];
    for &(_, to) in edges {
        has_incoming[to] = true;
    }
    let (inner, sources): (Vec<usize>, Vec<usize>) = (0..count).partition(|&node| has_incoming[node]);
    sources.into_iter().chain(inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_without_a_cycle_stay_as_they_are() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
        assert_eq!(forward_edges(5, &edges), edges);
    }

    #[test]
    fn a_cycle_is_broken_where_it_closes() {
        assert_eq!(forward_edges(3, &[(0, 1), (1, 2), (2, 0)]), [(0, 1), (1, 2), (0, 2)]);
    }

    #[test]
    fn a_cycle_is_entered_where_the_graph_leads_into_it() {
        // 3 leads into the circle of 0, 1 and 2 at 2.
        assert_eq!(forward_edges(4, &[(0, 1), (1, 2), (2, 0), (3, 2)]), [(0, 1), (2, 1), (2, 0), (3, 2)]);
    }
}
