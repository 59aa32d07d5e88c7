//! Third pass: ranks that are too broad become several rows.
//!
//! Before: a rank for each node. After: every node is in one row, rows are in the order of their ranks,
//! and no row is broader than the limits allow unless it holds one node. Nodes keep their order.

use super::{Graph, Limits};
use crate::measure::COLUMN_GAP;

/// One row: the nodes in it and the rank they come from.
pub(super) struct Row {
    pub rank: usize,
    pub nodes: Vec<usize>,
}

pub(super) fn rows(graph: &Graph, ranks: &[usize], limits: &Limits) -> Vec<Row> {
    let rank_count = ranks.iter().max().map_or(0, |&last| last + 1);
    let mut by_rank: Vec<Vec<usize>> = vec![Vec::new(); rank_count];
    for (node, &rank) in ranks.iter().enumerate() {
        by_rank[rank].push(node);
    }
    let limit = limits.row_breadth(graph.area());
    let mut rows = Vec::with_capacity(rank_count);
    for (rank, nodes) in by_rank.into_iter().enumerate() {
        let breadths: Vec<f64> = nodes.iter().map(|&node| graph.nodes[node].breadth).collect();
        let mut nodes = nodes.into_iter();
        for count in balanced(&breadths, limit) {
            rows.push(Row { rank, nodes: nodes.by_ref().take(count).collect() });
        }
    }
    rows
}

/// How many of a sequence of `breadths` go into each row so that none is broader than `limit` and all
/// are about equally full.
pub(super) fn balanced(breadths: &[f64], limit: f64) -> Vec<usize> {
    let total: f64 = breadths.iter().map(|breadth| breadth + COLUMN_GAP).sum();
    let row_count = (total / (limit + COLUMN_GAP)).ceil().max(1.0);
    let fair = total / row_count;
    let mut counts = Vec::new();
    let (mut count, mut breadth) = (0, 0.0);
    for next in breadths.iter().map(|breadth| breadth + COLUMN_GAP) {
        let is_full = breadth + next > limit + COLUMN_GAP || breadth + next / 2.0 > fair;
        if count > 0 && is_full {
            counts.push(count);
            (count, breadth) = (0, 0.0);
        }
        count += 1;
        breadth += next;
    }
    if count > 0 {
        counts.push(count);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nine_cards_wrap_to_five_and_four() {
        assert_eq!(balanced(&[176.0; 9], 960.0), [5, 4]);
        assert_eq!(balanced(&[212.0; 6], 960.0), [3, 3]);
        assert_eq!(balanced(&[176.0; 5], 960.0), [5]);
    }

    #[test]
    fn one_that_is_too_broad_stands_alone() {
        assert_eq!(balanced(&[100.0, 2000.0, 100.0, 100.0], 960.0), [1, 1, 2]);
        assert_eq!(balanced(&[], 960.0), []);
    }
}
