//! How Go prints and reads numbers, durations, lists and JSON, where Argo shows it.
//!
//! In: values and texts. Out: the text that Go's standard library makes of them, or its own error text.
//! It must never depend on the clock or on a place: Argo's controller runs in UTC.

mod duration;
mod humanize;
pub mod json;
mod number;
mod print;
mod quote;

pub use duration::{duration_text, parse_duration, parse_string_to_duration};
pub use humanize::humanize;
pub use number::{
    NumberError, Reader, any_string, atoi, float_f, float_json, float_v, parse_bool, parse_int,
};
pub use print::format_integer;
pub use quote::{is_print, quote, quote_inner};
