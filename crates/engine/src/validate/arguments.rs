//! Arguments: their names and values, and what they make of a template's inputs.
//! Source: Argo `workflow/validate/validate.go`, `validateArguments`, `FakeArguments`;
//! `workflow/common/util.go`, `ProcessArgs`, `SubstituteParams`; `util/util.go`, `MergeParameters`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use unwind_model::Template;
use unwind_model::params::{Arguments, Inputs, Parameter};

use super::scope::{Globals, PLACEHOLDER};
use super::shape::TEMPLATE;
use super::{artifact, go_json, names};
use crate::lang::Names;
use crate::lang::tags::{Filler, Unresolved};

/// What a template is called with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given<'a> {
    /// Anything it asks for: it is looked at for its own sake.
    Anything,
    /// Just these.
    Arguments(&'a Arguments),
}

/// What is wrong with arguments; `name` is what stands before the dot in Argo's text.
pub(super) fn check(name: &str, arguments: &Arguments, may_be_empty: bool) -> Result<(), String> {
    let parameters = arguments.parameters.iter().map(|parameter| parameter.name.as_str());
    names::check_all(parameters, names::Rule::Parameter)
        .map_err(|bad| format!("{name}.parameters{}", bad.message))?;
    let artifacts = artifact::list(&arguments.other);
    names::check_all(artifacts.iter().map(|one| artifact::text(one, "name")), names::Rule::Parameter)
        .map_err(|bad| format!("{name}.artifacts{}", bad.message))?;
    for parameter in &arguments.parameters {
        let full = format!("{name}.{}", parameter.name);
        // As in Argo, an enum without a value ends the checks where values may come later.
        if !check_value(&full, parameter, may_be_empty)? {
            return Ok(());
        }
    }
    for one in artifacts {
        let full = format!("{name}.{}", artifact::text(one, "name"));
        let from = artifact::text(one, "from");
        if from.is_empty() && !artifact::has_location_or_key(one) {
            return Err(format!("{full}.from, artifact location, or key is required"));
        }
        if !from.is_empty() && !artifact::text(one, "fromExpression").is_empty() {
            return Err(format!("{full} shouldn't have both `from` and `fromExpression` in Artifact"));
        }
    }
    Ok(())
}

fn check_value(full: &str, parameter: &Parameter, may_be_empty: bool) -> Result<bool, String> {
    let value_from = parameter.value_from.as_ref().filter(|from| !from.is_null());
    if value_from.is_none() && parameter.value.is_none() && !may_be_empty {
        return Err(format!("{full}.value or {full}.valueFrom is required"));
    }
    if let Some(from) = value_from {
        let is_set = |name: &str| from.get(name).is_some_and(|value| !value.is_null());
        let has_text = |name: &&str| !artifact::text(from, name).is_empty();
        let allowed = is_set("configMapKeyRef") || has_text(&"event") || is_set("supplied");
        if !allowed || ["path", "jsonPath", "parameter", "expression"].iter().any(has_text) {
            return Err(format!("{full}.valueFrom only allows: default, configMapKeyRef and supplied"));
        }
    }
    let Some(choices) = parameter.other.get("enum").and_then(Value::as_array) else { return Ok(true) };
    if choices.is_empty() {
        return Err(format!("{full}.enum should contain at least one value"));
    }
    let Some(value) = &parameter.value else {
        return if may_be_empty { Ok(false) } else { Err(format!("{full}.value is required")) };
    };
    if !choices.iter().any(|choice| plain(choice) == *value) {
        return Err(format!("{full}.value should be present in {full}.enum list"));
    }
    Ok(true)
}

/// A value as Argo's `AnyString` holds it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The arguments of a workflow, with those of the template document it is made of behind them.
pub(super) fn merged(own: &Arguments, other: &Arguments) -> Arguments {
    let mut merged = own.clone();
    let mut parameters = Vec::new();
    for parameter in own.parameters.iter().chain(&other.parameters) {
        if !parameters.iter().any(|known: &Parameter| known.name == parameter.name) {
            parameters.push(parameter.clone());
        }
    }
    merged.parameters = parameters;
    let mut artifacts: Vec<Value> = Vec::new();
    for one in artifact::list(&own.other).iter().chain(artifact::list(&other.other)) {
        let name = artifact::text(one, "name");
        if !artifacts.iter().any(|known| artifact::text(known, "name") == name) {
            artifacts.push(one.clone());
        }
    }
    if !artifacts.is_empty() {
        merged.other.insert("artifacts".to_owned(), Value::Array(artifacts));
    }
    merged
}

/// The inputs of a template with what they are given, or Argo's text about one that gets nothing.
pub(super) fn filled(inputs: &Inputs, given: Given<'_>) -> Result<Inputs, String> {
    let mut inputs = inputs.clone();
    for input in &mut inputs.parameters {
        if input.value.is_none() {
            input.value.clone_from(&input.default);
        }
        match given {
            Given::Anything => {
                input.value = Some(PLACEHOLDER.to_owned());
                input.value_from = None;
            }
            Given::Arguments(arguments) => {
                if let Some(found) = arguments.parameters.iter().find(|one| one.name == input.name) {
                    input.value.clone_from(&found.value);
                    input.value_from = if found.value.is_some() { None } else { found.value_from.clone() };
                }
            }
        }
        let from_config_map = input
            .value_from
            .as_ref()
            .and_then(|from| from.get("configMapKeyRef"))
            .is_some_and(|key| !key.is_null());
        if input.value.is_none() && !from_config_map {
            return Err(format!("inputs.parameters.{} was not supplied", input.name));
        }
    }
    fill_artifacts(&mut inputs, given)?;
    Ok(inputs)
}

fn fill_artifacts(inputs: &mut Inputs, given: Given<'_>) -> Result<(), String> {
    let Some(Value::Array(artifacts)) = inputs.other.get_mut("artifacts") else { return Ok(()) };
    for input in artifacts {
        let name = artifact::text(input, "name").to_owned();
        let found = match given {
            Given::Anything => {
                Some(Value::Object(Map::from_iter([("name".to_owned(), Value::String(name.clone()))])))
            }
            Given::Arguments(arguments) => artifact::list(&arguments.other)
                .iter()
                .find(|one| artifact::text(one, "name") == name)
                .cloned(),
        };
        let is_optional = input.get("optional").and_then(Value::as_bool).unwrap_or_default();
        let Some(mut found) = found else {
            if is_optional || artifact::has_location_or_key(input) {
                continue;
            }
            return Err(format!("inputs.artifacts.{name} was not supplied"));
        };
        if let Value::Object(fields) = &mut found {
            for field in ["path", "mode", "recurseMode"] {
                fields.shift_remove(field);
                if let Some(value) = input.get(field) {
                    fields.insert(field.to_owned(), value.clone());
                }
            }
        }
        *input = found;
    }
    Ok(())
}

/// A template with `inputs` in place of its own and all tags filled in that can be; the others stay.
/// Expressions stay too: what Argo makes of them here has placeholders in it.
pub(super) fn substituted(
    template: &Template,
    inputs: Inputs,
    globals: &Globals,
    locals: &[&str],
) -> Result<Template, String> {
    let mut template = Template { inputs, ..template.clone() };
    // Nothing to fill in is the common case, and found out at a tenth of the cost.
    if !serde_json::to_string(&template).is_ok_and(|text| text.contains("{{")) {
        return Ok(template);
    }
    let mut inner = BTreeMap::new();
    // Globals first, for they may stand in inputs.
    for _ in 0..2 {
        let json = go_json::text_of(&template, TEMPLATE).map_err(|error| error.to_string())?;
        let names = Filled { globals, locals, inner: &inner };
        let mut filler =
            Filler { names: &names, absent: None, unresolved: Unresolved::Stays, express: &mut |_| Ok(None) };
        let json = filler.json(&json).map_err(|error| error.to_string())?;
        let value: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
        template = Template::deserialize(&value).map_err(|error| error.to_string())?;
        inner = inputs_and_paths(&template);
    }
    Ok(template)
}

/// What tags of a template can be filled in with.
struct Filled<'a> {
    globals: &'a Globals,
    locals: &'a [&'a str],
    inner: &'a BTreeMap<String, String>,
}

impl Names for Filled<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        if self.locals.contains(&name) {
            return Some(Cow::Borrowed(PLACEHOLDER));
        }
        self.inner.get(name).or_else(|| self.globals.get(name)).map(|text| Cow::Borrowed(text.as_str()))
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        self.globals.each(see);
        self.locals.iter().for_each(|name| see(name, PLACEHOLDER));
        self.inner.each(see);
    }
}

fn inputs_and_paths(template: &Template) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for parameter in &template.inputs.parameters {
        if let Some(value) = &parameter.value {
            names.insert(format!("inputs.parameters.{}", parameter.name), value.clone());
        }
    }
    // Its text matters nowhere in validation.
    names.insert("inputs.parameters".to_owned(), PLACEHOLDER.to_owned());
    let mut add_paths = |other: &Map<String, Value>, side: &str| {
        for one in artifact::list(other) {
            let path = artifact::text(one, "path");
            if !path.is_empty() {
                names.insert(
                    format!("{side}.artifacts.{}.path", artifact::text(one, "name")),
                    path.to_owned(),
                );
            }
        }
    };
    add_paths(&template.inputs.other, "inputs");
    add_paths(&template.outputs.other, "outputs");
    for parameter in &template.outputs.parameters {
        let path = parameter.value_from.as_ref().map(|from| artifact::text(from, "path"));
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            names.insert(format!("outputs.parameters.{}.path", parameter.name), path.to_owned());
        }
    }
    names
}
