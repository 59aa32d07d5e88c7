//! Panics of the engine as values: one broken run must not end the replay of all others.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Place and text of the last panic of this thread.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Does `work` with panics kept for [`catch`] in place of being printed.
pub fn keep_panics<T>(work: impl FnOnce() -> T) -> T {
    std::panic::set_hook(Box::new(|info| LAST.with_borrow_mut(|last| *last = info.to_string())));
    let done = work();
    let _ = std::panic::take_hook();
    done
}

/// Runs the engine; the place and text of its panic are the error.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| LAST.with_borrow(Clone::clone))
}
