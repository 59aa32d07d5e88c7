//! `bench engine`: what one event costs in a run of many nodes under UNWIND, and what a node weighs.
//!
//! In: nothing; the workflows are made (`generate`). Out: lines for people. Time is the processor time of this
//! thread, so that other work on the machine does not count.

use std::collections::VecDeque;
use std::fmt::Write;

use anyhow::Context;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use unwind_engine::library::Library;
use unwind_engine::operate::{self, PodAct, PodPhase, PodReport, Seen};
use unwind_engine::{Action, Behaviour, Event, LeafEnd, Run, lower};
use unwind_model::{Timestamp, Workflow, WorkflowPhase};

use crate::generate::{Shape, manifest, nesting};

/// Sizes of runs, in nodes.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// Sizes of runs that are walked pass by pass.
const WALKED: [usize; 2] = [1_000, 10_000];

/// Passes after which a walk is left: a chain has as many as it has tasks.
const MOST_WALKED: usize = 200;

/// Seed of all workflows.
const SEED: u64 = 1;

/// Smaller runs fit into memory that the process already has.
const WEIGHED_FROM: usize = 90_000;

/// Copies of a run that are made to weigh it.
const COPIES: usize = 4;

/// What was measured of one run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Nodes at the end.
    pub nodes: usize,
    /// Events that were applied.
    pub events: usize,
    /// Processor time of lowering, in microseconds.
    pub lower_us: f64,
    /// Median of an event, in microseconds.
    pub median_us: f64,
    /// 99th of 100 events, in microseconds.
    pub p99_us: f64,
    /// Dearest event, in microseconds.
    pub most_us: f64,
    /// All events, in milliseconds.
    pub total_ms: f64,
    /// Memory of a node beyond its texts, in bytes; `None` for runs too small to tell.
    pub node_bytes: Option<f64>,
    /// Whether the run succeeded.
    pub succeeded: bool,
}

/// Measures every shape in every size, a chain of 100,000 tasks and a nesting of 1,000 levels.
pub fn engine() -> anyhow::Result<String> {
    let mut text = format!(
        "{:22} {:>7} {:>7} {:>9} {:>10} {:>8} {:>9} {:>10} {:>9}\n",
        "workflow", "nodes", "events", "lower ms", "median us", "p99 us", "max us", "total ms", "B/node"
    );
    for shape in Shape::ALL {
        let mut medians = Vec::new();
        for size in SIZES {
            let name = format!("{} {size}", shape.name());
            let measured = measure(manifest(shape, size, SEED)).with_context(|| name.clone())?;
            medians.push(measured.median_us);
            line(&mut text, &name, &measured);
        }
        if let [small, middle, large] = medians.as_slice() {
            let _ = writeln!(
                text,
                "{:22} median 10k/1k {:.2}, 100k/10k {:.2}",
                shape.name(),
                middle / small,
                large / middle
            );
        }
    }
    text += &walks()?;
    let deep = measure(nesting(1_000)).context("a nesting of 1,000 levels")?;
    line(&mut text, "nesting of 1,000", &deep);
    Ok(text)
}

/// Whole runs pass by pass, as a controller walks them: all pods that a pass made have ended before the next.
fn walks() -> anyhow::Result<String> {
    let mut text =
        format!("{:22} {:>7} {:>7} {:>12} {:>10}\n", "walk", "nodes", "passes", "ms per pass", "total ms");
    for shape in Shape::ALL {
        for size in WALKED {
            let (nodes, costs) = walk(manifest(shape, size, SEED), MOST_WALKED)?;
            let total: f64 = costs.iter().sum::<f64>() / 1000.0;
            let name = format!("{} {size}", shape.name());
            let each = total / costs.len().max(1) as f64;
            let _ = writeln!(text, "{name:22} {nodes:>7} {:>7} {each:>12.2} {total:>10.1}", costs.len());
        }
    }
    Ok(text)
}

/// Nodes and the cost of each pass in microseconds.
fn walk(document: Value, most: usize) -> anyhow::Result<(usize, Vec<f64>)> {
    let workflow: Workflow = serde_json::from_value(document)?;
    let mut run = operate::Run::new(workflow, Library::default(), Behaviour::UNWIND);
    let mut costs = Vec::new();
    let mut now = Timestamp(1_772_442_000_000);
    while !run.is_completed() && costs.len() < most {
        let before = processor_us();
        let acts = run.pass(now);
        costs.push(processor_us() - before);
        now = now + 10_000;
        for act in acts {
            if let PodAct::Created(created) = act {
                let report =
                    PodReport { phase: PodPhase::Succeeded, exit: Some(0), ..PodReport::pending(now) };
                run.see(now, Seen::Pod { node: created.node.clone(), report });
                run.see(
                    now,
                    Seen::Result { node: created.node, complete: Some(true), outputs: None, progress: None },
                );
            }
        }
    }
    Ok((run.status().nodes.len(), costs))
}

fn line(text: &mut String, name: &str, measured: &Measured) {
    let _ = writeln!(
        text,
        "{name:22} {:>7} {:>7} {:>9.1} {:>10.2} {:>8.2} {:>9.1} {:>10.1} {:>9}{}",
        measured.nodes,
        measured.events,
        measured.lower_us / 1000.0,
        measured.median_us,
        measured.p99_us,
        measured.most_us,
        measured.total_ms,
        measured.node_bytes.map_or_else(|| "-".to_owned(), |bytes| format!("{bytes:.0}")),
        if measured.succeeded { "" } else { "  NOT SUCCEEDED" },
    );
}

/// Runs a workflow to its end, each leaf as soon as it is asked for.
pub fn measure(document: Value) -> anyhow::Result<Measured> {
    let workflow: Workflow = serde_json::from_value(document)?;
    let begin = processor_us();
    let (plan, _) = lower(&workflow);
    let lower_us = processor_us() - begin;
    let mut run = Run::new(plan, &workflow.metadata, Behaviour::UNWIND);
    let mut coming = VecDeque::from([Event::Begun]);
    let mut costs = Vec::new();
    let mut now = Timestamp(0);
    while let Some(event) = coming.pop_front() {
        now = now + 1;
        let before = processor_us();
        let step = run.handle(now, event)?;
        costs.push(processor_us() - before);
        for action in step.actions {
            if let Action::Start(start) = action {
                let end = LeafEnd::Exited { code: 0, outputs: None };
                coming.push_back(Event::LeafStarted { node: start.node.clone() });
                coming.push_back(Event::LeafEnded { node: start.node, end });
            }
        }
    }
    let node_bytes = (run.node_count() >= WEIGHED_FROM).then(|| weight(&run));
    let total_ms = costs.iter().sum::<f64>() / 1000.0;
    costs.sort_by(f64::total_cmp);
    let at = |share: f64| costs.get((costs.len() as f64 * share) as usize).copied().unwrap_or_default();
    Ok(Measured {
        nodes: run.node_count(),
        events: costs.len(),
        lower_us,
        median_us: at(0.5),
        p99_us: at(0.99),
        most_us: costs.last().copied().unwrap_or_default(),
        total_ms,
        node_bytes,
        succeeded: run.phase() == WorkflowPhase::Succeeded,
    })
}

/// Memory of a node beyond its texts: what copies of the run add to this process.
fn weight(run: &Run) -> f64 {
    let before = resident_bytes();
    let copies: Vec<Run> = (0..COPIES).map(|_| run.clone()).collect();
    let grown = resident_bytes().saturating_sub(before) as f64;
    let nodes = run.node_count().max(1) as f64;
    drop(copies);
    let texts: usize = run
        .status()
        .nodes
        .values()
        .map(|node| {
            node.id.as_str().len()
                + node.name.as_str().len()
                + node.display_name.len()
                + node.message.len()
                + node.template_name.len()
        })
        .sum();
    (grown / COPIES as f64 - texts as f64) / nodes
}

/// Memory of this process; 0 where it cannot be told.
fn resident_bytes() -> u64 {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or_default() * PAGE
}

/// Processor time of this thread, in microseconds.
fn processor_us() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::measure;
    use crate::generate::{Shape, manifest};

    #[test]
    fn every_shape_runs_to_its_end_in_the_size_asked_for() {
        for shape in Shape::ALL {
            for size in [30, 300] {
                let measured = measure(manifest(shape, size, 3)).expect("a workflow");
                assert!(measured.succeeded, "{} {size}", shape.name());
                let off = measured.nodes.abs_diff(size);
                assert!(off <= size / 10 + 2, "{} {size}: {} nodes", shape.name(), measured.nodes);
            }
        }
    }
}
