//! The views of the cases: a file is opened, and what is found in it is compared with `case.json`.
//!
//! The listed findings must be found; where the list is empty, none may be shown
//! (`cases/README.md`). Files that are no workflow are left out, and said to be.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use unwind_engine::verdict::FindingKind;
use unwind_engine::{Analysis, Code, Scenario, analyse};
use unwind_model::document::{Document, parse};
use unwind_model::{NodeName, Workflow};

/// What became of one view of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Case and file, `case/file`.
    pub name: String,
    /// What it came to.
    pub result: Outcome,
}

/// What one view came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it has to be.
    Passed,
    /// What is not as it has to be, one line each.
    Failed(Vec<String>),
    /// Not tried, and why.
    LeftOut(String),
}

impl Report {
    /// True when all is as it has to be.
    pub fn passed(&self) -> bool {
        self.result == Outcome::Passed
    }
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    view: Vec<View>,
}

#[derive(Deserialize)]
struct View {
    file: String,
    #[serde(default)]
    findings: Vec<Expected>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Expected {
    kind: String,
    node: String,
}

/// Replays every view of every case in a folder, sorted by name.
pub fn replay(folder: &Path) -> anyhow::Result<Vec<Report>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().join("case.json").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    let mut reports = Vec::new();
    for name in names {
        let case_folder = folder.join(&name);
        let text = fs::read(case_folder.join("case.json"))?;
        let case: Case =
            serde_json::from_slice(&text).with_context(|| format!("`{name}/case.json` is not a case"))?;
        for view in &case.view {
            reports.push(Report {
                name: format!("{name}/{}", view.file),
                result: replay_view(&case_folder, view)?,
            });
        }
    }
    Ok(reports)
}

/// One line each, with the reasons below.
pub fn lines(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        let word = match &report.result {
            Outcome::Passed => "pass".to_owned(),
            Outcome::Failed(_) => "FAIL".to_owned(),
            Outcome::LeftOut(why) => format!("left out ({why})"),
        };
        let _ = writeln!(text, "{word} {}", report.name);
        if let Outcome::Failed(reasons) = &report.result {
            for reason in reasons {
                let _ = writeln!(text, "     {reason}");
            }
        }
    }
    text
}

/// Kind and node of all that is found in one workflow, sorted.
pub fn findings_of(workflow: &Workflow) -> Vec<(String, String)> {
    let found = findings(workflow, &analyse(workflow, &Scenario::default()));
    found.into_iter().map(|found| (found.kind, found.node)).collect()
}

fn replay_view(folder: &Path, view: &View) -> anyhow::Result<Outcome> {
    let path = folder.join(&view.file);
    let text = fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let parsed = match parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(Outcome::LeftOut(format!("cannot be read yet: {error}"))),
    };
    let workflow = parsed.into_iter().find_map(|parsed| match parsed.document {
        Document::Workflow(workflow) => Some(workflow),
        Document::Unknown { .. } => None,
    });
    let Some(workflow) = workflow else {
        return Ok(Outcome::LeftOut("no workflow".to_owned()));
    };
    let found = findings(&workflow, &analyse(&workflow, &Scenario::default()));
    let mut reasons = Vec::new();
    for expected in &view.findings {
        if !found.contains(expected) {
            reasons.push(format!("not found: {} {}", expected.kind, expected.node));
        }
    }
    if view.findings.is_empty() {
        let extra = found.iter();
        reasons.extend(extra.map(|found| format!("not wanted: {} {}", found.kind, found.node)));
    }
    Ok(if reasons.is_empty() { Outcome::Passed } else { Outcome::Failed(reasons) })
}

/// All that was found, in the words of the cases.
fn findings(workflow: &Workflow, analysis: &Analysis) -> BTreeSet<Expected> {
    let mut found = BTreeSet::new();
    // The cases name what a manifest says by its path.
    let paths: BTreeMap<NodeName, String> = match analysis.trace {
        Some(_) => BTreeMap::new(),
        None => analysis.plan.outline().into_iter().map(|node| (node.name, node.path)).collect(),
    };
    for finding in analysis.judgement.iter().flat_map(|judgement| &judgement.findings) {
        found.insert(Expected {
            kind: kind_word(finding.kind).to_owned(),
            node: paths.get(&finding.node).unwrap_or(&finding.node.0).clone(),
        });
    }
    for diagnostic in &analysis.diagnostics {
        let (kind, node) = match &diagnostic.code {
            Code::PresetShutdown { .. } => ("preset-shutdown", diagnostic.path.clone()),
            Code::NoNodes => ("no-nodes", workflow.metadata.name.clone()),
            Code::Unsupported { .. }
            | Code::UnknownTemplate { .. }
            | Code::UnknownTask { .. }
            | Code::BadDepends { .. }
            | Code::DependencyCycle { .. }
            | Code::DuplicateName { .. }
            | Code::Missing { .. }
            | Code::Unresolved { .. }
            | Code::NoCommand { .. }
            | Code::BadValue { .. }
            | Code::Invalid { .. }
            | Code::NotHere { .. }
            | Code::NearestRelease { .. } => continue,
        };
        found.insert(Expected { kind: kind.to_owned(), node });
    }
    found
}

fn kind_word(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::LeftUnfinished => "left-unfinished",
        FindingKind::EarlyEnd => "early-end",
        FindingKind::HookMissing => "hook-missing",
        FindingKind::HookUnwanted => "hook-unwanted",
        FindingKind::HookOrder => "hook-order",
        FindingKind::OrderUnknown => "order-unknown",
        FindingKind::Clock => "clock",
        FindingKind::MaskedFailure => "masked-failure",
        FindingKind::StopIgnored => "stop-ignored",
        FindingKind::StopUnsafe => "stop-unsafe",
        FindingKind::NoNodes => "no-nodes",
        FindingKind::LinkMissing => "link-missing",
        FindingKind::PresetShutdown => "preset-shutdown",
    }
}
