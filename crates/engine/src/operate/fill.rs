//! Tags filled in: in texts, arguments and whole tasks.
//! Source: Argo `util/template/replace.go`; `workflow/controller/scope.go`.

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
    tags::Filler { names, absent: None, unresolved, express }.value(value)
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

/// Arguments with their tags filled in.
pub(crate) fn fill_arguments(arguments: &Arguments, names: &dyn Names) -> Result<Arguments, String> {
    let shape = |error: serde_json::Error| error.to_string();
    let mut value = serde_json::to_value(arguments).map_err(shape)?;
    fill_value(&mut value, names)?;
    serde_json::from_value(value).map_err(shape)
}

/// Artifacts that come `from` somewhere, looked up. What is not there stays as it is.
pub(crate) fn artifacts(mut arguments: Arguments, scope: &Scope) -> Result<Arguments, String> {
    if let Some(Value::Array(list)) = arguments.other.get_mut("artifacts") {
        let given = std::mem::take(list);
        for artifact in given {
            match taken(&artifact, scope)? {
                Taken::AsIs => list.push(artifact),
                Taken::Found(found) => list.push(found),
                Taken::Missing => {}
            }
        }
    }
    Ok(arguments)
}

enum Taken {
    AsIs,
    Found(Value),
    /// An optional one that is not there.
    Missing,
}

/// Source: Argo `scope.go`, `resolveArtifact`.
fn taken(artifact: &Value, scope: &Scope) -> Result<Taken, String> {
    let from = artifact.get("from").and_then(Value::as_str).unwrap_or_default();
    if from.is_empty() {
        return Ok(Taken::AsIs);
    }
    let name = from.trim_start_matches("{{").trim_end_matches("}}").trim();
    let optional = artifact.get("optional").and_then(Value::as_bool).unwrap_or(false);
    let Some(found) = scope.artifact(name) else {
        if name.starts_with("inputs.") || name.starts_with("workflow.") {
            return Ok(Taken::AsIs);
        }
        return if optional {
            Ok(Taken::Missing)
        } else {
            Err(format!("Unable to resolve: {}", quote(name)))
        };
    };
    let mut found = found.clone();
    found["name"] = artifact.get("name").cloned().unwrap_or_default();
    Ok(Taken::Found(found))
}

/// Whether a task or step is a loop. An empty `withItems` is none.
pub(crate) fn is_loop(task: &Task) -> bool {
    let has_items = task.with_items().ok().flatten().is_some_and(|items| !items.is_empty());
    let given = |field: &str| task.other.get(field).is_some_and(|value| !value.is_null());
    has_items || given("withParam") || given("withSequence")
}

impl Pass<'_> {
    /// A task with every tag filled in that its scope knows, artifacts looked up. Of a task that will not run
    /// only `when` is filled in.
    /// Source: Argo `dag.go`, `resolveDependencyReferences`; `steps.go`, `resolveReferences`.
    pub(crate) fn resolve(&self, task: &Task, scope: &Scope) -> Result<Task, Unresolved> {
        let names = scope.over(&self.globals);
        let strict = tags::Unresolved::FailsIn(&["tasks", "steps"]);
        let mut task = task.clone();
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
        filled.arguments = artifacts(filled.arguments, scope)?;
        Ok(filled)
    }

    fn fill_task(&self, task: &Task, scope: &Scope) -> Result<Task, Unresolved> {
        let shape = |error: serde_json::Error| Unresolved::Never(error.to_string());
        let value = serde_json::to_value(task).map_err(shape)?;
        let names = scope.over(&self.globals);
        let mut value = value;
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
