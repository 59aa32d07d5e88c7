//! Ways to end runs, weighed beforehand and held against what came: where the controller kept the order rule the
//! way must be called right, where it did not it must not be.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Context;
use unwind_engine::forecast::{Ranked, Way, going_on, ranking, weigh};
use unwind_model::NodeName;

use super::came::Came;
use super::kept::Kept;
use super::{Window, assumed, is_asked, last_ending, replay_until};
use crate::cases::{Outcome, Report};
use crate::panics::{catch, keep_panics};
use crate::traces::recorded::{Recorded, read};
use crate::traces::{FIRST_PASS, names, start};

/// Weighs the last ending of every trace, and letting those go on of which nothing was asked; sorted by name.
pub fn replay(folder: &Path) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for (name, file) in names(folder)? {
        let recorded = recorded(&file)?;
        let weighed = keep_panics(|| catch(|| weighed(&recorded)));
        let result = match weighed {
            Ok(weighed) => weighed?,
            Err(why) => Outcome::Failed(vec![why]),
        };
        reports.push(Report { name, result });
    }
    Ok(reports)
}

/// A line for each trace that was weighed wrongly, and what differs.
pub fn failures(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        if let Outcome::Failed(reasons) = &report.result {
            let _ = writeln!(text, "FAIL {}: {}", report.name, reasons.join("; "));
        }
    }
    text
}

/// The ways to end each run at the last ending of its trace, the best first, one line each.
pub fn lines(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    for (name, file) in names(folder)? {
        let recorded = recorded(&file)?;
        let Some((first, Some(way))) = last_ending(&recorded) else { continue };
        let window = Window { recorded: &recorded, way, first, next: None };
        let mut run = start(&recorded.input, FIRST_PASS)?;
        replay_until(&mut run, &window);
        if run.is_completed() {
            continue;
        }
        let now = FIRST_PASS + recorded.passes[first].t * 1000;
        let ranking = ranking(&run, now, &assumed::assumptions(&window));
        let ways: Vec<String> = ranking.ways.iter().map(way_text).collect();
        let best = if ranking.is_first_recommended { "recommended" } else { "none" };
        lines.push(format!("{name} {best}: {}", ways.join(" | ")));
    }
    Ok(lines)
}

fn recorded(file: &Path) -> anyhow::Result<Recorded> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
    read(&text).with_context(|| format!("`{}` is no trace", file.display()))
}

fn weighed(recorded: &Recorded) -> anyhow::Result<Outcome> {
    let not_yet = |why: &str| Ok(Outcome::NotYet(why.to_owned()));
    if recorded.end.end == "max" {
        return not_yet("it was cut off");
    }
    let (first, way) = match last_ending(recorded) {
        None if recorded.passes.iter().any(|pass| pass.events.iter().any(is_asked)) => {
            return not_yet("something else was asked");
        }
        None => (0, Way::GoOn),
        Some((_, None)) => return not_yet("its last patch sets no zero deadline"),
        Some((0, Some(_))) => return not_yet("it had not begun"),
        Some((first, Some(way))) => (first, way),
    };
    if recorded.passes[first + 1..].iter().any(|pass| pass.events.iter().any(is_asked)) {
        return not_yet("something else was asked before the end");
    }
    let window = Window { recorded, way, first, next: None };
    let mut run = start(&recorded.input, FIRST_PASS)?;
    replay_until(&mut run, &window);
    if run.is_completed() {
        return not_yet("it was over already");
    }
    let now = FIRST_PASS + recorded.passes[first].t * 1000;
    let assumptions = assumed::assumptions(&window);
    let told = match &window.way {
        Way::GoOn => {
            let mut told = going_on(&run, now, &assumptions);
            // The judge knows exit hooks only.
            told.lost.retain(|hook| hook.as_str().ends_with(".onExit"));
            told
        }
        way => weigh(&run, now, way, &assumptions),
    };
    let came = Kept::of(recorded, first, window.way == Way::GoOn);
    // Of several outcomes the one counts that came.
    let seen = Came::of(&window);
    let is_right = match told.forecast.outcomes.iter().find(|outcome| seen.differences(outcome).is_empty()) {
        Some(outcome) if window.way != Way::GoOn => outcome.is_right(),
        Some(_) | None => told.is_right(),
    };
    Ok(if is_right == came.is_right() {
        Outcome::Passed
    } else {
        Outcome::Failed(vec![format!("told [{}], came {came:?}", way_text(&told))])
    })
}

fn way_text(way: &Ranked) -> String {
    let name = match &way.forecast.way {
        Way::Stop => "stop",
        Way::Terminate => "terminate",
        Way::StopInOrder => "in order",
        Way::GoOn => "go on",
        Way::Patch(_) => "patch",
    };
    let mut text = name.to_owned();
    if way.hangs {
        text += " hangs";
    }
    let kinds =
        [("open", &way.unfinished), ("lost", &way.lost), ("early", &way.too_early), ("extra", &way.extra)];
    for (kind, nodes) in kinds {
        if !nodes.is_empty() {
            let nodes: Vec<&str> = nodes.iter().map(NodeName::as_str).collect();
            let _ = write!(text, " {kind} {}", nodes.join(" "));
        }
    }
    text
}
