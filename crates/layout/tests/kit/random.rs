//! Random nested requests from a number, the same for the same number.

use unwind_layout::{Direction, ItemIndex, ItemRequest, Lane, LaneContent, LayoutRequest, Shape};

/// A generator of numbers (xorshift).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number from 0 to `count` - 1.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % count.max(1) as u64) as usize
    }

    fn is_one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// A request of about `count` items: boxes, leaves, folded items, step rows, lanes with pills and with
/// items; edges inside boxes, across borders, and some that lead back.
pub fn request(seed: u64, count: usize) -> LayoutRequest {
    let mut random = Random::new(seed);
    let direction = if random.is_one_in(3) { Direction::LeftRight } else { Direction::TopDown };
    let mut request = LayoutRequest { direction, ..LayoutRequest::default() };
    let mut boxes: Vec<(ItemIndex, bool)> = Vec::new();
    let fan = 2 + random.below(12);
    while request.items.len() < count {
        let owner = if boxes.is_empty() || random.is_one_in(40) {
            None
        } else {
            Some(boxes[random.below(boxes.len())])
        };
        let shape = match random.below(fan) {
            0 => Shape::Box { header_width_px: random.below(400) as f64 },
            1 => Shape::folded(),
            _ => Shape::leaf(150.0 + random.below(83) as f64 + 0.37),
        };
        let mut item = ItemRequest::new(owner.map(|(owner, _)| owner), shape);
        if owner.is_some_and(|(_, is_stepped)| is_stepped) && !random.is_one_in(10) {
            item.row = Some(random.below(5) as u32);
        }
        add_lanes(&mut item, &mut random);
        let index = request.add(item);
        if matches!(shape, Shape::Box { .. }) {
            boxes.push((index, random.is_one_in(4)));
        }
        if random.is_one_in(12) {
            add_hook_item(&mut request, index, &mut boxes);
        }
    }
    add_edges(&mut request, &mut random);
    request
}

fn add_lanes(item: &mut ItemRequest, random: &mut Random) {
    if random.is_one_in(4) {
        for _ in 0..random.below(3) {
            item.lanes.push(Lane::named(150.0 + random.below(100) as f64));
        }
        item.lanes.push(Lane {
            chip_width_px: 18.0 + random.below(10) as f64,
            ..Lane::exit(150.0 + random.below(160) as f64)
        });
    }
}

/// A hook that is a box of its own, in a lane of `owner`.
fn add_hook_item(request: &mut LayoutRequest, owner: ItemIndex, boxes: &mut Vec<(ItemIndex, bool)>) {
    let hook = request.add(ItemRequest::new(Some(owner), Shape::Box { header_width_px: 120.0 }));
    let lane = Lane { content: LaneContent::Item(hook), ..Lane::exit(0.0) };
    request.items[owner.place()].lanes.push(lane);
    boxes.push((hook, false));
}

fn add_edges(request: &mut LayoutRequest, random: &mut Random) {
    let count = request.items.len();
    for _ in 0..count {
        let to = random.below(count);
        let reach = 1 + random.below(25);
        let from = to.saturating_sub(random.below(reach) + 1);
        let (from, to) = if random.is_one_in(30) { (to, from) } else { (from, to) };
        request.connect(ItemIndex(from as u32), ItemIndex(to as u32));
    }
    // Siblings are joined more often than chance would have it.
    for index in 1..count {
        let parent = request.items[index].parent;
        let sibling = (0..index).rev().find(|&other| request.items[other].parent == parent);
        if let Some(sibling) = sibling.filter(|_| !random.is_one_in(3)) {
            request.connect(ItemIndex(sibling as u32), ItemIndex(index as u32));
        }
    }
}
