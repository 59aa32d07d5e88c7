//! A trace to read: what happened before each pass, what was recorded of it, and where the engine differs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

use super::Report;
use super::report::{line, word};

/// The whole trace with the differences of its report below each pass.
pub fn show(folder: &Path, report: &Report) -> anyhow::Result<String> {
    let file = folder.join(&report.trace).with_extension("jsonl");
    if !file.is_file() {
        return Ok(report
            .differences
            .iter()
            .fold(String::new(), |text, difference| text + &line(&report.trace, difference) + "\n"));
    }
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
    let mut out = String::new();
    for recorded in text.lines() {
        let recorded: Value = serde_json::from_str(recorded)?;
        if recorded["trace"] == 1 {
            let _ = writeln!(out, "{} {}: {}", report.trace, report.argo, word(recorded.get("shows")));
            let _ = writeln!(out, "{:#}", recorded["workflow"]["spec"]);
        } else if recorded["n"].is_number() {
            pass(&mut out, report, &recorded);
        } else {
            let _ = writeln!(out, "{recorded}");
        }
    }
    Ok(out)
}

fn pass(out: &mut String, report: &Report, recorded: &Value) {
    let number = recorded["n"].as_u64().unwrap_or_default() as usize;
    let wf = &recorded["wf"];
    let _ = writeln!(out, "\npass {number} at {}: {}", recorded["t"], wf);
    for event in recorded["events"].as_array().into_iter().flatten() {
        let _ = writeln!(out, "  event {event}");
    }
    for (name, node) in recorded["nodes"].as_object().into_iter().flatten() {
        let mut rest = node.clone();
        if let Some(fields) = rest.as_object_mut() {
            for key in ["phase", "type", "id", "boundaryID", "templateName", "templateScope", "displayName"] {
                fields.shift_remove(key);
            }
        }
        let part = |key: &str| node[key].as_str().unwrap_or_default().to_owned();
        let _ = writeln!(out, "  {name}: {} {} {rest}", part("type"), part("phase"));
    }
    if let Some(pods) = recorded.get("pods") {
        let _ = writeln!(out, "  pods {pods}");
    }
    for difference in report.differences.iter().filter(|difference| difference.pass == number) {
        let _ = writeln!(out, "  DIFFERS {}", line("", difference).trim_start());
    }
}
