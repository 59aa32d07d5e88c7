//! What templates give: outputs of boxes from their scope, and outputs the whole workflow can see.
//! Source: Argo `workflow/controller/dag.go` and `steps.go` (`getTemplateOutputsFromScope`),
//! `operator.go` (`addOutputsToGlobalScope`, `addParamToGlobalScope`).

use serde_json::{Map, Value};
use unwind_model::params::{Outputs, Parameter};
use unwind_model::spec::Template;

use crate::lang::go::quote;

use super::fill;
use super::pass::Pass;
use super::scope::Scope;
use super::table::At;
use super::templates::Prepared;

impl Pass<'_> {
    /// Outputs of a DAG or Steps, taken from what is in scope inside it; `None` when it declares none.
    pub(crate) fn template_outputs(
        &self,
        template: &Prepared,
        scope: &Scope,
    ) -> Result<Option<Outputs>, String> {
        let declared = &template.template.outputs;
        let artifacts = declared.other.get("artifacts").and_then(Value::as_array);
        if declared.parameters.is_empty() && artifacts.is_none_or(Vec::is_empty) {
            return Ok(None);
        }
        let mut outputs = Outputs::default();
        for parameter in &declared.parameters {
            let mut given = parameter.clone();
            given.value_from = None;
            given.value = self.output_value(parameter, scope)?;
            outputs.parameters.push(given);
        }
        let mut taken = Vec::new();
        for artifact in artifacts.into_iter().flatten() {
            let found = artifact_from(artifact, scope)
                .map_err(|text| format!("unable to resolve outputs from scope: {text}"))?;
            taken.extend(found);
        }
        if !taken.is_empty() {
            outputs.other.insert("artifacts".to_owned(), Value::Array(taken));
        }
        Ok(Some(outputs))
    }

    fn output_value(&self, parameter: &Parameter, scope: &Scope) -> Result<Option<String>, String> {
        let Some(from) = &parameter.value_from else {
            return Err("output parameters must have a valueFrom specified".to_owned());
        };
        let text = |field: &str| from.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        let default = from.get("default").filter(|value| !value.is_null());
        let default = default.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let name = text("parameter").map(|tag| tag.trim_start_matches("{{").trim_end_matches("}}").trim());
        let found = if let Some(name) = name {
            // `parameter` may have been filled in already.
            let known = scope.get(name).map(str::to_owned);
            if known.is_none() && text("parameter").is_some_and(|tag| !tag.contains("{{")) {
                text("parameter").map(str::to_owned)
            } else {
                known
            }
        } else if let Some(expression) = text("expression") {
            match fill::evaluate(expression, &scope.over(&self.globals)) {
                Ok(value) => Some(value),
                Err(text) if default.is_none() => return Err(text),
                Err(_) => None,
            }
        } else {
            None
        };
        if let Some(value) = found.or(default) {
            return Ok(Some(value));
        }
        let Some(name) = name else { return Ok(Some(String::new())) };
        Err(if scope.is_absent(name) {
            format!(
                "output parameter {}: {} is an absent optional (skipped/omitted node output with no default)",
                quote(&parameter.name),
                quote(text("parameter").unwrap_or_default())
            )
        } else {
            format!("Unable to resolve: {}", quote(name))
        })
    }

    /// Whether outputs of a node may become the workflow's.
    pub(crate) fn gives_globals(&mut self) -> bool {
        if let Some(known) = self.run.templates.gives_globals {
            return known;
        }
        let own = self.run.workflow.spec.templates.iter().chain(&self.spec.templates);
        let mut outputs = self.run.table.iter().filter_map(|(_, node)| node.outputs.as_deref());
        let gives = self.spec.other.contains_key("templateDefaults")
            || own.chain(self.run.library.templates()).any(has_globals)
            || outputs.any(are_global);
        self.run.templates.gives_globals = Some(gives);
        gives
    }

    /// Outputs of a node with a `globalName` become the workflow's.
    pub(crate) fn node_to_globals(&mut self, at: At) {
        let is_named = |outputs: &&Outputs| !outputs.parameters.is_empty() || !outputs.other.is_empty();
        if let Some(outputs) = self.node(at).outputs.as_deref().filter(is_named).cloned() {
            self.outputs_to_globals(Some(&outputs));
        }
    }

    /// Outputs with a `globalName` become the workflow's.
    pub(crate) fn outputs_to_globals(&mut self, outputs: Option<&Outputs>) {
        let Some(outputs) = outputs else { return };
        for parameter in &outputs.parameters {
            if let Some(name) = parameter.other.get("globalName").and_then(Value::as_str) {
                self.parameter_to_globals(name, parameter);
            }
        }
        let artifacts = outputs.other.get("artifacts").and_then(Value::as_array);
        for artifact in artifacts.into_iter().flatten() {
            if let Some(name) = artifact.get("globalName").and_then(Value::as_str) {
                self.artifact_to_globals(name, artifact);
            }
        }
    }

    fn parameter_to_globals(&mut self, name: &str, parameter: &Parameter) {
        let value = parameter.value.clone().unwrap_or_default();
        let global = format!("workflow.outputs.parameters.{name}");
        if self.globals.get(&global) != Some(&value) {
            self.globals.insert(global, value);
            self.run.globals = None;
            let outputs = self.run.state.outputs.get_or_insert_default();
            let mut given =
                Parameter { name: name.to_owned(), value: parameter.value.clone(), ..Parameter::default() };
            given.value_from = None;
            match outputs.parameters.iter_mut().find(|known| known.name == name) {
                Some(known) => *known = given,
                None => outputs.parameters.push(given),
            }
            self.updated = true;
        }
    }

    fn artifact_to_globals(&mut self, name: &str, artifact: &Value) {
        let mut given = artifact.clone();
        if let Value::Object(fields) = &mut given {
            fields.insert("name".to_owned(), name.into());
            for field in ["globalName", "path"] {
                fields.remove(field);
            }
        }
        let outputs = self.run.state.outputs.get_or_insert_default();
        let list = outputs.other.entry("artifacts").or_insert_with(|| Value::Array(Vec::new()));
        let Value::Array(list) = list else { return };
        let known = list.iter_mut().find(|known| known.get("name").and_then(Value::as_str) == Some(name));
        match known {
            Some(known) if *known == given => return,
            Some(known) => *known = given,
            None => list.push(given),
        }
        self.updated = true;
    }
}

/// Whether one of these outputs has a `globalName`.
fn are_global(outputs: &Outputs) -> bool {
    let artifacts = outputs.other.get("artifacts").and_then(Value::as_array);
    outputs.parameters.iter().any(|parameter| parameter.other.contains_key("globalName"))
        || artifacts.into_iter().flatten().any(|artifact| artifact.get("globalName").is_some())
}

/// Whether a template, or one written in place inside it, has an output with a `globalName`.
fn has_globals(template: &Template) -> bool {
    let mut open = vec![template];
    while let Some(template) = open.pop() {
        if are_global(&template.outputs) {
            return true;
        }
        let steps = template.steps.iter().flatten().flat_map(|group| &group.0);
        let tasks = template.dag.iter().flat_map(|dag| &dag.tasks).chain(steps);
        open.extend(tasks.filter_map(|task| task.inline.as_deref()));
    }
    false
}

/// Source: Argo `operator.go`, `getTemplateOutputsFromScope`.
fn artifact_from(artifact: &Value, scope: &Scope) -> Result<Option<Value>, String> {
    let optional = artifact.get("optional").and_then(Value::as_bool).unwrap_or(false);
    let mut taken = match fill::taken(artifact, scope) {
        Ok(None) => return Ok(None),
        Ok(Some(taken)) => taken,
        Err(text) if optional && text.contains("Unable to resolve") => return Ok(None),
        Err(text) => return Err(text),
    };
    if let Value::Object(fields) = &mut taken {
        put(fields, artifact, "name");
        put(fields, artifact, "globalName");
    }
    Ok(Some(taken))
}

fn put(fields: &mut Map<String, Value>, from: &Value, name: &str) {
    match from.get(name) {
        Some(value) => fields.insert(name.to_owned(), value.clone()),
        None => fields.remove(name),
    };
}
