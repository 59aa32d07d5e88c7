//! Reads the notation of the tests from standard input and writes the layout as SVG:
//! `cargo run -p unwind-layout --example picture < sample.txt > sample.svg`.

#[path = "../tests/kit/mod.rs"]
mod kit;
#[path = "../tests/kit/picture.rs"]
mod picture;

use std::io::Read;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let sample = kit::read(&text);
    print!("{}", picture::svg(&sample, &unwind_layout::layout(&sample.request)));
    Ok(())
}
