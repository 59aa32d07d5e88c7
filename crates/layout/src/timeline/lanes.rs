//! Rows of the timeline: their y, the nested brackets beside their names, places of labels.

use std::ops::Range;

use crate::measure::{TIMELINE_LEVEL_WIDTH, TIMELINE_LEVELS_MAX, TIMELINE_ROW_HEIGHT};
use crate::sorting;

/// The x of the outermost bracket in the name column.
const FIRST_BRACKET_X: f64 = 7.5;
/// Where a name begins, right of the bracket its row may open.
const NAME_AFTER_BRACKET: f64 = 10.5;

/// The upper side of a row.
pub fn y_of_row(row: usize) -> f64 {
    row as f64 * TIMELINE_ROW_HEIGHT
}

/// The rows that touch a view `height_px` high, scrolled down by `scroll_px`.
pub fn rows_in_view(scroll_px: f64, height_px: f64, row_count: usize) -> Range<usize> {
    let row_at = |y: f64| (y / TIMELINE_ROW_HEIGHT).max(0.0);
    let first = (row_at(scroll_px).floor() as usize).min(row_count);
    let end = (row_at(scroll_px + height_px).ceil() as usize).clamp(first, row_count);
    first..end
}

/// A bracket from the row of its owner down to the row of its exit hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BracketRows {
    /// The row of the owner.
    pub opens: usize,
    /// The row of the exit hook, below it.
    pub closes: usize,
}

/// What a bracket does beside a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// Begins at the middle of the row and leads down.
    Opens,
    /// Passes from top to bottom.
    Passes,
    /// Comes from above and ends at the middle of the row.
    Closes,
}

/// A piece of a bracket beside a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BracketPiece {
    /// The place in the list of brackets.
    pub bracket: usize,
    /// What it does here.
    pub kind: PieceKind,
    /// The x of its vertical line.
    pub x: f64,
}

/// The brackets beside one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gutter {
    /// The pieces to draw, outermost first. Of the brackets that are joined only the one that opens or
    /// closes here, else the innermost.
    pub pieces: Vec<BracketPiece>,
    /// Where the name begins.
    pub width_px: f64,
    /// How many brackets the outermost line stands for, when more than one.
    pub joined: usize,
}

/// The brackets beside each of `row_count` rows. Brackets are nested or apart, as hooks are; one that
/// does not lead down, leaves the rows or crosses another is left out.
///
/// One level is [`TIMELINE_LEVEL_WIDTH`] wide. Where more than [`TIMELINE_LEVELS_MAX`] are nested, the
/// outer ones share the first column, in all rows, so that every line keeps its x.
/// Cost: rows times levels drawn.
pub fn gutters(row_count: usize, brackets: &[BracketRows]) -> Vec<Gutter> {
    let mut opening: Vec<Vec<usize>> = vec![Vec::new(); row_count];
    for (place, bracket) in brackets.iter().enumerate() {
        if bracket.opens < bracket.closes && bracket.closes < row_count {
            opening[bracket.opens].push(place);
        }
    }
    let rows = open_brackets(&mut opening, brackets);
    let levels = rows.iter().map(|row| row.first_open + row.own.len()).max().unwrap_or(0);
    let outer = levels.saturating_sub(TIMELINE_LEVELS_MAX);
    draw(&rows, brackets, outer)
}

/// Which brackets a row has, besides those it shares with the row above.
struct OpenRow {
    /// How many brackets stay open from the row above and are still there.
    first_open: usize,
    /// Those that open here, outermost first.
    own: Vec<usize>,
}

fn open_brackets(opening: &mut [Vec<usize>], brackets: &[BracketRows]) -> Vec<OpenRow> {
    let mut open: Vec<usize> = Vec::new();
    let mut rows = Vec::with_capacity(opening.len());
    for (row, opens_here) in opening.iter_mut().enumerate() {
        while open.last().is_some_and(|&bracket| brackets[bracket].closes < row) {
            open.pop();
        }
        let first_open = open.len();
        sorting::sort_by(opens_here, |left, right| brackets[*right].closes.cmp(&brackets[*left].closes));
        let mut own = Vec::new();
        for &bracket in opens_here.iter() {
            let crosses =
                open.last().is_some_and(|&outer| brackets[outer].closes <= brackets[bracket].closes);
            if !crosses {
                open.push(bracket);
                own.push(bracket);
            }
        }
        rows.push(OpenRow { first_open, own });
    }
    rows
}

fn draw(rows: &[OpenRow], brackets: &[BracketRows], outer: usize) -> Vec<Gutter> {
    let mut open: Vec<usize> = Vec::new();
    let mut gutters = Vec::with_capacity(rows.len());
    for (row, here) in rows.iter().enumerate() {
        open.truncate(here.first_open);
        open.extend(&here.own);
        let piece = |level: usize| {
            let bracket = open[level];
            let kind = match brackets[bracket] {
                BracketRows { opens, .. } if opens == row => PieceKind::Opens,
                BracketRows { closes, .. } if closes == row => PieceKind::Closes,
                BracketRows { .. } => PieceKind::Passes,
            };
            BracketPiece {
                bracket,
                kind,
                x: FIRST_BRACKET_X + level.saturating_sub(outer) as f64 * TIMELINE_LEVEL_WIDTH,
            }
        };
        let innermost_joined = open.len().min(outer + 1);
        let first_drawn = innermost_joined.saturating_sub(1);
        let pieces: Vec<BracketPiece> = (first_drawn..open.len()).map(piece).collect();
        let ends_here = pieces.last().is_some_and(|piece| piece.kind != PieceKind::Passes);
        let name_level = if ends_here { open.len() - 1 } else { open.len() };
        gutters.push(Gutter {
            width_px: FIRST_BRACKET_X
                + name_level.saturating_sub(outer) as f64 * TIMELINE_LEVEL_WIDTH
                + NAME_AFTER_BRACKET,
            joined: if innermost_joined > 1 { innermost_joined } else { 0 },
            pieces,
        });
    }
    gutters
}

/// A stretch of a row, in px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Left end.
    pub x0: f64,
    /// Right end.
    pub x1: f64,
}

/// Where the label of a bar stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LabelPlace {
    /// Right of the bar, beginning at this x.
    Right(f64),
    /// In the bar, beginning at this x.
    Inside(f64),
    /// Left of the bar, beginning at this x.
    Left(f64),
    /// Nowhere without covering something.
    Hidden,
}

/// Space between a bar and its label.
const LABEL_GAP: f64 = 6.0;

/// Finds room for a label of `label_px`: right of `bar`, else inside, else left of it; never over one of
/// the `others` of the same row and never outside `view`.
pub fn place_label(bar: Span, label_px: f64, others: &[Span], view: Span) -> LabelPlace {
    let is_free = |x: f64| {
        let is_clear = |other: &Span| x + label_px < other.x0 || other.x1 < x;
        view.x0 <= x && x + label_px <= view.x1 && others.iter().all(is_clear)
    };
    let (right, left) = (bar.x1 + LABEL_GAP, bar.x0 - LABEL_GAP - label_px);
    let (begin, end) = (bar.x0.max(view.x0), bar.x1.min(view.x1));
    if is_free(right) {
        LabelPlace::Right(right)
    } else if end - begin >= label_px + 2.0 * LABEL_GAP {
        LabelPlace::Inside(end - LABEL_GAP - label_px)
    } else if is_free(left) {
        LabelPlace::Left(left)
    } else {
        LabelPlace::Hidden
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// One line per row: `┌` opens, `│` passes, `└` closes at its column, then the row; `3×` for joined ones.
    fn check(row_count: usize, brackets: &[(usize, usize)], expected: &Expect) {
        let brackets: Vec<BracketRows> =
            brackets.iter().map(|&(opens, closes)| BracketRows { opens, closes }).collect();
        let mut text = String::new();
        for (row, gutter) in gutters(row_count, &brackets).iter().enumerate() {
            let column = |x: f64| ((x - FIRST_BRACKET_X) / TIMELINE_LEVEL_WIDTH) as usize;
            let mut line = vec![' '; column(gutter.width_px - NAME_AFTER_BRACKET) + 1];
            for piece in &gutter.pieces {
                line[column(piece.x)] = match piece.kind {
                    PieceKind::Opens => '┌',
                    PieceKind::Passes => '│',
                    PieceKind::Closes => '└',
                };
            }
            let joined = if gutter.joined > 0 { format!(" {}×", gutter.joined) } else { String::new() };
            let columns: String = line.into_iter().collect();
            text.extend([
                columns,
                row.to_string(),
                joined,
                "
"
                .to_owned(),
            ]);
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn nested_owners_give_a_staircase() {
        check(
            8,
            &[(0, 7), (1, 6), (2, 5), (3, 4)],
            &expect![[r"
                ┌0
                │┌1
                ││┌2
                │││┌3
                │││└4
                ││└5
                │└6
                └7
            "]],
        );
    }

    #[test]
    fn owners_side_by_side_share_a_level() {
        check(
            7,
            &[(0, 6), (1, 2), (3, 5)],
            &expect![[r"
                ┌0
                │┌1
                │└2
                │┌3
                ││ 4
                │└5
                └6
            "]],
        );
    }

    #[test]
    fn from_level_eight_on_the_outer_ones_are_joined() {
        let brackets: Vec<(usize, usize)> = (0..10).map(|level| (level, 19 - level)).collect();
        check(
            20,
            &brackets,
            &expect![[r"
                ┌0
                ┌1 2×
                ┌2 3×
                │┌3 3×
                ││┌4 3×
                │││┌5 3×
                ││││┌6 3×
                │││││┌7 3×
                ││││││┌8 3×
                │││││││┌9 3×
                │││││││└10 3×
                ││││││└11 3×
                │││││└12 3×
                ││││└13 3×
                │││└14 3×
                ││└15 3×
                │└16 3×
                └17 3×
                └18 2×
                └19
            "]],
        );
    }

    #[test]
    fn brackets_that_cross_or_lead_nowhere_are_left_out() {
        check(
            4,
            &[(0, 2), (1, 3), (3, 3), (2, 9)],
            &expect![[r"
                ┌0
                │ 1
                └2
                 3
            "]],
        );
    }

    #[test]
    fn only_rows_in_view_are_asked_for() {
        assert_eq!(rows_in_view(0.0, 208.0, 100), 0..8);
        assert_eq!(rows_in_view(30.0, 52.0, 100), 1..4);
        assert_eq!(rows_in_view(1e9, 52.0, 100), 100..100);
        assert_eq!(rows_in_view(-50.0, 20.0, 3), 0..0);
    }

    #[test]
    fn a_label_never_covers_a_bar() {
        let view = Span { x0: 0.0, x1: 100.0 };
        let bar = Span { x0: 20.0, x1: 40.0 };
        assert_eq!(place_label(bar, 20.0, &[], view), LabelPlace::Right(46.0));
        assert_eq!(place_label(bar, 10.0, &[Span { x0: 45.0, x1: 60.0 }], view), LabelPlace::Left(4.0));
        let wide = Span { x0: 20.0, x1: 95.0 };
        assert_eq!(place_label(wide, 20.0, &[], view), LabelPlace::Inside(69.0));
        assert_eq!(place_label(bar, 30.0, &[Span { x0: 45.0, x1: 60.0 }], view), LabelPlace::Hidden);
    }
}
