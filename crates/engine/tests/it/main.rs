//! Tests of the engine from outside: text in, text out, and properties of random workflows.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

mod as_controller;
mod behaviour_table;
mod events;
mod kit;
mod lowering;
mod predicting;
mod random;
mod requests;
mod seed;
mod unwind;
