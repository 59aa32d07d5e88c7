//! Documents and what validation says of them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};
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

/// A case of the fixture, see there.
#[derive(Deserialize)]
struct Case {
    wrong: String,
    spec: Map<String, Value>,
    #[serde(default)]
    needs: Value,
    #[serde(default)]
    says: String,
    #[serde(default)]
    at: String,
}

impl Case {
    fn workflow(&self) -> Workflow {
        Workflow::deserialize(&self.document()).expect("a workflow")
    }

    fn document(&self) -> Value {
        let mut spec = self.spec.clone();
        let is_bare = spec.shift_remove("bare").is_some();
        if !is_bare && spec.contains_key("entrypoint") {
            let templates = spec.entry("templates").or_insert_with(|| json!([]));
            templates.as_array_mut().expect("a list").extend([
                json!({"name": "work", "container": {"image": "busybox"}}),
                json!({
                    "name": "tell",
                    "inputs": {"parameters": [{"name": "in"}]},
                    "container": {"image": "busybox", "args": ["{{inputs.parameters.in}}"]},
                }),
            ]);
        }
        json!({"metadata": {"name": "w"}, "spec": spec})
    }
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/invalid.yaml");
    let (cases, _) = yaml::load(&text(&path), &Limits::default()).expect("YAML").remove(0);
    Vec::deserialize(&cases).expect("cases")
}

/// The value at a path of the document.
fn at<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
    yaml::Path::parse(path).0.iter().try_fold(document, |value, segment| match segment {
        yaml::Segment::Key(key) => value.get(key),
        yaml::Segment::Index(index) => value.get(index),
    })
}

#[test]
fn every_kind_of_mistake_is_told_with_its_place() {
    let mut wrong = Vec::new();
    for case in cases() {
        let result = validate(&case.workflow(), &library(Some(&case.needs)), ValidateOptions::default());
        let (says, at) = result.err().map(|invalid| (invalid.message, invalid.path)).unwrap_or_default();
        if (&says, &at) != (&case.says, &case.at) {
            wrong.push(format!("{}: `{says}` at `{at}`", case.wrong));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every document that has `value` in place of one value of `document`.
fn broken(document: &Value, value: &Value, see: &mut dyn FnMut(Value)) {
    let mut paths = vec![String::new()];
    while let Some(path) = paths.pop() {
        let mut copy = document.clone();
        *copy.pointer_mut(&path).expect("a path of it") = value.clone();
        see(copy);
        match document.pointer(&path).expect("a path of it") {
            Value::Object(map) => paths.extend(map.keys().map(|key| format!("{path}/{key}"))),
            Value::Array(list) => paths.extend((0..list.len()).map(|index| format!("{path}/{index}"))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[test]
fn broken_documents_are_told_at_places_that_exist() {
    let mut told = 0;
    for case in cases() {
        let library = library(Some(&case.needs));
        for value in [Value::Null, json!("{{inputs"), json!([])] {
            broken(&case.document(), &value, &mut |document| {
                let Ok(workflow) = Workflow::deserialize(&document) else { return };
                if document.get("spec").is_none() {
                    return;
                }
                let Err(invalid) = validate(&workflow, &library, ValidateOptions::default()) else { return };
                told += 1;
                assert!(at(&document, &invalid.path).is_some(), "{}: {document}", invalid.path);
            });
        }
    }
    assert!(told > 1000, "{told}");
}

fn lint(document: &Value) -> String {
    let options = ValidateOptions { lint: true, ..ValidateOptions::default() };
    match validate_document(document, &Library::default(), options) {
        Ok(()) => String::new(),
        Err(invalid) => format!("{}: {}", invalid.path, invalid.message),
    }
}

#[test]
fn names_of_objects_are_short() {
    let name = "x".repeat(64);
    for (kind, what) in [
        ("Workflow", "workflow"),
        ("WorkflowTemplate", "workflow template"),
        ("ClusterWorkflowTemplate", "cluster workflow template"),
    ] {
        assert_eq!(
            lint(&json!({"kind": kind, "metadata": {"name": name}, "spec": {}})),
            format!(
                "metadata.name: {what} name \"{name}\" must not be more than 63 characters long (currently 64)"
            )
        );
    }
    let name = "x".repeat(53);
    assert_eq!(
        lint(&json!({"kind": "CronWorkflow", "metadata": {"name": name}, "spec": {}})),
        format!(
            "metadata.name: cron workflow name \"{name}\" must not be more than 52 characters long (currently 53)"
        )
    );
}

#[test]
fn template_documents_need_no_entrypoint_and_no_arguments() {
    let document = |args: &str| {
        json!({"kind": "WorkflowTemplate", "metadata": {"name": "shelf"}, "spec": {
            "arguments": {"parameters": [{"name": "p"}]},
            "templates": [{"name": "t", "container": {"image": "busybox", "args": [args]}}],
        }})
    };
    assert_eq!(lint(&document("{{workflow.parameters.p}} {{workflow.parameters.of-the-caller}}")), "");
    assert_eq!(
        lint(&document("{{inputs.parameters.x}}")),
        "spec.templates[0]: templates.t templates.t: failed to resolve {{inputs.parameters.x}}"
    );
}

#[test]
fn cron_workflows_have_schedules_and_a_workflow() {
    let document = |spec: Value| json!({"kind": "CronWorkflow", "metadata": {"name": "c"}, "spec": spec});
    let good = json!({"entrypoint": "t", "templates": [{"name": "t", "suspend": {}}]});
    let check = |spec: Value, expected: &str| assert_eq!(lint(&document(spec)), expected);
    check(json!({"workflowSpec": good}), "spec: cron workflow must have at least one schedule");
    check(
        json!({"schedules": ["@daily", "* * *"], "workflowSpec": good}),
        "spec.schedules[1]: cron schedule * * * is malformed: expected exactly 5 fields, found 3: [* * *]",
    );
    check(
        json!({"schedules": ["* * * * *"], "concurrencyPolicy": "Queue", "workflowSpec": good}),
        "spec.concurrencyPolicy: 'Queue' is not a valid concurrencyPolicy",
    );
    check(
        json!({"schedules": ["* * * * *"], "startingDeadlineSeconds": -1, "workflowSpec": good}),
        "spec.startingDeadlineSeconds: startingDeadlineSeconds must be positive",
    );
    check(
        json!({"schedules": ["* * * * *"], "workflowSpec": {"entrypoint": "t"}}),
        "spec.workflowSpec.entrypoint: cannot validate Workflow: template name 't' undefined",
    );
    let zoned = |zone: &str| json!({"schedules": ["* * * * *"], "timezone": zone, "workflowSpec": good});
    check(zoned("New York"), "spec.timezone: invalid timezone \"New York\": unknown time zone New York");
    check(zoned("/UTC"), "spec.timezone: invalid timezone \"/UTC\": time: invalid location name");
    check(zoned("America/New_York"), "");
}

#[test]
fn a_missing_document_is_an_error_where_it_is_only_looked_at() {
    let reference =
        |reference: Value| json!({"kind": "Workflow", "spec": {"workflowTemplateRef": reference}});
    assert_eq!(
        lint(&reference(json!({"name": "shelf"}))),
        "spec.workflowTemplateRef: workflowtemplate.argoproj.io \"shelf\" not found"
    );
    assert_eq!(
        lint(&reference(json!({"name": "shelf", "clusterScope": true}))),
        "spec.workflowTemplateRef: clusterworkflowtemplate.argoproj.io \"shelf\" not found"
    );
    assert_eq!(
        lint(&json!({"kind": "Pod"})),
        "kind: expected Workflow, WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow, found `Pod`"
    );
}

#[test]
fn long_chains_of_templates_are_walked_without_deep_stacks() {
    let mut templates = vec![json!({"name": "t-5000", "container": {"command": ["work"]}})];
    for index in 0..5000 {
        let next = format!("t-{}", index + 1);
        templates.push(json!({"name": format!("t-{index}"), "steps": [[{"name": "a", "template": next}]]}));
    }
    let workflow = json!({"spec": {"entrypoint": "t-0", "templates": templates}});
    assert_eq!(
        said(&workflow, None),
        "invalid spec: templates.t-5000 templates.t-5000.container.image may not be empty"
    );
}

#[test]
fn a_chain_of_thousands_of_tasks_is_valid() {
    let tasks: Vec<Value> = (0..2000)
        .map(|index| {
            let before = if index == 0 {
                "workflow.name".to_owned()
            } else {
                format!("tasks.t-{}.outputs.result", index - 1)
            };
            json!({
                "name": format!("t-{index}"),
                "template": "tell",
                "depends": if index == 0 { String::new() } else { format!("t-{}", index - 1) },
                "arguments": {"parameters": [{"name": "in", "value": format!("{{{{{before}}}}}")}]},
            })
        })
        .collect();
    let spec = json!({"entrypoint": "main", "templates": [{"name": "main", "dag": {"tasks": tasks}}]});
    let case = Case {
        wrong: String::new(),
        spec: spec.as_object().expect("a map").clone(),
        needs: Value::Null,
        says: String::new(),
        at: String::new(),
    };
    assert_eq!(validate(&case.workflow(), &Library::default(), ValidateOptions::default()), Ok(()));
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
