//! A template: its type, its inputs, and the checks that follow from its type.
//! Source: Argo `workflow/validate/validate.go`, `validateTemplate`, `validateTemplateType`,
//! `validateInputs`; `workflow_types.go`, `GetType`, `IsLeaf`, `IsPodType`, `HasOutput`.

use serde_json::Value;
use unwind_model::Template;

use super::arguments::Given;
use super::outputs;
use super::resolve::{Checker, Place};
use super::scope::{Known, Scope};
use super::{Invalid, arguments, artifact, metrics, names};

/// The type of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Container,
    ContainerSet,
    Steps,
    Dag,
    Script,
    Resource,
    Data,
    Suspend,
    Http,
    Plugin,
    Unknown,
}

const TYPES: &str = "container, containerSet, steps, script, resource, dag, suspend, template, template ref";

/// A raw field of a template that is there and not `null`.
pub(super) fn raw<'t>(template: &'t Template, name: &str) -> Option<&'t Value> {
    template.other.get(name).filter(|value| !value.is_null())
}

impl Kind {
    fn all_of(template: &Template) -> impl Iterator<Item = Self> {
        let has = |name| raw(template, name).is_some();
        [
            (template.container.is_some(), Self::Container),
            (has("containerSet"), Self::ContainerSet),
            (template.steps.is_some(), Self::Steps),
            (template.dag.is_some(), Self::Dag),
            (template.script.is_some(), Self::Script),
            (has("resource"), Self::Resource),
            (has("data"), Self::Data),
            (template.suspend.as_ref().is_some_and(|suspend| !suspend.is_null()), Self::Suspend),
            (has("http"), Self::Http),
            (has("plugin"), Self::Plugin),
        ]
        .into_iter()
        .filter_map(|(is_there, kind)| is_there.then_some(kind))
    }

    pub(super) fn of(template: &Template) -> Self {
        Self::all_of(template).next().unwrap_or(Self::Unknown)
    }

    /// Argo's word.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Container => "Container",
            Self::ContainerSet => "ContainerSet",
            Self::Steps => "Steps",
            Self::Dag => "DAG",
            Self::Script => "Script",
            Self::Resource => "Resource",
            Self::Data => "Data",
            Self::Suspend => "Suspend",
            Self::Http => "HTTP",
            Self::Plugin => "Plugin",
            Self::Unknown => "Unknown",
        }
    }

    /// Whether it runs in a pod of its own.
    fn is_pod(self) -> bool {
        match self {
            Self::Container | Self::ContainerSet | Self::Script | Self::Resource | Self::Data => true,
            Self::Steps | Self::Dag | Self::Suspend | Self::Http | Self::Plugin | Self::Unknown => false,
        }
    }

    pub(super) fn is_leaf(self) -> bool {
        self.is_pod() || matches!(self, Self::Http | Self::Plugin)
    }
}

impl Checker<'_> {
    /// Checks a template at `place`, called with `given`.
    pub(super) fn check_template(
        &mut self,
        template: &Template,
        place: &Place,
        given: Given<'_>,
    ) -> Result<(), Invalid> {
        let fail = |message: String| Invalid::new(&place.path, message);
        let name = &template.name;
        check_kinds(template).map_err(fail)?;
        let mut scope = Scope::default();
        check_inputs(template, &mut scope).map_err(fail)?;
        check_init_containers(template).map_err(fail)?;
        let locals = add_locals(template, &mut scope);

        let inputs = arguments::filled(&template.inputs, given)
            .map_err(|message| fail(format!("templates.{name} {message}")))?;
        let key = (place.base.clone(), name.clone());
        let is_done = self.done.contains(&key);
        if is_done && timeout(template).is_empty() {
            return Ok(());
        }
        let new = arguments::substituted(template, inputs, &self.globals, &locals)
            .map_err(|message| fail(format!("templates.{name} {message}")))?;
        check_timeout(&new).map_err(fail)?;
        if is_done {
            return Ok(());
        }
        self.done.insert(key);
        match Kind::of(&new) {
            Kind::Steps => self.check_steps(&new, &mut scope, place)?,
            Kind::Dag => self.check_dag(&new, &mut scope, place)?,
            Kind::Container
            | Kind::ContainerSet
            | Kind::Script
            | Kind::Resource
            | Kind::Data
            | Kind::Suspend
            | Kind::Http
            | Kind::Plugin
            | Kind::Unknown => self.check_leaf(&new, &scope, place).map_err(fail)?,
        }
        outputs::check(&new, &self.known(&scope)).map_err(fail)?;
        if let Some(location) = raw(&new, "archiveLocation") {
            artifact::check_location(&format!("templates.{}.archiveLocation", new.name), location)
                .map_err(fail)?;
        }
        metrics::check(&new).map_err(fail)
    }

    /// What texts may use in `scope`.
    pub(super) fn known<'s>(&'s self, scope: &'s Scope<'s>) -> Known<'s> {
        Known {
            scope,
            globals: &self.globals,
            workflow_template: self.workflow_template,
            has_ended: &|_| false,
        }
    }
}

fn check_kinds(template: &Template) -> Result<(), String> {
    let problem = match Kind::all_of(template).count() {
        0 => "template type unspecified",
        1 => return Ok(()),
        _ => "multiple template types specified",
    };
    Err(format!("templates.{} {problem}. choose one of: {TYPES}", template.name))
}

fn check_inputs(template: &Template, scope: &mut Scope<'_>) -> Result<(), String> {
    let name = &template.name;
    let parameters = &template.inputs.parameters;
    names::check_all(parameters.iter().map(|one| one.name.as_str()), names::Rule::Parameter)
        .map_err(|bad| format!("templates.{name}.inputs.parameters{}", bad.message))?;
    let artifacts = artifact::list(&template.inputs.other);
    names::check_all(artifacts.iter().map(|one| artifact::text(one, "name")), names::Rule::Parameter)
        .map_err(|bad| format!("templates.{name}.inputs.artifacts{}", bad.message))?;
    for parameter in parameters {
        scope.add(format!("inputs.parameters.{}", parameter.name));
    }
    if !parameters.is_empty() {
        scope.add("inputs.parameters");
    }
    let is_leaf = Kind::of(template).is_leaf();
    for one in artifacts {
        let reference = format!("inputs.artifacts.{}", artifact::text(one, "name"));
        if is_leaf {
            artifact::check_path(one)
                .map_err(|message| format!("error in templates.{name}.{reference}: {message}"))?;
            scope.add(format!("{reference}.path"));
        } else if !artifact::text(one, "path").is_empty() {
            return Err(format!(
                "templates.{name}.{reference}.path only valid in container/script templates"
            ));
        }
        if !artifact::text(one, "from").is_empty() {
            return Err(format!("templates.{name}.{reference}.from not valid in inputs"));
        }
        artifact::check_location(&format!("templates.{name}.{reference}"), one)?;
        scope.add(reference);
    }
    Ok(())
}

fn check_init_containers(template: &Template) -> Result<(), String> {
    let containers = raw(template, "initContainers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if containers.iter().any(|container| artifact::text(container, "name").is_empty()) {
        return Err("initContainers must all have container name".to_owned());
    }
    Ok(())
}

/// Adds the names that a template has by its nature, and gives those that can be filled in.
fn add_locals(template: &Template, scope: &mut Scope<'_>) -> Vec<&'static str> {
    let mut locals = Vec::new();
    let kind = Kind::of(template);
    if kind.is_pod() {
        locals.push("pod.name");
    }
    if raw(template, "retryStrategy").is_some() {
        locals.extend([
            "retries",
            "lastRetry.exitCode",
            "lastRetry.status",
            "lastRetry.duration",
            "lastRetry.message",
        ]);
    }
    for name in &locals {
        scope.add(*name);
    }
    if kind.is_leaf() {
        for one in artifact::list(&template.outputs.other) {
            if !artifact::text(one, "path").is_empty() {
                scope.add(format!("outputs.artifacts.{}.path", artifact::text(one, "name")));
            }
        }
        for parameter in &template.outputs.parameters {
            let path = parameter.value_from.as_ref().map(|from| artifact::text(from, "path"));
            if path.is_some_and(|path| !path.is_empty()) {
                scope.add(format!("outputs.parameters.{}.path", parameter.name));
            }
        }
    }
    locals
}

fn timeout(template: &Template) -> &str {
    raw(template, "timeout").and_then(Value::as_str).unwrap_or_default()
}

fn check_timeout(template: &Template) -> Result<(), String> {
    let timeout = timeout(template);
    if timeout.is_empty() {
        return Ok(());
    }
    let kind = Kind::of(template);
    if !kind.is_leaf() {
        return Err(format!("{} template doesn't support timeout field", kind.as_str()));
    }
    // A bare number has no unit.
    if timeout.parse::<i64>().is_ok() {
        return Err(format!("{} has invalid duration format in timeout", template.name));
    }
    Ok(())
}
