//! Who stands in whom, and which edges are drawn at which level.
//!
//! An edge that crosses a border is raised to the two items that stand side by side in the innermost
//! box that encloses both ends (the lowest common ancestor); edges that become the same pair are one.

use std::collections::BTreeMap;

use crate::request::{ItemIndex, LaneContent, LayoutRequest, Shape};
use crate::result::RouteIndex;

/// The nesting of a request, with what points nowhere left out.
pub(super) struct Nesting {
    /// `parent[i]`: the box or owner of item `i`.
    pub parent: Vec<Option<usize>>,
    /// `depth[i]`: how many items enclose item `i`.
    pub depth: Vec<u32>,
    /// `lane[i]`: the lane of its parent in which item `i` stands.
    pub lane: Vec<Option<usize>>,
    /// `contents[i]`: what stands in box `i` itself, in the order of the request, without lane items.
    pub contents: Vec<Vec<ItemIndex>>,
    /// What stands on the canvas.
    pub roots: Vec<ItemIndex>,
}

impl Nesting {
    pub fn of(request: &LayoutRequest) -> Self {
        let count = request.items.len();
        let mut nesting = Self {
            parent: Vec::with_capacity(count),
            depth: Vec::with_capacity(count),
            lane: lane_items(request),
            contents: vec![Vec::new(); count],
            roots: Vec::new(),
        };
        for (index, item) in request.items.iter().enumerate() {
            let may_hold = |parent: &usize| {
                let is_box = |parent: &usize| matches!(request.items[*parent].shape, Shape::Box { .. });
                *parent < index && (is_box(parent) || nesting.lane[index].is_some())
            };
            let parent = item.parent.map(ItemIndex::place).filter(may_hold);
            nesting.parent.push(parent);
            nesting.depth.push(parent.map_or(0, |parent| nesting.depth[parent] + 1));
            let place = ItemIndex(index as u32);
            match parent {
                None => nesting.roots.push(place),
                Some(parent) if nesting.lane[index].is_none() => {
                    nesting.contents[parent].push(place);
                }
                Some(_) => {}
            }
        }
        nesting
    }

    /// Whether `item` stands in lane `lane` of `owner`.
    pub fn holds(&self, owner: usize, lane: usize, item: ItemIndex) -> bool {
        self.parent.get(item.place()) == Some(&Some(owner)) && self.lane[item.place()] == Some(lane)
    }
}

/// The lanes in which items stand. The first lane that names an item of its owner holds it.
fn lane_items(request: &LayoutRequest) -> Vec<Option<usize>> {
    let mut lane_of = vec![None; request.items.len()];
    for (owner, item) in request.items.iter().enumerate() {
        for (lane, held) in item.lanes.iter().enumerate() {
            if let LaneContent::Item(held) = held.content
                && held.place() > owner
                && request
                    .items
                    .get(held.place())
                    .is_some_and(|held| held.parent == Some(ItemIndex(owner as u32)))
                && lane_of[held.place()].is_none()
            {
                lane_of[held.place()] = Some(lane);
            }
        }
    }
    lane_of
}

/// An edge between two items that stand side by side; `from` and `to` are places in their box's contents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RaisedEdge {
    pub from: usize,
    pub to: usize,
    pub route: RouteIndex,
}

/// All edges of a request, raised.
pub(super) struct RaisedEdges {
    /// `within[i]`: the edges drawn inside box `i`.
    pub within: Vec<Vec<RaisedEdge>>,
    pub on_canvas: Vec<RaisedEdge>,
    /// `pairs[r]`: the two items of route `r`.
    pub pairs: Vec<(ItemIndex, ItemIndex)>,
    /// `route_of_edge[e]`: the route of edge `e` of the request.
    pub route_of_edge: Vec<Option<RouteIndex>>,
}

impl RaisedEdges {
    pub fn of(request: &LayoutRequest, nesting: &Nesting) -> Self {
        let count = request.items.len();
        let place_in_box = places(nesting, count);
        let mut raised = Self {
            within: vec![Vec::new(); count],
            on_canvas: Vec::new(),
            pairs: Vec::new(),
            route_of_edge: Vec::new(),
        };
        let mut routes: BTreeMap<(usize, usize), RouteIndex> = BTreeMap::new();
        for edge in &request.edges {
            let (from, to) = (edge.from.place(), edge.to.place());
            let pair = if from < count && to < count { raise(nesting, from, to) } else { None };
            raised.route_of_edge.push(pair.map(|(from, to)| {
                *routes.entry((from, to)).or_insert_with(|| {
                    let route = RouteIndex(raised.pairs.len() as u32);
                    raised.pairs.push((ItemIndex(from as u32), ItemIndex(to as u32)));
                    let edge = RaisedEdge { from: place_in_box[from], to: place_in_box[to], route };
                    match nesting.parent[from] {
                        Some(parent) => raised.within[parent].push(edge),
                        None => raised.on_canvas.push(edge),
                    }
                    route
                })
            }));
        }
        raised
    }
}

/// `places(..)[i]`: the place of item `i` among its box's contents.
fn places(nesting: &Nesting, count: usize) -> Vec<usize> {
    let mut place_in_box = vec![0; count];
    for contents in nesting.contents.iter().chain([&nesting.roots]) {
        for (place, item) in contents.iter().enumerate() {
            place_in_box[item.place()] = place;
        }
    }
    place_in_box
}

/// The two items side by side that enclose `from` and `to`; none when one encloses the other or a lane's
/// border would be crossed.
fn raise(nesting: &Nesting, mut from: usize, mut to: usize) -> Option<(usize, usize)> {
    loop {
        if from == to {
            return None;
        }
        let (parent_from, parent_to) = (nesting.parent[from], nesting.parent[to]);
        if parent_from == parent_to {
            return (nesting.lane[from].is_none() && nesting.lane[to].is_none()).then_some((from, to));
        }
        let climbs_from = nesting.depth[from] >= nesting.depth[to];
        let climbs_to = nesting.depth[to] >= nesting.depth[from];
        if climbs_from {
            from = climb(nesting, from)?;
        }
        if climbs_to {
            to = climb(nesting, to)?;
        }
    }
}

fn climb(nesting: &Nesting, item: usize) -> Option<usize> {
    if nesting.lane[item].is_some() { None } else { nesting.parent[item] }
}
