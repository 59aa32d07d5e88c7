//! Files from the command line: read, parsed, with the place of what is wrong.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use unwind_engine::Diagnostic;
use unwind_engine::library::Library;
use unwind_model::Workflow;
use unwind_model::document::evidence::{self, Evidence};
use unwind_model::document::packed::unpack;
use unwind_model::document::{Document, ParseError, Parsed, parse, parse_workflow};
use unwind_model::yaml::{Limits, Position, load};
use unwind_present::words;

/// Largest file that is read.
const LIMIT: u64 = 64 << 20;

/// A file that cannot be read, with its place.
#[derive(Clone, Debug)]
pub struct CannotRead {
    /// The whole of it in words, with the file.
    pub text: String,
    /// Where.
    pub at: Option<Position>,
    /// JSON path of the value; empty when the file as a whole is meant.
    pub path: String,
    /// What was expected there; empty where the file is not there.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl fmt::Display for CannotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CannotRead {}

impl CannotRead {
    fn parsing(file: &Path, error: ParseError) -> Self {
        let text = format!("{}: {error}", file.display());
        let ParseError { at, path, expected, found } = error;
        Self { text, at: Some(at), path, expected, found }
    }

    fn whole(text: String, found: String) -> Self {
        Self { text, at: None, path: String::new(), expected: String::new(), found }
    }
}

/// Ends of names of files that are taken from a folder.
const ENDS: [&str; 3] = ["yaml", "yml", "json"];

/// The files that were named, in place of a folder all YAML and JSON files in it and below, sorted by name. Hidden
/// ones are passed over. A folder that gives nothing is told with why.
pub fn files(named: &[PathBuf]) -> Vec<(PathBuf, Option<CannotRead>)> {
    let mut files = Vec::new();
    for file in named {
        if !file.is_dir() {
            files.push((file.clone(), None));
            continue;
        }
        let mut found = Vec::new();
        if let Err(error) = look_into(file, &mut found) {
            let text = format!("cannot read the folder `{}`: {error}", file.display());
            files.push((file.clone(), Some(CannotRead::whole(text, error.to_string()))));
        } else if found.is_empty() {
            let text = format!("there is no YAML or JSON file in the folder `{}`", file.display());
            files.push((file.clone(), Some(CannotRead::whole(text, "nothing".to_owned()))));
        }
        found.sort();
        files.extend(found.into_iter().map(|file| (file, None)));
    }
    files
}

fn look_into(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            let is_wanted = || path.extension().is_some_and(|end| ENDS.iter().any(|known| end == *known));
            if kind.is_dir() && !is_hidden {
                waiting.push(path);
            } else if !is_hidden && !kind.is_dir() && is_wanted() {
                found.push(path);
            }
        }
    }
    Ok(())
}

/// What a file tells of workflows, whatever it is; `-` is standard input.
pub fn evidence(file: &Path) -> Result<Evidence, CannotRead> {
    let bytes = read(file)?;
    match evidence::read(&bytes).map_err(|error| CannotRead::parsing(file, error))? {
        Evidence::Documents(documents) => Ok(Evidence::Documents(maps(file, documents)?)),
        other @ (Evidence::Stream(_) | Evidence::Log(_) | Evidence::Rows(_)) => Ok(other),
    }
}

/// The documents of a file; `-` is standard input.
pub fn documents(file: &Path) -> Result<Vec<Parsed>, CannotRead> {
    let bytes = read(file)?;
    let mut documents = parse(&bytes).map_err(|error| CannotRead::parsing(file, error))?;
    for parsed in &mut documents {
        match &mut parsed.document {
            // Nodes that cannot be unpacked stay packed, and are said to be elsewhere.
            Document::Workflow(workflow) => drop(unpack(workflow)),
            Document::Unknown { .. } => {}
        }
    }
    maps(file, documents)
}

/// Documents that may be of something: a text, a number or a list alone is none.
fn maps(file: &Path, documents: Vec<Parsed>) -> Result<Vec<Parsed>, CannotRead> {
    let is_map = |parsed: &Parsed| parsed.value().is_none_or(Value::is_object);
    match documents.iter().find(|parsed| !is_map(parsed)) {
        Some(Parsed { document: Document::Unknown { found }, .. }) if !documents.iter().any(is_map) => {
            let (at, path) = (Position { line: 1, column: 1 }, String::new());
            let expected = "an Argo Workflow, as YAML or JSON".to_owned();
            Err(CannotRead::parsing(file, ParseError { at, path, expected, found: found.clone() }))
        }
        Some(_) | None => Ok(documents),
    }
}

/// What workflows may refer to, out of documents that are none.
pub fn library<'a>(documents: impl Iterator<Item = &'a Parsed>) -> Library {
    let mut library = Library::default();
    for value in documents.filter_map(Parsed::value) {
        // What does not fit is told when the document itself is checked.
        let _ = library.add(value);
    }
    library
}

/// A document that holds the spec of a workflow, taken as the manifest of one.
pub struct Manifest<'a> {
    /// `WorkflowTemplate`, `ClusterWorkflowTemplate` or `CronWorkflow`.
    pub kind: &'a str,
    /// Path of the spec.
    pub spec: &'static str,
    /// The manifest.
    pub workflow: Workflow,
}

/// A template or a cron workflow as the manifest of a workflow.
pub fn manifest_in(value: &Value) -> Option<Manifest<'_>> {
    let kind = value.get("kind")?.as_str()?;
    let mut manifest = value.clone();
    manifest["kind"] = "Workflow".into();
    let spec = match kind {
        "WorkflowTemplate" | "ClusterWorkflowTemplate" => "spec",
        "CronWorkflow" => {
            manifest["spec"] = value.get("spec")?.get("workflowSpec")?.clone();
            "spec.workflowSpec"
        }
        _ => return None,
    };
    manifest.as_object_mut()?.shift_remove("status");
    Some(Manifest { kind, spec, workflow: serde_json::from_value(manifest).ok()? })
}

/// What is rehearsed, with all documents that were named beside it.
pub struct Among {
    /// The first workflow of all; where there is none, the first template or cron workflow with an entrypoint.
    pub workflow: Workflow,
    /// What it may refer to.
    pub library: Library,
    /// How many workflows there are beside it.
    pub others: usize,
}

/// The workflow in some files.
pub fn manifest_among(named: &[PathBuf]) -> Result<Among, CannotRead> {
    let mut documents = Vec::new();
    let mut first = None;
    for (file, error) in files(named) {
        error.map_or(Ok(()), Err)?;
        documents.extend(self::documents(&file)?);
        first.get_or_insert(file);
    }
    let workflows: Vec<&Workflow> = documents
        .iter()
        .filter_map(|parsed| match &parsed.document {
            Document::Workflow(workflow) => Some(&**workflow),
            Document::Unknown { .. } => None,
        })
        .collect();
    let in_its_place = || {
        let manifests = documents.iter().filter_map(|parsed| manifest_in(parsed.value()?));
        manifests.map(|manifest| manifest.workflow).find(|workflow| !workflow.spec.entrypoint.is_empty())
    };
    let Some(workflow) = workflows.first().map(|workflow| Workflow::clone(workflow)).or_else(in_its_place)
    else {
        let file = first.unwrap_or_default();
        let found: Vec<String> = documents
            .iter()
            .filter_map(|parsed| match &parsed.document {
                Document::Unknown { found } => Some(found.clone()),
                Document::Workflow(_) => None,
            })
            .collect();
        let text =
            format!("{}: there is no workflow with an entrypoint, only {}", file.display(), found.join(", "));
        return Err(CannotRead::whole(text, found.join(", ")));
    };
    Ok(Among { workflow, library: library(documents.iter()), others: workflows.len().saturating_sub(1) })
}

/// The first workflow of a file, and every document in it as a value.
pub fn workflow_among(file: &Path) -> Result<(Workflow, Parsed, Vec<Value>), CannotRead> {
    let bytes = read(file)?;
    let (mut workflow, parsed) = parse_workflow(&bytes).map_err(|error| CannotRead::parsing(file, error))?;
    drop(unpack(&mut workflow));
    Ok((workflow, parsed, to_values(file, &bytes)?))
}

/// The documents of a file as values.
pub fn values(file: &Path) -> Result<Vec<Value>, CannotRead> {
    to_values(file, &read(file)?)
}

fn to_values(file: &Path, bytes: &[u8]) -> Result<Vec<Value>, CannotRead> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| CannotRead::whole(format!("{}: not UTF-8", file.display()), error.to_string()))?;
    let loaded = load(text, &Limits::default()).map_err(|error| CannotRead::parsing(file, error.into()))?;
    let mut values = Vec::new();
    for (value, _) in loaded {
        match value.get("items").and_then(Value::as_array) {
            Some(items) if value["kind"].as_str().is_some_and(|kind| kind.ends_with("List")) => {
                values.extend(items.iter().cloned());
            }
            Some(_) | None => values.push(value),
        }
    }
    Ok(values)
}

/// A diagnostic as a line, with file, line and column.
pub fn line(file: &Path, parsed: &Parsed, diagnostic: &Diagnostic) -> String {
    let at = diagnostic.position.unwrap_or_else(|| parsed.position(&diagnostic.path));
    let word = words::diagnostic::severity_word(diagnostic.severity);
    let said = words::diagnostic::sentence(&diagnostic.code);
    let path = if diagnostic.path.is_empty() { String::new() } else { format!(" ({})", diagnostic.path) };
    format!("{}:{}:{}: {word}: {said}{path}", file.display(), at.line, at.column)
}

fn read(file: &Path) -> Result<Vec<u8>, CannotRead> {
    let cannot = |error: std::io::Error| {
        CannotRead::whole(format!("cannot read `{}`: {error}", file.display()), error.to_string())
    };
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().take(LIMIT + 1).read_to_end(&mut bytes).map_err(cannot)?;
    } else {
        let opened = std::fs::File::open(file).map_err(cannot)?;
        opened.take(LIMIT + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if bytes.len() as u64 > LIMIT {
        let found = format!("more than {} MB", LIMIT >> 20);
        return Err(CannotRead::whole(
            format!("`{}` is larger than {} MB", file.display(), LIMIT >> 20),
            found,
        ));
    }
    Ok(bytes)
}
