//! Seventh pass: the place of each vertex across.
//!
//! Before: ordered rows. After: [`Across`] holds whole numbers; in each row the vertices stand in order
//! and clear of each other. Sweeps pull each vertex to the middle of what it is joined with: within a
//! row that is a least-squares problem with fixed distances, solved exactly by pooling (Ayer and
//! others 1955), so a row stays as close to its wishes as its order allows.

use super::layers::{Kind, Layers, Vertex};
use crate::measure::{COLUMN_GAP, TRACK_GAP};

/// Sweeps down and up.
const ROUNDS: usize = 4;
/// How much of its weight a vertex keeps that is joined with nothing on the side a sweep comes from.
const FREE: f64 = 0.05;
/// How much a line between two others insists on being straight. A node insists by its breadth with the space beside
/// it: the middle of several nodes side by side, so weighted, is the middle of their whole extent.
const WEIGHT_LINE: f64 = 1000.0;
/// The same in the last sweep, where lines give way so that chains of nodes are straight.
const WEIGHT_LINE_LAST: f64 = 1.0;

/// `centres(..)[v]`: the middle of vertex `v` across; each segment from 0 on, lines outside behind it.
pub(super) fn centres(layers: &Layers) -> Vec<f64> {
    let mut centre = vec![0.0; layers.vertices.len()];
    for row in &layers.rows {
        pack(layers, row, &mut centre);
    }
    let (above, below) = (drawn_to(layers, &layers.above), drawn_to(layers, &layers.below));
    for _ in 0..ROUNDS {
        for row in &layers.rows {
            pull(layers, row, &above, WEIGHT_LINE, &mut centre);
        }
        for row in layers.rows.iter().rev() {
            pull(layers, row, &below, WEIGHT_LINE, &mut centre);
        }
    }
    for row in &layers.rows {
        pull(layers, row, &above, WEIGHT_LINE_LAST, &mut centre);
    }
    straighten_sides(layers, &mut centre);
    for segment in 0..layers.segments.len() {
        shift_to_zero(layers, segment, &mut centre);
    }
    pin_outside(layers, &mut centre);
    centre
}

/// What each vertex is drawn to on one side. A node is drawn to nodes, and to lines where there are none:
/// so a chain stays straight and lines around it give way. A node in a rank that wraps is not drawn to the
/// trunk beside it, but to where that leads: so the rows of the rank stand below each other.
fn drawn_to(layers: &Layers, joined: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let rank = |vertex: usize| layers.rank_of_row[layers.vertices[vertex].row];
    let behind_trunk = |start: usize, mut at: usize| {
        while let (Kind::Pass, [next]) = (layers.vertices[at].kind, &joined[at][..]) {
            if rank(at) != rank(start) {
                break;
            }
            at = *next;
        }
        at
    };
    let is_node = |vertex: &usize| matches!(layers.vertices[*vertex].kind, Kind::Node(_));
    let drawn = |vertex: usize| match layers.vertices[vertex].kind {
        Kind::Node(_) => {
            let all: Vec<usize> = joined[vertex].iter().map(|&next| behind_trunk(vertex, next)).collect();
            let nodes: Vec<usize> = all.iter().copied().filter(is_node).collect();
            if nodes.is_empty() { all } else { nodes }
        }
        Kind::Pass | Kind::Outside(_) => joined[vertex].clone(),
    };
    (0..layers.vertices.len()).map(drawn).collect()
}

/// Lines at the sides of the rows of a rank that wraps move out to where all of them are straight.
fn straighten_sides(layers: &Layers, centre: &mut [f64]) {
    let mut row = 0;
    while row < layers.rows.len() {
        let rank = layers.rank_of_row[row];
        let count = layers.rank_of_row[row..].iter().take_while(|&&next| next == rank).count();
        if count > 1 {
            let rows = &layers.rows[row..row + count];
            let is_pass = |vertex: &usize| matches!(layers.vertices[*vertex].kind, Kind::Pass);
            let at_side = |side: fn(&Vec<usize>) -> Option<&usize>| -> Vec<usize> {
                rows.iter().filter(|row| row.len() > 1).filter_map(side).copied().filter(is_pass).collect()
            };
            for (vertices, furthest) in [
                (at_side(|row| row.first()), f64::min as fn(f64, f64) -> f64),
                (at_side(|row| row.last()), f64::max),
            ] {
                if let Some(at) = vertices.iter().map(|&vertex| centre[vertex]).reduce(furthest) {
                    for vertex in vertices {
                        centre[vertex] = at;
                    }
                }
            }
        }
        row += count;
    }
}

/// The least distance of the middles of two neighbours.
fn distance(left: &Vertex, right: &Vertex) -> f64 {
    let is_node = |vertex: &Vertex| matches!(vertex.kind, Kind::Node(_));
    let gap = if is_node(left) && is_node(right) { COLUMN_GAP } else { TRACK_GAP };
    left.breadth / 2.0 + gap + right.breadth / 2.0
}

/// `offsets(..)[i]`: how far the middle of place `i` is from that of place 0 in a row without slack.
fn offsets(layers: &Layers, row: &[usize]) -> Vec<f64> {
    let mut offsets = vec![0.0; row.len()];
    for at in 1..row.len() {
        let (left, right) = (&layers.vertices[row[at - 1]], &layers.vertices[row[at]]);
        offsets[at] = offsets[at - 1] + distance(left, right);
    }
    offsets
}

/// Puts a row without slack around 0.
fn pack(layers: &Layers, row: &[usize], centre: &mut [f64]) {
    let offsets = offsets(layers, row);
    let middle = (offsets.last().copied().unwrap_or(0.0) / 2.0).round();
    for (&vertex, offset) in row.iter().zip(offsets) {
        centre[vertex] = offset - middle;
    }
}

/// Moves a row to the middle of what it is joined with, as far as its order allows.
fn pull(layers: &Layers, row: &[usize], joined: &[Vec<usize>], line_weight: f64, centre: &mut [f64]) {
    let offsets = offsets(layers, row);
    let rank = |vertex: usize| layers.rank_of_row[layers.vertices[vertex].row];
    let goes_on_straight = |vertex: usize| match joined[vertex][..] {
        [next] => matches!(layers.vertices[next].kind, Kind::Pass) && rank(next) != rank(vertex),
        _ => false,
    };
    let wish = |(&vertex, offset): (&usize, &f64)| {
        let own_weight = match layers.vertices[vertex].kind {
            Kind::Pass if goes_on_straight(vertex) => line_weight,
            Kind::Pass => line_weight.min(COLUMN_GAP),
            Kind::Node(_) | Kind::Outside(_) => layers.vertices[vertex].breadth + COLUMN_GAP,
        };
        let (at, weight) = match middle_of(layers, &joined[vertex], centre) {
            Some(middle) => (middle, own_weight),
            None => (centre[vertex], own_weight * FREE),
        };
        (at - offset, weight)
    };
    let wishes: Vec<(f64, f64)> = row.iter().zip(&offsets).map(wish).collect();
    for ((&vertex, offset), base) in row.iter().zip(&offsets).zip(pooled(&wishes)) {
        centre[vertex] = base.round() + offset;
    }
}

/// The middle of the whole extent of some vertices, by whole px.
fn middle_of(layers: &Layers, vertices: &[usize], centre: &[f64]) -> Option<f64> {
    let half = |vertex: usize| layers.vertices[vertex].breadth / 2.0;
    let left = vertices.iter().map(|&vertex| centre[vertex] - half(vertex)).reduce(f64::min)?;
    let right = vertices.iter().map(|&vertex| centre[vertex] + half(vertex)).reduce(f64::max)?;
    Some(f64::midpoint(left, right))
}

/// The rising sequence closest to `wishes` (value, weight) by weighted squares.
fn pooled(wishes: &[(f64, f64)]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(wishes.len());
    for &(value, weight) in wishes {
        let mut pool = (value, weight, 1);
        while let Some(&(before, weight_before, count)) = pools.last()
            && before > pool.0
        {
            let weight = weight_before + pool.1;
            pool = ((before * weight_before + pool.0 * pool.1) / weight, weight, pool.2 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    pools.iter().flat_map(|&(value, _, count)| std::iter::repeat_n(value, count)).collect()
}

fn shift_to_zero(layers: &Layers, segment: usize, centre: &mut [f64]) {
    let left = |vertex: usize, centre: &[f64]| centre[vertex] - layers.vertices[vertex].breadth / 2.0;
    let rows = &layers.rows[layers.rows_of_segment(segment)];
    let is_inside = |vertex: &&usize| !matches!(layers.vertices[**vertex].kind, Kind::Outside(_));
    let least = rows
        .iter()
        .flatten()
        .filter(is_inside)
        .map(|&vertex| left(vertex, centre))
        .reduce(f64::min)
        .unwrap_or(0.0);
    for &vertex in rows.iter().flatten() {
        centre[vertex] -= least;
    }
}

/// Puts the lines outside right of everything, each on its track.
fn pin_outside(layers: &Layers, centre: &mut [f64]) {
    let right = layers
        .vertices
        .iter()
        .zip(centre.iter())
        .filter(|(vertex, _)| !matches!(vertex.kind, Kind::Outside(_)))
        .map(|(vertex, centre)| centre + vertex.breadth / 2.0)
        .fold(0.0, f64::max);
    for (vertex, centre) in layers.vertices.iter().zip(centre) {
        if let Kind::Outside(track) = vertex.kind {
            *centre = right + TRACK_GAP * (track + 1) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pooling_keeps_what_rises_and_averages_what_falls() {
        assert_eq!(pooled(&[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]), [1.0, 2.0, 3.0]);
        assert_eq!(pooled(&[(3.0, 1.0), (1.0, 1.0), (5.0, 1.0)]), [2.0, 2.0, 5.0]);
        assert_eq!(pooled(&[(4.0, 3.0), (0.0, 1.0)]), [3.0, 3.0]);
        assert_eq!(pooled(&[]), [0.0; 0]);
    }
}
