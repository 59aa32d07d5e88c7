//! The states of a hook and how bracket, chip and pill show them. Source: the table of `ui.md`
//! section 2; the same look stands in the graph, the stop preview and the timeline.

use unwind_engine::verdict::Holds;

use crate::token::Token;

/// The state of one hook, as its bracket takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookState {
    /// In the plan, not due or not there yet.
    Planned,
    /// An open preview says that it will run.
    Chosen,
    /// An open preview says that it will not run.
    WillNotRun,
    /// It did not run and had no reason to.
    DidNotRun,
    /// It waits or runs.
    Active,
    /// It ran, without a verdict yet.
    Ran,
    /// It ran, in order.
    Kept,
    /// It ran, out of order.
    Broken,
    /// It had to run and did not.
    NeverRan,
    /// It ran, and nobody can tell whether in order.
    CannotTell,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineStyle {
    /// Its colour.
    pub token: Token,
    /// Its width in px.
    pub width_px: f64,
    /// Lengths of dash and gap in px; empty for a solid line.
    pub dash: &'static [f64],
    /// One kink of 4 × 10 px above the chip.
    pub has_kink: bool,
}

/// How a chip or pill is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateStyle {
    /// Its ground; none lets through what is behind it.
    pub fill: Option<Token>,
    /// Its outline.
    pub outline: Token,
    /// Width of the outline in px.
    pub width_px: f64,
    /// Lengths of dash and gap of the outline; empty for a solid one.
    pub dash: &'static [f64],
    /// Its text.
    pub ink: Token,
    /// Its text is struck through.
    pub is_struck: bool,
}

const SOLID: &[f64] = &[];
/// The bracket of what is planned or never ran.
pub const DASH_BRACKET: &[f64] = &[3.0, 4.0];
/// The bracket of what nobody can tell.
pub const DASH_UNKNOWN: &[f64] = &[6.0, 3.0];
/// Outlines of what is not there.
pub const DASH_PLANNED: &[f64] = &[4.0, 3.0];
/// Outlines of chips.
pub const DASH_CHIP: &[f64] = &[3.0, 2.0];
/// Outline of a box that was left unfinished.
pub const DASH_LEFT: &[f64] = &[8.0, 3.0];

impl HookState {
    /// The state of a hook that ran, by its verdict.
    pub fn of_verdict(holds: Option<Holds>) -> Self {
        match holds {
            None => Self::Ran,
            Some(Holds::Kept) => Self::Kept,
            Some(Holds::CannotTell) => Self::CannotTell,
            Some(Holds::Broken) => Self::Broken,
        }
    }

    /// The value of the attribute `data-state`.
    pub fn attribute(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Chosen => "chosen",
            Self::WillNotRun => "will-not-run",
            Self::DidNotRun => "did-not-run",
            Self::Active => "active",
            Self::Ran => "ran",
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::NeverRan => "never-ran",
            Self::CannotTell => "cannot-tell",
        }
    }

    /// The bracket.
    pub fn bracket(self) -> LineStyle {
        let (token, dash) = match self {
            Self::Planned | Self::WillNotRun | Self::DidNotRun => (Token::Ink3, DASH_BRACKET),
            Self::Chosen | Self::Ran => (Token::Ink, SOLID),
            Self::Active => (Token::PhaseRunning, SOLID),
            Self::Kept => (Token::VerdictKept, SOLID),
            Self::Broken => (Token::VerdictBroken, SOLID),
            Self::NeverRan => (Token::VerdictBroken, DASH_BRACKET),
            Self::CannotTell => (Token::VerdictUnknown, DASH_UNKNOWN),
        };
        LineStyle { token, width_px: 2.0, dash, has_kink: self == Self::Broken }
    }

    /// The number chip; none where the hook's glyph stands in its place.
    pub fn chip(self) -> Option<PlateStyle> {
        let outlined = |outline, width_px, ink| PlateStyle {
            fill: Some(Token::Surface),
            outline,
            width_px,
            dash: SOLID,
            ink,
            is_struck: false,
        };
        let filled = |token| PlateStyle {
            fill: Some(token),
            outline: token,
            width_px: 1.5,
            dash: SOLID,
            ink: Token::InkInverse,
            is_struck: false,
        };
        Some(match self {
            Self::WillNotRun | Self::DidNotRun => return None,
            Self::Planned => outlined(Token::Ink2, 1.5, Token::Ink),
            Self::Chosen => outlined(Token::Ink, 2.0, Token::Ink),
            Self::Active => filled(Token::PhaseRunning),
            Self::Ran => filled(Token::Ink),
            Self::Kept => filled(Token::VerdictKept),
            Self::Broken => filled(Token::VerdictBroken),
            Self::NeverRan => {
                PlateStyle { dash: DASH_CHIP, ..outlined(Token::VerdictBroken, 1.5, Token::VerdictBroken) }
            }
            Self::CannotTell => PlateStyle {
                fill: Some(Token::VerdictUnknownSoft),
                dash: DASH_CHIP,
                ..outlined(Token::VerdictUnknown, 1.5, Token::Ink)
            },
        })
    }

    /// The pill.
    pub fn pill(self) -> PlateStyle {
        let plain = PlateStyle {
            fill: Some(Token::Surface),
            outline: Token::BoxBorder,
            width_px: 1.0,
            dash: SOLID,
            ink: Token::Ink,
            is_struck: false,
        };
        match self {
            Self::Planned => {
                PlateStyle { fill: None, outline: Token::Ink3, dash: DASH_PLANNED, ink: Token::Ink3, ..plain }
            }
            Self::WillNotRun => PlateStyle { is_struck: true, ..Self::Planned.pill() },
            Self::DidNotRun => PlateStyle { ink: Token::Ink2, ..plain },
            Self::Chosen => PlateStyle { outline: Token::Ink, ..plain },
            Self::Active => PlateStyle {
                fill: Some(Token::PhaseRunningSoft),
                outline: Token::PhaseRunning,
                width_px: 1.5,
                ..plain
            },
            Self::Ran | Self::Kept => plain,
            Self::Broken => PlateStyle { outline: Token::VerdictBroken, width_px: 1.5, ..plain },
            Self::NeverRan => PlateStyle {
                fill: None,
                outline: Token::VerdictBroken,
                dash: DASH_PLANNED,
                ink: Token::VerdictBroken,
                ..plain
            },
            Self::CannotTell => PlateStyle { outline: Token::VerdictUnknown, width_px: 1.5, ..plain },
        }
    }

    /// What is said of it beside its name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Chosen => "will run",
            Self::WillNotRun => "will not run",
            Self::DidNotRun => "did not run",
            Self::Active => "running",
            Self::Ran => "ran",
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::NeverRan => "never ran",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// A number chip with what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chip {
    /// The number, or a dash for what never ran.
    pub text: String,
    /// How it looks.
    pub state: HookState,
    /// Another hook has the same number, so the glyph of a tie stands beside it.
    pub is_tied: bool,
}

impl Chip {
    /// What stands in the chip of a hook that never ran.
    pub const NEVER: &'static str = "–";

    /// An outlined chip with an expected number.
    pub fn expected(turn: u32) -> Self {
        Self { text: turn.to_string(), state: HookState::Planned, is_tied: false }
    }
}
