//! Documents and what validation says of them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use unwind_model::Workflow;
use unwind_model::yaml::{self, Limits};

use super::{ValidateOptions, validate, validate_document};
use crate::library::Library;

/// A directory of the corpus beside the repository, where there is one.
fn corpus(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name);
    path.exists().then_some(path)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn library(documents: Option<&Value>) -> Library {
    let mut library = Library::default();
    for document in documents.and_then(Value::as_array).into_iter().flatten() {
        library.add(document).expect("a document that fits");
    }
    library
}

/// What the controller says of the spec, or nothing.
fn said(workflow: &Value, needs: Option<&Value>) -> String {
    let workflow = Workflow::deserialize(workflow).expect("a workflow");
    match validate(&workflow, &library(needs), ValidateOptions::default()) {
        Ok(()) => String::new(),
        Err(invalid) => format!("invalid spec: {}", invalid.message),
    }
}

fn expected(message: Option<&str>) -> String {
    message.filter(|message| message.starts_with("invalid spec: ")).unwrap_or_default().to_owned()
}

#[test]
fn recorded_answers_are_given() {
    let Some(path) = corpus("traces/invalid.json") else { return };
    let entries: Vec<Value> = serde_json::from_str(&text(&path)).expect("JSON");
    let mut wrong = Vec::new();
    for entry in &entries {
        let expected = expected(entry["message"].as_str());
        let said = said(&entry["workflow"], entry.get("needs"));
        if said != expected {
            wrong.push(format!("{}: expected `{expected}`, said `{said}`", entry["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn recorded_workflows_are_valid_where_they_ran() {
    let mut wrong = Vec::new();
    for folder in ["traces", "traces-kfp"] {
        let Some(path) = corpus(folder) else { return };
        for file in files(&path, "jsonl") {
            let text = text(&file);
            let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
            let (input, first) = (lines.next().expect("an input"), lines.next().expect("a pass"));
            let expected = expected(first["wf"]["message"].as_str());
            let said = said(&input["workflow"], input.get("needs"));
            if said != expected {
                wrong.push(format!("{}: expected `{expected}`, said `{said}`", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn argo_examples_are_valid() {
    let Some(folder) = corpus("argo-examples") else { return };
    let files = files(&folder, "yaml");
    let mut documents = Vec::new();
    let mut library = Library::default();
    for file in &files {
        for (document, _) in yaml::load(&text(file), &Limits::default()).expect("YAML") {
            library.add(&document).expect("a document that fits");
            documents.push((file, document));
        }
    }
    let mut wrong = Vec::new();
    for (file, document) in &documents {
        let kind = document["kind"].as_str().unwrap_or_default();
        if !["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow"].contains(&kind) {
            continue;
        }
        let options = ValidateOptions { lint: true, ..ValidateOptions::default() };
        if let Err(invalid) = validate_document(document, &library, options) {
            wrong.push(format!("{}: {} at {}", file.display(), invalid.message, invalid.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
