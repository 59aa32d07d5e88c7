//! Puts the connected parts of a graph beside each other.
//!
//! Before: each part arranged by itself. After: no two parts overlap; small parts stand in columns as
//! long as the longest part, columns stand in shelves that wrap like rows do. Parts keep their order.

use super::components::Component;
use super::rows::balanced;
use super::{Arrangement, Graph, Limits};
use crate::measure::{COLUMN_GAP, RANK_GAP};

pub(super) fn pack(
    graph: &Graph,
    components: &[Component],
    arranged: &[Arrangement],
    limits: &Limits,
) -> Arrangement {
    let columns = columns(arranged);
    let breadths: Vec<f64> = columns.iter().map(|column| column.breadth).collect();
    let counts = balanced(&breadths, limits.row_breadth(graph.area()));
    let mut packed = Arrangement {
        corners: vec![(0.0, 0.0); graph.nodes.len()],
        routes: vec![Vec::new(); graph.edges.len()],
        ..Arrangement::default()
    };
    let mut rest = columns.into_iter();
    let shelves: Vec<Vec<Column>> =
        counts.into_iter().map(|count| rest.by_ref().take(count).collect()).collect();
    packed.breadth = shelves.iter().map(|shelf| shelf_breadth(shelf)).fold(0.0, f64::max);
    let mut along = 0.0;
    for shelf in &shelves {
        let mut across = ((packed.breadth - shelf_breadth(shelf)) / 2.0).floor();
        for column in shelf {
            let mut at = along;
            for &part in &column.parts {
                put(&mut packed, &components[part], &arranged[part], (across, at));
                at += arranged[part].length + COLUMN_GAP;
            }
            across += column.breadth + COLUMN_GAP;
        }
        packed.length = along + shelf.iter().map(|column| column.length).fold(0.0, f64::max);
        along = packed.length + RANK_GAP;
    }
    packed
}

/// Parts one after the other.
struct Column {
    parts: Vec<usize>,
    breadth: f64,
    length: f64,
}

/// Fills columns up to the length of the longest part.
fn columns(arranged: &[Arrangement]) -> Vec<Column> {
    let longest = arranged.iter().map(|part| part.length).fold(0.0, f64::max);
    let mut columns: Vec<Column> = Vec::new();
    for (part, Arrangement { breadth, length, .. }) in arranged.iter().enumerate() {
        match columns.last_mut() {
            Some(column) if column.length + COLUMN_GAP + length <= longest => {
                column.parts.push(part);
                column.breadth = column.breadth.max(*breadth);
                column.length += COLUMN_GAP + length;
            }
            Some(_) | None => columns.push(Column { parts: vec![part], breadth: *breadth, length: *length }),
        }
    }
    columns
}

fn shelf_breadth(shelf: &[Column]) -> f64 {
    shelf.iter().map(|column| column.breadth + COLUMN_GAP).sum::<f64>() - COLUMN_GAP
}

fn put(packed: &mut Arrangement, component: &Component, arranged: &Arrangement, at: (f64, f64)) {
    let moved = |&(across, along): &(f64, f64)| (across + at.0, along + at.1);
    for (&node, corner) in component.nodes.iter().zip(&arranged.corners) {
        packed.corners[node] = moved(corner);
    }
    for (&edge, route) in component.edges.iter().zip(&arranged.routes) {
        packed.routes[edge] = route.iter().map(moved).collect();
    }
}
