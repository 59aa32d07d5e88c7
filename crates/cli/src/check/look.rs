//! What is to be said of each file, with its place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use unwind_engine::analysis::{Analysis, Scenario, analyse};
use unwind_engine::diagnostic::{Code, Diagnostic};
use unwind_engine::trace::Gathered;
use unwind_engine::verdict::Holds;
use unwind_engine::{Finding, Severity};
use unwind_model::document::evidence::Evidence;
use unwind_model::document::packed::unpack;
use unwind_model::document::{Document, Parsed};
use unwind_model::yaml::Position;
use unwind_model::{NodeName, Timestamp, Workflow};
use unwind_present::format::{self, Zone};
use unwind_present::phase::finding_verdict;
use unwind_present::remarks;
use unwind_present::study::Study;
use unwind_present::words;

use super::runs::{Place, Runs};
use super::valid;
use crate::document::{CannotRead, Manifest, manifest_in};

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
    /// `place`: the number of the file among all that were named.
    pub(super) fn of(
        file: &Path,
        place: usize,
        read: Result<&Evidence, &CannotRead>,
        look: &Look<'_>,
    ) -> Self {
        let name = file.display().to_string();
        match read {
            Ok(Evidence::Documents(documents)) => {
                let documents = documents.iter().map(|parsed| looked(parsed, look)).collect();
                Self { name, error: None, documents }
            }
            Ok(evidence) => Self { name, error: None, documents: told_by(evidence, place, look) },
            Err(error) => Self { name, error: Some(error.clone()), documents: Vec::new() },
        }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.documents.iter().flat_map(|document| &document.remarks).any(|remark| remark.is_broken)
    }
}

/// What is asked of all files.
pub(super) struct Look<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) runs: &'a Runs<'a>,
}

/// Runs that a stream, a log or rows of the archive tell of, and what of the file could not be used.
fn told_by(evidence: &Evidence, place: usize, look: &Look<'_>) -> Vec<Looked> {
    let (here, others) = look.runs.of_file(place);
    let mut documents: Vec<Looked> = here
        .into_iter()
        .map(|run| {
            let parsed = Parsed::from(run.workflow.clone());
            let mut looked = run_looked(&parsed, run, look.scenario);
            // It stands in no line of the file.
            looked.remarks.iter_mut().for_each(|remark| remark.at = None);
            looked
        })
        .collect();
    let (kind, left_out) = match evidence {
        Evidence::Stream(stream) => {
            ("event stream", (stream.cut, "message that was cut off", "messages that were cut off"))
        }
        Evidence::Log(log) => (
            "controller log",
            (log.skipped, "line that is none of a controller", "lines that are none of a controller"),
        ),
        Evidence::Rows(rows) => {
            ("archive", (rows.misfits, "row without a workflow", "rows without a workflow"))
        }
        Evidence::Documents(_) => return documents,
    };
    let mut remarks = Vec::new();
    if left_out.0 > 0 {
        let (number, one, many) = left_out;
        remarks.push(note("left-out", format!("left out {}", format::count(number, one, many))));
    }
    if others > 0 {
        let others = format::count(others, "other workflow", "other workflows");
        remarks.push(note("not-checked", format!("also tells of {others}, of which no file was named")));
    }
    if documents.is_empty() && remarks.is_empty() {
        remarks.push(note("read-with", format!("{kind}, told with the runs it belongs to")));
    }
    if !remarks.is_empty() {
        documents.push(Looked { kind: kind.to_owned(), name: String::new(), remarks, analysis: None });
    }
    documents
}

/// A run with all that was seen of it.
fn run_looked(parsed: &Parsed, run: &Gathered, scenario: &Scenario) -> Looked {
    let scenario = Scenario { witnesses: run.witnesses.clone(), ..scenario.clone() };
    workflow_looked(parsed, &run.workflow, &scenario)
}

fn looked(parsed: &Parsed, look: &Look<'_>) -> Looked {
    let scenario = look.scenario;
    match &parsed.document {
        Document::Workflow(workflow) => match look.runs.place(workflow) {
            Place::Home(run) => run_looked(parsed, run, scenario),
            Place::Elsewhere => {
                let text =
                    format!("{}: another state of this run was named too, told there", name_of(workflow));
                let remarks = vec![note("read-with", text)];
                Looked { kind: "Workflow".to_owned(), name: name_of(workflow), remarks, analysis: None }
            }
        },
        Document::Unknown { found } => {
            if let Some((value, manifest)) =
                parsed.value().and_then(|value| Some((value, manifest_in(value)?)))
            {
                return manifest_looked(parsed, value, &manifest, scenario);
            }
            let remark = not_checked(parsed, found);
            Looked { kind: found.clone(), name: String::new(), remarks: vec![remark], analysis: None }
        }
    }
}

fn workflow_looked(parsed: &Parsed, workflow: &Workflow, scenario: &Scenario) -> Looked {
    let mut analysis = analyse(workflow, scenario);
    // That is told once for all documents.
    analysis.diagnostics.retain(|one| !matches!(one.code, Code::NearestRelease { .. }));
    let document = serde_json::to_value(workflow).unwrap_or_default();
    let is_manifest = analysis.trace.is_none();
    if is_manifest {
        valid::settle(&mut analysis.diagnostics, &document, &scenario.library);
    } else {
        analysis.diagnostics.retain(|one| one.severity != Severity::Error);
    }
    let mut remarks: Vec<Remark> = analysis.diagnostics.iter().map(|one| diagnosed(parsed, one)).collect();
    if is_manifest {
        remarks.extend(elsewhere(&valid::missing(&document, &scenario.library)));
    }
    let places = Places::of(&analysis, "spec");
    let study = Study::of_analysis(workflow.clone(), &analysis);
    remarks.extend(packed(workflow));
    remarks.extend(analysis.trace.as_ref().and_then(remarks::sources).map(|text| note("sources", text)));
    let now = last_news(&analysis);
    let findings = analysis.judgement.iter().flat_map(|judgement| &judgement.findings);
    for finding in findings {
        remarks.push(Remark { at: places.position(parsed, &finding.node), ..found(&study, finding, now) });
    }
    for (node, text) in analysis.phases.iter().flat_map(remarks::phases) {
        let at = node.and_then(|node| places.position(parsed, &node));
        remarks.push(Remark { at, ..note("phase", text) });
    }
    for told in &analysis.told {
        let at = places.position(parsed, &told.node);
        remarks.push(Remark { at, ..note("told", remarks::told(told)) });
    }
    if let Some(cause) = &analysis.cause {
        let at = places.position(parsed, &cause.node);
        remarks.push(Remark { at, ..note("cause", remarks::cause(&study.roster, cause, Zone::UTC)) });
    }
    let held = remarks::held_up(&study.roster, &analysis.held_up, Zone::UTC);
    remarks.extend(held.map(|text| note("held-up", text)));
    remarks.extend(analysis.retry.as_ref().map(|preview| note("retry", remarks::retry(preview))));
    remarks.extend(outlook_remarks(parsed, &analysis, &places));
    Looked { kind: "Workflow".to_owned(), name: name_of(workflow), remarks, analysis: Some(analysis) }
}

/// Why packed nodes cannot be unpacked.
fn packed(workflow: &Workflow) -> Option<Remark> {
    let error = unpack(&mut workflow.clone()).err()?;
    let severity = Severity::Warning;
    Some(Remark { severity, ..note("packed-nodes", error.to_string()) })
}

/// What a release does with it.
fn outlook_remarks(parsed: &Parsed, analysis: &Analysis, places: &Places) -> Vec<Remark> {
    let Some(outlook) = &analysis.outlook else { return Vec::new() };
    let mut remarks = Vec::new();
    for (node, text) in remarks::goes_wrong(outlook) {
        let at = places.position(parsed, &node);
        let severity = Severity::Error;
        remarks.push(Remark { rule: "release-breaks".to_owned(), severity, is_broken: true, at, text });
    }
    for (node, text) in remarks::goes_wrong_if(outlook) {
        let at = places.position(parsed, &node);
        let (rule, severity) = ("release-breaks-if".to_owned(), Severity::Warning);
        remarks.push(Remark { rule, severity, is_broken: false, at, text });
    }
    let ways = remarks::ways(outlook).into_iter();
    remarks.extend(ways.map(|(text, command)| note("way", format!("{text} ({command})"))));
    remarks
}

/// Kinds that have a part in workflows and hold none.
const BESIDE: [&str; 6] = [
    "WorkflowEventBinding",
    "WorkflowTaskSet",
    "WorkflowTaskResult",
    "WorkflowArtifactGCTask",
    "EventBus",
    "EventSource",
];

/// Something else, or a slip of the pen: a workflow of a wrong version, a kind of Argo's that is none.
fn not_checked(parsed: &Parsed, found: &str) -> Remark {
    let text = |field: &str| parsed.value().and_then(|value| value.get(field)?.as_str()).unwrap_or_default();
    let (kind, version) = (text("kind"), text("apiVersion"));
    let error = |path: &str, text: String| Remark {
        rule: "not-checked".to_owned(),
        severity: Severity::Error,
        is_broken: true,
        at: Some(parsed.position(path)),
        text,
    };
    if kind == "Workflow" {
        return error(
            "apiVersion",
            format!("{found} with `apiVersion: {version}`: write `argoproj.io/v1alpha1`"),
        );
    }
    let is_like = kind.starts_with("Work") || kind.ends_with("flow") || kind.ends_with("Template");
    if version.starts_with("argoproj.io/") && is_like && !BESIDE.contains(&kind) {
        let kinds = "Workflow, WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow";
        return error("kind", format!("{found} is none of Argo's: write {kinds}"));
    }
    note("not-checked", format!("{found} is not a workflow, so it was not checked"))
}

/// A template or a cron workflow. A template is a manifest without an entrypoint of its own, as a rule; what it is
/// called with comes from its callers.
fn manifest_looked(parsed: &Parsed, value: &Value, manifest: &Manifest<'_>, scenario: &Scenario) -> Looked {
    let Manifest { kind, spec, workflow } = manifest;
    let runs = !workflow.spec.entrypoint.is_empty();
    let release = scenario.release.clone().filter(|_| runs);
    let mut analysis = analyse(workflow, &Scenario { release, ..scenario.clone() });
    analysis.diagnostics.retain(|one| !matches!(one.code, Code::NearestRelease { .. }));
    if *kind != "CronWorkflow" {
        analysis.diagnostics.retain(|one| !is_callers(&one.code));
    }
    for one in &mut analysis.diagnostics {
        one.path = below(spec, &one.path);
    }
    valid::settle(&mut analysis.diagnostics, value, &scenario.library);
    let places = Places::of(&analysis, spec);
    let mut remarks: Vec<Remark> = analysis.diagnostics.iter().map(|one| diagnosed(parsed, one)).collect();
    remarks.extend(elsewhere(&valid::missing(value, &scenario.library)));
    remarks.extend(outlook_remarks(parsed, &analysis, &places));
    Looked { kind: (*kind).to_owned(), name: name_of(workflow), remarks, analysis: Some(analysis) }
}

/// What a template lacks and its callers give.
fn is_callers(code: &Code) -> bool {
    match code {
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
    }
}

fn elsewhere(missing: &BTreeSet<String>) -> Option<Remark> {
    if missing.is_empty() {
        return None;
    }
    let names: Vec<&str> = missing.iter().map(String::as_str).collect();
    let text = format!("templates of {} were not checked: name their files too", names.join(", "));
    Some(note("reference-elsewhere", text))
}

/// Where nodes are planned in the document.
struct Places(BTreeMap<String, String>);

impl Places {
    /// `spec`: the path of the workflow's spec in the document.
    fn of(analysis: &Analysis, spec: &str) -> Self {
        let outline = analysis.plan.outline().into_iter();
        Self(outline.map(|node| (node.name.as_str().to_owned(), below(spec, &node.path))).collect())
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

/// A path of the workflow in the document, whose spec may stand elsewhere.
fn below(spec: &str, path: &str) -> String {
    match path.strip_prefix("spec") {
        Some(rest) if rest.is_empty() || rest.starts_with(['.', '[']) => format!("{spec}{rest}"),
        Some(_) | None => path.to_owned(),
    }
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
