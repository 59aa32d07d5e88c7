//! What was seen beside the object of a workflow: messages of a watch, lines of a controller's log.
//!
//! In: a trace from the object, and what witnesses tell of each node. Out: the trace with finer instants.
//! An instant is a stretch of time: a whole second of a status, a millisecond of a log, from the end of a
//! program to the line that notes it. Where two stretches meet, the order in which messages came may tell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use unwind_model::{NodeName, Timestamp};

use super::{Resolution, Span, Trace};

/// Where something is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The status of the object: whole seconds.
    Status,
    /// Messages of a watch: the order in which they came.
    Watch,
    /// The log of a controller of v3: milliseconds.
    LogV3,
    /// The log of a controller of v4: milliseconds.
    LogV4,
}

/// The stretch of time in which an instant lies, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Not before this.
    pub from: Timestamp,
    /// Not after this.
    pub to: Timestamp,
}

impl Bound {
    /// Known exactly.
    pub fn at(instant: Timestamp) -> Self {
        Self { from: instant, to: instant }
    }

    /// As exact as the resolution is.
    pub(crate) fn within(instant: Timestamp, resolution: Resolution) -> Self {
        match resolution {
            Resolution::Milliseconds => Self::at(instant),
            Resolution::WholeSeconds => Self { from: instant, to: instant + 999 },
        }
    }
}

/// What witnesses beside the object tell of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Fine {
    /// When it was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun: Option<Bound>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Bound>,
    /// When the controller noted its end, where a line says that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noted: Option<Timestamp>,
    /// Number of the message in which it is there first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begun_in: Option<u32>,
    /// Number of the message from which on its phase is final.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_in: Option<u32>,
}

/// Two witnesses that do not agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contradiction {
    /// The node; the root where the workflow as a whole is meant.
    pub node: NodeName,
    /// What each of them says.
    pub says: [Said; 2],
}

/// What one witness says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Which witness.
    pub source: Source,
    /// What it says.
    #[serde(flatten)]
    pub what: What,
}

/// What a witness says of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "says", content = "value", rename_all = "kebab-case")]
pub enum What {
    /// It began then.
    Begun(Timestamp),
    /// It ended then.
    Ended(Timestamp),
    /// It came to be in this phase.
    Phase(String),
    /// It knows of no such node.
    Nothing,
}

/// All that was seen beside the object of one workflow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witnesses {
    /// Of each node.
    pub nodes: BTreeMap<NodeName, Fine>,
    /// Where witnesses do not agree.
    pub contradictions: Vec<Contradiction>,
    /// When the shutdown was first acted on, as a log has it.
    pub shutdown_at: Option<Timestamp>,
    /// Which witnesses there were, the object aside.
    pub sources: Vec<Source>,
}

impl Trace {
    /// The same with what witnesses beside the object tell. An instant that is known exactly takes the place
    /// of the object's.
    #[must_use]
    pub fn with_witnesses(mut self, witnesses: &Witnesses) -> Self {
        for span in &mut self.spans {
            let Some(fine) = witnesses.nodes.get(&span.node) else { continue };
            let exact =
                |bound: Option<Bound>| bound.filter(|bound| bound.from == bound.to).map(|bound| bound.from);
            span.begun = exact(fine.begun).or(span.begun);
            if span.phase.is_final() {
                span.ended = exact(fine.ended).or(span.ended).or(fine.ended.map(|bound| bound.to));
            }
            span.fine = Some(Box::new(*fine));
        }
        if let (Some(at), Some(seen)) = (witnesses.shutdown_at, &mut self.shutdown)
            && seen.estimated
        {
            seen.at = Some(seen.at.map_or(at, |known| known.min(at)));
        }
        self.facts.contradictions.clone_from(&witnesses.contradictions);
        self.sources.clone_from(&witnesses.sources);
        self
    }

    /// When a node was created.
    pub(crate) fn begun(&self, span: &Span) -> Option<Bound> {
        let fine = span.fine.as_ref().and_then(|fine| fine.begun);
        fine.or_else(|| Some(Bound::within(span.begun?, self.resolution)))
    }

    /// When a node ended.
    pub(crate) fn ended(&self, span: &Span) -> Option<Bound> {
        let fine = span.fine.as_ref().and_then(|fine| fine.ended);
        fine.filter(|_| span.ended.is_some()).or_else(|| Some(Bound::within(span.ended?, self.resolution)))
    }
}
