//! Fourth pass: edges over several rows get a vertex in each row they pass, so that what follows only
//! sees lines from one row to the next and keeps their way clear.
//!
//! Before: rows in which every edge leads down. After: [`Layers::links`] join neighbouring rows only, and
//! every edge has a path of vertices.
//!
//! Long edges with a common begin (or end) share their vertices: they become one trunk. Where trunks
//! would need too many vertices, the longest edges run outside, beside all rows ("detours").

use std::collections::BTreeMap;

use super::Graph;
use super::rows::Row;
use crate::sorting;

/// How many vertices long edges may need, per node and edge, before the longest run outside.
const PASSED_PER_ELEMENT: usize = 6;
/// The same for small graphs.
const PASSED_MIN: usize = 2000;

/// How many tracks there are beside all rows.
const TRACKS_MAX: usize = 12;

/// What stands in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A node of the graph.
    Node(usize),
    /// A line that passes.
    Pass,
    /// A line beside all rows, on this track.
    Outside(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Vertex {
    pub kind: Kind,
    pub row: usize,
    pub breadth: f64,
    pub length: f64,
}

/// The vertices an edge passes after its begin and before its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Path {
    /// Both ends in one row.
    Level,
    /// From row to row.
    Rows(Vec<usize>),
}

/// Rows of vertices and the lines between neighbouring rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    /// `vertices[n]` is node `n` for the first ones; those of lines follow.
    pub vertices: Vec<Vertex>,
    /// `rows[r]`: the vertices of row `r`, in order.
    pub rows: Vec<Vec<usize>>,
    /// `rank_of_row[r]`: the rank row `r` comes from.
    pub rank_of_row: Vec<usize>,
    /// `above[v]`: the vertices of the row before that are joined with `v`.
    pub above: Vec<Vec<usize>>,
    /// `below[v]`: the vertices of the row after that are joined with `v`.
    pub below: Vec<Vec<usize>>,
    /// `paths[e]`: the way of edge `e`.
    pub paths: Vec<Path>,
    /// First rows of the segments that stand side by side; the first is 0.
    pub segments: Vec<usize>,
    /// How many lines run beside all rows.
    pub tracks: usize,
}

/// What long edges share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Trunk {
    From(usize),
    To(usize),
}

impl Layers {
    /// `forward[e]` leads down, or stays in one row when that is a step row.
    pub fn build(graph: &Graph, forward: &[(usize, usize)], rows: Vec<Row>) -> Self {
        let mut layers = Self { segments: vec![0], ..Self::default() };
        let mut row_of = vec![0; graph.nodes.len()];
        for (row, Row { rank, nodes }) in rows.into_iter().enumerate() {
            for &node in &nodes {
                row_of[node] = row;
            }
            layers.rank_of_row.push(rank);
            layers.rows.push(nodes);
        }
        for (node, size) in graph.nodes.iter().enumerate() {
            let vertex = Vertex {
                kind: Kind::Node(node),
                row: row_of[node],
                breadth: size.breadth,
                length: size.length,
            };
            layers.vertices.push(vertex);
        }
        // In step rows an edge may lead up; its line is the same.
        let down = |&(from, to): &(usize, usize)| {
            if row_of[from] <= row_of[to] { (from, to) } else { (to, from) }
        };
        let edges: Vec<(usize, usize)> = forward.iter().map(down).collect();
        layers.lead_edges(&edges);
        layers
    }

    fn lead_edges(&mut self, edges: &[(usize, usize)]) {
        let trunks = trunks(self, edges);
        let longest_inside = longest_inside(self, edges);
        let mut passes: BTreeMap<(Trunk, usize), usize> = BTreeMap::new();
        let mut detours: BTreeMap<(Trunk, usize), usize> = BTreeMap::new();
        let mut links: Vec<(usize, usize)> = Vec::new();
        for (&(from, to), &trunk) in edges.iter().zip(&trunks) {
            let (first, last) = (self.vertices[from].row, self.vertices[to].row);
            if first == last {
                self.paths.push(Path::Level);
                continue;
            }
            let path: Vec<usize> = if last - first > longest_inside {
                let mut stop = |row| *detours.entry((trunk, row)).or_insert_with(|| self.add_pass(row));
                vec![stop(first + 1), stop(last - 1)]
            } else {
                let mut stop = |row| *passes.entry((trunk, row)).or_insert_with(|| self.add_pass(row));
                (first + 1..last).map(&mut stop).collect()
            };
            links.extend(steps(from, &path, to));
            self.paths.push(Path::Rows(path));
        }
        self.give_tracks(&detours);
        self.join(links);
    }

    fn add_pass(&mut self, row: usize) -> usize {
        let vertex = self.vertices.len();
        self.vertices.push(Vertex { kind: Kind::Pass, row, breadth: 0.0, length: 0.0 });
        self.rows[row].push(vertex);
        vertex
    }

    /// Gives every trunk that runs outside a track that is free from its first to its last row. Beyond
    /// [`TRACKS_MAX`] tracks are shared.
    fn give_tracks(&mut self, detours: &BTreeMap<(Trunk, usize), usize>) {
        let mut rows_of_trunk: BTreeMap<Trunk, (usize, usize)> = BTreeMap::new();
        for &(trunk, row) in detours.keys() {
            let rows = rows_of_trunk.entry(trunk).or_insert((row, row));
            *rows = (rows.0.min(row), rows.1.max(row));
        }
        let mut by_begin: Vec<(usize, usize, Trunk)> =
            rows_of_trunk.iter().map(|(&trunk, &(first, last))| (first, last, trunk)).collect();
        sorting::sort(&mut by_begin);
        let mut last_of_track: Vec<usize> = Vec::new();
        let mut track_of: BTreeMap<Trunk, usize> = BTreeMap::new();
        for (place, (first, last, trunk)) in by_begin.into_iter().enumerate() {
            let free = last_of_track.iter().position(|&taken| taken < first);
            let track = free.unwrap_or(if last_of_track.len() < TRACKS_MAX {
                last_of_track.len()
            } else {
                place % TRACKS_MAX
            });
            if track == last_of_track.len() {
                last_of_track.push(last);
            }
            last_of_track[track] = last_of_track[track].max(last);
            track_of.insert(trunk, track);
        }
        for ((trunk, _), &vertex) in detours {
            self.vertices[vertex].kind = Kind::Outside(track_of[trunk]);
        }
        self.tracks = last_of_track.len();
    }

    /// Cuts the rows into segments, given by their first rows. A line from one segment to a later one
    /// passes no rows in between: it runs outside of them.
    pub fn cut(&mut self, graph: &Graph, segments: Vec<usize>) {
        self.segments = segments;
        let mut is_passed = vec![false; self.vertices.len()];
        let mut paths = std::mem::take(&mut self.paths);
        for (edge, path) in paths.iter_mut().enumerate() {
            let Path::Rows(passed) = path else { continue };
            let (upper, lower) = self.ends(graph, edge);
            let ends = [self.segment_of(upper), self.segment_of(lower)];
            passed.retain(|&vertex| ends.contains(&self.segment_of(vertex)));
            for &vertex in passed.iter() {
                is_passed[vertex] = true;
            }
        }
        self.paths = paths;
        for row in &mut self.rows {
            row.retain(|&vertex| matches!(self.vertices[vertex].kind, Kind::Node(_)) || is_passed[vertex]);
        }
        let links = (0..graph.edges.len()).flat_map(|edge| self.steps(graph, edge)).collect();
        self.join(links);
    }

    /// Notes the lines between neighbouring rows, each once. A detour's own stretch is no such line.
    fn join(&mut self, mut links: Vec<(usize, usize)>) {
        sorting::sort(&mut links);
        links.dedup();
        self.above = vec![Vec::new(); self.vertices.len()];
        self.below = vec![Vec::new(); self.vertices.len()];
        for (upper, lower) in links {
            let is_next = self.vertices[upper].row + 1 == self.vertices[lower].row;
            if is_next && self.segment_of(upper) == self.segment_of(lower) {
                self.below[upper].push(lower);
                self.above[lower].push(upper);
            }
        }
    }

    /// The ends of an edge of the graph, the upper one first.
    pub fn ends(&self, graph: &Graph, edge: usize) -> (usize, usize) {
        let (from, to) = graph.edges[edge];
        if self.vertices[from].row <= self.vertices[to].row { (from, to) } else { (to, from) }
    }

    /// The steps of the way of an edge of the graph, downwards: pairs of vertices.
    pub fn steps(&self, graph: &Graph, edge: usize) -> Vec<(usize, usize)> {
        match &self.paths[edge] {
            Path::Level => Vec::new(),
            Path::Rows(passed) => {
                let (upper, lower) = self.ends(graph, edge);
                steps(upper, passed, lower)
            }
        }
    }

    /// The segment a vertex is in.
    pub fn segment_of(&self, vertex: usize) -> usize {
        self.segment_of_row(self.vertices[vertex].row)
    }

    /// The rows of segment `segment`.
    pub fn rows_of_segment(&self, segment: usize) -> std::ops::Range<usize> {
        let end = self.segments.get(segment + 1).copied().unwrap_or(self.rows.len());
        self.segments[segment]..end
    }

    /// The segment a row is in.
    pub fn segment_of_row(&self, row: usize) -> usize {
        self.segments.partition_point(|&first| first <= row) - 1
    }
}

/// With which other long edges each edge shares its way: those of its begin or those of its end,
/// whichever are more.
fn trunks(layers: &Layers, edges: &[(usize, usize)]) -> Vec<Trunk> {
    let is_long = |&&(from, to): &&(usize, usize)| layers.vertices[to].row > layers.vertices[from].row + 1;
    let mut leaving = vec![0_usize; layers.vertices.len()];
    let mut entering = vec![0_usize; layers.vertices.len()];
    for &(from, to) in edges.iter().filter(is_long) {
        leaving[from] += 1;
        entering[to] += 1;
    }
    let trunk = |&(from, to): &(usize, usize)| {
        if leaving[from] >= entering[to] { Trunk::From(from) } else { Trunk::To(to) }
    };
    edges.iter().map(trunk).collect()
}

/// How many rows an edge may span before it runs outside, so that all vertices of lines stay a small
/// multiple of the graph.
fn longest_inside(layers: &Layers, edges: &[(usize, usize)]) -> usize {
    let span = |&(from, to): &(usize, usize)| layers.vertices[to].row - layers.vertices[from].row;
    let mut spans: Vec<usize> = edges.iter().map(span).collect();
    sorting::sort(&mut spans);
    let budget = PASSED_MIN + PASSED_PER_ELEMENT * (layers.vertices.len() + edges.len());
    let mut passed = 0;
    for span in spans {
        passed += span.saturating_sub(1);
        if passed > budget {
            return (span - 1).max(2);
        }
    }
    usize::MAX
}

/// Pairs of neighbours along a way.
fn steps(from: usize, passed: &[usize], to: usize) -> Vec<(usize, usize)> {
    let stops: Vec<usize> = [from].into_iter().chain(passed.iter().copied()).chain([to]).collect();
    stops.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::Node;

    /// Layers of nodes in the given rows.
    fn layers(rows: &[&[usize]], edges: &[(usize, usize)]) -> (Graph, Layers) {
        let count = rows.iter().map(|row| row.len()).sum();
        let nodes = vec![Node { breadth: 10.0, length: 10.0, row: None }; count];
        let graph = Graph { nodes, edges: edges.to_vec() };
        let rows = rows.iter().enumerate().map(|(rank, nodes)| Row { rank, nodes: nodes.to_vec() }).collect();
        let layers = Layers::build(&graph, edges, rows);
        (graph, layers)
    }

    #[test]
    fn lines_join_neighbouring_rows_only() {
        let (graph, layers) = layers(&[&[0], &[1], &[2], &[3]], &[(0, 1), (0, 3), (1, 2), (2, 3)]);
        for edge in 0..graph.edges.len() {
            for (upper, lower) in layers.steps(&graph, edge) {
                assert_eq!(layers.vertices[upper].row + 1, layers.vertices[lower].row);
            }
        }
        assert_eq!(layers.rows.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 2, 1]);
    }

    #[test]
    fn long_edges_of_one_begin_share_their_way() {
        let (_, layers) = layers(&[&[0], &[1], &[2, 3, 4]], &[(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)]);
        assert_eq!(layers.rows[1].len(), 2);
        assert_eq!(layers.below[layers.rows[1][1]], [2, 3, 4]);
    }

    #[test]
    fn a_cut_leaves_out_the_rows_in_between() {
        let (graph, mut layers) =
            layers(&[&[0], &[1], &[2], &[3], &[4]], &[(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]);
        layers.cut(&graph, vec![0, 2, 3]);
        assert_eq!(layers.rows.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2, 1, 2, 1]);
        assert_eq!(layers.steps(&graph, 4).len(), 3);
        assert!(layers.below[1].is_empty() && layers.above[2].is_empty());
    }
}
