//! A judgement as text.

use std::fmt::Write;

use unwind_engine::Judgement;
use unwind_engine::verdict::{Finding, Instant, JudgedNode};

/// One line a row: name (indented by its level), expected and actual turn (`=` when shared), phase,
/// verdict (`?` while open). Then one line a finding.
pub fn judgement_text(judgement: &Judgement) -> String {
    let mut text = String::new();
    for row in &judgement.rows {
        text.push_str(&row_line(row));
    }
    for finding in &judgement.findings {
        text.push_str(&finding_line(finding));
    }
    text
}

fn row_line(row: &JudgedNode) -> String {
    let number = |turn: Option<u32>| turn.map_or_else(|| "-".to_owned(), |turn| turn.to_string());
    format!(
        "{:indent$}{} {} {}{} {} {}\n",
        "",
        row.node,
        number(row.expected_turn),
        number(row.actual_turn),
        if row.tied { "=" } else { "" },
        row.phase.map_or("none", |phase| phase.as_str()),
        row.holds.map_or_else(|| "?".to_owned(), |holds| format!("{holds:?}")),
        indent = row.level as usize * 2,
    )
}

fn finding_line(finding: &Finding) -> String {
    let mut line = format!("{:?} {}", finding.kind, finding.node);
    if let Some(rule) = finding.rule {
        let _ = write!(line, " ({rule:?})");
    }
    for witness in &finding.witnesses {
        let instant = match witness.instant {
            Instant::Begin => "begin",
            Instant::End => "end",
        };
        let at = witness.at.map_or_else(|| "never".to_owned(), |at| at.to_string()[14..].to_owned());
        let _ = write!(line, "; {instant} of {} {at}", witness.node);
    }
    line + "\n"
}
