//! The inputs of traces under UNWIND: every run must end, with every exit hook where it belongs.
//!
//! In: a folder of traces. Each input is driven through the made-up cluster, with its exit codes and with what was
//! asked of it, before the same passes. Out: for each, what is left open and what the judge finds.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Context;
use unwind_engine::Behaviour;
use unwind_engine::operate::{Run, Seen};
use unwind_model::NodeName;

use crate::cases::{Outcome, Report, findings_of};
use crate::cluster::{Cluster, Course, Ended};
use crate::panics::{catch, keep_panics};
use crate::traces::recorded::{Asked, Event, Input, Recorded, read};
use crate::traces::{FIRST_PASS, names, prepare, seen_of};

/// More passes than this are taken for a run without an end.
const MOST_PASSES: usize = 1_000;

/// What a run under UNWIND must not show.
const NOT_WANTED: [&str; 5] = ["left-unfinished", "early-end", "hook-missing", "hook-unwanted", "hook-order"];

/// Drives every input of a folder of groups, sorted by name. With `sweep` each is stopped and terminated before
/// each of its passes as well, in place of what was asked of it. `only`: those with this in `group/name`.
pub fn replay(folder: &Path, sweep: bool, only: Option<&str>) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    let mut swept: BTreeSet<String> = BTreeSet::new();
    for (name, file) in names(folder)? {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let recorded = read(&text).with_context(|| format!("`{}` is no trace", file.display()))?;
        let course = course(&recorded);
        reports.push(report(name.clone(), &recorded.input, &course)?);
        let key = format!("{} {:?} {:?}", recorded.input.workflow, recorded.input.needs, course.exits);
        if sweep && swept.insert(key) {
            reports.extend(sweep_one(&name, &recorded, &course)?);
        }
    }
    Ok(reports)
}

/// A line for each run that is not as it has to be and its reasons, then how often each kind of reason is the
/// first one of a run, then `N passed, M failed`.
pub fn lines(reports: &[Report]) -> String {
    let mut text = String::new();
    let mut kinds: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for report in reports {
        if let Outcome::Failed(reasons) = &report.result {
            let _ = writeln!(text, "FAIL {}", report.name);
            for reason in reasons {
                let _ = writeln!(text, "     {reason}");
            }
            let first = reasons.first().map(|reason| kind_of(reason)).unwrap_or_default();
            kinds.entry(first).or_insert_with(|| (0, report.name.clone())).0 += 1;
        }
    }
    let mut kinds: Vec<(String, (usize, String))> = kinds.into_iter().collect();
    kinds.sort_by(|(a, (first, _)), (b, (second, _))| second.cmp(first).then(a.cmp(b)));
    for (kind, (count, example)) in kinds {
        let _ = writeln!(text, "{count:6} {kind}, for example {example}");
    }
    let passed = reports.iter().filter(|report| report.passed()).count();
    let _ = writeln!(text, "{passed} passed, {} failed", reports.len() - passed);
    text
}

/// A reason without the name of its node.
fn kind_of(reason: &str) -> String {
    let words =
        reason.split(' ').filter(|word| !word.contains(['.', '[']) && !word.starts_with(char::is_numeric));
    words.collect::<Vec<_>>().join(" ")
}

fn sweep_one(name: &str, recorded: &Recorded, course: &Course) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for pass in 1..=recorded.passes.len() {
        for (word, seen) in [("stop", Seen::Stop), ("terminate", Seen::Terminate)] {
            let asked = BTreeMap::from([(pass, vec![seen])]);
            let course = Course { asked, exits: course.exits.clone() };
            reports.push(report(format!("{name}, {word} before {pass}"), &recorded.input, &course)?);
        }
    }
    Ok(reports)
}

fn report(name: String, input: &Input, course: &Course) -> anyhow::Result<Report> {
    let result = match keep_panics(|| catch(|| drive(input, course))) {
        Ok(outcome) => outcome?,
        Err(why) => Outcome::Failed(vec![format!("panic: {why}")]),
    };
    Ok(Report { name, result })
}

fn drive(input: &Input, course: &Course) -> anyhow::Result<Outcome> {
    let (workflow, library) = prepare(input, FIRST_PASS)?;
    let run = Run::new(workflow.clone(), library.clone(), Behaviour::UNWIND);
    let ended = Cluster::new(run, &workflow, &library).drive(FIRST_PASS, course, MOST_PASSES);
    let reasons = reasons(input, &ended);
    Ok(if reasons.is_empty() { Outcome::Passed } else { Outcome::Failed(reasons) })
}

/// What was asked, and with which codes pods ended that nobody told to.
fn course(recorded: &Recorded) -> Course {
    let mut course = Course::default();
    let mut exits: BTreeMap<NodeName, i32> = BTreeMap::new();
    for pass in &recorded.passes {
        for event in &pass.events {
            match event {
                // A run under UNWIND is over later or sooner; a retry has nothing to begin from.
                Event::Asked(Asked::Retry | Asked::Task { .. }) => {}
                Event::Asked(asked) => course.asked.entry(pass.n).or_default().push(seen_of(asked)),
                Event::Pod(pod) => {
                    if let Some(code) = pod.exit.filter(|code| !matches!(code, 0 | 137 | 143)) {
                        exits.insert(NodeName(pod.pod.clone()), code);
                    }
                }
            }
        }
    }
    course.exits = exits;
    course
}

fn reasons(input: &Input, ended: &Ended) -> Vec<String> {
    let mut reasons = Vec::new();
    if !ended.is_completed {
        reasons.push(format!("not over after {} passes: {}", ended.passes, ended.phase.as_str()));
    }
    reasons.extend(ended.open.iter().map(|(node, phase)| format!("{node} is left {}", phase.as_str())));
    if input.needs.is_empty() {
        let found = findings_of(&ended.object).into_iter();
        let unwanted = found.filter(|(kind, _)| NOT_WANTED.contains(&kind.as_str()));
        reasons.extend(unwanted.map(|(kind, node)| format!("{kind} {node}")));
    }
    reasons
}
