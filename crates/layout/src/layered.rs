//! The contents of one box: what stands side by side in it, in layers along the edges.
//!
//! Lengths here are along the edges ("along", "length") and across them ("across", "breadth"), so that
//! top-down and left-right are the same work.

mod acyclic;
mod rank;

use crate::measure;

/// One of the contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    /// Extent across the edges.
    pub breadth: f64,
    /// Extent along the edges.
    pub length: f64,
    /// The step row it belongs to, counted from 0 without holes; all nodes have one or none has.
    pub row: Option<usize>,
}

/// What is to be arranged. Edges are pairs of places in `nodes`, without doubles and loops.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<(usize, usize)>,
}

/// Where the nodes of a graph stand, as (across, along) from its own corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arrangement {
    /// `corners[n]`: the corner of node `n`.
    pub corners: Vec<(f64, f64)>,
    /// `routes[e]`: the corners of the line of edge `e`.
    pub routes: Vec<Vec<(f64, f64)>>,
    /// `rows[r]`: begin and end of step row `r`.
    pub rows: Vec<(f64, f64)>,
    pub breadth: f64,
    pub length: f64,
}

/// Runs the passes.
pub(crate) fn arrange(graph: &Graph) -> Arrangement {
    let forward = acyclic::forward_edges(graph.nodes.len(), &graph.edges);
    let ranks = rank::ranks(graph, &forward);
    let rank_count = ranks.iter().max().map_or(0, |&last| last + 1);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); rank_count];
    for (node, &rank) in ranks.iter().enumerate() {
        rows[rank].push(node);
    }
    let stepped = graph.nodes.iter().any(|node| node.row.is_some());
    let gap = if stepped { measure::STEP_GAP } else { measure::RANK_GAP };
    let breadth_of = |row: &Vec<usize>| {
        row.iter().map(|&node| graph.nodes[node].breadth).sum::<f64>()
            + measure::COLUMN_GAP * (row.len() as f64 - 1.0)
    };
    let breadth = rows.iter().map(breadth_of).fold(0.0, f64::max);
    let mut arrangement =
        Arrangement { corners: vec![(0.0, 0.0); graph.nodes.len()], breadth, ..Arrangement::default() };
    let mut along = 0.0;
    for row in &rows {
        let mut across = ((breadth - breadth_of(row)) / 2.0).floor();
        let length = row.iter().map(|&node| graph.nodes[node].length).fold(0.0, f64::max);
        for &node in row {
            arrangement.corners[node] = (across, along);
            across += graph.nodes[node].breadth + measure::COLUMN_GAP;
        }
        if stepped {
            arrangement.rows.push((along, along + length));
        }
        along += length + gap;
    }
    arrangement.length = along - gap;
    for &(from, to) in &graph.edges {
        arrangement.routes.push(straight(graph, &arrangement.corners, from, to));
    }
    arrangement
}

fn straight(graph: &Graph, corners: &[(f64, f64)], from: usize, to: usize) -> Vec<(f64, f64)> {
    let begin =
        (corners[from].0 + graph.nodes[from].breadth / 2.0, corners[from].1 + graph.nodes[from].length);
    let end = (corners[to].0 + graph.nodes[to].breadth / 2.0, corners[to].1);
    let middle = end.1 - measure::RANK_GAP / 2.0;
    vec![begin, (begin.0, middle), (end.0, middle), end]
}
