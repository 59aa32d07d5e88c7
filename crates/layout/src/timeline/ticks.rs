//! Where the ruler has its ticks: steps that people count in, far enough apart to be labelled.

use super::scale::TimeScale;
use crate::measure::TICK_GAP_MIN;

const SECOND: f64 = 1000.0;
const MINUTE: f64 = 60.0 * SECOND;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// The steps from a tenth of a second on. Source: `ui.md` section 11, carried on in the same manner.
const STEPS_MS: [f64; 25] = [
    0.1 * SECOND,
    0.2 * SECOND,
    0.5 * SECOND,
    SECOND,
    2.0 * SECOND,
    5.0 * SECOND,
    10.0 * SECOND,
    15.0 * SECOND,
    30.0 * SECOND,
    MINUTE,
    2.0 * MINUTE,
    5.0 * MINUTE,
    10.0 * MINUTE,
    15.0 * MINUTE,
    30.0 * MINUTE,
    HOUR,
    2.0 * HOUR,
    3.0 * HOUR,
    6.0 * HOUR,
    12.0 * HOUR,
    DAY,
    2.0 * DAY,
    7.0 * DAY,
    28.0 * DAY,
    364.0 * DAY,
];

/// One tick of the ruler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// The instant.
    pub at_ms: f64,
    /// Its x.
    pub x: f64,
    /// Whether the label is written in full (`02:15:00`) or short (`:10`): whole minutes are full; where
    /// no whole minute is in view, every second label.
    pub is_full: bool,
    /// The step between ticks, which says how exact the label has to be.
    pub step_ms: f64,
}

/// The ticks in view, from left to right, at least [`TICK_GAP_MIN`] apart. `zone_ms` is what the zone of
/// the labels is ahead of UTC, so that hours and days begin where the labels say so.
pub fn ticks(scale: &TimeScale, zone_ms: f64) -> Vec<Tick> {
    let step_ms = step(scale);
    let local = |at_ms: f64| at_ms + zone_ms;
    let first = (local(scale.begin_ms()) / step_ms).ceil();
    let last = (local(scale.end_ms()) / step_ms).floor();
    let numbers = || (0..).map(|count| first + f64::from(count)).take_while(|number| *number <= last);
    let is_whole_minute = |number: f64| (number * step_ms).rem_euclid(MINUTE) < 1e-3;
    let has_whole_minute = numbers().any(is_whole_minute);
    let tick = |number: f64| {
        let at_ms = number * step_ms - zone_ms;
        let is_full = is_whole_minute(number) || (!has_whole_minute && number.rem_euclid(2.0) < 0.5);
        Tick { at_ms, x: scale.x_from_time(at_ms), is_full, step_ms }
    };
    numbers().map(tick).collect()
}

/// The least step whose ticks are far enough apart; beyond the list its last one, doubled until it is.
fn step(scale: &TimeScale) -> f64 {
    let is_wide_enough = |step: &f64| scale.px_from_duration(*step) >= TICK_GAP_MIN;
    if let Some(step) = STEPS_MS.iter().copied().find(|step| is_wide_enough(step)) {
        return step;
    }
    let mut step = STEPS_MS[STEPS_MS.len() - 1];
    while !is_wide_enough(&step) {
        step *= 2.0;
    }
    step
}

/// The ticks whose labels, `label_px` wide and centred, keep clear of `flags` (left and right x of each).
pub fn labels_beside(ticks: &[Tick], label_px: f64, flags: &[(f64, f64)]) -> Vec<Tick> {
    let (before, after) = (label_px / 2.0, label_px / 2.0);
    let is_free =
        |tick: &&Tick| flags.iter().all(|&(left, right)| tick.x + after < left || right < tick.x - before);
    ticks.iter().filter(is_free).copied().collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Seconds of each tick, with `*` where the label is full.
    fn check(begin_s: f64, end_s: f64, width: f64, zone_s: f64, expected: &Expect) {
        let scale = TimeScale::new(begin_s * SECOND, end_s * SECOND, width);
        let ticks = ticks(&scale, zone_s * SECOND);
        assert!(ticks.windows(2).all(|pair| pair[1].x - pair[0].x >= TICK_GAP_MIN));
        let text: Vec<String> = ticks
            .iter()
            .map(|tick| {
                format!("{}{}@{:.0}", tick.at_ms / SECOND, if tick.is_full { "*" } else { "" }, tick.x)
            })
            .collect();
        expected.assert_eq(&text.join(" "));
    }

    #[test]
    fn ten_seconds_around_a_stop() {
        check(24.0, 90.0, 605.0, 0.0, &expect!["30@55 40@147 50@238 60*@330 70@422 80@513 90@605"]);
    }

    #[test]
    fn every_second_label_is_full_where_no_minute_is_in_view() {
        check(61.0, 61.5, 400.0, 0.0, &expect!["61*@0 61.1@80 61.2*@160 61.3@240 61.4*@320 61.5@400"]);
    }

    #[test]
    fn days_begin_where_the_zone_says() {
        check(0.0, 200_000.0, 200.0, 7200.0, &expect!["79200*@79 165600*@166"]);
    }

    #[test]
    fn any_span_has_ticks_that_can_be_labelled() {
        for exponent in 0..16 {
            let scale = TimeScale::new(0.0, 10_f64.powi(exponent), 700.0);
            let count = ticks(&scale, 0.0).len();
            assert!((1..=12).contains(&count), "{count} ticks over 10^{exponent} ms");
        }
    }

    #[test]
    fn labels_under_a_flag_are_left_out() {
        let scale = TimeScale::new(24.0 * SECOND, 90.0 * SECOND, 605.0);
        let free = labels_beside(&ticks(&scale, 0.0), 20.0, &[(64.0, 170.0), (385.0, 425.0)]);
        let seconds: Vec<f64> = free.iter().map(|tick| tick.at_ms / SECOND).collect();
        assert_eq!(seconds, [50.0, 60.0, 80.0, 90.0]);
    }
}
