//! Sorting with one sort for all types: std brings in a whole one for each, some five kilobytes every
//! time, and the page carries them all.

use std::cmp::Ordering;

/// Sorts by `compare`; equal entries keep their order.
pub(crate) fn sort_by<T: Clone>(list: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(list.len(), &|left, right| compare(&list[left], &list[right]));
    *list = order.into_iter().map(|place| list[place].clone()).collect();
}

/// Sorts by the natural order; equal entries keep their order.
pub(crate) fn sort<T: Clone + Ord>(list: &mut Vec<T>) {
    sort_by(list, Ord::cmp);
}

fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|left, right| compare(*left, *right));
    order
}
