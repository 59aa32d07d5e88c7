//! What holds for every layout, on random nested requests and on shapes that are hard.

#![expect(clippy::float_cmp, reason = "coordinates are whole numbers")]

#[path = "kit/check.rs"]
mod check;
#[path = "kit/random.rs"]
mod random;

use check::check;
use unwind_layout::{Direction, ItemIndex, ItemRequest, Lane, LayoutRequest, Shape, layout};

#[test]
fn random_requests_keep_everything_apart_inside_and_joined() {
    for seed in 0..400 {
        for count in [3, 12, 40, 150] {
            let request = random::request(seed, count);
            check(&request, &layout(&request), &format!("seed {seed}, {count} items"));
        }
    }
}

#[test]
fn the_same_request_gives_the_same_layout() {
    for seed in 0..50 {
        let request = random::request(seed, 200);
        assert_eq!(layout(&request), layout(&request.clone()));
    }
}

/// One box with `count` leaves and the edges that `edges` tells.
fn flat(count: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> LayoutRequest {
    let mut request = LayoutRequest::default();
    let outer = request.add(ItemRequest::new(None, Shape::Box { header_width_px: 200.0 }));
    for leaf in 0..count {
        request.add(ItemRequest::new(Some(outer), Shape::leaf(150.0 + (leaf * 37 % 80) as f64)));
    }
    for (from, to) in edges {
        request.connect(ItemIndex(from as u32 + 1), ItemIndex(to as u32 + 1));
    }
    request
}

#[test]
fn hard_shapes_keep_everything_apart_inside_and_joined() {
    let fan = |count: usize| (1..count - 1).flat_map(move |leaf| [(0, leaf), (leaf, count - 1)]);
    let chain = |count: usize| (1..count).map(|leaf| (leaf - 1, leaf));
    let shapes = [
        ("fan of 300", flat(300, fan(300))),
        ("chain of 300", flat(300, chain(300))),
        ("chain with lines to its end", flat(300, chain(300).chain((0..299).map(|leaf| (leaf, 299))))),
        ("chain with lines from its begin", flat(200, chain(200).chain((1..200).map(|leaf| (0, leaf))))),
        ("chain with far lines", flat(200, chain(200).chain([(3, 150), (10, 60), (10, 190), (77, 190)]))),
        ("circle", flat(30, chain(30).chain([(29, 0), (12, 4)]))),
        ("all to all", flat(24, (0..12).flat_map(|from| (12..24).map(move |to| (from, to))))),
        ("no edges", flat(120, [])),
    ];
    for (name, mut request) in shapes {
        for direction in [Direction::TopDown, Direction::LeftRight] {
            request.direction = direction;
            check(&request, &layout(&request), &format!("{name}, {direction:?}"));
        }
    }
}

#[test]
fn lines_that_would_need_too_many_places_run_outside() {
    let count = 600;
    let chain = (1..count).map(|leaf| (leaf - 1, leaf));
    let far = (0..count - 40).filter(|leaf| leaf % 2 == 0).map(|leaf| (leaf, leaf + 40));
    let farther = (0..count - 300).map(|leaf| (leaf, leaf + 300));
    let request = flat(count, chain.chain(far).chain(farther));
    check(&request, &layout(&request), "lines outside");
}

#[test]
fn wide_ranks_and_long_chains_wrap() {
    let ratio = |request: &LayoutRequest| {
        let size = layout(request).size;
        size.width / size.height
    };
    let fan = flat(200, (1..200).map(|leaf| (0, leaf)));
    assert!((0.5..=4.5).contains(&ratio(&fan)), "fan: {}", ratio(&fan));
    let alone = flat(200, []);
    assert!((0.5..=4.5).contains(&ratio(&alone)), "alone: {}", ratio(&alone));
    let chain = flat(200, (1..200).map(|leaf| (leaf - 1, leaf)));
    assert!((0.5..=4.5).contains(&ratio(&chain)), "chain: {}", ratio(&chain));
}

#[test]
fn what_points_nowhere_is_left_out() {
    let mut request = LayoutRequest::default();
    let leaf = request.add(ItemRequest::new(Some(ItemIndex(7)), Shape::leaf(f64::NAN)));
    let child = request.add(ItemRequest::new(Some(leaf), Shape::leaf(-5.0)));
    let mut own = ItemRequest::new(Some(ItemIndex(2)), Shape::Box { header_width_px: f64::INFINITY });
    own.lanes.push(Lane { content: unwind_layout::LaneContent::Item(ItemIndex(99)), ..Lane::exit(0.0) });
    own.lanes.push(Lane { content: unwind_layout::LaneContent::Item(child), ..Lane::exit(0.0) });
    request.add(own);
    request.connect(leaf, ItemIndex(50));
    request.connect(leaf, leaf);
    let layout = layout(&request);
    assert_eq!(layout.edges, [None, None]);
    assert!(layout.items.iter().all(|item| item.parent.is_none()));
    check(&request, &layout, "nowhere");
}

#[test]
fn an_empty_request_is_an_empty_canvas() {
    let layout = layout(&LayoutRequest::default());
    assert_eq!((layout.size.width, layout.size.height), (0.0, 0.0));
}
