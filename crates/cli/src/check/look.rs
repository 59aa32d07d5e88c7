//! What is to be said of each file, with its place.

use std::collections::BTreeMap;
use std::path::Path;

use unwind_engine::analysis::{Analysis, Scenario, analyse};
use unwind_engine::diagnostic::{Code, Diagnostic};
use unwind_engine::verdict::Holds;
use unwind_engine::{Finding, Severity};
use unwind_model::document::{Document, Parsed};
use unwind_model::yaml::Position;
use unwind_model::{NodeName, Timestamp, Workflow};
use unwind_present::format::Zone;
use unwind_present::phase::finding_verdict;
use unwind_present::remarks;
use unwind_present::study::Study;
use unwind_present::words;

use crate::document::{CannotRead, template_manifest};

/// One file.
pub(super) struct File {
    pub(super) name: String,
    /// Why it cannot be read.
    pub(super) error: Option<CannotRead>,
    pub(super) documents: Vec<Looked>,
}

/// One document of a file.
pub(super) struct Looked {
    /// `Workflow`, or what was found instead.
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) remarks: Vec<Remark>,
    /// Everything as data; `None` for what was not checked.
    pub(super) analysis: Option<Analysis>,
}

/// One thing to say.
pub(super) struct Remark {
    /// Which kind, as in `--json`.
    pub(super) rule: String,
    pub(super) severity: Severity,
    /// Whether it makes the check fail.
    pub(super) is_broken: bool,
    pub(super) at: Option<Position>,
    pub(super) text: String,
}

impl File {
    pub(super) fn of(file: &Path, read: Result<&Vec<Parsed>, &CannotRead>, scenario: &Scenario) -> Self {
        let name = file.display().to_string();
        match read {
            Ok(documents) => {
                let documents = documents.iter().map(|parsed| looked(parsed, scenario)).collect();
                Self { name, error: None, documents }
            }
            Err(error) => Self { name, error: Some(error.clone()), documents: Vec::new() },
        }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.documents.iter().flat_map(|document| &document.remarks).any(|remark| remark.is_broken)
    }
}

fn looked(parsed: &Parsed, scenario: &Scenario) -> Looked {
    match &parsed.document {
        Document::Workflow(workflow) => workflow_looked(parsed, workflow, scenario),
        Document::Unknown { found } => {
            if let Some((kind, workflow)) = parsed.value().and_then(template_manifest) {
                return template_looked(parsed, kind, &workflow, scenario);
            }
            let remark = note("not-checked", format!("{found} is not a workflow, so it was not checked"));
            Looked { kind: found.clone(), name: String::new(), remarks: vec![remark], analysis: None }
        }
    }
}

fn workflow_looked(parsed: &Parsed, workflow: &Workflow, scenario: &Scenario) -> Looked {
    let analysis = analyse(workflow, scenario);
    let mut remarks: Vec<Remark> = analysis.diagnostics.iter().map(|one| diagnosed(parsed, one)).collect();
    let places = Places::of(&analysis);
    let study = Study::of(workflow.clone());
    let now = last_news(&analysis);
    let findings = analysis.judgement.iter().flat_map(|judgement| &judgement.findings);
    for finding in findings {
        remarks.push(Remark { at: places.position(parsed, &finding.node), ..found(&study, finding, now) });
    }
    if let Some(cause) = &analysis.cause {
        let at = places.position(parsed, &cause.node);
        remarks.push(Remark { at, ..note("cause", remarks::cause(&study.roster, cause, Zone::UTC)) });
    }
    let held = remarks::held_up(&study.roster, &analysis.held_up, Zone::UTC);
    remarks.extend(held.map(|text| note("held-up", text)));
    remarks.extend(analysis.retry.as_ref().map(|preview| note("retry", remarks::retry(preview))));
    if let Some(outlook) = &analysis.outlook {
        remarks.push(note("release", remarks::release(&outlook.release)));
        for (node, text) in remarks::goes_wrong(outlook) {
            let at = places.position(parsed, &node);
            let severity = Severity::Error;
            remarks.push(Remark { rule: "release-breaks".to_owned(), severity, is_broken: true, at, text });
        }
        remarks.extend(remarks::ways(outlook).into_iter().map(|text| note("way", text)));
    }
    Looked { kind: "Workflow".to_owned(), name: name_of(workflow), remarks, analysis: Some(analysis) }
}

/// A template is a manifest without an entrypoint of its own; what it is called with comes from its callers.
fn template_looked(parsed: &Parsed, kind: &str, workflow: &Workflow, scenario: &Scenario) -> Looked {
    let scenario = Scenario { release: None, ..scenario.clone() };
    let mut analysis = analyse(workflow, &scenario);
    analysis.diagnostics.retain(|one| {
        let is_callers = match &one.code {
            Code::Missing { field } => field == "entrypoint",
            Code::Unresolved { placeholder } => placeholder.starts_with("workflow.parameters"),
            Code::Unsupported { .. }
            | Code::UnknownTemplate { .. }
            | Code::UnknownTask { .. }
            | Code::BadDepends { .. }
            | Code::DependencyCycle { .. }
            | Code::DuplicateName { .. }
            | Code::NoCommand { .. }
            | Code::BadValue { .. }
            | Code::PresetShutdown { .. }
            | Code::NoEffect { .. }
            | Code::Invalid { .. }
            | Code::NotHere { .. }
            | Code::NoNodes
            | Code::NearestRelease { .. } => false,
        };
        !is_callers
    });
    let remarks = analysis.diagnostics.iter().map(|one| diagnosed(parsed, one)).collect();
    Looked { kind: kind.to_owned(), name: name_of(workflow), remarks, analysis: Some(analysis) }
}

/// Where nodes are planned in the document.
struct Places(BTreeMap<String, String>);

impl Places {
    fn of(analysis: &Analysis) -> Self {
        let outline = analysis.plan.outline().into_iter();
        Self(outline.map(|node| (node.name.as_str().to_owned(), node.path)).collect())
    }

    /// Where the task of a node, of an item or of a try stands.
    fn position(&self, parsed: &Parsed, node: &NodeName) -> Option<Position> {
        let path = self.0.get(node.as_str()).or_else(|| self.0.get(&without_numbers(node.as_str())))?;
        Some(parsed.position(path)).filter(|_| !path.is_empty())
    }
}

/// The name of a task in the name of its item or try: `a.b(0:x).c` is `a.b.c`.
fn without_numbers(name: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for letter in name.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    plain
}

fn found(study: &Study, finding: &Finding, now: Timestamp) -> Remark {
    let verdict = finding_verdict(finding.kind);
    let severity = match verdict {
        Some(Holds::Broken) => Severity::Error,
        Some(Holds::CannotTell) => Severity::Warning,
        Some(Holds::Kept) | None => Severity::Note,
    };
    let mut text = remarks::finding(study, finding, now, Zone::UTC);
    if let Some(rule) = finding.rule {
        text = format!("{text} ({})", words::verdict::rule(rule));
    }
    let is_broken = verdict == Some(Holds::Broken);
    Remark { rule: word(finding.kind), severity, is_broken, at: None, text }
}

fn diagnosed(parsed: &Parsed, diagnostic: &Diagnostic) -> Remark {
    let path = if diagnostic.path.is_empty() { String::new() } else { format!(" ({})", diagnostic.path) };
    let at = diagnostic.position.unwrap_or_else(|| parsed.position(&diagnostic.path));
    Remark {
        rule: serde_json::to_value(&diagnostic.code)
            .ok()
            .and_then(|code| Some(code.get("code")?.as_str()?.to_owned()))
            .unwrap_or_default(),
        severity: diagnostic.severity,
        is_broken: diagnostic.severity == Severity::Error,
        at: Some(at),
        text: format!("{}{path}", words::diagnostic::sentence(&diagnostic.code)),
    }
}

fn note(rule: &str, text: String) -> Remark {
    Remark { rule: rule.to_owned(), severity: Severity::Note, is_broken: false, at: None, text }
}

/// A kind as it is written in data.
fn word(kind: unwind_engine::verdict::FindingKind) -> String {
    let value = serde_json::to_value(kind).ok();
    value.as_ref().and_then(|value| value.as_str()).unwrap_or_default().to_owned()
}

fn last_news(analysis: &Analysis) -> Timestamp {
    let spans = analysis.trace.iter().flat_map(|trace| &trace.spans);
    spans.flat_map(|span| [span.begun, span.ended]).flatten().max().unwrap_or_default()
}

fn name_of(workflow: &Workflow) -> String {
    match workflow.metadata.name.as_str() {
        "" => workflow.metadata.generate_name.clone(),
        name => name.to_owned(),
    }
}
