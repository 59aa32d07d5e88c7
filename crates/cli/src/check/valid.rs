//! What is wrong with a manifest for Argo: what its validation says, and what that overlooks.

use std::collections::BTreeSet;

use serde_json::Value;
use unwind_engine::library::Library;
use unwind_engine::validate::{Invalid, ValidateOptions, validate_document};
use unwind_engine::{Code, Diagnostic, Severity};

/// Leaves of the diagnostics what is wrong for Argo, with its own words where nothing says it better. What only this
/// machine cannot run is no fault of a manifest.
pub(super) fn settle(diagnostics: &mut Vec<Diagnostic>, document: &Value, library: &Library) {
    let options = ValidateOptions { lint: true, ..ValidateOptions::default() };
    let missing = missing(document, library);
    let said = validate_document(document, library, options).err();
    // That something is not found says nothing where not everything was named.
    let said = said.filter(|said| {
        !(said.message.contains("not found") && missing.iter().any(|name| said.message.contains(name)))
    });
    let is_whole = document.pointer("/spec/workflowTemplateRef").is_none();
    diagnostics.retain(|one| is_right(one, said.as_ref(), is_whole));
    for one in diagnostics.iter_mut() {
        // The validation passes it, and it stays as it is written.
        if matches!(one.code, Code::Unresolved { .. }) && said.is_none() {
            one.severity = Severity::Warning;
        }
    }
    let is_said = |said: &Invalid| {
        diagnostics.iter().any(|one| one.severity == Severity::Error && is_near(&one.path, &said.path))
    };
    if let Some(said) = said.filter(|said| !is_said(said)) {
        diagnostics.push(Diagnostic {
            code: Code::Invalid { message: said.message },
            severity: Severity::Error,
            path: said.path,
            position: None,
        });
    }
}

/// Whether a diagnostic of ours is one for Argo.
fn is_right(one: &Diagnostic, said: Option<&Invalid>, is_whole: bool) -> bool {
    let is_confirmed = said.is_some_and(|said| is_near(&one.path, &said.path));
    let is_hook = one.path.contains(".hooks") || one.path.ends_with(".onExit");
    match &one.code {
        // The validation never looks up the templates of hooks (`trace-findings` 1.21).
        Code::UnknownTemplate { template } => {
            is_whole && !template.contains("{{") && (is_hook || said.is_some())
        }
        Code::UnknownTask { task } => said.is_some() && !task.contains("{{"),
        Code::BadDepends { .. }
        | Code::DependencyCycle { .. }
        | Code::DuplicateName { .. }
        | Code::BadValue { .. }
        | Code::Invalid { .. }
        | Code::PresetShutdown { .. }
        | Code::NoEffect { .. }
        | Code::NoNodes
        | Code::NearestRelease { .. } => true,
        Code::Missing { .. } | Code::Unresolved { .. } => is_confirmed,
        Code::Unsupported { .. } | Code::NoCommand { .. } | Code::NotHere { .. } => false,
    }
}

/// Whether one path is the other, or inside it.
fn is_near(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    !short.is_empty()
        && long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Names of the documents that a manifest refers to and that are not in the library.
pub(super) fn missing(document: &Value, library: &Library) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    let mut waiting = vec![document.get("spec").unwrap_or(&Value::Null)];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(fields) => {
                for field in ["templateRef", "workflowTemplateRef"] {
                    let Some(reference) = fields.get(field) else { continue };
                    let is_cluster = reference.get("clusterScope").and_then(Value::as_bool).unwrap_or(false);
                    let name = reference.get("name").and_then(Value::as_str).unwrap_or_default();
                    // What is filled in only when it runs cannot be looked for.
                    let is_known =
                        name.contains("{{") || library.workflow_template(name, is_cluster).is_some();
                    if !name.is_empty() && !is_known {
                        missing.insert(name.to_owned());
                    }
                }
                waiting.extend(fields.values());
            }
            Value::Array(items) => waiting.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn a_place_is_near_what_is_around_it_only() {
        assert!(is_near("spec.templates[0]", "spec.templates[0].dag"));
        assert!(is_near("spec.templates[1]", "spec.templates[1]"));
        assert!(!is_near("spec.templates[1]", "spec.templates[10]"));
        assert!(!is_near("", "spec"));
    }
}
