//! The views of the cases: a file is opened, and what is found in it is compared with `case.json`.
//!
//! The listed findings must be found; where the list is empty, none may be shown
//! (`cases/README.md`). What waits for a feature that is not there is said to, and counted apart.

mod expected;
mod play;
mod shape;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use unwind_engine::library::Library;
use unwind_engine::trace::{Gathered, Piece, gather};
use unwind_engine::verdict::FindingKind;
use unwind_engine::{Analysis, Code, Scenario, analyse};
use unwind_model::document::evidence::{self, Evidence};
use unwind_model::document::parse;
use unwind_model::status::WorkflowStatus;
use unwind_model::{NodeName, Workflow};

pub use play::{SHIM, play};

/// What became of one view of a case, or of its run.
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
    /// Not tried: it waits for this.
    NotYet(String),
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
    #[serde(default)]
    run: Option<Needs>,
}

/// What belongs to the file that is run, and so to the view of it.
#[derive(Default, Deserialize)]
struct Needs {
    #[serde(default)]
    needs: Vec<String>,
}

#[derive(Deserialize)]
struct View {
    file: String,
    /// What arrives next.
    #[serde(default)]
    then: Vec<String>,
    /// A controller's log beside it.
    #[serde(default)]
    with_log: Files,
    #[serde(default)]
    findings: Vec<Expected>,
    /// How the workflow is after the last message.
    #[serde(default)]
    end: Option<EndSeen>,
    /// How its nodes are then.
    #[serde(default)]
    nodes: BTreeMap<String, String>,
}

/// One file or several.
#[derive(Default, Deserialize)]
#[serde(untagged)]
enum Files {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

impl Files {
    fn iter(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::None => [].iter(),
            Self::One(file) => std::slice::from_ref(file).iter(),
            Self::Several(files) => files.iter(),
        }
    }
}

#[derive(Deserialize)]
struct EndSeen {
    phase: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Expected {
    kind: String,
    node: String,
}

/// Replays every view of every case in a folder, sorted by name.
pub fn replay(folder: &Path) -> anyhow::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for name in names(folder)? {
        let case_folder = folder.join(&name);
        let text = fs::read(case_folder.join("case.json"))?;
        let case: Case =
            serde_json::from_slice(&text).with_context(|| format!("`{name}/case.json` is not a case"))?;
        for view in &case.view {
            let needs = case.run.as_ref().map_or(&[][..], |run| &run.needs);
            reports.push(Report {
                name: format!("{name}/{}", view.file),
                result: replay_view(&case_folder, view, needs)?,
            });
        }
    }
    Ok(reports)
}

/// Names of the cases of a folder, sorted.
fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().join("case.json").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// One line each, with the reasons below.
pub fn lines(reports: &[Report]) -> String {
    let mut text = String::new();
    for report in reports {
        let word = match &report.result {
            Outcome::Passed => "pass".to_owned(),
            Outcome::Failed(_) => "FAIL".to_owned(),
            Outcome::NotYet(what) => format!("not yet ({what})"),
        };
        let _ = writeln!(text, "{word} {}", report.name);
        if let Outcome::Failed(reasons) = &report.result {
            for reason in reasons {
                let _ = writeln!(text, "     {reason}");
            }
            if let Some(why) = held_wrong(&report.name) {
                let _ = writeln!(text, "     we hold this case wrong: {why}");
            }
        }
    }
    text
}

/// Why we hold a case wrong, as `docs/cases.md` has it.
fn held_wrong(report: &str) -> Option<String> {
    let case = report.split('/').next()?;
    let sections = include_str!("../../../docs/cases.md").split("\n## ").skip(1);
    let mut sections = sections.filter_map(|section| section.split_once('\n'));
    let (_, why) = sections.find(|(name, _)| name.trim() == case)?;
    Some(why.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Kind and node of all that is found in one workflow, sorted. A cause is no finding against a run.
pub fn findings_of(workflow: &Workflow) -> Vec<(String, String)> {
    let found = findings(workflow, &analyse(workflow, &Scenario::default()));
    let found = found.into_iter().filter(|found| found.kind != "cause");
    found.map(|found| (found.kind, found.node)).collect()
}

fn replay_view(folder: &Path, view: &View, needs: &[String]) -> anyhow::Result<Outcome> {
    let path = folder.join(&view.file);
    let text = fs::read(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let made = shape::made(folder, &text)?.map(|workflow| Gathered { workflow, ..Gathered::default() });
    let gathered = made.map_or_else(|| seen(folder, view), |made| Ok(Ok(made)))?;
    let Gathered { workflow, witnesses, .. } = match gathered {
        Ok(gathered) => gathered,
        Err(feature) => return Ok(Outcome::NotYet(feature.to_owned())),
    };
    let scenario = Scenario { library: library(folder, needs)?, witnesses, ..Scenario::default() };
    let found = findings(&workflow, &analyse(&workflow, &scenario));
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
    if let Some(end) = &view.end {
        let phase = workflow.status.phase.as_str();
        if phase != end.phase {
            reasons.push(format!("the workflow is {phase}, not {}", end.phase));
        }
    }
    for (name, phase) in &view.nodes {
        let mut nodes = workflow.status.nodes.values();
        match nodes.find(|node| node.name.as_str() == name) {
            Some(node) if node.phase.as_str() == phase => {}
            Some(node) => reasons.push(format!("{name} is {}, not {phase}", node.phase.as_str())),
            None => reasons.push(format!("{name} is not there")),
        }
    }
    Ok(if reasons.is_empty() { Outcome::Passed } else { Outcome::Failed(reasons) })
}

/// What the files of a view tell, or the feature it waits for.
fn seen(folder: &Path, view: &View) -> anyhow::Result<Result<Gathered, &'static str>> {
    let mut pieces = Vec::new();
    for file in std::iter::once(&view.file).chain(&view.then).chain(view.with_log.iter()) {
        let bytes = fs::read(folder.join(file)).with_context(|| format!("cannot read `{file}`"))?;
        pieces.extend(evidence::read(&bytes).ok());
    }
    Ok(workflow_of(&pieces))
}

/// The workflow of a view and what came after it, or the feature it waits for.
fn workflow_of(pieces: &[Evidence]) -> Result<Gathered, &'static str> {
    let told: Vec<Piece<'_>> = pieces.iter().flat_map(Piece::of).collect();
    let mut gathered = gather(&told);
    // A run counts more than the manifest beside it.
    let run = gathered.iter().position(|one| one.workflow.status != WorkflowStatus::default()).unwrap_or(0);
    if run < gathered.len() { Ok(gathered.swap_remove(run)) } else { Err("Kubeflow documents") }
}

/// The documents that a case needs.
fn library(folder: &Path, needs: &[String]) -> anyhow::Result<Library> {
    let mut library = Library::default();
    for file in needs {
        let text = fs::read(folder.join(file)).with_context(|| format!("cannot read `{file}`"))?;
        let parsed = parse(&text).with_context(|| format!("`{file}` cannot be read"))?;
        for value in parsed.iter().filter_map(|parsed| parsed.value()) {
            library.add(value).with_context(|| format!("`{file}` does not fit"))?;
        }
    }
    Ok(library)
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
    if let Some(cause) = &analysis.cause {
        found.insert(Expected { kind: "cause".to_owned(), node: cause.node.0.clone() });
    }
    for diagnostic in &analysis.diagnostics {
        let (kind, node) = match &diagnostic.code {
            Code::PresetShutdown { .. } => ("preset-shutdown", diagnostic.path.clone()),
            Code::NoNodes => ("no-nodes", workflow.metadata.name.clone()),
            Code::NoEffect { document, field, .. } if document.is_empty() => ("no-effect", field.clone()),
            Code::NoEffect { document, field, .. } => ("no-effect", format!("{document} {field}")),
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
        FindingKind::LockHeld => "lock-held",
        FindingKind::Unresolved => "unresolved",
        FindingKind::Contradiction => "contradiction",
    }
}
