//! The browser's clock and zone.

use unwind_model::Timestamp;
use unwind_present::format::Zone;

/// The present.
pub fn now() -> Timestamp {
    Timestamp(js_sys::Date::now() as i64)
}

/// The reader's zone at an instant.
pub fn zone(at: Timestamp) -> Zone {
    let date = js_sys::Date::new(&wasm_bindgen::JsValue::from_f64(at.millis() as f64));
    Zone { offset_minutes: -date.get_timezone_offset() as i32 }
}
