//! Part of the eighth pass: at which height the lines between two rows run across.
//!
//! In: the bundles of lines that meet in a stretch of a row gap, a bundle being all lines joined by common
//! ends. Out: a track for each, 0 being the one closest to the lower row. Bundles that would run over each
//! other get different tracks, and where one begins straight above the end of another, it runs higher,
//! so that the two verticals do not touch.

use crate::sorting;
use std::collections::BTreeMap;

/// How many tracks a gap has at most; beyond that bundles share the furthest one.
const TRACKS_MAX: usize = 10;

/// Lines between two rows that share ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Bundle {
    /// Where its lines begin, across.
    pub begins: Vec<i64>,
    /// Where its lines end, across.
    pub ends: Vec<i64>,
}

impl Bundle {
    /// The stretch its run covers.
    fn stretch(&self) -> (i64, i64) {
        let all = || self.begins.iter().chain(&self.ends).copied();
        (all().min().unwrap_or(0), all().max().unwrap_or(0))
    }
}

/// `tracks(..)[b]`: the track of bundle `b`. Straight bundles need none and get 0.
pub(super) fn tracks(bundles: &[Bundle]) -> Vec<usize> {
    if bundles.len() < 2 {
        return vec![0; bundles.len()];
    }
    let mut track: Vec<Option<usize>> = vec![None; bundles.len()];
    let lower = straight_below(bundles);
    let mut taken: Vec<Vec<(i64, i64)>> = Vec::new();
    for bundle in from_below(bundles, &lower) {
        let stretch = bundles[bundle].stretch();
        if stretch.0 == stretch.1 {
            continue;
        }
        let least = lower[bundle].iter().filter_map(|&below| Some(track[below]? + 1)).max().unwrap_or(0);
        let is_free = |track: usize| {
            taken.get(track).is_none_or(|runs| runs.iter().all(|run| run.1 < stretch.0 || stretch.1 < run.0))
        };
        let chosen = (least..TRACKS_MAX).find(|&track| is_free(track)).unwrap_or(TRACKS_MAX - 1);
        if taken.len() <= chosen {
            taken.resize(chosen + 1, Vec::new());
        }
        taken[chosen].push(stretch);
        track[bundle] = Some(chosen);
    }
    track.into_iter().map(Option::unwrap_or_default).collect()
}

/// `straight_below(..)[b]`: the bundles that end where `b` begins, and so have to run lower.
fn straight_below(bundles: &[Bundle]) -> Vec<Vec<usize>> {
    let mut ends_at: BTreeMap<i64, usize> = BTreeMap::new();
    for (bundle, lines) in bundles.iter().enumerate() {
        ends_at.extend(lines.ends.iter().map(|&end| (end, bundle)));
    }
    let lower = |(bundle, lines): (usize, &Bundle)| {
        let mut lower: Vec<usize> =
            lines.begins.iter().filter_map(|begin| ends_at.get(begin).copied()).collect();
        sorting::sort(&mut lower);
        lower.dedup();
        lower.retain(|&other| other != bundle);
        lower
    };
    bundles.iter().enumerate().map(lower).collect()
}

/// The bundles in an order in which what has to run lower comes first; where that goes in circles, from
/// left to right.
fn from_below(bundles: &[Bundle], lower: &[Vec<usize>]) -> Vec<usize> {
    let mut higher = vec![Vec::new(); bundles.len()];
    let mut waiting: Vec<usize> = lower.iter().map(Vec::len).collect();
    for (bundle, below) in lower.iter().enumerate() {
        for &other in below {
            higher[other].push(bundle);
        }
    }
    let mut by_begin: Vec<usize> = (0..bundles.len()).collect();
    sorting::sort_by(&mut by_begin, |left, right| bundles[*left].stretch().cmp(&bundles[*right].stretch()));
    let mut is_done = vec![false; bundles.len()];
    let mut sorted = Vec::with_capacity(bundles.len());
    let mut ready: Vec<usize> =
        by_begin.iter().rev().copied().filter(|&bundle| waiting[bundle] == 0).collect();
    let mut rest = by_begin.into_iter();
    loop {
        let next = ready.pop().or_else(|| rest.by_ref().find(|&bundle| !is_done[bundle]));
        let Some(bundle) = next else { return sorted };
        if std::mem::replace(&mut is_done[bundle], true) {
            continue;
        }
        sorted.push(bundle);
        for &above in &higher[bundle] {
            waiting[above] = waiting[above].saturating_sub(1);
            if waiting[above] == 0 && !is_done[above] {
                ready.push(above);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bundles: &[(&[i64], &[i64])], expected: &[usize]) {
        let bundles: Vec<Bundle> = bundles
            .iter()
            .map(|(begins, ends)| Bundle { begins: begins.to_vec(), ends: ends.to_vec() })
            .collect();
        assert_eq!(tracks(&bundles), expected);
    }

    #[test]
    fn bundles_apart_share_a_track() {
        check(&[(&[0], &[10, 20]), (&[50], &[30, 70])], &[0, 0]);
    }

    #[test]
    fn bundles_over_each_other_get_two() {
        check(&[(&[0], &[100]), (&[50], &[150])], &[0, 1]);
    }

    #[test]
    fn what_begins_above_the_end_of_another_runs_higher() {
        check(&[(&[0, 50], &[200]), (&[100], &[0, 50])], &[1, 0]);
        check(&[(&[100], &[0, 50]), (&[0, 50], &[200])], &[0, 1]);
    }

    #[test]
    fn a_circle_of_wishes_still_ends() {
        check(&[(&[0], &[100]), (&[100], &[0])], &[0, 1]);
    }

    #[test]
    fn straight_lines_need_no_track() {
        check(&[(&[0], &[0]), (&[-50], &[50])], &[0, 0]);
    }
}
