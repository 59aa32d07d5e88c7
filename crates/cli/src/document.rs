//! Files from the command line: read, parsed, with the place of what is wrong.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use serde_json::Value;
use unwind_engine::Diagnostic;
use unwind_model::Workflow;
use unwind_model::document::{Parsed, parse, parse_workflow};
use unwind_model::yaml::{Limits, load};
use unwind_present::words;

/// Largest file that is read.
const LIMIT: u64 = 64 << 20;

/// The documents of a file; `-` is standard input.
pub fn documents(file: &Path) -> Result<Vec<Parsed>> {
    let bytes = read(file)?;
    parse(&bytes).map_err(|error| anyhow!("{}: {error}", file.display()))
}

/// The first workflow of a file.
pub fn workflow(file: &Path) -> Result<(Workflow, Parsed)> {
    let bytes = read(file)?;
    parse_workflow(&bytes).map_err(|error| anyhow!("{}: {error}", file.display()))
}

/// The first workflow of a file, and every document in it as a value.
pub fn workflow_among(file: &Path) -> Result<(Workflow, Parsed, Vec<Value>)> {
    let bytes = read(file)?;
    let (workflow, parsed) =
        parse_workflow(&bytes).map_err(|error| anyhow!("{}: {error}", file.display()))?;
    Ok((workflow, parsed, to_values(file, &bytes)?))
}

/// The documents of a file as values.
pub fn values(file: &Path) -> Result<Vec<Value>> {
    to_values(file, &read(file)?)
}

fn to_values(file: &Path, bytes: &[u8]) -> Result<Vec<Value>> {
    let text = std::str::from_utf8(bytes).with_context(|| format!("{}: not UTF-8", file.display()))?;
    let loaded = load(text, &Limits::default()).map_err(|error| anyhow!("{}: {error}", file.display()))?;
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

fn read(file: &Path) -> Result<Vec<u8>> {
    let what = || format!("cannot read `{}`", file.display());
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().take(LIMIT + 1).read_to_end(&mut bytes).with_context(what)?;
    } else {
        std::fs::File::open(file)
            .with_context(what)?
            .take(LIMIT + 1)
            .read_to_end(&mut bytes)
            .with_context(what)?;
    }
    if bytes.len() as u64 > LIMIT {
        return Err(anyhow!("`{}` is larger than {} MB", file.display(), LIMIT >> 20));
    }
    Ok(bytes)
}
