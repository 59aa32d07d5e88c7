//! Tags filled in: in texts, arguments and whole tasks.
//! Source: Argo `util/template/replace.go`; `workflow/controller/scope.go`.

use std::collections::BTreeMap;

use serde_json::Value;
use unwind_model::params::Arguments;
use unwind_model::spec::Task;

use crate::items::{self, Item};
use crate::lang::go::quote;
use crate::lang::tags::TagError;
use crate::lang::{ABSENT, Names, expr, tags, when};

use super::pass::Pass;
use super::scope::Scope;

pub(crate) fn is_absent(value: Option<&str>) -> bool {
    value.is_some_and(|value| value.contains(ABSENT))
}

/// Fills in every tag of a JSON value that `names` knows; others stay.
pub(crate) fn fill_value(value: &mut Value, names: &dyn Names) -> Result<(), String> {
    *value = fill(value, names, tags::Unresolved::Stays).map_err(|error| error.to_string())?;
    Ok(())
}

fn fill(value: &Value, names: &dyn Names, unresolved: tags::Unresolved<'_>) -> Result<Value, TagError> {
    let express = &mut |text: &str| express(text, names, unresolved);
    let absent = &|name: &str| names.value(name).is_some_and(|value| value == ABSENT);
    tags::Filler { names, absent: Some(absent), unresolved, express }.value(value)
}

/// A text with every tag filled in; one that `names` does not know is an error.
pub(crate) fn fill_all(text: &str, names: &dyn Names) -> Result<String, String> {
    let unresolved = tags::Unresolved::Fails;
    let express = &mut |text: &str| express(text, names, unresolved);
    let mut filler = tags::Filler { names, absent: None, unresolved, express };
    filler.text(text).map_err(|error| error.to_string())
}

/// Arguments that are nothing but the output of a node that did not run are left to who takes them.
/// Source: Argo `workflow/controller/scope.go`, `markAbsentOptionalArgs`.
fn mark_absent(arguments: &mut Arguments, scope: &Scope) {
    for parameter in &mut arguments.parameters {
        let tag = parameter.value.as_deref().and_then(|value| value.strip_prefix("{{")?.strip_suffix("}}"));
        if tag.is_some_and(|tag| scope.is_absent(tag.trim()) && scope.get(tag.trim()).is_none()) {
            parameter.value = Some(ABSENT.to_owned());
        }
    }
}

/// Why a task cannot be resolved.
pub(crate) enum Unresolved {
    /// A name has no value yet; the task waits.
    Waits,
    /// In Argo's words.
    Never(String),
}

impl From<String> for Unresolved {
    fn from(text: String) -> Self {
        Self::Never(text)
    }
}

impl From<TagError> for Unresolved {
    fn from(error: TagError) -> Self {
        if error.is_missing_variable() { Self::Waits } else { Self::Never(error.to_string()) }
    }
}

/// The text of an expression tag; `None`: the tag stays.
fn express(
    text: &str,
    names: &dyn Names,
    unresolved: tags::Unresolved<'_>,
) -> Result<Option<String>, String> {
    let environment = expr::environment_for(text, names, &[]);
    let program = expr::compile(text);
    let missing = match &program {
        Ok(program) => Ok(program.identifiers().into_iter().filter(|path| !environment.has(path)).collect()),
        Err(error) => Err(error.to_string()),
    };
    let known = tags::Evaluation { expression: text, missing, unresolved, has_placeholders: false };
    tags::decide(&known, &mut |_| match &program {
        Ok(program) => match program.run(&environment).map_err(|error| error.to_string())? {
            expr::Value::Nil => Ok(None),
            value => value.in_text().map(Some),
        },
        Err(error) => Err(error.to_string()),
    })
}

/// Whether a condition holds where `names` mean something.
pub(crate) fn holds(condition: &str, names: &dyn Names) -> Result<bool, String> {
    let environment = expr::environment_for(condition, names, &[]);
    expr::evaluate_bool(condition, &environment).map_err(|error| error.to_string())
}

/// The value of an expression as the text of a parameter.
/// Source: Argo `workflow/controller/scope.go`, `resolveParameter`.
pub(crate) fn evaluate(expression: &str, names: &dyn Names) -> Result<String, String> {
    let environment = expr::environment_for(expression, names, &[]);
    match expr::evaluate(expression, &environment).map_err(|error| error.to_string())? {
        expr::Value::Nil => Err(format!("failed to evaluate expression {}", quote(expression))),
        value => Ok(value.as_parameter()),
    }
}

/// Arguments of a hook with their tags filled in.
pub(crate) fn fill_arguments(
    arguments: &Arguments,
    scope: &Scope,
    globals: &BTreeMap<String, String>,
) -> Result<Arguments, String> {
    let shape = |error: serde_json::Error| error.to_string();
    let mut arguments = arguments.clone();
    mark_absent(&mut arguments, scope);
    let mut value = serde_json::to_value(arguments).map_err(shape)?;
    fill_value(&mut value, &scope.over(globals))?;
    serde_json::from_value(value).map_err(shape)
}

/// What becomes of an artifact that nobody finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// An optional one of a task is left out when its name means nothing.
    /// Source: Argo `dag.go`, `resolveDependencyReferences`.
    Task,
    /// An optional one of a step is left out whatever the reason is.
    /// Source: Argo `steps.go`, `resolveReferences`.
    Step,
    /// An optional one of a hook stays as it is written.
    /// Source: Argo `exit_handler.go`, `resolveExitTmplArgument`.
    Hook,
}

/// Artifacts that come from somewhere, looked up.
pub(crate) fn artifacts(mut arguments: Arguments, scope: &Scope, lost: Lost) -> Result<Arguments, String> {
    let Some(Value::Array(given)) = arguments.other.get_mut("artifacts") else { return Ok(arguments) };
    for artifact in std::mem::take(given) {
        let optional = artifact.get("optional").and_then(Value::as_bool).unwrap_or(false);
        match (taken(&artifact, scope), lost) {
            (Ok(None), _) => given.push(artifact),
            (Ok(Some(mut found)), _) => {
                found["name"] = artifact.get("name").cloned().unwrap_or_default();
                given.push(found);
            }
            (Err(text), Lost::Task) if optional && text.contains("Unable to resolve") => {}
            (Err(_), Lost::Step) if optional => {}
            (Err(_), Lost::Hook) if optional => given.push(artifact),
            (Err(text), Lost::Task) => return Err(text),
            (Err(text), Lost::Step | Lost::Hook) => {
                return Err(format!("unable to resolve references: {text}"));
            }
        }
    }
    Ok(arguments)
}

/// What an artifact that comes from somewhere is there, the end of its key with it; `None`: it does not
/// come from anywhere.
/// Source: Argo `scope.go`, `resolveArtifact`.
pub(crate) fn taken(artifact: &Value, scope: &Scope) -> Result<Option<Value>, String> {
    let text = |field: &str| artifact.get(field).and_then(Value::as_str).unwrap_or_default();
    let from = text("from").trim_start_matches("{{").trim_end_matches("}}").trim();
    let found = match text("fromExpression") {
        "" if from.is_empty() => return Ok(None),
        "" => match scope.artifact(from) {
            Some(found) => found,
            None if scope.get(from).is_some() => return Err(no_artifact(artifact)),
            None => return Err(format!("Unable to resolve: {}", quote(from))),
        },
        expression => chosen(expression, artifact, scope)?,
    };
    let mut found = found.clone();
    if !text("subPath").is_empty() {
        let names: BTreeMap<String, String> = BTreeMap::new();
        let mut path = Value::String(text("subPath").to_owned());
        fill_value(&mut path, &scope.over(&names))?;
        append_to_key(&mut found, path.as_str().unwrap_or_default());
    }
    Ok(Some(found))
}

fn no_artifact(artifact: &Value) -> String {
    let name = artifact.get("name").and_then(Value::as_str).unwrap_or_default();
    format!("Variable {{{{{name}}}}} is not an artifact")
}

/// The artifact that an expression comes to.
fn chosen<'scope>(expression: &str, artifact: &Value, scope: &'scope Scope) -> Result<&'scope Value, String> {
    let artifacts: Vec<(&str, expr::Value)> =
        scope.artifact_names().map(|name| (name, expr::Value::Artifact(name.into()))).collect();
    let nothing = BTreeMap::new();
    let environment = expr::environment_with(&scope.over(&nothing), &artifacts);
    let value = expr::evaluate(expression, &environment).map_err(|error| error.to_string())?;
    let name = if let expr::Value::Artifact(name) = &value { Some(name) } else { None };
    name.and_then(|name| scope.artifact(name)).ok_or_else(|| no_artifact(artifact))
}

/// Source: Argo `workflow_types.go`, `ArtifactLocation.AppendToKey`.
fn append_to_key(artifact: &mut Value, end: &str) {
    for (kind, field) in [
        ("s3", "key"),
        ("gcs", "key"),
        ("oss", "key"),
        ("azure", "blob"),
        ("hdfs", "path"),
        ("artifactory", "url"),
        ("http", "url"),
        ("plugin", "key"),
    ] {
        let key = artifact.get_mut(kind).and_then(|place| place.get_mut(field));
        if let Some(Value::String(key)) = key {
            let joined = format!("{}/{}", key.trim_end_matches('/'), end.trim_start_matches('/'));
            *key = joined;
        }
    }
}

/// Whether a task or step is a loop. An empty `withItems` is none.
pub(crate) fn is_loop(task: &Task) -> bool {
    if task.other.is_empty() {
        return false;
    }
    let has_items = task.with_items().ok().flatten().is_some_and(|items| !items.is_empty());
    let given = |field: &str| task.other.get(field).is_some_and(|value| !value.is_null());
    has_items || given("withParam") || given("withSequence")
}

/// Whether there is nothing to fill in or look up in a task. Artifacts that come from elsewhere have tags.
pub(crate) fn is_plain(task: &Task) -> bool {
    task.when.is_empty() && !task.arguments.other.contains_key("artifacts") && !tags::task_has_tags(task)
}

impl Pass<'_> {
    /// A task with every tag filled in that its scope knows, artifacts looked up. Of a task that will not run
    /// only `when` is filled in.
    /// Source: Argo `dag.go`, `resolveDependencyReferences`; `steps.go`, `resolveReferences`.
    pub(crate) fn resolve(&self, task: &Task, scope: &Scope, lost: Lost) -> Result<Task, Unresolved> {
        let names = scope.over(&self.globals);
        let strict = tags::Unresolved::FailsIn(&["tasks", "steps"]);
        let mut task = task.clone();
        if is_plain(&task) {
            return Ok(task);
        }
        if let Value::String(when) = fill(&Value::String(std::mem::take(&mut task.when)), &names, strict)? {
            task.when = when;
        }
        match when::should_execute(&task.when) {
            Ok(true) => {}
            Ok(false) => return Ok(task),
            // The condition may ask for the item.
            Err(_) if is_loop(&task) => {}
            Err(error) => return Err(Unresolved::Never(error.to_string())),
        }
        let mut filled = self.fill_task(&task, scope)?;
        filled.arguments = artifacts(filled.arguments, scope, lost)?;
        Ok(filled)
    }

    fn fill_task(&self, task: &Task, scope: &Scope) -> Result<Task, Unresolved> {
        let shape = |error: serde_json::Error| Unresolved::Never(error.to_string());
        let mut task = task.clone();
        mark_absent(&mut task.arguments, scope);
        let mut value = serde_json::to_value(task).map_err(shape)?;
        let names = scope.over(&self.globals);
        // Hooks are filled in when they begin: they may name what only comes to be with the task itself.
        let hooks = value.as_object_mut().and_then(|fields| fields.remove("hooks"));
        let mut value = fill(&value, &names, tags::Unresolved::FailsIn(&["tasks", "steps"]))?;
        if let (Some(hooks), Some(fields)) = (hooks, value.as_object_mut()) {
            fields.insert("hooks".to_owned(), hooks);
        }
        serde_json::from_value(value).map_err(shape)
    }
}

/// The items of a loop, each of which can be made a task of its own.
/// Source: Argo `dag.go`, `expandTask`; `steps.go`, `expandStep`.
#[derive(Clone, Debug)]
pub(crate) struct Expansion {
    name: String,
    /// The task without its loop.
    plain: Value,
    items: Vec<Item>,
    unresolved: tags::Unresolved<'static>,
}

impl Expansion {
    /// The items of a task; `None`: it is no loop.
    pub(crate) fn of(task: &Task) -> Result<Option<Self>, String> {
        let Some(items) = items::of(task).map_err(|error| error.to_string())? else { return Ok(None) };
        let mut plain = task.clone();
        for field in ["withItems", "withParam", "withSequence"] {
            plain.other.remove(field);
        }
        Ok(Some(Self {
            name: task.name.clone(),
            plain: serde_json::to_value(&plain).map_err(|error| error.to_string())?,
            items,
            unresolved: items::unresolved(&task.when),
        }))
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Name of an item's task.
    pub(crate) fn name(&self, item: usize) -> String {
        self.items[item].name(&self.name)
    }

    /// One item as a task.
    pub(crate) fn task(&self, item: usize, names: &dyn Names) -> Result<Task, String> {
        let of_item = OfItem { item: &self.items[item], around: names };
        let value = fill(&self.plain, &of_item, self.unresolved).map_err(|error| error.to_string())?;
        let mut task: Task = serde_json::from_value(value).map_err(|error| error.to_string())?;
        task.name = self.name(item);
        Ok(task)
    }
}

/// The items of a loop as tasks of their own; a task that is no loop is itself.
pub(crate) fn expand(task: &Task, names: &dyn Names) -> Result<Vec<Task>, String> {
    match Expansion::of(task)? {
        None => Ok(vec![task.clone()]),
        Some(expansion) => (0..expansion.len()).map(|item| expansion.task(item, names)).collect(),
    }
}

/// The names of an item over those of its place.
struct OfItem<'a> {
    item: &'a Item,
    around: &'a dyn Names,
}

impl Names for OfItem<'_> {
    fn value(&self, name: &str) -> Option<std::borrow::Cow<'_, str>> {
        self.item.value(name).or_else(|| self.around.value(name))
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        self.around.each(see);
        self.item.each(see);
    }
}
