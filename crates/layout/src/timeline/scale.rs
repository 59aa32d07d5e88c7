//! The one place where time becomes px: a window of time shown over a width.

use crate::measure::TIMELINE_SPAN_MIN_MS;

/// How much of a span is shown before its begin and after its end by [`TimeScale::around`].
const AROUND: f64 = 0.1;

/// A window of time over a width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    begin_ms: f64,
    end_ms: f64,
    width_px: f64,
}

impl TimeScale {
    /// Shows `begin_ms` to `end_ms` over `width_px`. A span below [`TIMELINE_SPAN_MIN_MS`] is widened
    /// around its middle, a width below 1 counts as 1, an instant that is not finite as 0.
    pub fn new(begin_ms: f64, end_ms: f64, width_px: f64) -> Self {
        let finite = |at_ms: f64| if at_ms.is_finite() { at_ms } else { 0.0 };
        let (one_ms, other_ms) = (finite(begin_ms), finite(end_ms));
        let (begin_ms, end_ms) = (one_ms.min(other_ms), one_ms.max(other_ms));
        let missing = (TIMELINE_SPAN_MIN_MS - (end_ms - begin_ms)).max(0.0);
        Self {
            begin_ms: begin_ms - missing / 2.0,
            end_ms: end_ms + missing / 2.0,
            width_px: if width_px >= 1.0 { width_px } else { 1.0 },
        }
    }

    /// Shows a span with a tenth of it before and after: how the timeline opens around a stop.
    pub fn around(begin_ms: f64, end_ms: f64, width_px: f64) -> Self {
        let margin = (end_ms - begin_ms).abs() * AROUND;
        Self::new(begin_ms.min(end_ms) - margin, begin_ms.max(end_ms) + margin, width_px)
    }

    /// The instant at the left end.
    pub fn begin_ms(&self) -> f64 {
        self.begin_ms
    }

    /// The instant at the right end.
    pub fn end_ms(&self) -> f64 {
        self.end_ms
    }

    /// How much time is shown; at least [`TIMELINE_SPAN_MIN_MS`].
    pub fn span_ms(&self) -> f64 {
        self.end_ms - self.begin_ms
    }

    /// The width over which it is shown.
    pub fn width_px(&self) -> f64 {
        self.width_px
    }

    /// The same window over another width.
    #[must_use]
    pub fn with_width(&self, width_px: f64) -> Self {
        Self::new(self.begin_ms, self.end_ms, width_px)
    }

    /// The x of an instant; beyond 0 and the width for instants outside the window.
    pub fn x_from_time(&self, at_ms: f64) -> f64 {
        (at_ms - self.begin_ms) / self.span_ms() * self.width_px
    }

    /// The instant at an x.
    pub fn time_from_x(&self, x_px: f64) -> f64 {
        self.begin_ms + x_px / self.width_px * self.span_ms()
    }

    /// How wide a duration is.
    pub fn px_from_duration(&self, duration_ms: f64) -> f64 {
        duration_ms / self.span_ms() * self.width_px
    }

    /// How long a width is.
    pub fn duration_from_px(&self, width_px: f64) -> f64 {
        width_px / self.width_px * self.span_ms()
    }

    /// Shows `factor` times less time with the instant at `x_px` staying where it is, within `whole`.
    #[must_use]
    pub fn zoomed(&self, factor: f64, x_px: f64, whole: &TimeScale) -> Self {
        let under = self.time_from_x(x_px);
        let span = (self.span_ms() / factor).clamp(TIMELINE_SPAN_MIN_MS, whole.span_ms());
        let begin = under - x_px / self.width_px * span;
        Self::new(begin, begin + span, self.width_px).kept_within(whole)
    }

    /// Moved by a drag of `dx_px`: the bars follow the pointer, within `whole`.
    #[must_use]
    pub fn panned(&self, dx_px: f64, whole: &TimeScale) -> Self {
        let by = self.duration_from_px(dx_px);
        Self::new(self.begin_ms - by, self.end_ms - by, self.width_px).kept_within(whole)
    }

    /// Shows what lies between two x: a brush.
    #[must_use]
    pub fn brushed(&self, x0_px: f64, x1_px: f64) -> Self {
        Self::new(self.time_from_x(x0_px), self.time_from_x(x1_px), self.width_px)
    }

    fn kept_within(self, whole: &TimeScale) -> Self {
        let span = self.span_ms().min(whole.span_ms());
        let begin = self.begin_ms.clamp(whole.begin_ms, (whole.end_ms - span).max(whole.begin_ms));
        Self { begin_ms: begin, end_ms: begin + span, width_px: self.width_px }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-6
    }

    #[test]
    fn time_and_x_are_inverse() {
        let scale = TimeScale::new(1_700_000_000_000.0, 1_700_000_066_000.0, 605.0);
        for step in 0..50 {
            let x = f64::from(step) * 17.3 - 100.0;
            assert!((scale.x_from_time(scale.time_from_x(x)) - x).abs() < 1e-3);
        }
        assert!(near(scale.x_from_time(1_700_000_000_000.0), 0.0));
        assert!(near(scale.x_from_time(1_700_000_066_000.0), 605.0));
    }

    #[test]
    fn zoom_keeps_the_instant_under_the_pointer() {
        let whole = TimeScale::new(0.0, 600_000.0, 800.0);
        let mut scale = whole;
        for _ in 0..10 {
            let under = scale.time_from_x(300.0);
            scale = scale.zoomed(1.2, 300.0, &whole);
            assert!(near(scale.time_from_x(300.0), under));
        }
    }

    #[test]
    fn zoom_ends_at_a_tenth_of_a_second_and_at_the_whole_run() {
        let whole = TimeScale::new(0.0, 600_000.0, 800.0);
        let closest = (0..200).fold(whole, |scale, _| scale.zoomed(1.2, 10.0, &whole));
        assert!(near(closest.span_ms(), 100.0));
        let widest = (0..200).fold(closest, |scale, _| scale.zoomed(1.0 / 1.2, 700.0, &whole));
        assert_eq!((widest.begin_ms(), widest.end_ms()), (0.0, 600_000.0));
    }

    #[test]
    fn a_drag_stops_at_the_ends_of_the_run() {
        let whole = TimeScale::new(0.0, 1000.0, 100.0);
        let scale = TimeScale::new(200.0, 400.0, 100.0);
        assert!(near(scale.panned(50.0, &whole).begin_ms(), 100.0));
        assert!(near(scale.panned(5000.0, &whole).begin_ms(), 0.0));
        assert!(near(scale.panned(-5000.0, &whole).end_ms(), 1000.0));
    }

    #[test]
    fn an_instant_alone_gets_a_window() {
        let scale = TimeScale::around(5000.0, 5000.0, 0.0);
        assert_eq!((scale.begin_ms(), scale.end_ms(), scale.width_px()), (4950.0, 5050.0, 1.0));
    }
}
