//! Deep nesting needs no stack, large graphs no patience.

#[path = "kit/random.rs"]
mod random;

use std::time::{Duration, Instant};

use unwind_layout::{ItemIndex, ItemRequest, Lane, LayoutRequest, Shape, layout};

/// Boxes inside each other, each with an exit hook.
fn nested(levels: usize) -> LayoutRequest {
    let mut request = LayoutRequest::default();
    let mut parent = None;
    for _ in 0..levels {
        let mut item = ItemRequest::new(parent, Shape::Box { header_width_px: 150.0 });
        item.lanes.push(Lane::exit(150.0));
        parent = Some(request.add(item));
    }
    request.add(ItemRequest::new(parent, Shape::leaf(150.0)));
    request
}

#[test]
fn two_thousand_levels_need_no_stack() {
    let thread = std::thread::Builder::new().stack_size(128 * 1024);
    let run = thread.spawn(|| layout(&nested(2000)).items[2000].depth).expect("a thread can be started");
    assert_eq!(run.join().expect("the layout does not overflow its stack"), 2000);
}

/// Layers of ten with two edges from each to the layer before, all in one box.
fn layers(count: usize) -> LayoutRequest {
    let mut request = LayoutRequest::default();
    let outer = request.add(ItemRequest::new(None, Shape::Box { header_width_px: 200.0 }));
    for index in 0..count {
        request.add(ItemRequest::new(Some(outer), Shape::leaf(150.0)));
        let (layer, place) = (index / 10, index % 10);
        for from in [place, (place * 7 + 3) % 10] {
            if layer > 0 {
                request.connect(ItemIndex((layer * 10 - 10 + from) as u32 + 1), ItemIndex(index as u32 + 1));
            }
        }
    }
    request
}

/// One box: `count` leaves between a first and a last.
fn fan(count: usize) -> LayoutRequest {
    let mut request = LayoutRequest::default();
    let outer = request.add(ItemRequest::new(None, Shape::Box { header_width_px: 200.0 }));
    let first = request.add(ItemRequest::new(Some(outer), Shape::leaf(150.0)));
    let last = request.add(ItemRequest::new(Some(outer), Shape::leaf(150.0)));
    for _ in 0..count {
        let leaf = request.add(ItemRequest::new(Some(outer), Shape::leaf(150.0)));
        request.connect(first, leaf);
        request.connect(leaf, last);
    }
    request
}

/// A chain with an edge from every link to the last.
fn chain_to_last(count: usize) -> LayoutRequest {
    let mut request = LayoutRequest::default();
    let leaves: Vec<ItemIndex> =
        (0..count).map(|_| request.add(ItemRequest::new(None, Shape::leaf(150.0)))).collect();
    for pair in leaves.windows(2) {
        request.connect(pair[0], pair[1]);
        request.connect(pair[0], leaves[count - 1]);
    }
    request
}

/// The shortest of a few runs.
fn time(request: &LayoutRequest) -> Duration {
    let run = || {
        let begin = Instant::now();
        std::hint::black_box(layout(request));
        begin.elapsed()
    };
    (0..3).map(|_| run()).min().unwrap_or_default()
}

#[test]
fn ten_times_the_nodes_take_little_more_than_ten_times_as_long() {
    type Build = fn(usize) -> LayoutRequest;
    let shapes: [(&str, Build); 4] = [
        ("random", |count| random::request(7, count)),
        ("layers", layers),
        ("fan", fan),
        ("chain", chain_to_last),
    ];
    for (name, build) in shapes {
        let (small, large) = (time(&build(1000)), time(&build(10_000)));
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        println!("{name}: 1,000 in {small:?}, 10,000 in {large:?}, ratio {ratio:.1}");
        assert!(ratio < 40.0, "{name}: {ratio:.1} times as long for 10 times the nodes");
    }
}
