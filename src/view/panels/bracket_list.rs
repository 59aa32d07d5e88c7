//! The nested brackets beside a list of hooks: each opens above the rows inside it and closes on its
//! hook's number.

use leptos::prelude::*;
use unwind_present::preview::ListBracket;

/// Distance of two brackets, in px.
const LEVEL: f64 = 9.0;
/// The outermost bracket's x.
const FIRST: f64 = 7.0;
/// Radius of a corner.
const CORNER: f64 = 3.0;

/// The part of all brackets beside one row.
pub fn gutter(brackets: &[ListBracket], row: usize, height_px: u32) -> impl IntoView + use<> {
    let levels = brackets.iter().map(|bracket| bracket.level + 1).max().unwrap_or(0);
    let width = FIRST + LEVEL * levels.max(1) as f64 + 1.0;
    let paths: Vec<String> = brackets
        .iter()
        .filter(|bracket| (bracket.from..=bracket.to).contains(&row))
        .map(|bracket| path(bracket, row, f64::from(height_px), width))
        .collect();
    let paths = paths
        .into_iter()
        .map(|path| view! { <path d=path class="bracket" data-state="chosen" /> })
        .collect::<Vec<_>>();
    view! {
        <svg class="gutter" width=width height=height_px aria-hidden="true">{paths}</svg>
    }
}

fn path(bracket: &ListBracket, row: usize, height: f64, width: f64) -> String {
    let x = FIRST + LEVEL * bracket.level as f64;
    let top = 3.0 + 2.0 * bracket.level as f64;
    let begin = if row == bracket.from {
        let (foot, below) = (x + 7.0, top + CORNER);
        format!("M{foot} {top}H{}a3 3 0 0 0 -3 3V{below}", x + CORNER)
    } else {
        format!("M{x} 0")
    };
    let end = if row == bracket.to {
        format!("V{}a3 3 0 0 0 3 3H{width}", height / 2.0 - CORNER)
    } else {
        format!("V{height}")
    };
    begin + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_opens_passes_and_closes() {
        let bracket = ListBracket { from: 0, to: 2, level: 1 };
        let at = |row| path(&bracket, row, 40.0, 26.0);
        assert_eq!(at(0), "M23 5H19a3 3 0 0 0 -3 3V8V40");
        assert_eq!(at(1), "M16 0V40");
        assert_eq!(at(2), "M16 0V17a3 3 0 0 0 3 3H26");
    }
}
