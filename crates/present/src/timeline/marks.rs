//! What lies over several rows: lines, arrows, overlaps, ties, and the stretch to show.

use std::collections::BTreeMap;

use unwind_engine::verdict::{Finding, FindingKind, Instant};
use unwind_model::{NodeName, Shutdown, Timestamp, ordered};

use super::{Extent, Flag, FlagKind, OrderArrow, Overlap, PieceKind, Row, Tie, View};
use crate::study::Study;

/// The shortest stretch that is shown, in ms.
const SHORTEST_MS: i64 = 100;

pub(super) fn flags(study: &Study, view: &View) -> Vec<Flag> {
    let mut flags = Vec::new();
    if let Some(shutdown) = study.trace.shutdown
        && let Some(at) = shutdown.at
    {
        let kind = match shutdown.strategy {
            Shutdown::Stop => FlagKind::Stop,
            Shutdown::Terminate => FlagKind::Terminate,
        };
        let about = if shutdown.estimated { "about " } else { "" };
        let label = format!("{} {about}{}", shutdown.strategy.as_str(), view.zone.time(at));
        flags.push(Flag { kind, at, label });
    }
    match study.trace.over {
        Some(at) => flags.push(Flag { kind: FlagKind::Over, at, label: "Over".to_owned() }),
        None if view.is_live && !study.is_over() => {
            flags.push(Flag { kind: FlagKind::Now, at: view.now, label: "Now".to_owned() });
        }
        None => {}
    }
    ordered::sort_by_key(&mut flags, |flag| flag.at);
    flags
}

fn findings(study: &Study, kind: FindingKind) -> impl Iterator<Item = &Finding> {
    study.judgement.findings.iter().filter(move |finding| finding.kind == kind)
}

/// Where the row of each node is.
struct Places<'a> {
    by_node: BTreeMap<&'a NodeName, usize>,
}

impl<'a> Places<'a> {
    fn new(rows: &'a [Row]) -> Self {
        Self { by_node: ordered::map(rows.iter().enumerate().map(|(at, row)| (&row.node, at))) }
    }

    fn of(&self, node: &NodeName) -> Option<usize> {
        self.by_node.get(node).copied()
    }
}

/// The witnesses of a finding that have a row and an end.
fn ended_witnesses<'a>(
    places: &'a Places<'_>,
    finding: &'a Finding,
) -> impl Iterator<Item = (usize, Option<Timestamp>)> + 'a {
    finding.witnesses.iter().filter_map(|witness| {
        let is_other = witness.node != finding.node && witness.instant == Instant::End;
        Some((places.of(&witness.node).filter(|_| is_other)?, witness.at))
    })
}

pub(super) fn arrows(rows: &[Row], study: &Study) -> Vec<OrderArrow> {
    let mut arrows = Vec::new();
    let places = Places::new(rows);
    for finding in findings(study, FindingKind::HookOrder) {
        let Some(from) = places.of(&finding.node) else { continue };
        let Some(at) = rows[from].pieces.first().map(|piece| piece.from) else { continue };
        for (to, _) in ended_witnesses(&places, finding) {
            let ran = rows[to].pieces.iter().any(|piece| piece.kind == PieceKind::Ran);
            let arrow = OrderArrow { from, to, at };
            if ran && !arrows.contains(&arrow) {
                arrows.push(arrow);
            }
        }
    }
    arrows
}

pub(super) fn overlaps(rows: &[Row], study: &Study) -> Vec<Overlap> {
    let mut overlaps = Vec::new();
    let places = Places::new(rows);
    let extent = |row: &Row| {
        let piece = row.pieces.iter().find(|piece| piece.kind == PieceKind::Ran)?;
        Some((piece.from, piece.to.unwrap_or(Timestamp(i64::MAX))))
    };
    for finding in findings(study, FindingKind::HookOrder) {
        let Some(own) = places.of(&finding.node) else { continue };
        for (other, _) in ended_witnesses(&places, finding) {
            let (Some(a), Some(b)) = (extent(&rows[own]), extent(&rows[other])) else { continue };
            let (from, to) = (a.0.max(b.0), a.1.min(b.1));
            let rows = (own.min(other), own.max(other));
            let overlap = Overlap { rows, extent: Extent { from, to } };
            if from < to && to.0 != i64::MAX && !overlaps.contains(&overlap) {
                overlaps.push(overlap);
            }
        }
    }
    overlaps
}

pub(super) fn ties(rows: &[Row], study: &Study) -> Vec<Tie> {
    let mut ties = Vec::new();
    let places = Places::new(rows);
    for finding in findings(study, FindingKind::OrderUnknown) {
        let Some(own) = places.of(&finding.node) else { continue };
        for (other, at) in ended_witnesses(&places, finding) {
            if let Some(at) = at {
                ties.push(Tie { rows: (own.min(other), own.max(other)), at });
            }
        }
    }
    ties
}

/// The whole run, and the stretch to open with: 10 % before the stop to 10 % after the last hook.
pub(super) fn extents(rows: &[Row], study: &Study, view: &View) -> (Extent, Extent) {
    let mut times: Vec<Timestamp> = Vec::new();
    for piece in rows.iter().flat_map(|row| &row.pieces) {
        times.push(piece.from);
        times.extend(piece.to);
    }
    let is_open = !study.is_over() && !study.workflow.status.nodes.is_empty();
    times.extend(study.trace.begun);
    times.extend(study.trace.over);
    times.extend(is_open.then_some(view.now));
    let first = times.iter().copied().min().unwrap_or(view.now);
    let last = times.iter().copied().max().unwrap_or(view.now);
    let whole = extent(first, last);
    let stop = study.trace.shutdown.and_then(|shutdown| shutdown.at);
    let opening = stop.map_or(whole, |stop| {
        let margin = (last - stop).max(SHORTEST_MS) / 10;
        extent(Timestamp(stop.0 - margin).max(first), last + margin)
    });
    (whole, opening)
}

fn extent(from: Timestamp, to: Timestamp) -> Extent {
    Extent { from, to: to.max(from + SHORTEST_MS) }
}
