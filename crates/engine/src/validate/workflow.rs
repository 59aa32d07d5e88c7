//! A workflow as a whole.
//! Source: Argo `workflow/validate/validate.go`, `Workflow`, `WorkflowTemplateRefFields`.

use serde_json::{Map, Value};
use unwind_model::features::{TemplateRef, WorkflowTemplateRef};
use unwind_model::hooks::EXIT;
use unwind_model::params::Arguments;
use unwind_model::{Template, Workflow, WorkflowSpec};

use super::arguments::Given;
use super::resolve::{Checker, Holder, Place, not_found};
use super::scope::{ANY_ARTIFACT, PLACEHOLDER};
use super::steps::check_hooks;
use super::{Invalid, ValidateOptions, arguments, artifact, names};
use crate::lang::go::quote;
use crate::library::Library;

/// Longest name of an object, for it becomes a label.
pub(super) const MAX_NAME: usize = 63;

/// The template document that a workflow is made of.
struct Stored<'a> {
    reference: WorkflowTemplateRef,
    spec: &'a WorkflowSpec,
}

impl Stored<'_> {
    fn template(&self, name: &str) -> TemplateRef {
        TemplateRef {
            name: self.reference.name.clone(),
            template: name.to_owned(),
            cluster_scope: self.reference.cluster_scope,
        }
    }
}

/// What is validated, and for what.
pub(super) struct Subject<'a> {
    pub(super) workflow: &'a Workflow,
    pub(super) library: &'a Library,
    pub(super) options: ValidateOptions,
    /// Path of the spec in the document.
    pub(super) spec_path: &'a str,
    /// The controller sees a missing `workflowTemplateRef` before it validates; elsewhere it is an error.
    pub(super) may_lack_reference: bool,
}

pub(super) fn validate(subject: &Subject<'_>) -> Result<(), Invalid> {
    let Subject { workflow, library, options, spec_path, may_lack_reference } = *subject;
    let spec = &workflow.spec;
    let name = &workflow.metadata.name;
    if name.len() > MAX_NAME {
        return Err(Invalid::new("metadata.name", too_long("workflow", name, MAX_NAME)));
    }
    let stored = match stored(spec, library, spec_path)? {
        Of::Nothing => None,
        Of::Library(stored) => Some(stored),
        Of::Missing(message) => {
            let path = format!("{spec_path}.workflowTemplateRef");
            return if may_lack_reference { Ok(()) } else { Err(Invalid::new(path, message)) };
        }
    };
    let arguments = check_names_and_arguments(spec, stored.as_ref(), options, spec_path)?;
    let mut checker = Checker::new(spec, spec_path, library, options.workflow_template);
    add_globals(&mut checker, workflow, &arguments, stored.as_ref());
    check_entrypoint(&mut checker, &arguments, stored.as_ref(), options)?;
    if options.own_engine && spec.hooks.0.contains_key(EXIT) {
        checker.globals.insert(FAILURES.to_owned(), PLACEHOLDER.to_owned());
    }
    check_handler(&mut checker, stored.as_ref())?;
    let at = |part: &str| format!("{spec_path}.{part}");
    check_hooks("hooks", &spec.hooks).map_err(|message| Invalid::new(at("hooks"), message))?;
    check_pod_gc(spec).map_err(|(part, message)| Invalid::new(at(part), message))?;
    check_all_templates(&mut checker, stored.as_ref())
}

/// Argo's text about a name that is too long.
pub(super) fn too_long(what: &str, name: &str, most: usize) -> String {
    format!(
        "{what} name {} must not be more than {most} characters long (currently {})",
        quote(name),
        name.len()
    )
}

enum Of<'a> {
    Nothing,
    Library(Stored<'a>),
    Missing(String),
}

fn stored<'a>(spec: &WorkflowSpec, library: &'a Library, spec_path: &str) -> Result<Of<'a>, Invalid> {
    let path = || format!("{spec_path}.workflowTemplateRef");
    let reference = spec.workflow_template_ref().map_err(|error| Invalid::new(path(), error.to_string()))?;
    let Some(reference) = reference else { return Ok(Of::Nothing) };
    if !spec.templates.is_empty() {
        return Err(Invalid::new(
            format!("{spec_path}.templates"),
            "Templates is invalid field in spec if workflow referred WorkflowTemplate reference",
        ));
    }
    Ok(match library.workflow_template(&reference.name, reference.cluster_scope) {
        Some(spec) => Of::Library(Stored { reference, spec }),
        None => Of::Missing(not_found(&reference.name, reference.cluster_scope)),
    })
}

fn check_names_and_arguments(
    spec: &WorkflowSpec,
    stored: Option<&Stored<'_>>,
    options: ValidateOptions,
    spec_path: &str,
) -> Result<Arguments, Invalid> {
    names::check_all(spec.templates.iter().map(|template| template.name.as_str()), names::Rule::Field)
        .map_err(|bad| {
            let path = format!("{spec_path}.templates[{}]", bad.index);
            Invalid::new(path, format!("spec.templates{}", bad.message))
        })?;
    let arguments = match stored {
        Some(stored) => arguments::merged(&spec.arguments, &stored.spec.arguments),
        None => spec.arguments.clone(),
    };
    let may_be_empty = options.lint || (options.workflow_template && !options.submit);
    let field = if spec.arguments.is_empty() { "workflowTemplateRef" } else { "arguments" };
    arguments::check("spec.arguments", &arguments, may_be_empty)
        .map_err(|message| Invalid::new(format!("{spec_path}.{field}"), message))?;
    Ok(arguments)
}

/// The names that are known everywhere.
fn add_globals(
    checker: &mut Checker<'_>,
    workflow: &Workflow,
    arguments: &Arguments,
    stored: Option<&Stored<'_>>,
) {
    let spec = &workflow.spec;
    let library = checker.library;
    let mut add = |name: String, text: &str| {
        checker.globals.insert(name, text.to_owned());
    };
    for name in [
        "name",
        "namespace",
        "mainEntrypoint",
        "serviceAccountName",
        "uid",
        "status",
        "annotations",
        "annotations.json",
        "labels",
        "labels.json",
    ] {
        add(format!("workflow.{name}"), PLACEHOLDER);
    }
    if !arguments.parameters.is_empty() {
        add("workflow.parameters".to_owned(), PLACEHOLDER);
        add("workflow.parameters.json".to_owned(), PLACEHOLDER);
    }
    for parameter in arguments.parameters.iter().filter(|parameter| !parameter.name.is_empty()) {
        let value = parameter.value.as_deref().unwrap_or(PLACEHOLDER);
        add(format!("workflow.parameters.{}", parameter.name), value);
    }
    workflow
        .metadata
        .annotations
        .keys()
        .for_each(|key| add(format!("workflow.annotations.{key}"), PLACEHOLDER));
    workflow.metadata.labels.keys().for_each(|key| add(format!("workflow.labels.{key}"), PLACEHOLDER));
    let of = |spec: &WorkflowSpec| spec.other.get("workflowMetadata").cloned();
    let defaults = library.workflow_defaults().and_then(|given| given.pointer("/spec/workflowMetadata"));
    let given = [of(spec), stored.and_then(|stored| of(stored.spec)), defaults.cloned()];
    for metadata in given.into_iter().flatten() {
        for (field, kind) in [("annotations", "annotations"), ("labels", "labels"), ("labelsFrom", "labels")]
        {
            let keys = metadata.get(field);
            for key in keys.and_then(Value::as_object).into_iter().flat_map(Map::keys) {
                add(format!("workflow.{kind}.{key}"), PLACEHOLDER);
            }
        }
    }
    if let Some(priority) = spec.other.get("priority").filter(|priority| !priority.is_null()) {
        add("workflow.priority".to_owned(), &priority.to_string());
    }
}

fn check_entrypoint(
    checker: &mut Checker<'_>,
    arguments: &Arguments,
    stored: Option<&Stored<'_>>,
    options: ValidateOptions,
) -> Result<(), Invalid> {
    if options.ignore_entrypoint {
        return Ok(());
    }
    let own = checker.spec.entrypoint.as_str();
    let entrypoint = match stored {
        Some(stored) if own.is_empty() => stored.spec.entrypoint.as_str(),
        Some(_) | None => own,
    };
    let field = if own.is_empty() { "workflowTemplateRef" } else { "entrypoint" };
    let place = Place::document(&format!("{}.{field}", checker.spec_path));
    if entrypoint.is_empty() {
        return Err(Invalid::new(checker.spec_path, "spec.entrypoint is required"));
    }
    let given = if options.workflow_template { Given::Anything } else { Given::Arguments(arguments) };
    let holder = match stored {
        Some(stored) => Holder::of_reference(stored.template(entrypoint)),
        None => Holder::of_name(entrypoint),
    };
    checker.check_holder(&holder, &place, given).map(drop)
}

/// What failed, as a handler sees it.
const FAILURES: &str = "workflow.failures";

/// The workflow's handler, which alone may use the failures.
fn check_handler(checker: &mut Checker<'_>, stored: Option<&Stored<'_>>) -> Result<(), Invalid> {
    let spec = checker.spec;
    let holder = match (spec.on_exit.as_str(), stored) {
        ("", None) => return Ok(()),
        ("", Some(stored)) if stored.spec.on_exit.is_empty() => return Ok(()),
        ("", Some(stored)) => Holder::of_reference(stored.template(&stored.spec.on_exit)),
        (own, Some(stored)) => Holder::of_reference(stored.template(own)),
        (own, None) => Holder::of_name(own),
    };
    checker.globals.insert(FAILURES.to_owned(), PLACEHOLDER.to_owned());
    let mut templates = spec.templates.iter().chain(stored.iter().flat_map(|stored| &stored.spec.templates));
    if templates.any(has_named_by_tag) {
        checker.globals.insert(ANY_ARTIFACT.to_owned(), "true".to_owned());
    }
    let field = if spec.on_exit.is_empty() { "workflowTemplateRef" } else { "onExit" };
    let place = Place::document(&format!("{}.{field}", checker.spec_path));
    checker.check_holder(&holder, &place, Given::Arguments(&spec.arguments)).map(drop)
}

/// Whether the name of a global output artifact is known only when it runs.
fn has_named_by_tag(template: &Template) -> bool {
    artifact::list(&template.outputs.other)
        .iter()
        .any(|one| names::has_tag(artifact::text(one, "globalName")))
}

fn check_pod_gc(spec: &WorkflowSpec) -> Result<(), (&'static str, String)> {
    let strategies = ["", "OnPodCompletion", "OnPodSuccess", "OnWorkflowCompletion", "OnWorkflowSuccess"];
    let gc = spec.pod_gc().map_err(|error| ("podGC", error.to_string()))?;
    let Some(gc) = gc else { return Ok(()) };
    if !strategies.contains(&gc.strategy.as_str()) {
        let message = format!("podGC.strategy unknown strategy '{}'", gc.strategy);
        return Err(("podGC.strategy", message));
    }
    let expressions = gc.label_selector.as_ref().and_then(|selector| selector.get("matchExpressions"));
    for expression in expressions.and_then(Value::as_array).map_or(&[][..], Vec::as_slice) {
        let operator = artifact::text(expression, "operator");
        if !matches!(operator, "In" | "NotIn" | "Exists" | "DoesNotExist") {
            let message = format!(
                "podGC.labelSelector invalid: {} is not a valid label selector operator",
                quote(operator)
            );
            return Err(("podGC.labelSelector", message));
        }
    }
    Ok(())
}

/// All templates, also those that nothing refers to.
fn check_all_templates(checker: &mut Checker<'_>, stored: Option<&Stored<'_>>) -> Result<(), Invalid> {
    let spec = stored.map_or(checker.spec, |stored| stored.spec);
    for (index, template) in spec.templates.iter().enumerate() {
        let (path, holder) = match stored {
            Some(stored) => {
                let path = format!("{}.workflowTemplateRef", checker.spec_path);
                (path, Holder::of_reference(stored.template(&template.name)))
            }
            None => (format!("{}.templates[{index}]", checker.spec_path), Holder::of_name(&template.name)),
        };
        checker
            .check_holder(&holder, &Place::document(&path), Given::Anything)
            .map_err(|error| error.within(format_args!("templates.{}", template.name)))?;
    }
    Ok(())
}
