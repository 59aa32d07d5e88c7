//! Every glyph of the page as data: paths on a grid of 16 px, to be stroked, filled or knocked out.
//!
//! Source: `ui.md` section 5. Strokes are 1.5 wide with round caps and joins in the current colour;
//! what is knocked out is stroked 1.75 wide in the colour of the ground. The page makes SVG symbols
//! and `Path2D`s from this table, the SVG writer its paths; nobody else holds a path.

/// Edge length of the grid that all paths are drawn on.
pub const GRID: f64 = 16.0;
/// Width of stroked parts, in grid units.
pub const STROKE: f64 = 1.5;
/// Width of parts that are knocked out, in grid units.
pub const KNOCK: f64 = 1.75;

/// How a part is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// A line in the current colour.
    Stroke,
    /// An area in the current colour.
    Fill,
    /// A line in the colour of the ground.
    Knock,
}

/// One path of a glyph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// How it is drawn.
    pub kind: PartKind,
    /// SVG path data.
    pub path: &'static str,
    /// Lengths of dash and gap in grid units; empty for a solid line.
    pub dash: &'static [f64],
}

macro_rules! glyphs {
    ($(
        $(#[$doc:meta])*
        $glyph:ident $name:literal { $($kind:ident $path:literal $([$($dash:literal)+])?)+ }
    )+) => {
        /// A glyph by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Glyph {
            $($(#[$doc])* $glyph,)+
        }

        impl Glyph {
            /// All glyphs, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$glyph),+];

            /// Its name, as used in ids of SVG symbols.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$glyph => $name,)+
                }
            }

            /// Its parts, in the order they are drawn.
            pub fn parts(self) -> &'static [Part] {
                match self {
                    $(Self::$glyph => const {
                        &[$(Part {
                            kind: PartKind::$kind,
                            path: $path,
                            dash: &[$($($dash),+)?],
                        }),+]
                    },)+
                }
            }
        }
    };
}

glyphs! {
    /// Not running yet.
    Pending "pending" {
        Stroke "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 1 1 0 -11.5z"
        Stroke "M8 5v3.25l2 1.25"
    }
    /// Running.
    Running "running" {
        Stroke "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 1 1 0 -11.5z"
        Fill "M8 5a3 3 0 1 1 0 6a3 3 0 1 1 0 -6z"
    }
    /// Waits for a person.
    Suspended "suspended" {
        Stroke "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 1 1 0 -11.5z"
        Stroke "M6.25 5.75v4.5M9.75 5.75v4.5"
    }
    /// Ended well.
    Succeeded "succeeded" {
        Fill "M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0 -13z"
        Knock "M5 8.25l2.1 2.1L11 6.25"
    }
    /// Failed.
    Failed "failed" {
        Fill "M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1 -2 2h-8a2 2 0 0 1 -2 -2v-8a2 2 0 0 1 2 -2z"
        Knock "M5.5 5.5l5 5M10.5 5.5l-5 5"
    }
    /// Could not be run.
    Error "error" {
        Fill "M8.9 2.1l5.6 10.2a1 1 0 0 1 -.9 1.5h-11.2a1 1 0 0 1 -.9 -1.5l5.6 -10.2a1 1 0 0 1 1.8 0z"
        Knock "M8 6v3.2M8 11.3v.2"
    }
    /// Condition was false.
    Skipped "skipped" {
        Stroke "M3.5 4l4 4l-4 4M8.5 4l4 4l-4 4"
    }
    /// Its dependencies did not hold.
    Omitted "omitted" {
        Stroke "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 1 1 0 -11.5z"
        Stroke "M4 12l8 -8"
    }
    /// Not there yet.
    Planned "planned" {
        Stroke "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 1 1 0 -11.5z" [2.4 2.12]
    }
    /// The rule was kept.
    Kept "kept" {
        Stroke "M5 2.5h-2.5v11h2.5M11 2.5h2.5v11h-2.5"
        Stroke "M5.5 8.25l1.75 1.75l3.25 -3.75"
    }
    /// The rule was broken.
    Broken "broken" {
        Stroke "M5 2.5h-2.5v3.5l1.5 2l-1.5 2v3.5h2.5M11 2.5h2.5v11h-2.5"
        Stroke "M6.5 6l4 4M10.5 6l-4 4"
    }
    /// The times cannot tell.
    Unknown "unknown" {
        Stroke "M5 2.5h-2.5v11h2.5M11 2.5h2.5v11h-2.5" [2.0 1.75]
        Stroke "M6.5 6.4a1.6 1.6 0 1 1 2.3 1.4c-.6 .3 -.8 .6 -.8 1.1M8 11.2v.1"
    }
    /// Exit hook.
    Exit "exit" {
        Stroke "M12.5 3v4.25a2.5 2.5 0 0 1 -2.5 2.5h-6.5M6.25 6.75l-3 3l3 3"
    }
    /// The workflow's own handler.
    Handler "handler" {
        Stroke "M10.25 3v4.25a2.5 2.5 0 0 1 -2.5 2.5h-4.5M6 6.75l-3 3l3 3M13.5 2.5v11"
    }
    /// Another lifecycle hook.
    Named "named" {
        Stroke "M4.5 14v-11.5h7.5l-2.25 3l2.25 3h-7.5"
    }
    /// Same place, or reported and worked out agree.
    Tie "tie" {
        Stroke "M4 6h8M4 10h8"
    }
    /// DAG.
    Dag "dag" {
        Stroke "M2.75 2.75h4v3.5h-4zM9.25 9.75h4v3.5h-4zM4.75 6.25v3a2.25 2.25 0 0 0 2.25 2.25h2.25"
    }
    /// Steps.
    Steps "steps" {
        Stroke "M2.75 3.5h4.5M2.75 8h7.5M2.75 12.5h10.5"
    }
    /// Step group.
    StepGroup "stepgroup" {
        Stroke "M3.5 3v10M8 3v10M12.5 3v10"
    }
    /// Items of a loop.
    Items "items" {
        Stroke "M2.5 5.5h8v8h-8zM5.5 5.5v-3h8v8h-3"
    }
    /// Tries, or to try again.
    Retry "retry" {
        Stroke "M12.9 9.5a5.25 5.25 0 1 1 -.4 -4.2M12.75 2.5v3h-3"
    }
    /// Container.
    Pod "pod" {
        Stroke "M4 2.75h8a1.25 1.25 0 0 1 1.25 1.25v8a1.25 1.25 0 0 1 -1.25 1.25h-8a1.25 1.25 0 0 1 -1.25 -1.25v-8a1.25 1.25 0 0 1 1.25 -1.25zM5.5 6h5"
    }
    /// Script.
    Script "script" {
        Stroke "M3 4.5l3.5 3.5l-3.5 3.5M8.5 12h4.5"
    }
    /// HTTP request.
    Http "http" {
        Stroke "M2.5 5.5h9.5M9.5 3l2.75 2.5l-2.75 2.5M13.5 10.5h-9.5M6.5 8l-2.75 2.5l2.75 2.5"
    }
    /// KFP driver.
    Driver "driver" {
        Stroke "M8 2.5v2M8 11.5v2M2.5 8h2M11.5 8h2M8 5.25a2.75 2.75 0 1 1 0 5.5a2.75 2.75 0 1 1 0 -5.5z"
    }
    /// Lock.
    Lock "lock" {
        Stroke "M4 7.25h8v6h-8zM5.5 7.25v-2a2.5 2.5 0 0 1 5 0v2"
    }
    /// Open, can be folded.
    Fold "fold" {
        Stroke "M4 6l4 4l4 -4"
    }
    /// Folded, can be opened.
    Unfold "unfold" {
        Stroke "M6 4l4 4l-4 4"
    }
    /// Stop, an action.
    Stop "stop" {
        Fill "M4.5 3h7a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1 -1.5 1.5h-7a1.5 1.5 0 0 1 -1.5 -1.5v-7a1.5 1.5 0 0 1 1.5 -1.5z"
    }
    /// Terminate, an action.
    Terminate "terminate" {
        Stroke "M5.5 2h5l3.5 3.5v5l-3.5 3.5h-5l-3.5 -3.5v-5zM5.5 8h5"
    }
    /// Suspend, an action.
    Suspend "suspend" {
        Stroke "M5.5 3.5v9M10.5 3.5v9"
    }
    /// Resume, an action.
    Resume "resume" {
        Fill "M4.5 2.9v10.2a.6 .6 0 0 0 .9 .5l8 -5.1a.6 .6 0 0 0 0 -1l-8 -5.1a.6 .6 0 0 0 -.9 .5z"
    }
    /// Resubmit, an action.
    Resubmit "resubmit" {
        Stroke "M5.5 2.75h5l2.75 2.75v7.75h-7.75M9.5 2.75v3.5h3.75M5.5 6v-3.25M2 9.75h6.5M6 7.25l2.5 2.5l-2.5 2.5"
    }
    /// Delete, an action.
    Delete "delete" {
        Stroke "M2.75 4.5h10.5M6 4.5v-2h4v2M4.25 4.5l.6 9h6.3l.6 -9M6.75 7v4M9.25 7v4"
    }
    /// Search, an action.
    Search "search" {
        Stroke "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0 -9zM10.25 10.25l3.5 3.5"
    }
    /// Filter, an action.
    Filter "filter" {
        Stroke "M2.5 4h11M4.5 8h7M6.75 12h2.5"
    }
    /// Fit, an action.
    Fit "fit" {
        Stroke "M2.5 5.75v-3.25h3.25M10.25 2.5h3.25v3.25M13.5 10.25v3.25h-3.25M5.75 13.5h-3.25v-3.25"
    }
    /// Plus, an action.
    Plus "plus" {
        Stroke "M8 3v10M3 8h10"
    }
    /// Minus, an action.
    Minus "minus" {
        Stroke "M3 8h10"
    }
    /// Close, an action.
    Close "close" {
        Stroke "M4 4l8 8M12 4l-8 8"
    }
    /// More, an action.
    More "more" {
        Fill "M3.5 6.9a1.1 1.1 0 1 1 0 2.2a1.1 1.1 0 1 1 0 -2.2zM8 6.9a1.1 1.1 0 1 1 0 2.2a1.1 1.1 0 1 1 0 -2.2zM12.5 6.9a1.1 1.1 0 1 1 0 2.2a1.1 1.1 0 1 1 0 -2.2z"
    }
    /// Open, an action.
    Open "open" {
        Stroke "M2.5 12.75v-9.5h4l1.5 2h5.5v7.5z"
    }
    /// Drop, an action.
    Drop "drop" {
        Stroke "M8 2v8M4.75 7l3.25 3.25l3.25 -3.25M2.5 10.5v3h11v-3"
    }
    /// Download, an action.
    Download "download" {
        Stroke "M8 2v8M4.75 7l3.25 3.25l3.25 -3.25M2.5 10.5v3h11v-3"
    }
    /// Link, an action.
    Link "link" {
        Stroke "M6.5 9.5l3 -3M7.25 4.75l1.5 -1.5a2.83 2.83 0 0 1 4 4l-1.5 1.5M8.75 11.25l-1.5 1.5a2.83 2.83 0 0 1 -4 -4l1.5 -1.5"
    }
    /// Logs, an action.
    Logs "logs" {
        Stroke "M3 3.5h10M3 6.5h7M3 9.5h10M3 12.5h5"
    }
    /// Yaml, an action.
    Yaml "yaml" {
        Stroke "M6 2.5c-1.75 0 -2 .75 -2 2v1.5c0 1 -.5 2 -1.5 2c1 0 1.5 1 1.5 2v1.5c0 1.25 .25 2 2 2M10 2.5c1.75 0 2 .75 2 2v1.5c0 1 .5 2 1.5 2c-1 0 -1.5 1 -1.5 2v1.5c0 1.25 -.25 2 -2 2"
    }
    /// Theme, an action.
    Theme "theme" {
        Stroke "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 1 1 0 -11.5z"
        Fill "M8 2.25a5.75 5.75 0 0 1 0 11.5z"
    }
    /// Help, an action.
    Help "help" {
        Stroke "M8 2.25a5.75 5.75 0 1 1 0 11.5a5.75 5.75 0 1 1 0 -11.5z"
        Stroke "M6.4 6.5a1.6 1.6 0 1 1 2.3 1.4c-.5 .3 -.7 .6 -.7 1.1M8 11.1v.1"
    }
    /// Step, an action.
    Step "step" {
        Fill "M3.5 3.4v9.2a.5 .5 0 0 0 .8 .4l6.2 -4.6a.5 .5 0 0 0 0 -.8l-6.2 -4.6a.5 .5 0 0 0 -.8 .4z"
        Stroke "M12.75 3v10"
    }
    /// Copy, an action.
    Copy "copy" {
        Stroke "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3"
    }
    /// Wrap, an action.
    Wrap "wrap" {
        Stroke "M2.5 4h11M2.5 8h8.75a2.25 2.25 0 0 1 0 4.5h-3.25M9.75 10.25l-2.25 2.25l2.25 2.25M2.5 12.5h2"
    }
    /// Follow, an action.
    Follow "follow" {
        Stroke "M8 2.5v8M4.5 7.25l3.5 3.5l3.5 -3.5M3 13.5h10"
    }
    /// Warning, an action.
    Warning "warning" {
        Stroke "M8 2l6 6l-6 6l-6 -6zM8 5.4v3.2M8 10.6v.1"
    }
    /// Menu, an action.
    Menu "menu" {
        Stroke "M2.5 4.5h11M2.5 8h11M2.5 11.5h11"
    }
    /// Reported and worked out differ.
    Differs "differs" {
        Stroke "M3.5 6h9M3.5 10h9M10.5 3l-5 10"
    }
    /// The mark of Unwind.
    Mark "mark" {
        Stroke "M7 6.5h2v3h-2M4.5 4.25h7v7.5h-7M2 2h12v12h-12"
    }
}

impl Glyph {
    /// The glyph of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|glyph| glyph.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_glyph_is_found_by_its_name_and_draws_something() {
        for &glyph in Glyph::ALL {
            assert_eq!(Glyph::from_name(glyph.name()), Some(glyph));
            assert!(!glyph.parts().is_empty(), "{glyph:?}");
            assert!(glyph.parts().iter().all(|part| part.path.starts_with('M')));
        }
    }
}
