//! The whole layout: sizes from the inside out, then places from the outside in.
//!
//! Parents stand before their children in the request, so walking the items backwards meets every
//! item after what it encloses, and walking forwards meets it before: no recursion at any depth.

mod frame;
mod nesting;

use crate::geometry::{Point, Rect, Size};
use crate::layered::{self, Arrangement, Graph, Limits, Node};
use crate::measure;
use crate::request::{Direction, ItemIndex, LayoutRequest};
use crate::result::{ItemLayout, Layout, Route, RouteIndex, RowLayout};
use crate::sorting;
use frame::{Enclosed, Frame, frame_of};
use nesting::{Nesting, RaisedEdge, RaisedEdges};

/// Works out where everything stands. Near linear in items and edges.
pub fn layout(request: &LayoutRequest) -> Layout {
    let nesting = Nesting::of(request);
    let raised = RaisedEdges::of(request, &nesting);
    let count = request.items.len();
    let mut frames = vec![Frame::default(); count];
    let mut insides: Vec<Inside> = (0..count).map(|_| Inside::default()).collect();
    for index in (0..count).rev() {
        let inside = Inside::of(request, &nesting.contents[index], &raised.within[index], &frames);
        let enclosed = Enclosed {
            owner: index,
            inside: inside.size,
            rows: inside.has_rows().then_some(request.direction),
            nesting: &nesting,
            frames: &frames,
        };
        frames[index] = frame_of(&request.items[index], &enclosed);
        insides[index] = inside;
    }
    let canvas = Inside::of(request, &nesting.roots, &raised.on_canvas, &frames);

    let mut result = Layout {
        items: vec![ItemLayout::default(); count],
        routes: raised.pairs.iter().map(|&(from, to)| Route { from, to, points: Vec::new() }).collect(),
        edges: raised.route_of_edge.clone(),
        size: canvas.size,
    };
    let mut corners = vec![Point::default(); count];
    place(&canvas, Point::default(), &nesting.roots, &raised.on_canvas, &mut corners, &mut result.routes);
    for index in 0..count {
        let (frame, inside) = (&frames[index], &insides[index]);
        result.items[index] = frame.placed(corners[index]);
        result.items[index].parent = nesting.parent[index].map(|parent| ItemIndex(parent as u32));
        result.items[index].depth = nesting.depth[index];
        let origin = frame.contents_at(corners[index], inside.size);
        place(
            inside,
            origin,
            &nesting.contents[index],
            &raised.within[index],
            &mut corners,
            &mut result.routes,
        );
        result.items[index].rows = inside.placed_rows(origin, frame, corners[index], request.direction);
        for lane in &result.items[index].lanes {
            if let Some(item) = lane.item {
                corners[item.place()] = Point::new(lane.content.x, lane.content.y);
            }
        }
    }
    result
}

/// The contents of one box, laid out relative to their own upper left corner.
#[derive(Clone, Debug, Default)]
struct Inside {
    /// Corners, in the order of the contents.
    corners: Vec<Point>,
    /// Polylines, in the order of the raised edges.
    routes: Vec<Vec<Point>>,
    /// Step rows: number, begin and end along the direction of the edges.
    rows: Vec<(Option<u32>, f64, f64)>,
    size: Size,
}

impl Inside {
    fn of(request: &LayoutRequest, contents: &[ItemIndex], edges: &[RaisedEdge], frames: &[Frame]) -> Self {
        if contents.is_empty() {
            return Self::default();
        }
        let turned = request.direction == Direction::LeftRight;
        let limits = if turned { Limits::LEFT_RIGHT } else { Limits::TOP_DOWN };
        let rows = row_numbers(request, contents);
        let nodes = contents.iter().enumerate().map(|(place, item)| {
            let size = frames[item.place()].size;
            let (breadth, length) =
                if turned { (size.height, size.width) } else { (size.width, size.height) };
            Node { breadth, length, row: rows.as_ref().map(|rows| rows.place_of[place]) }
        });
        let graph =
            Graph { nodes: nodes.collect(), edges: edges.iter().map(|edge| (edge.from, edge.to)).collect() };
        Self::from_arrangement(layered::arrange(&graph, &limits), rows, turned)
    }

    fn from_arrangement(arrangement: Arrangement, rows: Option<RowNumbers>, turned: bool) -> Self {
        let point = |(across, along): (f64, f64)| {
            if turned { Point::new(along, across) } else { Point::new(across, along) }
        };
        let size = point((arrangement.breadth, arrangement.length));
        Self {
            corners: arrangement.corners.into_iter().map(point).collect(),
            routes: arrangement
                .routes
                .into_iter()
                .map(|route| route.into_iter().map(point).collect())
                .collect(),
            rows: rows.map_or_else(Vec::new, |rows| {
                rows.numbers
                    .into_iter()
                    .zip(arrangement.rows)
                    .map(|(number, (begin, end))| (number, begin, end))
                    .collect()
            }),
            size: Size::new(size.x, size.y),
        }
    }

    fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    fn placed_rows(
        &self,
        origin: Point,
        frame: &Frame,
        corner: Point,
        direction: Direction,
    ) -> Vec<RowLayout> {
        let placed = |&(row, begin, end): &(Option<u32>, f64, f64)| match direction {
            Direction::TopDown => {
                let (left, right) =
                    (corner.x + measure::ROW_LABEL_X, corner.x + frame.size.width - measure::BOX_PADDING);
                let extent = Rect::new(left, origin.y + begin, right - left, end - begin);
                RowLayout { row, extent, label: Point::new(left, extent.centre().y) }
            }
            Direction::LeftRight => {
                let top = origin.y - measure::ROW_LABEL_COLUMN;
                let extent = Rect::new(
                    origin.x + begin,
                    top,
                    end - begin,
                    self.size.height + measure::ROW_LABEL_COLUMN,
                );
                RowLayout { row, extent, label: Point::new(extent.x, top + measure::ROW_LABEL_COLUMN / 2.0) }
            }
        };
        self.rows.iter().map(placed).collect()
    }
}

/// The step rows of one box: their numbers in order, and for each of its contents the place therein.
struct RowNumbers {
    numbers: Vec<Option<u32>>,
    place_of: Vec<usize>,
}

fn row_numbers(request: &LayoutRequest, contents: &[ItemIndex]) -> Option<RowNumbers> {
    let row_of = |item: &ItemIndex| request.items[item.place()].row;
    let mut numbers: Vec<u32> = contents.iter().filter_map(row_of).collect();
    if numbers.is_empty() {
        return None;
    }
    sorting::sort(&mut numbers);
    numbers.dedup();
    let place =
        |row: Option<u32>| row.and_then(|row| numbers.binary_search(&row).ok()).unwrap_or(numbers.len());
    let place_of: Vec<usize> = contents.iter().map(|item| place(row_of(item))).collect();
    let mut all: Vec<Option<u32>> = numbers.iter().copied().map(Some).collect();
    if place_of.contains(&numbers.len()) {
        all.push(None);
    }
    Some(RowNumbers { numbers: all, place_of })
}

/// Moves contents and routes to where they stand in the graph.
fn place(
    inside: &Inside,
    origin: Point,
    contents: &[ItemIndex],
    edges: &[RaisedEdge],
    corners: &mut [Point],
    routes: &mut [Route],
) {
    for (item, corner) in contents.iter().zip(&inside.corners) {
        corners[item.place()] = Point::new(origin.x + corner.x, origin.y + corner.y);
    }
    for (edge, points) in edges.iter().zip(&inside.routes) {
        let RouteIndex(route) = edge.route;
        routes[route as usize].points =
            points.iter().map(|point| Point::new(origin.x + point.x, origin.y + point.y)).collect();
    }
}
