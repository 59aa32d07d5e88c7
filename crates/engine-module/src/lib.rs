//! The engine as a WASM module of its own: the page loads it when a preview or a rehearsal is asked for.
//!
//! In: a request as JSON, written into the room that was asked for. Out: an answer as JSON in the same place.
//! It imports nothing. After a panic the module cannot be used any more; its user takes a fresh one.

mod host;

use std::cell::RefCell;

use host::Host;

thread_local! {
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static HOST: RefCell<Host> = RefCell::new(Host::default());
}

/// Makes room for a request of `length` bytes; its address in the module's memory.
#[expect(unsafe_code, reason = "the name is how the module's user finds it")]
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        *text = vec![0; length];
        text.as_mut_ptr()
    })
}

/// Carries out the request in the room; how many bytes the answer has.
#[expect(unsafe_code, reason = "the name is how the module's user finds it")]
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    let request = TEXT.take();
    let answer = HOST.with_borrow_mut(|host| host.answer(&request));
    let length = answer.len();
    TEXT.set(answer);
    length
}

/// Address of the last answer.
#[expect(unsafe_code, reason = "the name is how the module's user finds it")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    TEXT.with_borrow(Vec::as_ptr)
}
