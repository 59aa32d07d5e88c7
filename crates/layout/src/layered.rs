//! The contents of one box: what stands side by side in it, in layers along the edges.
//!
//! Lengths here are along the edges ("along", "length") and across them ("across", "breadth"), so that
//! top-down and left-right are the same work. Breadths and lengths are even whole numbers; so all
//! results are whole and the same on every machine.
//!
//! Each pass is a file with what holds before and after it; [`arrange_connected`] lists them.

mod acyclic;
mod breaks;
mod components;
mod layers;
mod order;
mod pack;
mod position;
mod rank;
mod route;
mod rows;
mod settle;
mod skyline;
mod tracks;

use crate::measure;
use layers::Layers;

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

impl Graph {
    /// Whether the contents are step rows: all are or none is.
    fn is_stepped(&self) -> bool {
        self.nodes.first().is_some_and(|node| node.row.is_some())
    }

    /// Space between two rows.
    fn gap(&self) -> f64 {
        if self.is_stepped() { measure::STEP_GAP } else { measure::RANK_GAP }
    }

    /// The area of all nodes with the space around them.
    fn area(&self) -> f64 {
        let area = |node: &Node| (node.breadth + measure::COLUMN_GAP) * (node.length + measure::RANK_GAP);
        self.nodes.iter().map(area).sum()
    }
}

/// When rows wrap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// A row up to this breadth never wraps.
    pub breadth_min: f64,
    /// How many times as broad as long contents may be before their rows wrap.
    pub ratio: f64,
    /// How many times as broad as long a wrapped chain becomes.
    pub chain_ratio: f64,
}

impl Limits {
    pub const TOP_DOWN: Self = Self {
        breadth_min: measure::WRAP_WIDTH_MIN,
        ratio: measure::WRAP_RATIO,
        chain_ratio: measure::CHAIN_RATIO,
    };
    pub const LEFT_RIGHT: Self =
        Self { breadth_min: measure::WRAP_HEIGHT_MIN, ratio: 1.0, chain_ratio: 1.0 / measure::CHAIN_RATIO };

    /// The greatest breadth of a row among contents of `area`.
    fn row_breadth(&self, area: f64) -> f64 {
        self.breadth_min.max((self.ratio * area).sqrt())
    }
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

/// Arranges a graph: step rows and connected parts in layers, the parts beside each other.
pub(crate) fn arrange(graph: &Graph, limits: &Limits) -> Arrangement {
    if graph.is_stepped() {
        return arrange_connected(graph, limits);
    }
    let components = components::split(graph);
    let arranged: Vec<Arrangement> =
        components.iter().map(|component| arrange_connected(&component.graph, limits)).collect();
    pack::pack(graph, &components, &arranged, limits)
}

/// The passes.
fn arrange_connected(graph: &Graph, limits: &Limits) -> Arrangement {
    if let [node] = graph.nodes[..]
        && node.row.is_none()
    {
        return Arrangement {
            corners: vec![(0.0, 0.0)],
            breadth: node.breadth,
            length: node.length,
            ..Arrangement::default()
        };
    }
    let forward = acyclic::forward_edges(graph.nodes.len(), &graph.edges);
    let ranks = rank::ranks(graph, &forward);
    let rows = rows::rows(graph, &ranks, limits);
    let mut layers = Layers::build(graph, &forward, rows);
    breaks::mark(graph, &mut layers, limits);
    order::order(&mut layers);
    let across = position::centres(&layers);
    let settled = settle::settle(graph, &layers, &across);
    route::finish(graph, &layers, across, settled)
}
