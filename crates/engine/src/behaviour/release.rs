//! Versions of Argo, and how far the row of one can be relied on.

use serde::{Deserialize, Serialize};

use super::Behaviour;

/// Releases that were observed: traces of the real controller were recorded on them.
const OBSERVED: [Version; 5] = [
    Version::of(3, 7, 0),
    Version::of(3, 7, 16),
    Version::of(3, 7, 18),
    Version::of(4, 0, 8),
    Version::of(4, 1, 2),
];

/// A line of releases.
struct Line {
    first: Version,
    /// Patch number of the last release of it whose sources were read.
    last: u32,
    /// Whether what came after that one is the same as far as the table goes.
    is_settled: bool,
}

/// All lines, oldest first.
const LINES: [Line; 7] = [
    Line { first: Version::of(3, 4, 0), last: 17, is_settled: false },
    Line { first: Version::of(3, 5, 0), last: 11, is_settled: true },
    Line { first: Version::of(3, 6, 0), last: 0, is_settled: true },
    Line { first: Version::of(3, 7, 0), last: 18, is_settled: false },
    Line { first: Version::of(4, 0, 0), last: 10, is_settled: false },
    Line { first: Version::of(4, 1, 0), last: 2, is_settled: false },
    Line { first: ANNOUNCED, last: 0, is_settled: false },
];

/// What is known of it was said beforehand.
const ANNOUNCED: Version = Version::of(4, 2, 0);

/// A release of Argo that was asked for, with its row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Release {
    /// The version asked for, without what stands before its first digit.
    pub asked: String,
    /// The version whose row was taken.
    pub taken: String,
    /// How the row is known.
    pub basis: Basis,
    /// The row.
    #[serde(skip, default = "unwind")]
    pub behaviour: Behaviour,
}

/// How a row is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Traces of the real controller follow it.
    Observed,
    /// It follows the sources.
    Sources,
    /// It follows what was announced.
    Announced,
}

/// A text that is no version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no release of Argo: write `argo-4.1.2`")]
pub struct UnknownRelease {
    /// What was asked for.
    pub text: String,
}

fn unwind() -> Behaviour {
    Behaviour::UNWIND
}

impl Release {
    /// The row of `argo-4.1.2`, `v4.1.2` or `4.1.2`. A release that no row is known for, or of which only a part is
    /// told, takes the nearest one.
    pub fn parse(text: &str) -> Result<Self, UnknownRelease> {
        let asked = text.trim_start_matches("argo").trim_start_matches(['-', ' ', 'v']);
        let unknown = || UnknownRelease { text: text.to_owned() };
        let is_version = asked.split('.').next().is_some_and(|major| major.parse::<u32>().is_ok());
        if !is_version {
            return Err(unknown());
        }
        let taken = nearest(Version::parse(asked));
        let basis = if taken >= ANNOUNCED {
            Basis::Announced
        } else if OBSERVED.contains(&taken) {
            Basis::Observed
        } else {
            Basis::Sources
        };
        let taken = taken.to_string();
        Ok(Self { asked: asked.to_owned(), behaviour: Behaviour::argo(&taken), taken, basis })
    }

    /// Whether the row is another release's.
    pub fn is_nearest(&self) -> bool {
        self.asked != self.taken
    }
}

/// The release nearest to `at` that is known: itself, or the last one that comes before it, or the first of all.
fn nearest(at: Version) -> Version {
    let Some(line) = LINES.iter().rev().find(|line| line.first <= at) else { return LINES[0].first };
    let is_of_line = (at.major, at.minor) == (line.first.major, line.first.minor) && at.patch != u32::MAX;
    let is_known = is_of_line && (line.is_settled || at.patch <= line.last);
    if is_known { at } else { Version { patch: line.last, ..line.first } }
}

/// A version, full or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    pub(super) major: u32,
    pub(super) minor: u32,
    pub(super) patch: u32,
}

impl Version {
    pub(super) const fn of(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// A part that is missing or no number counts as the highest.
    pub(super) fn parse(text: &str) -> Self {
        let mut parts = text.trim_start_matches('v').split(['.', '-', '+']).map(|part| part.parse().ok());
        let mut next = || parts.next().flatten().unwrap_or(u32::MAX);
        Self { major: next(), minor: next(), patch: next() }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::{Basis, Release};

    fn check(text: &str, expected: &str) {
        let said = match Release::parse(text) {
            Ok(release) => {
                let basis = match release.basis {
                    Basis::Observed => "observed",
                    Basis::Sources => "sources",
                    Basis::Announced => "announced",
                };
                let nearest = if release.is_nearest() { " nearest" } else { "" };
                format!("{} {basis}{nearest}", release.behaviour.name)
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn a_release_takes_its_row_or_the_nearest() {
        check("argo-4.1.2", "argo 4.1.2 observed");
        check("v3.7.1", "argo 3.7.1 sources");
        check("4.2.0", "argo 4.2.0 announced");
        check("4.1", "argo 4.1.2 observed nearest");
        check("4.1.9", "argo 4.1.2 observed nearest");
        check("4.7.3", "argo 4.2.0 announced nearest");
        check("3.8.1", "argo 3.7.18 observed nearest");
        check("3.6.4", "argo 3.6.4 sources");
        check("3.5", "argo 3.5.11 sources nearest");
        check("3.1.0", "argo 3.4.0 sources nearest");
        check("latest", "`latest` is no release of Argo: write `argo-4.1.2`");
    }
}
