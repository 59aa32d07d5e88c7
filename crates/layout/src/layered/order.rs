//! Sixth pass: what stands left of what in each row, so that few lines cross.
//!
//! Before: layers. After: the same vertices in each row, in the best order seen in a fixed number of
//! sweeps; lines outside are last, by track. Each sweep sorts a row by the barycentres of the row it
//! comes from (Sugiyama, Tagawa, Toda 1981); where that says nothing, the order of the request stays.

use super::layers::{Kind, Layers};
use crate::sorting;

/// Sweeps down and up.
const ROUNDS: usize = 6;
/// Rounds without gain after which no more are made.
const PATIENCE: usize = 2;

pub(super) fn order(layers: &mut Layers) {
    let mut place = vec![0; layers.vertices.len()];
    for row in 0..layers.rows.len() {
        begin_order(layers, row);
        note_places(&layers.rows[row], &mut place);
    }
    let mut best = layers.rows.clone();
    let mut least = usize::MAX;
    let mut without_gain = 0;
    for _ in 0..ROUNDS {
        for row in 1..layers.rows.len() {
            sort_row(layers, row, Side::Above, &mut place);
        }
        without_gain += 1;
        let after_down = crossings(layers, &place);
        if after_down < least {
            (least, without_gain) = (after_down, 0);
            best.clone_from(&layers.rows);
        }
        if least == 0 || without_gain >= PATIENCE {
            break;
        }
        for row in (0..layers.rows.len().saturating_sub(1)).rev() {
            sort_row(layers, row, Side::Below, &mut place);
        }
        let after_up = crossings(layers, &place);
        if after_up < least {
            (least, without_gain) = (after_up, 0);
            best.clone_from(&layers.rows);
        }
    }
    layers.rows = best;
}

/// Nodes in the order of the request with passing lines in their middle: a trunk between rows of a rank
/// that wraps then stays in the middle.
fn begin_order(layers: &mut Layers, row: usize) {
    let kind = |vertex: &usize| layers.vertices[*vertex].kind;
    let of_kind = |is_kind: fn(Kind) -> bool| -> Vec<usize> {
        layers.rows[row].iter().copied().filter(|vertex| is_kind(kind(vertex))).collect()
    };
    let mut order = of_kind(|kind| matches!(kind, Kind::Node(_)));
    let middle = order.len() / 2;
    order.splice(middle..middle, of_kind(|kind| matches!(kind, Kind::Pass)));
    let mut outside = of_kind(|kind| matches!(kind, Kind::Outside(_)));
    sorting::sort_by(&mut outside, |left, right| outside_track(kind(left)).cmp(&outside_track(kind(right))));
    order.extend(outside);
    layers.rows[row] = order;
}

fn outside_track(kind: Kind) -> Option<usize> {
    match kind {
        Kind::Outside(track) => Some(track),
        Kind::Node(_) | Kind::Pass => None,
    }
}

fn note_places(row: &[usize], place: &mut [usize]) {
    for (at, &vertex) in row.iter().enumerate() {
        place[vertex] = at;
    }
}

#[derive(Clone, Copy)]
enum Side {
    Above,
    Below,
}

/// Sorts those of a row that have neighbours on `side`; the others keep their places.
fn sort_row(layers: &mut Layers, row: usize, side: Side, place: &mut [usize]) {
    let neighbours = match side {
        Side::Above => &layers.above,
        Side::Below => &layers.below,
    };
    let barycentre = |vertex: usize| {
        let joined = &neighbours[vertex];
        let is_free = !joined.is_empty() && outside_track(layers.vertices[vertex].kind).is_none();
        is_free.then(|| joined.iter().map(|&next| place[next] as f64).sum::<f64>() / joined.len() as f64)
    };
    let mut keyed: Vec<(f64, usize)> =
        layers.rows[row].iter().filter_map(|&vertex| Some((barycentre(vertex)?, vertex))).collect();
    let slots: Vec<usize> =
        (0..layers.rows[row].len()).filter(|&at| barycentre(layers.rows[row][at]).is_some()).collect();
    sorting::sort_by(&mut keyed, |left, right| left.0.total_cmp(&right.0));
    for (slot, (_, vertex)) in slots.into_iter().zip(keyed) {
        layers.rows[row][slot] = vertex;
    }
    note_places(&layers.rows[row], place);
}

/// How many pairs of lines cross. Cost: lines times the logarithm of the widest row.
fn crossings(layers: &Layers, place: &[usize]) -> usize {
    let mut total = 0;
    for pair in layers.rows.windows(2) {
        let mut lower_places: Vec<usize> = Vec::new();
        for &upper in &pair[0] {
            let mut ends: Vec<usize> = layers.below[upper].iter().map(|&lower| place[lower]).collect();
            sorting::sort(&mut ends);
            lower_places.extend(ends);
        }
        total += inversions(&lower_places, pair[1].len());
    }
    total
}

/// How many pairs of `values` below `limit` are in falling order, by a tree of counts.
fn inversions(values: &[usize], limit: usize) -> usize {
    let mut tree = vec![0_usize; limit + 1];
    let mut count = 0;
    for (seen, &value) in values.iter().enumerate() {
        let (mut at, mut not_above) = (value + 1, 0);
        while at > 0 {
            not_above += tree[at];
            at &= at - 1;
        }
        count += seen - not_above;
        let mut at = value + 1;
        while at <= limit {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered::rows::Row;
    use crate::layered::{Graph, Node};

    #[test]
    fn lines_that_cross_are_untangled() {
        let nodes = vec![Node { breadth: 10.0, length: 10.0, row: None }; 6];
        let edges = vec![(0, 5), (1, 4), (2, 3)];
        let rows = vec![Row { rank: 0, nodes: vec![0, 1, 2] }, Row { rank: 1, nodes: vec![3, 4, 5] }];
        let mut layers = Layers::build(&Graph { nodes, edges: edges.clone() }, &edges, rows);
        order(&mut layers);
        assert_eq!(layers.rows, [[0, 1, 2], [5, 4, 3]]);
    }

    #[test]
    fn what_is_free_keeps_the_order_of_the_request() {
        let nodes = vec![Node { breadth: 10.0, length: 10.0, row: None }; 4];
        let edges = vec![(0, 1), (0, 2), (0, 3)];
        let rows = vec![Row { rank: 0, nodes: vec![0] }, Row { rank: 1, nodes: vec![1, 2, 3] }];
        let mut layers = Layers::build(&Graph { nodes, edges: edges.clone() }, &edges, rows);
        order(&mut layers);
        assert_eq!(layers.rows[1], [1, 2, 3]);
    }

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&[0, 1, 2], 3), 0);
        assert_eq!(inversions(&[2, 1, 0], 3), 3);
        assert_eq!(inversions(&[1, 1, 0, 2, 0], 3), 5);
        assert_eq!(inversions(&[], 0), 0);
    }
}
