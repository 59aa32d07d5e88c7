//! Ordered collections and sorting in few bytes.
//!
//! Std brings in a whole sort for every type that is sorted or collected into a map or set, some five
//! kilobytes each, and the page carries them all. Here the sort exists once, over indices.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A map of these entries; of equal keys the last one wins.
pub fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

/// A set of these values.
pub fn set<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    for value in values {
        set.insert(value);
    }
    set
}

/// Sorts by `compare`; equal entries keep their order. As costly as `slice::sort_by`, plus one move of
/// every entry.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(list.len(), &|left, right| compare(&list[left], &list[right]));
    arrange(list, order);
}

/// Sorts by a key that is made anew for each comparison; equal entries keep their order.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(list, |left, right| key(left).cmp(&key(right)));
}

/// `order[i]`: which of `len` entries belongs into place `i`.
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|left, right| compare(*left, *right));
    order
}

/// Puts `list[order[i]]` into place `i`, cycle by cycle.
fn arrange<T>(list: &mut [T], mut order: Vec<usize>) {
    for start in 0..list.len() {
        let mut place = start;
        // The entry that belongs here may have moved on with a swap.
        while order[place] != start {
            let from = order[place];
            list.swap(place, from);
            order[place] = place;
            place = from;
        }
        order[place] = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_is_stable_and_complete() {
        let mut seed = 7_u32;
        for len in 0..60 {
            let mut list: Vec<(u32, u32)> = (0..len)
                .map(|at| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (seed >> 28, at)
                })
                .collect();
            let mut expected = list.clone();
            expected.sort_by_key(|entry| entry.0);
            sort_by(&mut list, |left, right| left.0.cmp(&right.0));
            assert_eq!(list, expected);
        }
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        assert_eq!(map([("b", 1), ("a", 2), ("b", 3)]).into_iter().collect::<Vec<_>>(), [("a", 2), ("b", 3)]);
        assert_eq!(set([3, 1, 3]).into_iter().collect::<Vec<_>>(), [1, 3]);
    }
}
