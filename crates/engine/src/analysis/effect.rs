//! What is written in a manifest and has no effect there.

use serde_json::Value;
use unwind_model::Workflow;
use unwind_model::hooks::EXIT;
use unwind_model::spec::{Task, WorkflowSpec};

use crate::diagnostic::{Code, Diagnostic, NoEffect, Severity};
use crate::library::Library;

/// Handlers of a library of which only a template is called, and the condition of the workflow's own exit hook.
pub fn without_effect(workflow: &Workflow, library: &Library) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut note = |path: String, document: &str, field: &str, reason: NoEffect| {
        let code = Code::NoEffect { document: document.to_owned(), field: field.to_owned(), reason };
        found.push(Diagnostic { code, severity: Severity::Warning, path, position: None });
    };
    let exit = workflow.spec.hooks.0.get(EXIT);
    if exit.and_then(|hook| hook.get("expression")?.as_str()).is_some_and(|text| !text.is_empty()) {
        note(
            "spec.hooks.exit.expression".into(),
            "",
            "spec.hooks.exit.expression",
            NoEffect::HandlerCondition,
        );
    }
    for (path, task) in tasks(&workflow.spec) {
        let Some((document, cluster)) = reference(task) else { continue };
        let Some(spec) = library.workflow_template(document, cluster) else { continue };
        let handlers = handlers(spec);
        for field in handlers {
            note(format!("{path}.templateRef"), document, &field, NoEffect::CalledByTemplate);
        }
    }
    found
}

/// Fields of a spec that hold handlers of the whole workflow.
fn handlers(spec: &WorkflowSpec) -> Vec<String> {
    let on_exit = (!spec.on_exit.is_empty()).then(|| "spec.onExit".to_owned());
    let hooks = spec.hooks.0.keys().map(|name| format!("spec.hooks.{name}"));
    on_exit.into_iter().chain(hooks).collect()
}

/// Name of the document a task calls a template of, and whether that is one of the cluster.
fn reference(task: &Task) -> Option<(&str, bool)> {
    let reference = task.other.get("templateRef")?;
    let cluster = reference.get("clusterScope").and_then(Value::as_bool).unwrap_or(false);
    Some((reference.get("name")?.as_str()?, cluster))
}

/// Tasks and steps of all templates, with their paths.
pub(super) fn tasks(spec: &WorkflowSpec) -> Vec<(String, &Task)> {
    let mut tasks = Vec::new();
    for (number, template) in spec.templates.iter().enumerate() {
        let path = format!("spec.templates[{number}]");
        for (place, task) in template.dag.iter().flat_map(|dag| &dag.tasks).enumerate() {
            tasks.push((format!("{path}.dag.tasks[{place}]"), task));
        }
        for (group, steps) in template.steps.iter().flatten().enumerate() {
            for (place, task) in steps.0.iter().enumerate() {
                tasks.push((format!("{path}.steps[{group}][{place}]"), task));
            }
        }
    }
    tasks
}
