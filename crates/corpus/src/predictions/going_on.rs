//! Runs of which nothing more was asked, told beforehand: from their begin, or from where the last thing was asked, and
//! from the middle on, to their end.

use std::fs;
use std::path::Path;

use anyhow::Context;
use unwind_engine::forecast::Way;

use super::{Report, Told, Window, is_asked, tell_window};
use crate::panics::{catch, keep_panics};
use crate::traces::names;
use crate::traces::recorded::{Recorded, read};

/// How many states of each run are predicted from, its begin among them.
const STATES: usize = 4;

/// Predicts every trace of a folder, sorted by name: from its begin, or from where the last thing was asked. One
/// report for each state that is predicted from.
pub fn replay(folder: &Path) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for (name, file) in names(folder)? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let recorded = read(&text).with_context(|| format!("`{}` is no trace", file.display()))?;
        let asked = recorded.passes.iter().rposition(|pass| pass.events.iter().any(is_asked));
        for first in states(asked.map_or(0, |asked| asked + 1), recorded.passes.len()) {
            let told = keep_panics(|| catch(|| tell_from(&recorded, first)));
            let told = match told {
                Ok(told) => told?,
                Err(why) => Some(Told::Missed(0, vec![why])),
            };
            let trace = format!("{name} from pass {}", first + 1);
            reports.extend(told.map(|result| Report { trace, result }));
        }
    }
    Ok(reports)
}

/// Indexes of the passes that are predicted: the first one, and some between.
fn states(begin: usize, end: usize) -> Vec<usize> {
    let mut states: Vec<usize> = (0..STATES).map(|part| begin + (end - begin) * part / STATES).collect();
    states.retain(|state| *state < end);
    states.dedup();
    states
}

fn tell_from(recorded: &Recorded, first: usize) -> anyhow::Result<Option<Told>> {
    if recorded.end.end == "max" {
        return Ok(Some(Told::NotCounted("it was cut off".to_owned())));
    }
    tell_window(&Window { recorded, way: Way::GoOn, first, next: None })
}
