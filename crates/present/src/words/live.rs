//! How fresh the picture is, and what is announced, in words.

use unwind_model::Timestamp;

use crate::format::{self, Zone};
use crate::glyph::Glyph;

/// From this age on, news are old, in ms. Source: `ui.md` section 4, "Live mark".
pub const STALE_AFTER_MS: i64 = 15_000;

/// Where the picture comes from and how fresh it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// News come as they happen.
    Live,
    /// The engine in the page runs it.
    InPage,
    /// The connection is being made again.
    Reconnecting {
        /// When the last news came, if ever.
        last_news: Option<Timestamp>,
    },
    /// Nothing has come for a while.
    Silent {
        /// When the last news came.
        last_news: Timestamp,
    },
    /// It is a file.
    File,
    /// It shows an earlier instant.
    At {
        /// Which.
        instant: Timestamp,
    },
}

impl Freshness {
    /// The value of the attribute `data-live`.
    pub fn attribute(self) -> &'static str {
        match self {
            Self::Live | Self::InPage => "live",
            Self::Reconnecting { .. } | Self::Silent { .. } => "stale",
            Self::File => "file",
            Self::At { .. } => "replay",
        }
    }

    /// The words of the live mark.
    pub fn text(self, now: Timestamp, zone: Zone) -> String {
        let age = |at: Timestamp| format!("Last news {} ago", format::duration(now - at));
        match self {
            Self::Live => "Live".to_owned(),
            Self::InPage => "Live, in this page".to_owned(),
            Self::Reconnecting { last_news: Some(at) } if now - at >= STALE_AFTER_MS => age(at),
            Self::Reconnecting { .. } => "Reconnecting".to_owned(),
            Self::Silent { last_news } => age(last_news),
            Self::File => "From a file".to_owned(),
            Self::At { instant } => format!("At {}", zone.time(instant)),
        }
    }
}

/// The banner while the connection is lost.
pub fn connection_lost(lost_for_ms: i64, last_news: &str) -> (String, String) {
    (
        format!("Connection lost {} ago, trying again.", format::duration(lost_for_ms)),
        format!("What you see is from {last_news}. Nothing you do here is sent until it is back."),
    )
}

/// Announced when a turn begins.
pub fn turn_begins(turn: u32, of: u32, hook: &str) -> String {
    format!("Turn {turn} of {of}, {hook} is running")
}

/// Announced when all is over.
pub fn all_over(phase: &str, verdict: &str) -> String {
    if verdict.is_empty() {
        format!("The workflow is over: {phase}")
    } else {
        format!("The workflow is over: {phase}, hook order {verdict}")
    }
}

/// A state that has nothing to show yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Empty {
    /// Its glyph.
    pub glyph: Glyph,
    /// What is not there.
    pub title: &'static str,
    /// What belongs here and how it gets here.
    pub text: String,
}

/// A list without workflows.
pub fn no_workflows(namespace: &str) -> Empty {
    let place = if namespace.is_empty() { "Workflows" } else { "Those in" };
    let text = if namespace.is_empty() {
        format!("{place} appear here the moment they begin.")
    } else {
        format!("{place} {namespace} appear here the moment they begin.")
    };
    Empty { glyph: Glyph::Mark, title: "No workflows yet", text }
}

/// A filter that leaves nothing.
pub fn nothing_matches(filter: &str, of: usize) -> Empty {
    Empty {
        glyph: Glyph::Filter,
        title: "Nothing matches",
        text: format!("{filter}: 0 of {}.", format::thousands(of)),
    }
}

/// A workflow without exit hooks.
pub fn no_exit_hooks() -> Empty {
    Empty {
        glyph: Glyph::Exit,
        title: "No exit hooks here",
        text: "Stop ends what is running and nothing cleans up after it. \
               An exit hook is added under hooks, by the name exit."
            .to_owned(),
    }
}

/// A workflow that waits before its first node.
pub fn nothing_begun(waits_for: &str) -> Empty {
    let waits = if waits_for.is_empty() {
        "The controller has not looked at it yet.".to_owned()
    } else {
        format!("{waits_for}.")
    };
    Empty { glyph: Glyph::Pending, title: "Nothing has begun", text: format!("{waits} Stop works already.") }
}

/// A node without a log.
pub fn no_log(node: &str, for_ms: Option<i64>) -> Empty {
    let text = match for_ms {
        Some(ms) => format!("{node} has not written anything for {}.", format::duration(ms)),
        None => format!("{node} has not written anything."),
    };
    Empty { glyph: Glyph::Logs, title: "No log", text }
}

/// A search without a hit. `nearest`: names that come close.
pub fn no_node(nearest: &[&str]) -> Empty {
    let text = if nearest.is_empty() {
        "Real names are searched too.".to_owned()
    } else {
        format!("Nearest: {}. Real names are searched too.", nearest.join(", "))
    };
    Empty { glyph: Glyph::Search, title: "No node of this name", text }
}
