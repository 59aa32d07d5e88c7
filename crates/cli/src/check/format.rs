//! What was looked at, as lines, annotations, SARIF or data.

use std::fmt::Write;

use anyhow::Result;
use serde_json::{Map, Value, json};
use unwind_engine::Severity;
use unwind_engine::analysis::Analysis;
use unwind_engine::behaviour::Release;
use unwind_model::yaml::Position;
use unwind_present::words::diagnostic::severity_word;

use super::look::{File, Looked, Remark};

/// Version of the shape of the data; it grows when something is taken away or changes its meaning.
const SHAPE: u32 = 1;

/// One line for each remark, and one for each workflow of which there is nothing bad to say.
pub(super) fn text(files: &[File]) -> String {
    let mut text = String::new();
    for file in files {
        for document in &file.documents {
            for remark in &document.remarks {
                let place = match remark.at {
                    Some(at) => format!("{}:{}:{}", file.name, at.line, at.column),
                    None => file.name.clone(),
                };
                let _ = writeln!(text, "{place}: {}: {}", severity_word(remark.severity), remark.text);
            }
            let is_quiet = document.remarks.iter().all(|remark| remark.severity == Severity::Note);
            if is_quiet && document.analysis.is_some() {
                let _ = writeln!(text, "{}: {}: nothing wrong", file.name, document.name);
            }
        }
    }
    text
}

/// Workflow commands of GitHub Actions, one line each.
pub(super) fn github(files: &[File]) -> String {
    let mut text = String::new();
    for file in files {
        if let Some(error) = &file.error {
            let place = place(&file.name, error.at);
            let _ = writeln!(text, "::error {place},title=unreadable::{}", escaped(&error.text));
        }
        for remark in file.documents.iter().flat_map(|document| &document.remarks) {
            let command = match remark.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "notice",
            };
            let place = place(&file.name, remark.at);
            let _ = writeln!(text, "::{command} {place},title={}::{}", remark.rule, escaped(&remark.text));
        }
    }
    text
}

fn place(file: &str, at: Option<Position>) -> String {
    let file = escaped(file).replace(':', "%3A").replace(',', "%2C");
    match at {
        Some(at) => format!("file={file},line={},col={}", at.line, at.column),
        None => format!("file={file}"),
    }
}

/// Source: GitHub Actions, `@actions/core`, `command.ts`, `escapeData`.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A SARIF 2.1.0 log with one run.
pub(super) fn sarif(files: &[File]) -> Result<String> {
    let mut results = Vec::new();
    for file in files {
        if let Some(error) = &file.error {
            results.push(result(&file.name, "unreadable", "error", error.at, &error.text));
        }
        for remark in file.documents.iter().flat_map(|document| &document.remarks) {
            let Remark { rule, severity, at, text, .. } = remark;
            let level = match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            };
            results.push(result(&file.name, rule, level, *at, text));
        }
    }
    let driver = json!({"name": "unwind", "version": env!("CARGO_PKG_VERSION")});
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    });
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

fn result(file: &str, rule: &str, level: &str, at: Option<Position>, text: &str) -> Value {
    let mut place = json!({"artifactLocation": {"uri": file.replace('\\', "/")}});
    if let Some(at) = at {
        place["region"] = json!({"startLine": at.line, "startColumn": at.column});
    }
    json!({
        "ruleId": rule, "level": level, "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    })
}

/// Everything as data, without sentences.
pub(super) fn json(files: &[File], code: u8, release: Option<&Release>) -> Result<String> {
    let mut list = Vec::new();
    for file in files {
        let mut entry = Map::new();
        entry.insert("file".into(), json!(file.name));
        if let Some(error) = &file.error {
            let at = error.at.map(|at| json!({"line": at.line, "column": at.column}));
            entry.insert(
                "error".into(),
                json!({"position": at, "path": error.path,
                "expected": error.expected, "found": error.found}),
            );
        }
        let documents: Vec<Value> = file.documents.iter().map(document).collect();
        entry.insert("documents".into(), Value::Array(documents));
        list.push(Value::Object(entry));
    }
    Ok(serde_json::to_string_pretty(
        &json!({"shape": SHAPE, "exit": code, "release": release, "files": list}),
    )?)
}

fn document(looked: &Looked) -> Value {
    let mut entry = Map::new();
    entry.insert("kind".into(), json!(looked.kind));
    entry.insert("name".into(), json!(looked.name));
    entry.insert("checked".into(), json!(looked.analysis.is_some()));
    if let Some(analysis) = &looked.analysis {
        analysed(looked, analysis, &mut entry);
    }
    Value::Object(entry)
}

fn analysed(looked: &Looked, analysis: &Analysis, entry: &mut Map<String, Value>) {
    let is_broken = looked.remarks.iter().any(|remark| remark.is_broken);
    entry.insert("broken".into(), json!(is_broken));
    // The remarks of diagnostics come first, and carry their places.
    let diagnostics = analysis.diagnostics.iter().zip(&looked.remarks).map(|(diagnostic, remark)| {
        let mut value = json!(diagnostic);
        value["position"] = json!(remark.at.map(|at| json!({"line": at.line, "column": at.column})));
        value
    });
    entry.insert("diagnostics".into(), diagnostics.collect());
    let judgement = analysis.judgement.as_ref();
    entry.insert("findings".into(), json!(judgement.map(|judgement| &judgement.findings)));
    entry.insert("holds".into(), json!(judgement.and_then(|judgement| judgement.holds)));
    entry.insert("sources".into(), json!(analysis.trace.as_ref().map(|trace| &trace.sources)));
    entry.insert("phases".into(), json!(analysis.phases));
    entry.insert("told".into(), json!(analysis.told));
    entry.insert("cause".into(), json!(analysis.cause));
    entry.insert("heldUp".into(), json!(analysis.held_up));
    entry.insert("retry".into(), json!(analysis.retry));
    entry.insert("predictions".into(), json!(analysis.predictions));
    entry.insert("outlook".into(), json!(analysis.outlook));
}
