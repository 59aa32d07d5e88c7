//! Names of the colour tokens of `style/tokens.css`, so that whoever draws says what a thing is and
//! never what it looks like. The values stay in the style sheet; for files that are drawn without
//! one, `svg` keeps its own copy, held equal by a test.

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident => $css:literal),+ $(,)?) => {
        /// A colour by its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Token {
            $($(#[$doc])* $name,)+
        }

        impl Token {
            /// All tokens, in the order of the style sheet.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its custom property, for example `--ink-2`.
            pub fn css(self) -> &'static str {
                match self {
                    $(Self::$name => $css,)+
                }
            }
        }
    };
}

tokens! {
    /// Behind everything.
    Ground => "--ground",
    /// Bars and panels.
    Surface => "--surface",
    /// Sunken parts of panels.
    SurfaceSunken => "--surface-sunken",
    /// Ground of the selected row.
    SurfaceSelected => "--surface-selected",
    /// Ground of boxes of the first level.
    Nest1 => "--nest-1",
    /// Ground of boxes of the second level.
    Nest2 => "--nest-2",
    /// Ground of boxes of the third level.
    Nest3 => "--nest-3",
    /// Ground of boxes of the fourth level.
    Nest4 => "--nest-4",
    /// Text.
    Ink => "--ink",
    /// Quieter text.
    Ink2 => "--ink-2",
    /// Quietest text, and what is only planned.
    Ink3 => "--ink-3",
    /// Text on a full colour.
    InkInverse => "--ink-inverse",
    /// Lines that only decorate.
    Hairline => "--hairline",
    /// Outline of boxes and leaves.
    BoxBorder => "--box-border",
    /// Edges between nodes.
    Edge => "--edge",
    /// Links and selection.
    Accent => "--accent",
    /// Stop, and what a stop will end.
    Stop => "--stop",
    /// Text on [`Token::Stop`].
    OnStop => "--on-stop",
    /// Pending.
    PhasePending => "--phase-pending",
    /// Ground of what is pending.
    PhasePendingSoft => "--phase-pending-soft",
    /// Running.
    PhaseRunning => "--phase-running",
    /// Ground of what is running.
    PhaseRunningSoft => "--phase-running-soft",
    /// Suspended.
    PhaseSuspended => "--phase-suspended",
    /// Ground of what is suspended.
    PhaseSuspendedSoft => "--phase-suspended-soft",
    /// Succeeded.
    PhaseSucceeded => "--phase-succeeded",
    /// Ground of what succeeded.
    PhaseSucceededSoft => "--phase-succeeded-soft",
    /// Failed.
    PhaseFailed => "--phase-failed",
    /// Ground of what failed.
    PhaseFailedSoft => "--phase-failed-soft",
    /// Error.
    PhaseError => "--phase-error",
    /// Ground of what ended in error.
    PhaseErrorSoft => "--phase-error-soft",
    /// Skipped.
    PhaseSkipped => "--phase-skipped",
    /// Ground of what was skipped.
    PhaseSkippedSoft => "--phase-skipped-soft",
    /// Omitted.
    PhaseOmitted => "--phase-omitted",
    /// Ground of what was omitted.
    PhaseOmittedSoft => "--phase-omitted-soft",
    /// Planned.
    PhasePlanned => "--phase-planned",
    /// Ground of what is planned.
    PhasePlannedSoft => "--phase-planned-soft",
    /// A rule was kept.
    VerdictKept => "--verdict-kept",
    /// Ground of what was kept.
    VerdictKeptSoft => "--verdict-kept-soft",
    /// A rule was broken.
    VerdictBroken => "--verdict-broken",
    /// Ground of what was broken.
    VerdictBrokenSoft => "--verdict-broken-soft",
    /// Nobody can tell.
    VerdictUnknown => "--verdict-unknown",
    /// Ground of what nobody can tell.
    VerdictUnknownSoft => "--verdict-unknown-soft",
}

impl Token {
    /// The ground of a box that `depth` boxes enclose; the fifth level starts again at the first.
    pub fn nest(depth: u32) -> Self {
        match depth % 4 {
            0 => Self::Nest1,
            1 => Self::Nest2,
            2 => Self::Nest3,
            _ => Self::Nest4,
        }
    }
}
