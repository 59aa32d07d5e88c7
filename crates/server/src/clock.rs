//! The clock: the one place of the server that reads the time.
//!
//! In: nothing. Out: milliseconds since the epoch that never decrease within one stamp.

use std::time::{SystemTime, UNIX_EPOCH};

use unwind_model::Timestamp;

/// The time now, by the system's clock.
pub fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

/// Gives times that never decrease, whatever the system's clock does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stamp {
    last: Timestamp,
}

impl Stamp {
    /// A stamp whose times are not before `last`.
    pub fn after(last: Timestamp) -> Self {
        Self { last }
    }

    /// `at`, or the last time given when that is later.
    pub fn give(&mut self, at: Timestamp) -> Timestamp {
        self.last = self.last.max(at);
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_never_decrease() {
        let mut stamp = Stamp::after(Timestamp(50));
        assert_eq!(stamp.give(Timestamp(20)), Timestamp(50));
        assert_eq!(stamp.give(Timestamp(70)), Timestamp(70));
        assert_eq!(stamp.give(Timestamp(60)), Timestamp(70));
    }
}
