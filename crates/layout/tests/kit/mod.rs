//! A short notation for requests.
//!
//! One item per line, nested by two spaces; edges by name, anywhere:
//! ```text
//! main: box 340 ?168 !150     a box at least 340 wide with a named and an exit hook
//!   [0] lease: leaf 150       a leaf in step row 0
//!   build: folded             a closed item
//!   ! clean: box 120          an item in an exit lane of `main` (`?` for a named one)
//! lease > build, clean        edges
//! left-right                  the other direction
//! ```

use std::collections::BTreeMap;

use unwind_layout::{Direction, ItemIndex, ItemRequest, Lane, LaneContent, LayoutRequest, Shape, measure};

/// A request with the names of its items.
pub struct Sample {
    pub request: LayoutRequest,
    pub names: Vec<String>,
}

/// Reads the notation; panics with the line when it cannot.
pub fn read(text: &str) -> Sample {
    let mut sample = Sample { request: LayoutRequest::default(), names: Vec::new() };
    let mut open: Vec<(usize, ItemIndex)> = Vec::new();
    let mut edges: Vec<(String, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if line == "left-right" {
            sample.request.direction = Direction::LeftRight;
        } else if let Some((from, to)) = line.split_once('>') {
            let names = to.split(',').map(str::trim);
            edges.extend(names.map(|to| (from.trim().to_owned(), to.to_owned())));
        } else {
            open.retain(|&(outer, _)| outer < indent);
            let parent = open.last().map(|&(_, item)| item);
            let item = read_item(&mut sample, parent, line);
            open.push((indent, item));
        }
    }
    let index: BTreeMap<&str, usize> =
        sample.names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
    for (from, to) in &edges {
        let find = |name: &String| {
            ItemIndex(*index.get(name.as_str()).unwrap_or_else(|| panic!("no item `{name}`")) as u32)
        };
        sample.request.connect(find(from), find(to));
    }
    sample
}

fn read_item(sample: &mut Sample, parent: Option<ItemIndex>, line: &str) -> ItemIndex {
    let (head, shape) = line.split_once(':').unwrap_or_else(|| panic!("no `:` in `{line}`"));
    let mut words = shape.split_whitespace();
    let kind = words.next();
    let mut numbers = words.clone().map_while(|word| word.parse::<f64>().ok());
    let shape = match kind {
        Some("leaf") => Shape::leaf(numbers.next().unwrap_or(150.0)),
        Some("box") => Shape::Box { header_width_px: numbers.next().unwrap_or(0.0) },
        Some("folded") => Shape::folded(),
        _ => panic!("no shape in `{line}`"),
    };
    let mut item = ItemRequest::new(parent, shape);
    for word in words {
        if let Some(width) = word.strip_prefix('!') {
            item.lanes.push(Lane::exit(width.parse().expect("a width after `!`")));
        } else if let Some(width) = word.strip_prefix('?') {
            item.lanes.push(Lane::named(width.parse().expect("a width after `?`")));
        }
    }
    let index = ItemIndex(sample.names.len() as u32);
    let name = match head.split_once(' ') {
        Some((mark @ ("!" | "?"), name)) => {
            let content = LaneContent::Item(index);
            let strip = Lane { content, chip_width_px: measure::CHIP_SIZE, is_named: mark == "?" };
            let owner = parent.expect("a lane has an owner");
            sample.request.items[owner.place()].lanes.push(strip);
            name
        }
        Some((row, name)) => {
            let row = row.trim_matches(['[', ']']).parse().expect("a row number in `[]`");
            item.row = Some(row);
            name
        }
        None => head,
    };
    sample.names.push(name.trim().to_owned());
    sample.request.add(item)
}
