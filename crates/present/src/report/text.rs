//! Previews and hook orders as aligned text for a terminal.

use unwind_engine::diagnostic::{Code, Diagnostic};
use unwind_engine::plan::Role;
use unwind_model::Timestamp;

use super::Rehearsed;
use crate::estimate::Estimates;
use crate::format::Zone;
use crate::phase::verdict_word;
use crate::preview::{Keeper, Preview, preview};
use crate::study::Study;
use crate::timeline::{View, tell, timeline};
use crate::truth::truth_line;
use crate::words::{diagnostic, shutdown as words};

/// The whole rehearsal: diagnostics, what Stop would do, what happened.
pub fn rehearsal_text(rehearsed: &Rehearsed, zone: Zone) -> String {
    let report = &rehearsed.report;
    let mut blocks = Vec::new();
    // Nothing is run, so it does not matter what could be.
    let matters = |one: &&Diagnostic| {
        !matches!(one.code, Code::Unsupported { .. } | Code::NoCommand { .. } | Code::NotHere { .. })
    };
    let lines: Vec<String> = report.diagnostics.iter().filter(matters).map(diagnostic::line).collect();
    if !lines.is_empty() {
        blocks.push(format!("{}\n", lines.join("\n")));
    }
    if let (Some(before), Some(prediction)) = (&rehearsed.before, &report.prediction) {
        let now = report.stopped.unwrap_or_default();
        let estimates = Estimates::of(before);
        let shown = preview(before, prediction, &Keeper::OwnEngine, &estimates, now);
        blocks.extend(shown.as_ref().map(preview_text));
    } else if let Some(node) = &report.stop_at {
        blocks.push(format!("{node} never ran, so nothing was stopped\n"));
    }
    let after = &rehearsed.after;
    let now = last_instant(after);
    let estimates = Estimates::of(after);
    let view = View { now, zone, is_live: false, shows_all: false, estimates: &estimates };
    blocks.push(timeline_text(after, &view));
    blocks.push(format!("{}\n", truth_line(after, now, zone).text.text()));
    blocks.join("\n")
}

fn last_instant(study: &Study) -> Timestamp {
    let ends = study.trace.spans.iter().filter_map(|span| span.ended.max(span.begun));
    study.trace.over.into_iter().chain(ends).max().unwrap_or_default()
}

/// A preview as text.
pub fn preview_text(preview: &Preview) -> String {
    let sums: Vec<String> = preview.sums.iter().map(|sum| format!("{} {}", sum.number, sum.text)).collect();
    let callout = preview.callout.as_ref().map(|callout| format!("{}\n", callout.text.text()));
    let head = format!("{}\n{}\n{}", preview.head, sums.join(", "), callout.unwrap_or_default());
    let ends = preview.ends.iter().map(|end| [String::new(), end.title.clone(), end.text.clone()]);
    let hooks = preview.hooks.iter().map(|hook| {
        let place = [hook.path.as_str(), hook.note, hook.estimate.as_str()];
        let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
        [hook.chip.text.clone(), hook.title.clone(), place.join(", ")]
    });
    let not = preview.will_not_run.iter().map(|not| {
        let what = if not.what.is_empty() { String::new() } else { format!(" ({})", not.what) };
        [String::new(), format!("{}{what}", not.title), not.reason.clone()]
    });
    let lists: [(&str, Vec<[String; 3]>); 3] = [
        (words::ENDS, ends.collect()),
        (words::WILL_RUN, hooks.collect()),
        (words::WILL_NOT_RUN, not.collect()),
    ];
    let mut blocks = vec![head];
    for (heading, lines) in lists {
        if !lines.is_empty() {
            blocks.push(format!("{heading}\n{}", columns(&lines)));
        }
    }
    blocks.push(format!("{}\n", preview.foot));
    blocks.join("\n")
}

/// A hook order as text: expected, actual, nested name, times, verdict, sentence.
pub fn timeline_text(study: &Study, view: &View) -> String {
    let timeline = timeline(study, view);
    let mut lines = vec![
        ["Expected", "Actual", "Owner and exit hook", "Phase", "Times", "Verdict", "Why"].map(str::to_owned),
    ];
    for (row, told) in timeline.rows.iter().zip(tell(study, view, &timeline.rows)) {
        let indent = "  ".repeat(row.level as usize);
        let mark = match row.role {
            Role::ExitHook | Role::Handler => "↵ ",
            Role::NamedHook => "⚑ ",
            Role::Root | Role::Work => "",
        };
        let actual = row.actual.as_ref().map_or_else(String::new, |chip| {
            let tie = if chip.is_tied { " =" } else { "" };
            format!("{}{tie}", chip.text)
        });
        lines.push([
            row.expected.as_ref().map(|chip| chip.text.clone()).unwrap_or_default(),
            actual,
            format!("{indent}{mark}{}", row.title),
            row.look.word().to_owned(),
            told.bar,
            row.verdict.map(verdict_word).unwrap_or_default().to_owned(),
            told.sentence,
        ]);
    }
    let flags: Vec<&str> = timeline.flags.iter().map(|flag| flag.label.as_str()).collect();
    let verdict = timeline.sum.verdict.map(verdict_word).unwrap_or_default();
    let parts = [verdict, &timeline.sum.text];
    let sum: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let note = match timeline.sum.note.as_str() {
        "" => String::new(),
        note => format!(" ({note})"),
    };
    let flags = if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(", ")) };
    format!("Hook order{flags}\n{}{}{note}\n", columns(&lines), sum.join(": "))
}

/// Lines of cells with their columns aligned; nothing is at the end of a line.
fn columns<const N: usize>(lines: &[[String; N]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut shown = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            shown.push_str(cell);
            shown.push_str(&" ".repeat(width - cell.chars().count() + 2));
        }
        text.push_str(shown.trim_end());
        text.push('\n');
    }
    text
}
