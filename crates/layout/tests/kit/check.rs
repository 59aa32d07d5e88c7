//! What holds for every layout, whatever the request.

use unwind_layout::{Direction, ItemIndex, ItemLayout, Layout, LayoutRequest, Point, Rect, Route};

/// Panics with `context` and the items when something does not hold.
pub fn check(request: &LayoutRequest, layout: &Layout, context: &str) {
    assert_eq!(layout.items.len(), request.items.len(), "{context}");
    assert_eq!(layout.edges.len(), request.edges.len(), "{context}");
    let canvas = Rect::new(0.0, 0.0, layout.size.width, layout.size.height);
    let children = children(layout);
    for (index, item) in layout.items.iter().enumerate() {
        assert!(canvas.encloses(&item.frame), "{context}: item {index} on the canvas: {:?}", item.frame);
        assert!(is_whole(&item.frame), "{context}: item {index} on whole px: {:?}", item.frame);
        check_parts(item, &format!("{context}: item {index}"));
        check_contents(layout, item, &children[index], &format!("{context}: item {index}"));
    }
    check_apart(layout, &roots(layout), context);
    for (place, route) in layout.routes.iter().enumerate() {
        check_route(request.direction, layout, route, &children, &format!("{context}: route {place}"));
    }
}

fn roots(layout: &Layout) -> Vec<ItemIndex> {
    let indexes = (0..layout.items.len()).map(|index| ItemIndex(index as u32));
    indexes.filter(|index| layout.items[index.place()].parent.is_none()).collect()
}

/// `children(..)[i]`: what stands in item `i`, lanes included.
fn children(layout: &Layout) -> Vec<Vec<ItemIndex>> {
    let mut children = vec![Vec::new(); layout.items.len()];
    for (index, item) in layout.items.iter().enumerate() {
        if let Some(parent) = item.parent {
            children[parent.place()].push(ItemIndex(index as u32));
        }
    }
    children
}

fn is_whole(rect: &Rect) -> bool {
    [rect.x, rect.y, rect.width, rect.height].iter().all(|length| length.is_finite() && length.fract() == 0.0)
}

/// Header, card and lanes lie inside the frame and apart from each other.
fn check_parts(item: &ItemLayout, context: &str) {
    let mut apart: Vec<Rect> = item.header.into_iter().chain(item.leaf).collect();
    for lane in &item.lanes {
        assert!(lane.strip.encloses(&lane.content), "{context}: content in its lane: {lane:?}");
        assert!(lane.strip.encloses(&lane.chip), "{context}: chip in its lane: {lane:?}");
        assert!(!lane.chip.overlaps(&lane.content), "{context}: chip beside its content: {lane:?}");
        assert!(
            lane.bracket.x < lane.chip.x && lane.bracket.y0 < lane.bracket.y1,
            "{context}: bracket: {lane:?}"
        );
        apart.push(lane.strip);
    }
    for (place, part) in apart.iter().enumerate() {
        assert!(item.frame.encloses(part), "{context}: {part:?} in {:?}", item.frame);
        let other = apart[..place].iter().find(|other| other.overlaps(part));
        assert!(other.is_none(), "{context}: {part:?} over {other:?}");
    }
}

fn check_contents(layout: &Layout, item: &ItemLayout, children: &[ItemIndex], context: &str) {
    let in_lane = |child: &ItemIndex| item.lanes.iter().any(|lane| lane.item == Some(*child));
    for child in children {
        let frame = &layout.items[child.place()].frame;
        assert!(item.frame.encloses(frame), "{context}: {child:?} inside");
        let mut parts =
            item.header.into_iter().chain(item.leaf).chain(item.lanes.iter().map(|lane| lane.strip));
        assert!(
            in_lane(child) || !parts.any(|part| part.overlaps(frame)),
            "{context}: {child:?} over a part"
        );
    }
    let contents: Vec<ItemIndex> = children.iter().copied().filter(|child| !in_lane(child)).collect();
    check_apart(layout, &contents, context);
}

fn check_apart(layout: &Layout, siblings: &[ItemIndex], context: &str) {
    for (place, sibling) in siblings.iter().enumerate() {
        let frame = &layout.items[sibling.place()].frame;
        let other = siblings[..place].iter().find(|other| layout.items[other.place()].frame.overlaps(frame));
        assert!(other.is_none(), "{context}: {sibling:?} over {other:?}");
    }
}

/// Only corners; from border to border; over no item that stands beside the two.
fn check_route(
    direction: Direction,
    layout: &Layout,
    route: &Route,
    children: &[Vec<ItemIndex>],
    context: &str,
) {
    let frame = |item: ItemIndex| &layout.items[item.place()].frame;
    let (from, to) = (frame(route.from), frame(route.to));
    let begin = *route.points.first().expect("a route has points");
    let end = *route.points.last().expect("a route has points");
    assert!(is_middle_of_side(direction, from, begin), "{context}: begins at {begin:?} of {from:?}");
    assert!(is_middle_of_side(direction, to, end), "{context}: ends at {end:?} of {to:?}");
    let siblings: Vec<ItemIndex> = match layout.items[route.from.place()].parent {
        Some(parent) => children[parent.place()].clone(),
        None => roots(layout),
    };
    for pair in route.points.windows(2) {
        let stretch = Rect::new(
            pair[0].x.min(pair[1].x),
            pair[0].y.min(pair[1].y),
            (pair[0].x - pair[1].x).abs(),
            (pair[0].y - pair[1].y).abs(),
        );
        assert!(stretch.width == 0.0 || stretch.height == 0.0, "{context}: slanted {pair:?}");
        let crossed = siblings.iter().find(|sibling| is_inside(frame(**sibling), &stretch));
        assert!(
            crossed.is_none(),
            "{context}: {pair:?} over {crossed:?} {:?}",
            crossed.map(|item| frame(*item))
        );
    }
}

/// Whether a stretch leads through the inside of a frame.
fn is_inside(frame: &Rect, stretch: &Rect) -> bool {
    frame.x < stretch.right()
        && stretch.x < frame.right()
        && frame.y < stretch.bottom()
        && stretch.y < frame.bottom()
}

fn is_middle_of_side(direction: Direction, frame: &Rect, point: Point) -> bool {
    let middle = frame.centre();
    match direction {
        Direction::TopDown => point.x == middle.x && (point.y == frame.y || point.y == frame.bottom()),
        Direction::LeftRight => point.y == middle.y && (point.x == frame.x || point.x == frame.right()),
    }
}
