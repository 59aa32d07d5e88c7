//! How far down each stretch of a row's breadth is taken.

use std::collections::BTreeMap;

/// A step function over whole numbers: nothing is taken at first. Each call costs the pieces it covers,
/// which it mostly replaces by fewer, times a logarithm.
pub(super) struct Skyline {
    /// `pieces[x]`: what is taken from `x` on, up to the next key.
    pieces: BTreeMap<i64, Option<f64>>,
}

impl Skyline {
    pub fn new() -> Self {
        Self { pieces: BTreeMap::from([(i64::MIN, None)]) }
    }

    /// The furthest that anything between `begin` and `end` reaches; none where nothing is taken.
    pub fn furthest(&self, begin: f64, end: f64) -> Option<f64> {
        let (begin, end) = (begin as i64, end as i64);
        let before = self.pieces.range(..=begin).next_back().and_then(|(_, taken)| *taken);
        let within = self.pieces.range(begin..end.max(begin)).filter_map(|(_, taken)| *taken);
        within.chain(before).reduce(f64::max)
    }

    /// Notes that everything between `begin` and `end` is taken down to `to`.
    pub fn take(&mut self, begin: f64, end: f64, to: f64) {
        let (begin, end) = (begin as i64, end as i64);
        if begin >= end {
            return;
        }
        let after = self.pieces.range(..=end).next_back().and_then(|(_, taken)| *taken);
        let covered: Vec<i64> = self.pieces.range(begin..end).map(|(&at, _)| at).collect();
        for at in covered {
            self.pieces.remove(&at);
        }
        self.pieces.insert(begin, Some(to));
        self.pieces.entry(end).or_insert(after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_takes_replace_earlier_ones_where_they_lie() {
        let mut skyline = Skyline::new();
        assert_eq!(skyline.furthest(-100.0, 100.0), None);
        skyline.take(0.0, 10.0, 5.0);
        skyline.take(4.0, 6.0, 9.0);
        assert_eq!(skyline.furthest(0.0, 4.0), Some(5.0));
        assert_eq!(skyline.furthest(0.0, 5.0), Some(9.0));
        assert_eq!(skyline.furthest(6.0, 10.0), Some(5.0));
        assert_eq!(skyline.furthest(10.0, 12.0), None);
        skyline.take(-5.0, 20.0, 12.0);
        assert_eq!(skyline.furthest(5.0, 6.0), Some(12.0));
        assert_eq!(skyline.furthest(20.0, 21.0), None);
    }
}
