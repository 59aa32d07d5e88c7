//! Last pass: segments side by side, and the line of every edge.
//!
//! Before: places of all vertices. After: an [`Arrangement`] from (0, 0) on; every line begins in the
//! middle of the lower side of its node, ends in the middle of the upper side of the other (turned round
//! for an edge that leads back), and has only corners. A line between two nodes of one step row leaves
//! and enters by their lower sides.

use std::collections::{BTreeMap, BTreeSet};

use super::layers::{Layers, Path};
use super::settle::Settled;
use super::{Arrangement, Graph};
use crate::measure::{COLUMN_GAP, TRACK_GAP};
use crate::sorting;

/// `across`: the middles of all vertices, each segment from 0 on.
pub(super) fn finish(graph: &Graph, layers: &Layers, across: Vec<f64>, along: Settled) -> Arrangement {
    let gutters = Gutters::of(graph, layers);
    let (breadth, begins) = side_by_side(layers, &across, &gutters);
    let mut placed = Placed { across, along, gutters, segment_begins: begins, half_gap: graph.gap() / 2.0 };
    placed.move_segments(layers);
    let corner =
        |node: usize| (placed.across[node] - graph.nodes[node].breadth / 2.0, placed.along.top[node]);
    Arrangement {
        corners: (0..graph.nodes.len()).map(corner).collect(),
        routes: (0..graph.edges.len()).map(|edge| placed.route(graph, layers, edge)).collect(),
        rows: if graph.is_stepped() { placed.step_rows(layers) } else { Vec::new() },
        breadth: even(breadth),
        length: even(placed.gutters.margin + placed.end() + placed.gutters.margin),
    }
}

fn even(length: f64) -> f64 {
    (length / 2.0).ceil() * 2.0
}

/// The space between segments, where lines lead from the end of one to the begin of a later one: below
/// their segment to the gutter beside it, up, and above the segments to their end.
struct Gutters {
    /// `lines[s]`: what leads from segment `s` to later ones.
    lines: Vec<Leaving>,
    /// Space before and after all segments for lines that run across there.
    margin: f64,
}

/// The lines that leave a segment. Those with one begin share a track, or those with one end,
/// whichever needs fewer.
struct Leaving {
    by_begin: bool,
    /// For each shared begin or end: the track in the gutter and the track above the segments.
    tracks: BTreeMap<usize, (usize, usize)>,
}

impl Gutters {
    fn of(graph: &Graph, layers: &Layers) -> Self {
        let mut leaving: Vec<Vec<(usize, usize)>> = vec![Vec::new(); layers.segments.len()];
        for (upper, lower) in (0..graph.edges.len()).flat_map(|edge| layers.steps(graph, edge)) {
            let segment = layers.segment_of(upper);
            if segment != layers.segment_of(lower) {
                leaving[segment].push((upper, lower));
            }
        }
        // What a track above the segments covers: how many segments, after which one, for whom.
        let mut covers: Vec<(usize, usize, usize)> = Vec::new();
        let mut gutters = Self { lines: Vec::new(), margin: 0.0 };
        for (segment, lines) in leaving.iter().enumerate() {
            let mut begins = BTreeSet::new();
            let mut ends = BTreeSet::new();
            for line in lines {
                begins.insert(line.0);
                ends.insert(line.1);
            }
            let by_begin = begins.len() <= ends.len();
            let mut furthest: BTreeMap<usize, usize> = BTreeMap::new();
            for &(upper, lower) in lines {
                let last = furthest.entry(if by_begin { upper } else { lower }).or_default();
                *last = layers.segment_of(lower).max(*last);
            }
            covers.extend(furthest.iter().map(|(&shared, &last)| (last - segment, segment, shared)));
            let mut tracks = BTreeMap::new();
            tracks.extend(furthest.keys().enumerate().map(|(track, &shared)| (shared, (track, 0))));
            gutters.lines.push(Leaving { by_begin, tracks });
        }
        gutters.give_tracks_above(covers);
        gutters.give_margin(graph.gap() / 2.0);
        gutters
    }

    /// Lines that cover more segments run further out, those that cover different ones may share a track.
    fn give_tracks_above(&mut self, mut covers: Vec<(usize, usize, usize)>) {
        sorting::sort(&mut covers);
        let mut taken: Vec<Vec<bool>> = Vec::new();
        for (count, segment, shared) in covers {
            let covered = segment + 1..segment + count + 1;
            let is_taken = |track: &Vec<bool>| track[covered.clone()].contains(&true);
            let track = taken.iter().rposition(is_taken).map_or(0, |last| last + 1);
            if track == taken.len() {
                taken.push(vec![false; self.lines.len()]);
            }
            taken[track][covered].fill(true);
            if let Some(tracks) = self.lines[segment].tracks.get_mut(&shared) {
                tracks.1 = track;
            }
        }
    }

    fn give_margin(&mut self, half_gap: f64) {
        let tracks = self.lines.iter().flat_map(|lines| lines.tracks.values());
        let last = tracks.map(|&(beside, above)| beside.max(above)).max();
        self.margin = last.map_or(0.0, |last| half_gap + last as f64 * TRACK_GAP);
    }

    fn breadth(&self, segment: usize) -> f64 {
        2.0 * COLUMN_GAP + self.lines[segment].tracks.len().saturating_sub(1) as f64 * TRACK_GAP
    }

    /// How far from the first track a line runs in its gutter, and above the segments.
    fn offsets(&self, segment: usize, upper: usize, lower: usize) -> (f64, f64) {
        let lines = &self.lines[segment];
        let shared = if lines.by_begin { upper } else { lower };
        let (beside, above) = lines.tracks.get(&shared).copied().unwrap_or((0, 0));
        (beside as f64 * TRACK_GAP, above as f64 * TRACK_GAP)
    }
}

/// The breadth of all, and where each segment begins and ends across.
fn side_by_side(layers: &Layers, across: &[f64], gutters: &Gutters) -> (f64, Vec<(f64, f64)>) {
    let mut at = 0.0;
    let mut extents = Vec::with_capacity(layers.segments.len());
    for segment in 0..layers.segments.len() {
        let vertices = layers.rows[layers.rows_of_segment(segment)].iter().flatten();
        let right = |&vertex: &usize| across[vertex] + layers.vertices[vertex].breadth / 2.0;
        let breadth = even(vertices.map(right).fold(0.0, f64::max));
        extents.push((at, at + breadth));
        at += breadth + gutters.breadth(segment);
    }
    (extents.last().map_or(0.0, |last| last.1), extents)
}

/// Where everything stands.
struct Placed {
    across: Vec<f64>,
    along: Settled,
    gutters: Gutters,
    segment_begins: Vec<(f64, f64)>,
    half_gap: f64,
}

impl Placed {
    fn move_segments(&mut self, layers: &Layers) {
        for (vertex, at) in layers.vertices.iter().enumerate() {
            let (begin, _) = self.segment_begins[layers.segment_of_row(at.row)];
            self.across[vertex] += begin;
            self.along.top[vertex] += self.gutters.margin;
            self.along.run[vertex] += self.gutters.margin;
        }
    }

    /// Where the longest segment ends, counted from where segments begin.
    fn end(&self) -> f64 {
        self.along.length.iter().copied().fold(0.0, f64::max)
    }

    /// The line of an edge of the graph, from its begin to its end.
    fn route(&self, graph: &Graph, layers: &Layers, edge: usize) -> Vec<(f64, f64)> {
        let (from, to) = graph.edges[edge];
        let bottom = |node: usize| (self.across[node], self.along.top[node] + graph.nodes[node].length);
        if layers.paths[edge] == Path::Level {
            let below = self.row_end(layers, layers.vertices[from].row) + self.half_gap;
            return corners(vec![
                bottom(from),
                (self.across[from], below),
                (self.across[to], below),
                bottom(to),
            ]);
        }
        let (upper, lower) = layers.ends(graph, edge);
        let mut points = vec![bottom(upper)];
        for (before, after) in layers.steps(graph, edge) {
            self.lead(layers, before, after, &mut points);
        }
        points.push((self.across[lower], self.along.top[lower]));
        if upper != from {
            points.reverse();
        }
        corners(points)
    }

    /// Appends the way from one vertex of a path to the next.
    fn lead(&self, layers: &Layers, before: usize, after: usize, points: &mut Vec<(f64, f64)>) {
        let (begin, end) = (self.across[before], self.across[after]);
        let segment = layers.segment_of(before);
        if segment == layers.segment_of(after) {
            let run = self.along.run[after];
            points.extend([(begin, run), (end, run)]);
            return;
        }
        let (beside, over) = self.gutters.offsets(segment, before, after);
        let below = self.gutters.margin + self.along.length[segment] + self.half_gap + beside;
        let above = self.gutters.margin - self.half_gap - over;
        let gutter = self.segment_begins[segment].1 + COLUMN_GAP + beside;
        points.extend([(begin, below), (gutter, below), (gutter, above), (end, above)]);
    }

    fn row_end(&self, layers: &Layers, row: usize) -> f64 {
        let bottom = |&vertex: &usize| self.along.top[vertex] + layers.vertices[vertex].length;
        layers.rows[row].iter().map(bottom).fold(0.0, f64::max)
    }

    /// Begin and end of each step row; one that wrapped is one row.
    fn step_rows(&self, layers: &Layers) -> Vec<(f64, f64)> {
        let mut rows: Vec<(f64, f64)> = Vec::new();
        for (row, &rank) in layers.rank_of_row.iter().enumerate() {
            let begin = layers.rows[row].first().map_or(0.0, |&vertex| self.along.top[vertex]);
            let end = self.row_end(layers, row);
            match rows.get_mut(rank) {
                Some(step) => step.1 = end,
                None => rows.push((begin, end)),
            }
        }
        rows
    }
}

/// Leaves out what is no corner.
fn corners(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::with_capacity(points.len());
    for point in points {
        if corners.last() == Some(&point) {
            continue;
        }
        while let [.., before, last] = corners[..]
            && is_between(before, last, point)
        {
            corners.pop();
        }
        corners.push(point);
    }
    corners
}

/// Whether `middle` lies on the straight way from `before` to `after`.
#[expect(
    clippy::float_cmp,
    reason = "coordinates are whole numbers or halves, copied and never computed anew"
)]
fn is_between(before: (f64, f64), middle: (f64, f64), after: (f64, f64)) -> bool {
    let is_upright = before.0 == middle.0 && middle.0 == after.0;
    let is_level = before.1 == middle.1 && middle.1 == after.1;
    is_upright && (middle.1 - before.1) * (after.1 - middle.1) >= 0.0
        || is_level && (middle.0 - before.0) * (after.0 - middle.0) >= 0.0
}
