//! Eighth pass: how far along each vertex stands. What is not in the way of each other moves up past
//! rows, so that a short chain beside a tall box does not wait for it.
//!
//! Before: places across. After: [`Settled`]; nothing overlaps, and no line runs over a node: in each
//! row, all that the lines into the row pass over stands at one height, a gap after everything that
//! stands before any of it, and the lines run across inside that gap.

use std::collections::BTreeMap;

use super::Graph;
use super::layers::{Kind, Layers, Vertex};
use super::skyline::Skyline;
use super::tracks::{Bundle, tracks};
use crate::measure::{COLUMN_GAP, TRACK_GAP};
use crate::sorting;

/// Further left than anything stands.
const FAR_LEFT: f64 = -1e15;

/// Where vertices stand along; each segment from 0 on.
pub(super) struct Settled {
    /// `top[v]`: where vertex `v` begins.
    pub top: Vec<f64>,
    /// `run[v]`: where the lines into vertex `v` run across.
    pub run: Vec<f64>,
    /// `length[s]`: where segment `s` ends.
    pub length: Vec<f64>,
}

pub(super) fn settle(graph: &Graph, layers: &Layers, across: &[f64]) -> Settled {
    let count = layers.vertices.len();
    let mut settled = Settled { top: vec![0.0; count], run: vec![0.0; count], length: Vec::new() };
    for segment in 0..layers.segments.len() {
        let mut skyline = Skyline::new();
        let mut end: f64 = 0.0;
        for row in &layers.rows[layers.rows_of_segment(segment)] {
            let groups = if graph.is_stepped() { vec![whole_row(row)] } else { groups(layers, row, across) };
            for group in groups {
                let bottom = settle_group(graph, layers, across, &group, &mut skyline, &mut settled);
                end = end.max(bottom);
            }
        }
        settled.length.push(end);
    }
    settled
}

/// What stands at one height in a row, and the extent of it and its lines.
#[derive(Clone)]
struct Group {
    begin: f64,
    end: f64,
    vertices: Vec<usize>,
}

/// All of a row, and everything beside it: step rows stand strictly below each other.
fn whole_row(row: &[usize]) -> Group {
    Group { begin: FAR_LEFT, end: -FAR_LEFT, vertices: row.to_vec() }
}

/// The vertices of a row whose extents, lines into them included, overlap.
fn groups(layers: &Layers, row: &[usize], across: &[f64]) -> Vec<Group> {
    let extent_with_lines = |&vertex: &usize| {
        let own = own_extent(&layers.vertices[vertex], across[vertex]);
        let begins = layers.above[vertex].iter().map(|&above| across[above]);
        let (begin, end) =
            begins.fold(own, |(begin, end), at| (begin.min(at - LINE_HALF), end.max(at + LINE_HALF)));
        Group { begin, end, vertices: vec![vertex] }
    };
    let mut extents: Vec<Group> = row.iter().map(extent_with_lines).collect();
    sorting::sort_by(&mut extents, |left, right| left.begin.total_cmp(&right.begin));
    let mut groups: Vec<Group> = Vec::new();
    for extent in extents {
        match groups.last_mut() {
            Some(last) if extent.begin < last.end => {
                last.end = last.end.max(extent.end);
                last.vertices.extend(extent.vertices);
            }
            Some(_) | None => groups.push(extent),
        }
    }
    groups
}

/// Half the breadth that a line takes. Nodes give it up, so that a line as close as allowed is clear of them.
const LINE_HALF: f64 = 1.0;

/// The extent of a vertex with about half of the space beside it.
fn own_extent(vertex: &Vertex, centre: f64) -> (f64, f64) {
    let half = match vertex.kind {
        Kind::Node(_) => f64::midpoint(vertex.breadth, COLUMN_GAP) - LINE_HALF,
        Kind::Pass | Kind::Outside(_) => LINE_HALF,
    };
    (centre - half, centre + half)
}

/// Whether all of a group is a line that goes on straight.
#[expect(clippy::float_cmp, reason = "both are whole numbers")]
fn is_straight_line(layers: &Layers, across: &[f64], group: &Group) -> bool {
    match group.vertices[..] {
        [vertex] => match (layers.vertices[vertex].kind, &layers.above[vertex][..]) {
            (Kind::Pass, [above]) => across[*above] == across[vertex],
            (Kind::Pass | Kind::Node(_) | Kind::Outside(_), _) => false,
        },
        _ => false,
    }
}

/// Puts a group after all that stands before it and tells where it ends.
fn settle_group(
    graph: &Graph,
    layers: &Layers,
    across: &[f64],
    group: &Group,
    skyline: &mut Skyline,
    settled: &mut Settled,
) -> f64 {
    let track_of = track_of(layers, across, &group.vertices);
    let tracks = track_of.values().max().map_or(0.0, |&last| last as f64);
    let (space, to_run) = if is_straight_line(layers, across, group) {
        (0.0, 0.0)
    } else {
        (graph.gap() + tracks * TRACK_GAP, graph.gap() / 2.0)
    };
    let top = skyline.furthest(group.begin, group.end).map_or(0.0, |furthest| furthest + space);
    skyline.take(group.begin, group.end, top);
    let mut end = top;
    for &vertex in &group.vertices {
        let track = track_of.get(&vertex).map_or(0.0, |&track| track as f64);
        let bottom = top + layers.vertices[vertex].length;
        settled.top[vertex] = top;
        settled.run[vertex] = top - to_run - track * TRACK_GAP;
        let (left, right) = own_extent(&layers.vertices[vertex], across[vertex]);
        skyline.take(left, right, bottom);
        end = end.max(bottom);
    }
    end
}

/// The track of each vertex that lines lead into.
fn track_of(layers: &Layers, across: &[f64], vertices: &[usize]) -> BTreeMap<usize, usize> {
    let mut bundle_of_begin: BTreeMap<usize, usize> = BTreeMap::new();
    let mut joined: Vec<usize> = Vec::new();
    let mut bundle_of_vertex: Vec<(usize, usize)> = Vec::new();
    for &vertex in vertices.iter().filter(|&&vertex| !layers.above[vertex].is_empty()) {
        let own = joined.len();
        joined.push(own);
        bundle_of_vertex.push((vertex, own));
        for &above in &layers.above[vertex] {
            let other = *bundle_of_begin.entry(above).or_insert(own);
            let (left, right) = (root(&mut joined, other), root(&mut joined, own));
            joined[left.max(right)] = left.min(right);
        }
    }
    let mut place: BTreeMap<usize, usize> = BTreeMap::new();
    let mut bundles: Vec<Bundle> = Vec::new();
    for &(vertex, own) in &bundle_of_vertex {
        let bundle = *place.entry(root(&mut joined, own)).or_insert(bundles.len());
        if bundle == bundles.len() {
            bundles.push(Bundle::default());
        }
        bundles[bundle].ends.push(across[vertex] as i64);
        bundles[bundle].begins.extend(layers.above[vertex].iter().map(|&above| across[above] as i64));
    }
    let tracks = tracks(&bundles);
    let mut track_of = BTreeMap::new();
    for &(vertex, own) in &bundle_of_vertex {
        track_of.insert(vertex, tracks[place[&root(&mut joined, own)]]);
    }
    track_of
}

/// Follows joins down to the first of a set, and shortens the way for the next time.
fn root(joined: &mut [usize], mut at: usize) -> usize {
    while joined[at] != at {
        joined[at] = joined[joined[at]];
        at = joined[at];
    }
    at
}
