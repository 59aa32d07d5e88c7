//! What is wrong with a document, in one sentence each, with the next step where there is one.

use unwind_engine::diagnostic::{Code, Diagnostic, NoEffect, Severity};

use crate::format;
use crate::glyph::Glyph;

/// The sentence of a diagnostic.
pub fn sentence(code: &Code) -> String {
    match code {
        Code::Unsupported { field } => {
            format!("{field} is not run here: take it out, or run this workflow on Argo")
        }
        Code::UnknownTemplate { template } => {
            format!("There is no template {template}: add it, or correct the name")
        }
        Code::UnknownTask { task } => {
            format!("There is no task {task} beside this one: add it, or correct the name")
        }
        Code::BadDepends { expected } => {
            format!("depends cannot be read: expected {expected}, as in a && (b.Succeeded || c.Failed)")
        }
        Code::DependencyCycle { tasks } => {
            format!("{} wait for each other: take one dependency out", format::list(tasks))
        }
        Code::DuplicateName { name } => format!("{name} is there twice: rename one of them"),
        Code::Missing { field } => format!("{field} is missing: add it"),
        Code::Unresolved { placeholder } => {
            format!("{placeholder} leads to nothing: give it a value, or correct the name")
        }
        Code::NoCommand { image } if image.is_empty() => {
            "No command, so nothing can be run on this machine: name one under command".to_owned()
        }
        Code::NoCommand { image } => format!(
            "The command is in the image {image}, so nothing can be run on this machine: \
             name it under command"
        ),
        Code::BadValue { expected } => format!("This value does not fit: expected {expected}"),
        Code::Invalid { message } => message.clone(),
        Code::NotHere { what, next } => format!("{what} cannot be had on this machine: {next}"),
        Code::PresetShutdown { strategy } => {
            format!("{}: take shutdown out", super::verdict::preset_shutdown(strategy))
        }
        Code::NoEffect { document, field, reason } => no_effect(document, field, *reason),
        Code::NoNodes => "The nodes are not in this file: get it with argo get -o json".to_owned(),
        Code::NearestRelease { asked, taken } => {
            format!("Argo {asked} is not known here, so the rules of {taken} stand in for it")
        }
    }
}

fn no_effect(document: &str, field: &str, reason: NoEffect) -> String {
    let of = if document.is_empty() { String::new() } else { format!(" of {document}") };
    let reason = match reason {
        NoEffect::CalledByTemplate => {
            "a single template of it is called; it runs where workflowTemplateRef names the whole"
        }
        NoEffect::HandlerCondition => "the workflow’s own exit hook always runs",
    };
    format!("{field}{of} has no effect here: {reason}")
}

/// The word of a severity.
pub fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The glyph of a severity.
pub fn severity_glyph(severity: Severity) -> Glyph {
    match severity {
        Severity::Error => Glyph::Failed,
        Severity::Warning => Glyph::Warning,
        Severity::Note => Glyph::Named,
    }
}

/// A diagnostic as a line of text: `line 4, column 7: error: …` or `spec.x: error: …`.
pub fn line(diagnostic: &Diagnostic) -> String {
    let place = match diagnostic.position {
        Some(at) => format!("line {}, column {}", at.line, at.column),
        None => diagnostic.path.clone(),
    };
    let word = severity_word(diagnostic.severity);
    let said = sentence(&diagnostic.code);
    if place.is_empty() { format!("{word}: {said}") } else { format!("{place}: {word}: {said}") }
}

/// How many there are of each: `1 error, 2 warnings`; empty when there are none.
pub fn counts(diagnostics: &[Diagnostic]) -> String {
    let number =
        |severity: Severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let parts: Vec<String> = [
        (number(Severity::Error), "error", "errors"),
        (number(Severity::Warning), "warning", "warnings"),
        (number(Severity::Note), "note", "notes"),
    ]
    .into_iter()
    .filter(|(number, ..)| *number > 0)
    .map(|(number, one, many)| format::count(number, one, many))
    .collect();
    parts.join(", ")
}
