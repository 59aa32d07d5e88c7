//! Fifth pass: a long chain of rows becomes segments that stand side by side.
//!
//! Before: layers in one segment. After: [`Layers::segments`] holds the first row of each segment, and no
//! lines join rows of different segments but along paths. Breaks are made where few lines cross.
//! Step rows and graphs with lines outside stay in one piece.

use std::collections::BTreeSet;

use super::layers::{Kind, Layers};
use super::{Graph, Limits};
use crate::measure::{CHAIN_LENGTH_MIN, COLUMN_GAP};

/// A chain wraps when it is more than this many times as long as broad.
const SLENDER: f64 = 4.0;
/// How many lines may cross a break.
const LINES_MAX: usize = 4;

pub(super) fn mark(graph: &Graph, layers: &mut Layers, limits: &Limits) {
    if graph.is_stepped() || layers.tracks > 0 {
        return;
    }
    let lengths: Vec<f64> = layers.rows.iter().map(|row| row_length(layers, row) + graph.gap()).collect();
    let length: f64 = lengths.iter().sum();
    let breadth = layers.rows.iter().map(|row| row_breadth(layers, row)).fold(0.0, f64::max);
    if length <= CHAIN_LENGTH_MIN.max(SLENDER * breadth) {
        return;
    }
    let count = (limits.chain_ratio * length / (breadth + 3.0 * COLUMN_GAP)).sqrt().round().max(2.0);
    let segments = segments(layers, &lengths, length / count);
    layers.cut(graph, segments);
}

fn row_length(layers: &Layers, row: &[usize]) -> f64 {
    row.iter().map(|&vertex| layers.vertices[vertex].length).fold(0.0, f64::max)
}

fn row_breadth(layers: &Layers, row: &[usize]) -> f64 {
    row.iter().map(|&vertex| layers.vertices[vertex].breadth + COLUMN_GAP).sum()
}

/// First rows of segments about `target` long: each break is made where the fewest lines cross, within
/// a quarter of the target, else at the next row where few enough do.
fn segments(layers: &Layers, lengths: &[f64], target: f64) -> Vec<usize> {
    let mut segments = vec![0];
    let mut length = 0.0;
    let mut best: Option<(usize, usize)> = None;
    let mut row = 0;
    while row < lengths.len() {
        let is_near = (0.75 * target..=1.25 * target).contains(&length);
        if is_near
            && let Some(lines) = lines_above(layers, row)
            && best.is_none_or(|(least, _)| lines < least)
        {
            best = Some((lines, row));
        }
        if length > 1.25 * target {
            best = best.or_else(|| lines_above(layers, row).map(|lines| (lines, row)));
            if let Some((_, first)) = best.take() {
                segments.push(first);
                length = 0.0;
                row = first;
            }
        }
        length += lengths[row];
        row += 1;
    }
    segments
}

/// How many lines cross the border above `row`, when few enough do: those with one begin count as one,
/// or those with one end. A border inside a rank that wraps is none.
fn lines_above(layers: &Layers, row: usize) -> Option<usize> {
    if row == 0 || layers.rank_of_row[row] == layers.rank_of_row[row - 1] {
        return None;
    }
    let ends = layers.rows[row].iter().filter(|&&vertex| !layers.above[vertex].is_empty()).count();
    let mut begins = BTreeSet::new();
    for &vertex in &layers.rows[row] {
        begins.extend(layers.above[vertex].iter().copied());
    }
    debug_assert!(
        layers.rows[row].iter().all(|&vertex| !matches!(layers.vertices[vertex].kind, Kind::Outside(_)))
    );
    let lines = ends.min(begins.len());
    (lines <= LINES_MAX).then_some(lines)
}
