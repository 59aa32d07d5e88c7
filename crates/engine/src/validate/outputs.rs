//! Outputs of a template, and what others may use of them.
//! Source: Argo `workflow/validate/validate.go`, `validateOutputs`, `validateOutputParameter`,
//! `addOutputsToScope`; `workflow_types.go`, `HasOutput`.

use serde_json::Value;
use unwind_model::Template;
use unwind_model::params::Parameter;

use super::scope::{ANY_ARTIFACT, ANY_PARAMETER, Globals, Known, PLACEHOLDER, Scope};
use super::shape::OUTPUTS;
use super::template::{Kind, raw};
use super::{artifact, container_set, go_json, names};

/// What is wrong with the outputs of a template.
pub(super) fn check(template: &Template, known: &Known<'_>) -> Result<(), String> {
    let name = &template.name;
    let outputs = &template.outputs;
    names::check_all(outputs.parameters.iter().map(|one| one.name.as_str()), names::Rule::Parameter)
        .map_err(|bad| format!("templates.{name}.outputs.parameters {}", bad.message))?;
    let artifacts = artifact::list(&outputs.other);
    names::check_all(artifacts.iter().map(|one| artifact::text(one, "name")), names::Rule::Parameter)
        .map_err(|bad| format!("templates.{name}.outputs.artifacts {}", bad.message))?;
    let json = go_json::text_of(outputs, OUTPUTS).map_err(|error| error.to_string())?;
    known.check(&json).map_err(|message| format!("templates.{name}.outputs {message}"))?;

    let kind = Kind::of(template);
    for one in artifacts {
        let full = format!("templates.{name}.outputs.artifacts.{}", artifact::text(one, "name"));
        if kind.is_leaf() {
            artifact::check_path(one).map_err(|message| format!("error in {full}: {message}"))?;
        } else if !artifact::text(one, "path").is_empty() {
            return Err(format!("{full}.path only valid in container/script templates"));
        }
        check_global_name(&full, artifact::text(one, "globalName"))?;
    }
    for parameter in &outputs.parameters {
        let full = format!("templates.{name}.outputs.parameters.{}", parameter.name);
        check_parameter(&full, parameter)?;
        if let Some(from) = value_from(parameter) {
            check_source(&full, from, kind)?;
        }
        check_global_name(&full, global_name(parameter))?;
    }
    Ok(())
}

fn value_from(parameter: &Parameter) -> Option<&Value> {
    parameter.value_from.as_ref().filter(|from| !from.is_null())
}

fn global_name(parameter: &Parameter) -> &str {
    parameter.other.get("globalName").and_then(Value::as_str).unwrap_or_default()
}

fn check_global_name(full: &str, global: &str) -> Result<(), String> {
    if global.is_empty() || names::has_tag(global) {
        return Ok(());
    }
    match names::wrong(global, names::Rule::Parameter) {
        Some(wrong) => Err(format!("{full}.globalName: {wrong}")),
        None => Ok(()),
    }
}

fn check_parameter(full: &str, parameter: &Parameter) -> Result<(), String> {
    let from = match (value_from(parameter), &parameter.value) {
        (Some(_), Some(_)) => {
            return Err(format!("{full} has both valueFrom and value specified, choose one"));
        }
        (None, Some(_)) => return Ok(()),
        (None, None) => return Err(format!("{full} does not have valueFrom or value specified")),
        (Some(from), None) => from,
    };
    let texts = ["path", "jqFilter", "jsonPath", "parameter", "expression"];
    let sources = texts.iter().filter(|name| !artifact::text(from, name).is_empty()).count()
        + usize::from(from.get("supplied").is_some_and(|supplied| !supplied.is_null()));
    match sources {
        0 => Err("valueFrom type unspecified. choose one of: path, jqFilter, jsonPath, parameter, raw, \
                  expression"
            .to_owned()),
        1 => Ok(()),
        _ => {
            Err("multiple valueFrom types specified. choose one of: path, jqFilter, jsonPath, parameter, raw"
                .to_owned())
        }
    }
}

fn check_source(full: &str, from: &Value, kind: Kind) -> Result<(), String> {
    let lacks = |name: &str| artifact::text(from, name).is_empty();
    let word = kind.as_str();
    match kind {
        Kind::Container | Kind::ContainerSet | Kind::Script if lacks("path") => {
            Err(format!("{full}.path must be specified for {word} templates"))
        }
        Kind::Resource if lacks("jqFilter") && lacks("jsonPath") => {
            Err(format!("{full} .jqFilter or jsonPath must be specified for {word} templates"))
        }
        Kind::Dag | Kind::Steps if lacks("parameter") && lacks("expression") => {
            Err(format!("{full}.parameter or expression must be specified for {word} templates"))
        }
        Kind::Dag | Kind::Steps if !lacks("parameter") && !lacks("expression") => Err(format!(
            "{full} shouldn't have both `from` and `expression` specified in `ValueFrom` for {word} templates"
        )),
        Kind::Container
        | Kind::ContainerSet
        | Kind::Script
        | Kind::Resource
        | Kind::Dag
        | Kind::Steps
        | Kind::Data
        | Kind::Suspend
        | Kind::Http
        | Kind::Plugin
        | Kind::Unknown => Ok(()),
    }
}

/// Adds to `scope` what others may use of a task or step that runs `template` (`None`: only a run can
/// know which). `prefix` is `tasks.NAME` or `steps.NAME`; `aggregate`: the task is a loop.
pub(super) fn add_to(
    scope: &mut Scope<'_>,
    globals: &mut Globals,
    prefix: &str,
    template: Option<&Template>,
    aggregate: bool,
) {
    scope.add_parts(prefix, &["id", "startedAt", "finishedAt", "hostNodeName"]);
    let Some(template) = template else { return };
    if raw(template, "daemon").and_then(Value::as_bool).unwrap_or_default() {
        scope.add_parts(prefix, &["ip"]);
    }
    let kind = Kind::of(template);
    if has_result(template) || (aggregate && matches!(kind, Kind::Script | Kind::ContainerSet)) {
        scope.add_parts(prefix, &["outputs.result", "exitCode"]);
    }
    if aggregate {
        scope.add_parts(prefix, &["outputs.parameters"]);
    }
    let mut add_global = |scope: &mut Scope<'_>, kind: &str, global: &str, any: &str| {
        if global.is_empty() {
        } else if names::has_tag(global) {
            scope.add(any);
        } else {
            let name = format!("workflow.outputs.{kind}.{global}");
            scope.add(name.clone());
            globals.insert(name, PLACEHOLDER.to_owned());
        }
    };
    for parameter in &template.outputs.parameters {
        scope.add(format!("{prefix}.outputs.parameters.{}", parameter.name));
        add_global(scope, "parameters", global_name(parameter), ANY_PARAMETER);
    }
    for one in artifact::list(&template.outputs.other) {
        scope.add(format!("{prefix}.outputs.artifacts.{}", artifact::text(one, "name")));
        add_global(scope, "artifacts", artifact::text(one, "globalName"), ANY_ARTIFACT);
    }
}

fn has_result(template: &Template) -> bool {
    template.container.is_some()
        || template.script.is_some()
        || raw(template, "containerSet").is_some_and(container_set::has_main)
        || ["data", "http", "plugin"].iter().any(|name| raw(template, name).is_some())
}
