//! Every manifest of a folder, rehearsed to its end with simulated leaves, as the newest Argo row and under UNWIND.
//!
//! In: YAML files. Out: for each what came of it, and a table of what could not be run and why. A file passes
//! when each of its objects is read, is valid, and runs to its end without a node in error, or holds nothing
//! that runs. Documents that refer to each other are found in the whole folder.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Map, Value, json};
use unwind_engine::Behaviour;
use unwind_engine::library::Library;
use unwind_model::yaml::{Limits, load};
use unwind_model::{Workflow, WorkflowPhase};

use crate::cluster::{Cluster, Course, Ended};
use crate::panics::{catch, keep_panics};
use crate::traces::FIRST_PASS;
use unwind_engine::operate::Run;

/// The release as which manifests are run.
const ARGO: &str = "v4.1.2";

/// How a tag begins that names an argument of the workflow.
const TAG: &str = "{{workflow.parameters.";

/// Why a lock of a database cannot be had: a rehearsal has none.
/// Source: Argo `workflow/sync/sync_manager.go`.
const NO_DATABASE: &str = "database session is not available";

/// More passes than this are taken for a run without an end.
const MOST_PASSES: usize = 2_000;

/// How much of `generateName` the API server keeps.
/// Source: Kubernetes `apiserver/pkg/storage/names/generate.go`, `maxGeneratedNameLength`.
const LONGEST_START: usize = 58;

/// What became of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Path inside the folder.
    pub file: String,
    /// Each object in it.
    pub objects: Vec<(String, Outcome)>,
}

/// What became of one object.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It ran to its end.
    Ran(Box<Ended>),
    /// Nothing in it can run here, and why.
    NothingToRun(String),
    /// What is wrong.
    Failed(String),
}

impl Report {
    /// True when nothing is wrong.
    pub fn passed(&self) -> bool {
        self.objects.iter().all(|(_, outcome)| !matches!(outcome, Outcome::Failed(_)))
    }
}

/// Rehearses every `.yaml` file below a folder, sorted by path.
pub fn rehearse_folder(folder: &Path) -> anyhow::Result<Vec<Report>> {
    let mut texts = Vec::new();
    for file in files(folder)? {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read `{}`", file.display()))?;
        let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        texts.push((name, load_all(&text)));
    }
    let mut library = Library::default();
    for document in texts.iter().filter_map(|(_, documents)| documents.as_ref().ok()).flatten() {
        // One that does not fit is reported where it stands.
        let _ = library.add(document);
    }
    Ok(keep_panics(|| {
        texts
            .iter()
            .map(|(name, documents)| Report {
                file: name.clone(),
                objects: match documents {
                    Ok(documents) => documents.iter().map(|document| object(document, &library)).collect(),
                    Err(why) => vec![("file".to_owned(), Outcome::Failed(why.clone()))],
                },
            })
            .collect()
    }))
}

/// A line for each object, the table of what did not run, `N passed, M failed`.
pub fn lines(reports: &[Report]) -> String {
    let mut text = String::new();
    let mut not_run = String::new();
    for report in reports {
        for (object, outcome) in &report.objects {
            let place = format!("{} {object}", report.file);
            let _ = match outcome {
                Outcome::Ran(ended) => writeln!(
                    text,
                    "pass {place}: {} with {} nodes after {} passes{}",
                    ended.phase.as_str(),
                    ended.nodes,
                    ended.passes,
                    if ended.message.is_empty() { String::new() } else { format!(": {}", ended.message) },
                ),
                Outcome::NothingToRun(why) => writeln!(not_run, "{place}: {why}"),
                Outcome::Failed(why) => {
                    let _ = writeln!(text, "FAIL {place}: {why}");
                    writeln!(not_run, "{place}: {why}")
                }
            };
        }
    }
    let passed = reports.iter().filter(|report| report.passed()).count();
    if !not_run.is_empty() {
        let _ = write!(text, "\nnot run to the end:\n{not_run}\n");
    }
    let _ = writeln!(text, "{passed} passed, {} failed", reports.len() - passed);
    text
}

fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|end| end == "yaml" || end == "yml") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn load_all(text: &str) -> Result<Vec<Value>, String> {
    let documents = load(text, &Limits::default()).map_err(|error| {
        format!(
            "line {}, column {}: expected {}, found {}",
            error.at.line, error.at.column, error.expected, error.found
        )
    })?;
    Ok(documents.into_iter().map(|(value, _)| value).filter(|value| !value.is_null()).collect())
}

fn object(document: &Value, library: &Library) -> (String, Outcome) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let kind = text(&document["kind"]);
    let metadata = &document["metadata"];
    let name = text(if metadata["name"].is_null() { &metadata["generateName"] } else { &metadata["name"] });
    let workflow = match kind.as_str() {
        "Workflow" => Ok(document.clone()),
        "CronWorkflow" => Ok(of_spec(&name, &document["spec"]["workflowSpec"])),
        "WorkflowTemplate" | "ClusterWorkflowTemplate" => {
            of_template(&name, &document["spec"], kind == "ClusterWorkflowTemplate")
        }
        _ => Err(format!("there is nothing to run in a `{kind}`")),
    };
    let outcome = match workflow {
        Ok(workflow) => rehearse(workflow, library),
        Err(why) => Outcome::NothingToRun(why),
    };
    (format!("{kind} {name}"), outcome)
}

fn of_spec(name: &str, spec: &Value) -> Value {
    json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": {"name": name}, "spec": spec})
}

fn of_template(name: &str, spec: &Value, is_cluster: bool) -> Result<Value, String> {
    if spec["entrypoint"].is_null() {
        return Err("it has no entrypoint: its templates are for others".to_owned());
    }
    Ok(of_spec(name, &json!({"workflowTemplateRef": {"name": name, "clusterScope": is_cluster}})))
}

fn rehearse(mut document: Value, library: &Library) -> Outcome {
    let made_up = made_up_config_maps(&document, library);
    let mut library = library.clone();
    for config_map in &made_up {
        if let Err(error) = library.add(config_map) {
            return Outcome::Failed(error.to_string());
        }
    }
    prepare(&mut document, &library);
    let workflow: Workflow = match serde_json::from_value(document) {
        Ok(workflow) => workflow,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    match (under(Behaviour::argo(ARGO), &workflow, &library), under(Behaviour::UNWIND, &workflow, &library)) {
        (outcome @ (Outcome::Failed(_) | Outcome::NothingToRun(_)), _) => outcome,
        (Outcome::Ran(_), Outcome::Failed(why)) => Outcome::Failed(format!("under UNWIND: {why}")),
        (ran @ Outcome::Ran(_), Outcome::Ran(_) | Outcome::NothingToRun(_)) => ran,
    }
}

fn under(behaviour: Behaviour, workflow: &Workflow, library: &Library) -> Outcome {
    let run = Run::new(workflow.clone(), library.clone(), behaviour);
    let cluster = Cluster::new(run, workflow, library);
    match catch(|| cluster.drive(FIRST_PASS, &Course::default(), MOST_PASSES)) {
        Ok(ended) => judge(ended),
        Err(why) => Outcome::Failed(why),
    }
}

fn judge(ended: Ended) -> Outcome {
    if !ended.is_completed {
        let open: Vec<String> =
            ended.open.iter().map(|(node, phase)| format!("{node} {}", phase.as_str())).collect();
        return Outcome::Failed(format!(
            "not over after {} passes: {} {}; {}",
            ended.passes,
            ended.phase.as_str(),
            ended.message,
            open.join(", ")
        ));
    }
    let said = ended.errors.iter().find(|(_, message)| !message.is_empty());
    if let Some((node, message)) = said.or(ended.errors.first()) {
        if message.contains(NO_DATABASE) {
            return Outcome::NothingToRun(format!("it needs a database for its locks: {message}"));
        }
        return Outcome::Failed(format!("{node} is in error: {message}"));
    }
    if ended.message.contains(NO_DATABASE) {
        return Outcome::NothingToRun(format!("it needs a database for its locks: {}", ended.message));
    }
    match ended.phase {
        WorkflowPhase::Succeeded => Outcome::Ran(Box::new(ended)),
        WorkflowPhase::Failed if !ended.message.starts_with("invalid spec: ") => {
            Outcome::Ran(Box::new(ended))
        }
        WorkflowPhase::Unset
        | WorkflowPhase::Pending
        | WorkflowPhase::Running
        | WorkflowPhase::Failed
        | WorkflowPhase::Error => Outcome::Failed(format!("{}: {}", ended.phase.as_str(), ended.message)),
    }
}

/// What the server would add: a name, a namespace; and values for arguments that a user has to give.
fn prepare(document: &mut Value, library: &Library) {
    let metadata = &mut document["metadata"];
    if metadata["name"].is_null() {
        let start = metadata["generateName"].as_str().unwrap_or("unnamed-");
        let start: String = start.chars().take(LONGEST_START).collect();
        metadata["name"] = json!(format!("{start}x7k2p"));
    }
    metadata["namespace"] = json!("default");
    metadata["uid"] = json!("11111111-2222-4333-8444-555555555555");
    metadata["creationTimestamp"] = json!(FIRST_PASS.to_string());
    let reference = &document["spec"]["workflowTemplateRef"];
    let referred = reference["name"].as_str().and_then(|name| {
        library
            .workflow_template(name, reference["clusterScope"] == true)
            .and_then(|spec| serde_json::to_value(spec).ok())
    });
    let spec = referred.as_ref().unwrap_or(&document["spec"]);
    let given = given_arguments(&document["spec"], spec);
    if !given.is_empty() {
        document["spec"]["arguments"]["parameters"] = Value::Array(given);
    }
}

/// The workflow's arguments: those it has, and a made-up value for each that is declared without one, that a
/// tag names, or that the entrypoint takes.
fn given_arguments(own: &Value, spec: &Value) -> Vec<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut parameters: Vec<Value> = Vec::new();
    for parameter in
        list(&own["arguments"]["parameters"]).into_iter().chain(list(&spec["arguments"]["parameters"]))
    {
        if !parameters.iter().any(|known| known["name"] == parameter["name"]) {
            parameters.push(parameter);
        }
    }
    for parameter in &mut parameters {
        if ["value", "valueFrom", "default"].iter().all(|key| parameter[*key].is_null()) {
            parameter["value"] = json!("1");
        }
    }
    let mut named: Vec<String> = Vec::new();
    let text = spec.to_string();
    for (_, rest) in text.match_indices(TAG).map(|(at, tag)| text.split_at(at + tag.len())) {
        named.extend(rest.split_once("}}").map(|(name, _)| name.to_owned()));
    }
    let entrypoint =
        list(&spec["templates"]).into_iter().find(|template| template["name"] == spec["entrypoint"]);
    for input in entrypoint.iter().flat_map(|template| list(&template["inputs"]["parameters"])) {
        if ["value", "valueFrom", "default"].iter().all(|key| input[*key].is_null()) {
            named.extend(input["name"].as_str().map(str::to_owned));
        }
    }
    for name in named {
        if !parameters.iter().any(|known| known["name"] == *name) {
            parameters.push(json!({"name": name, "value": "1"}));
        }
    }
    parameters
}

/// Config maps that are named in a document and not in the folder; every key in them is `2`.
fn made_up_config_maps(document: &Value, library: &Library) -> Vec<Value> {
    let mut data: Map<String, Value> = Map::new();
    let mut waiting = vec![document];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => {
                for (key, inner) in fields {
                    if key == "configMapKeyRef"
                        && let (Some(name), Some(key)) = (inner["name"].as_str(), inner["key"].as_str())
                        && library.config_map(name).is_none()
                    {
                        let entries = data.entry(name).or_insert_with(|| json!({}));
                        entries[key] = json!("2");
                    }
                    waiting.push(inner);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    data.into_iter()
        .map(|(name, data)| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}))
        .collect()
}
