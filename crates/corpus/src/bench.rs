//! `bench engine`: what one event costs in a run of many nodes under UNWIND, and what a node weighs.
//!
//! In: nothing; the workflows are made (`generate`). Out: lines for people. Time is the processor time of this
//! thread, so that other work on the machine does not count.

use std::collections::VecDeque;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use unwind_engine::forecast::{Assumptions, Way, forecast, ranking};
use unwind_engine::library::Library;
use unwind_engine::operate::{PodAct, PodPhase, PodReport, Run, Seen};
use unwind_engine::{Behaviour, Trace, judge, lower, predict};
use unwind_model::document::parse_workflow;
use unwind_model::{NodeName, NodeStatus, Timestamp, Workflow, WorkflowPhase, WorkflowStatus};

use crate::generate::{Shape, manifest, nesting};

/// Sizes of runs, in nodes.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

/// Seed of all workflows.
const SEED: u64 = 1;

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
    /// Memory of a node beyond its texts, in bytes; `None` where it cannot be told.
    pub node_bytes: Option<f64>,
    /// Whether the run succeeded.
    pub succeeded: bool,
}

/// Measures every shape in every size up to `most` nodes, and a nesting of 1,000 levels.
pub fn engine(out: &mut dyn Write, most: usize) -> anyhow::Result<()> {
    writeln!(
        out,
        "{:22} {:>7} {:>7} {:>9} {:>10} {:>8} {:>9} {:>10} {:>9}",
        "workflow", "nodes", "events", "lower ms", "median us", "p99 us", "max us", "total ms", "B/node"
    )?;
    let deep = measure(&|| nesting(1_000)).context("a nesting of 1,000 levels")?;
    line(out, "nesting of 1,000", &deep)?;
    for shape in Shape::ALL {
        let mut before = None;
        for size in SIZES.into_iter().filter(|size| *size <= most) {
            let name = format!("{} {size}", shape.name());
            let measured = measure(&|| manifest(shape, size, SEED)).with_context(|| name.clone())?;
            line(out, &name, &measured)?;
            if let Some(before) = before.replace(measured.median_us) {
                writeln!(out, "{:22} median grows by {:.2}", "", measured.median_us / before)?;
            }
        }
    }
    Ok(())
}

/// Measures what is told of a run of many nodes under way: parsing, analysis, predictions. Lines for people.
pub fn analysis(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "{:16} {:>7} {:>9} {:>9} {:>11} {:>11} {:>10} {:>9}",
        "workflow", "nodes", "parse ms", "judge ms", "predict ms", "forecast ms", "ranking ms", "passes"
    )?;
    for shape in Shape::ALL {
        for size in [1_000, 10_000] {
            let text = under_way(manifest(shape, size, SEED))?;
            let mut clock = Laps::begin();
            let parsed = parse_workflow(text.as_bytes()).map_err(|error| anyhow::anyhow!("{error}"));
            let (workflow, _) = parsed?;
            let parse_ms = clock.lap();
            let (plan, _) = lower(&workflow);
            let judgement = judge(&plan, &Trace::from_workflow(&plan, &workflow));
            let judge_ms = clock.lap();
            let (run, _) = unwind_engine::Run::from_status(&workflow, Library::default(), Behaviour::UNWIND);
            let prediction = predict(&run, unwind_engine::Way::Stop);
            let predict_ms = clock.lap();
            let argo = Run::from_status(workflow.clone(), Library::default(), Behaviour::argo("4.1.2"));
            let now = Timestamp(1_772_442_000_000) + 1_000_000;
            clock.lap();
            let told = forecast(&argo, now, &Way::Stop, &Assumptions::default());
            let forecast_ms = clock.lap();
            let ranked = ranking(&argo, now, &Assumptions::default());
            let ranking_ms = clock.lap();
            drop((judgement, prediction, ranked));
            let passes: Vec<usize> = told.outcomes.iter().map(|outcome| outcome.passes).collect();
            writeln!(
                out,
                "{:16} {:>7} {parse_ms:>9.1} {judge_ms:>9.1} {predict_ms:>11.1} {forecast_ms:>11.1} \
                 {ranking_ms:>10.1} {passes:>9?}",
                format!("{} {size}", shape.name()),
                workflow.status.nodes.len(),
            )?;
        }
    }
    Ok(())
}

/// Processor time from one call to the next.
struct Laps(f64);

impl Laps {
    fn begin() -> Self {
        Self(processor_us())
    }

    /// Milliseconds since the last call.
    fn lap(&mut self) -> f64 {
        let now = processor_us();
        (now - std::mem::replace(&mut self.0, now)) / 1000.0
    }
}

/// A run of which three quarters of the programs have ended and the rest runs, as JSON.
fn under_way(document: Value) -> anyhow::Result<String> {
    let mut workflow: Workflow = serde_json::from_value(document)?;
    let document = serde_json::to_value(&workflow)?;
    let most = measure(&|| document.clone())?.nodes * 3 / 4;
    let mut run = Run::new(workflow.clone(), Library::default(), Behaviour::UNWIND);
    let mut now = Timestamp(1_772_442_000_000);
    let mut coming = VecDeque::new();
    let mut event = Vec::new();
    loop {
        now = now + 100;
        for seen in std::mem::take(&mut event) {
            run.see(now, seen);
        }
        for act in run.pass(now) {
            if let PodAct::Created(created) = act {
                coming.push_back(running(&created.node, now));
                coming.push_back(ended(&created.node, now));
            }
        }
        match coming.pop_front() {
            Some(next) if run.status().nodes.len() < most => event = next,
            Some(_) | None => break,
        }
    }
    workflow.status = run.status();
    Ok(serde_json::to_string(&workflow)?)
}

/// Writes the workflows that are rehearsed in WASM, and in `running` runs under way.
pub fn manifests(folder: &Path) -> anyhow::Result<()> {
    const NODES: usize = 10_000;
    let running = folder.join("running");
    fs::create_dir_all(&running)?;
    for shape in Shape::ALL {
        for size in [1_000, NODES] {
            let file = running.join(format!("{} {size}.json", shape.name()));
            fs::write(&file, under_way(manifest(shape, size, SEED))?)
                .with_context(|| format!("cannot write `{}`", file.display()))?;
        }
    }
    let made = Shape::ALL.map(|shape| (format!("{} {NODES}", shape.name()), manifest(shape, NODES, SEED)));
    for (name, document) in made.into_iter().chain([("nesting 1000".to_owned(), nesting(1_000))]) {
        let file = folder.join(format!("{name}.json"));
        fs::write(&file, document.to_string())
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, name: &str, measured: &Measured) -> std::io::Result<()> {
    writeln!(
        out,
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
    )
}

/// Runs the workflow that `make` makes to its end, each pod as soon as it is made.
pub fn measure(make: &dyn Fn() -> Value) -> anyhow::Result<Measured> {
    let memory = bytes_in_use();
    let workflow: Workflow = serde_json::from_value(make())?;
    let begin = processor_us();
    let (plan, _) = lower(&workflow);
    let lower_us = processor_us() - begin;
    drop(plan);
    let mut run = Run::new(workflow, Library::default(), Behaviour::UNWIND);
    let mut now = Timestamp(1_772_442_000_000);
    let mut coming = VecDeque::new();
    let mut costs = Vec::new();
    let mut event = Vec::new();
    loop {
        now = now + 1;
        let before = processor_us();
        for seen in std::mem::take(&mut event) {
            run.see(now, seen);
        }
        let acts = run.pass(now);
        costs.push(processor_us() - before);
        for act in acts {
            if let PodAct::Created(created) = act {
                coming.push_back(running(&created.node, now));
                coming.push_back(ended(&created.node, now));
            }
        }
        match coming.pop_front() {
            Some(next) => event = next,
            None => break,
        }
    }
    drop((coming, event));
    let own = costs.capacity() * size_of::<f64>();
    let grown = Some(bytes_in_use()).filter(|now| *now > 0).map(|now| now.saturating_sub(memory + own));
    let status = run.status();
    let nodes = status.nodes.len();
    let node_bytes = grown.map(|grown| weight(grown, &status));
    let total_ms = costs.iter().sum::<f64>() / 1000.0;
    costs.sort_by(f64::total_cmp);
    let at = |share: f64| costs.get((costs.len() as f64 * share) as usize).copied().unwrap_or_default();
    Ok(Measured {
        nodes,
        events: costs.len(),
        lower_us,
        median_us: at(0.5),
        p99_us: at(0.99),
        most_us: costs.last().copied().unwrap_or_default(),
        total_ms,
        node_bytes,
        succeeded: status.phase == WorkflowPhase::Succeeded,
    })
}

fn running(node: &NodeName, at: Timestamp) -> Vec<Seen> {
    let report = PodReport { phase: PodPhase::Running, ..PodReport::pending(at) };
    vec![Seen::Pod { node: node.clone(), report }]
}

fn ended(node: &NodeName, at: Timestamp) -> Vec<Seen> {
    let report = PodReport { phase: PodPhase::Succeeded, exit: Some(0), ..PodReport::pending(at) };
    let result = Seen::Result { node: node.clone(), complete: Some(true), outputs: None, progress: None };
    vec![result, Seen::Pod { node: node.clone(), report }]
}

/// Memory of a node beyond its own texts: all that a run keeps, its document and what was made of that with it.
fn weight(grown: usize, status: &WorkflowStatus) -> f64 {
    let texts = |node: &NodeStatus| node.id.as_str().len() + node.name.as_str().len() + node.message.len();
    let texts: usize = status.nodes.values().map(texts).sum();
    (grown as f64 - texts as f64) / status.nodes.len().max(1) as f64
}

/// Memory that this process has asked for and not given back; 0 where it cannot be told.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator's own count; it reads nothing but that")]
fn bytes_in_use() -> usize {
    let counted = unsafe { libc::mallinfo2() };
    counted.uordblks + counted.hblkhd
}

/// No other allocator tells.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn bytes_in_use() -> usize {
    0
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
                let measured = measure(&|| manifest(shape, size, 3)).expect("a workflow");
                assert!(measured.succeeded, "{} {size}", shape.name());
                let off = measured.nodes.abs_diff(size);
                assert!(off <= size / 10 + 2, "{} {size}: {} nodes", shape.name(), measured.nodes);
            }
        }
    }
}
