//! Whether and when a shutdown was asked, as far as the object of a workflow tells.
//!
//! Argo stores no time for it: the first node that the shutdown ended gives the latest possible one.

use unwind_model::{NodePhase, NodeType, Shutdown, Timestamp, Workflow};

use super::tree::Tree;
use super::{ShutdownSeen, Span};

/// What the message of a node that a shutdown ended says.
/// Source: Argo `workflow/controller/exec_control.go` and `workflow/controller/workflowpod.go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// `Stopped with strategy 'Stop'`: a Retry, a suspended or waiting node, or the workflow.
    Stopped(Shutdown),
    /// `workflow shutdown with strategy:  Stop` (two spaces): its pod was there.
    Ended(Shutdown),
    /// `workflow shutdown with strategy: Stop` (one space): its pod was never made.
    Refused(Shutdown),
}

impl Words {
    /// Which shutdown it speaks of.
    pub(crate) fn strategy(self) -> Shutdown {
        match self {
            Self::Stopped(strategy) | Self::Ended(strategy) | Self::Refused(strategy) => strategy,
        }
    }
}

/// Reads a message; `None` when it does not speak of a shutdown.
pub(crate) fn shutdown_words(message: &str) -> Option<Words> {
    if message.is_empty() {
        return None;
    }
    let strategy = |word: &str| {
        [Shutdown::Stop, Shutdown::Terminate].into_iter().find(|strategy| word.starts_with(strategy.as_str()))
    };
    if let Some((_, word)) = message.split_once("topped with strategy '") {
        return strategy(word).map(Words::Stopped);
    }
    let (_, word) = message.split_once("workflow shutdown with strategy:")?;
    let word = word.strip_prefix(' ').unwrap_or(word);
    match word.strip_prefix(' ') {
        Some(word) => strategy(word.trim_start()).map(Words::Ended),
        None => strategy(word).map(Words::Refused),
    }
}

/// The shutdown, from the spec or else from messages.
pub(super) fn seen(workflow: &Workflow, spans: &[Span], tree: &Tree) -> Option<ShutdownSeen> {
    let told = || {
        std::iter::once(workflow.status.message.as_str())
            .chain(spans.iter().map(|span| span.message.as_str()))
            .filter_map(shutdown_words)
            .map(Words::strategy)
            .max()
    };
    let strategy = workflow.spec.shutdown.or_else(told)?;
    let has_deadline = workflow.spec.active_deadline_seconds.is_some();
    let at = first_failed(spans, tree, strategy, has_deadline);
    Some(ShutdownSeen { strategy, at, estimated: at.is_some() })
}

/// When the shutdown ended the first node: one whose message says so, or a DAG that was failed
/// while something inside it went on; failing those, a program that a signal ended, which a
/// deadline may have sent as well.
fn first_failed(spans: &[Span], tree: &Tree, strategy: Shutdown, has_deadline: bool) -> Option<Timestamp> {
    let by_message = spans
        .iter()
        .filter(|span| shutdown_words(&span.message).is_some_and(|w| w.strategy() == strategy))
        .filter_map(|span| span.ended)
        .min();
    match strategy {
        Shutdown::Stop => {
            let early = first_early_box(spans, tree);
            let told = by_message.into_iter().chain(early).min();
            told.or_else(|| first_signalled(spans).filter(|_| !has_deadline))
        }
        // A Terminate may follow a Stop, whose traces tell nothing about it.
        Shutdown::Terminate => by_message,
    }
}

/// End of the first program that SIGTERM ended.
fn first_signalled(spans: &[Span]) -> Option<Timestamp> {
    let signalled = spans
        .iter()
        .filter(|span| matches!(span.phase, NodePhase::Failed) && span.message.contains("(exit code 143)"));
    signalled.filter_map(|span| span.ended).min()
}

/// End of the first DAG that was failed before everything inside it had ended.
/// Source: Argo `workflow/controller/dag.go`, `assessDAGPhase`.
fn first_early_box(spans: &[Span], tree: &Tree) -> Option<Timestamp> {
    let mut latest: Vec<Option<i64>> = vec![None; spans.len()];
    let mut first: Option<Timestamp> = None;
    for &at in tree.downward.iter().rev() {
        let span = &spans[at];
        let inside = latest[at];
        if let (Some(ended), Some(inside), NodePhase::Failed, NodeType::DAG) =
            (span.ended, inside, span.phase, span.node_type)
            && inside > ended.millis()
        {
            first = Some(first.map_or(ended, |first| first.min(ended)));
        }
        let own = match span.ended {
            Some(ended) => ended.millis(),
            None if span.phase.is_final() => i64::MIN,
            None => i64::MAX,
        };
        if let Some(parent) = tree.parent[at] {
            latest[parent] = latest[parent].max(inside).max(Some(own));
        }
    }
    first
}
