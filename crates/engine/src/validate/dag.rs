//! DAG templates.
//! Source: Argo `workflow/validate/validate.go`, `validateDAG`, `validateDAGTargets`,
//! `validateDAGTaskArgumentDependency`. Cycles and unknown dependencies are found by the sorting, before
//! the checks that Argo has for them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use unwind_model::Template;
use unwind_model::params::Arguments;
use unwind_model::spec::{Dag, Task};

use super::arguments::Given;
use super::dependencies::{self, Dependency};
use super::resolve::{Checker, Holder, Place};
use super::scope::{Known, Scope};
use super::shape::TASK;
use super::steps::{add_inline_inputs, check_non_leaf, has_exit_hook, takes_nothing};
use super::{Invalid, arguments, artifact, go_json, items, names, outputs};
use crate::lang::tags;

/// A DAG with what its tasks depend on.
struct Graph<'t> {
    template: &'t Template,
    dag: &'t Dag,
    place: &'t Place,
    dependencies: &'t [Vec<Dependency>],
    /// Indices of tasks in the order of dependencies.
    order: Vec<usize>,
    /// Whether any task has a `depends`.
    uses_depends: bool,
    by_name: BTreeMap<&'t str, &'t [Dependency]>,
}

impl Graph<'_> {
    fn at(&self, index: usize) -> Place {
        self.place.at_part(format_args!(".dag.tasks[{index}]"))
    }

    /// What stands before a problem of a task.
    fn name(&self, task: &Task) -> String {
        format!("templates.{}.tasks.{}", self.template.name, task.name)
    }
}

impl<'a> Checker<'a> {
    pub(super) fn check_dag(
        &mut self,
        template: &Template,
        scope: &mut Scope<'_>,
        place: &Place,
    ) -> Result<(), Invalid> {
        let name = &template.name;
        let fail = |message: String| Invalid::new(&place.path, message);
        check_non_leaf(template).map_err(fail)?;
        let Some(dag) = template.dag.as_ref().filter(|dag| !dag.tasks.is_empty()) else {
            return Err(fail(format!("templates.{name} must have at least one task")));
        };
        let dependencies: Vec<Vec<Dependency>> = dag.tasks.iter().map(dependencies::of).collect();
        let order = dependencies::sorted(&dag.tasks, &dependencies)
            .map_err(|message| fail(format!("templates.{name} sorting failed: {message}")))?;
        let by_name = dag
            .tasks
            .iter()
            .zip(&dependencies)
            .map(|(task, list)| (task.name.as_str(), list.as_slice()))
            .collect();
        let graph = Graph {
            template,
            dag,
            place,
            dependencies: &dependencies,
            order,
            uses_depends: dag.tasks.iter().any(|task| !task.depends.is_empty()),
            by_name,
        };
        let task_names = graph.order.iter().map(|index| dag.tasks[*index].name.as_str());
        names::check_all(task_names, names::Rule::Field).map_err(|bad| {
            let at = graph.at(graph.order[bad.index]);
            Invalid::new(at.path, format!("templates.{name}.tasks{}", bad.message))
        })?;

        let resolved = self.resolve_tasks(&graph, scope)?;
        self.known(scope)
            .check(&dag.target)
            .map_err(|message| fail(format!("templates.{name}.targets {message}")))?;
        check_targets(&graph).map_err(fail)?;
        for (index, template) in graph.order.iter().zip(&resolved) {
            self.check_task(&graph, *index, template.as_ref().map(Cow::as_ref), scope)?;
        }
        Ok(())
    }

    /// The templates of the tasks, in the order of dependencies.
    fn resolve_tasks<'t>(
        &mut self,
        graph: &Graph<'t>,
        scope: &mut Scope<'_>,
    ) -> Result<Vec<Option<Cow<'t, Template>>>, Invalid>
    where
        'a: 't,
    {
        let mut resolved = Vec::with_capacity(graph.order.len());
        for index in &graph.order {
            let task = &graph.dag.tasks[*index];
            let (place, name) = (graph.at(*index), graph.name(task));
            let fail = |message: String| Invalid::new(&place.path, message);
            check_dependency_style(graph, task).map_err(fail)?;
            let holder = Holder::of_task(task).map_err(fail)?;
            let template =
                self.check_holder(&holder, &place, Given::Anything).map_err(|error| error.within(&name))?;
            outputs::add_to(
                scope,
                &mut self.globals,
                &format!("tasks.{}", task.name),
                template.as_ref().map(Cow::as_ref),
                items::is_aggregate(task),
            );
            dependencies::check_results(task).map_err(|message| fail(format!("{name} {message}")))?;
            check_item_conditions(graph, *index).map_err(fail)?;
            resolved.push(template);
        }
        Ok(resolved)
    }

    /// A task, with all outputs of the others in `scope`.
    fn check_task(
        &mut self,
        graph: &Graph<'_>,
        index: usize,
        template: Option<&Template>,
        scope: &mut Scope<'_>,
    ) -> Result<(), Invalid> {
        let task = &graph.dag.tasks[index];
        let (place, name, prefix) = (graph.at(index), graph.name(task), format!("tasks.{}", task.name));
        let fail = |message: String| Invalid::new(&place.path, message);
        if !task.hooks.is_empty() {
            scope.add_parts(&prefix, &["status"]);
        }
        outputs::add_to(scope, &mut self.globals, &prefix, template, false);
        if has_exit_hook(task) {
            outputs::add_to(scope, &mut self.globals, &prefix, template, false);
        }
        let mut inner = Scope::inside(scope);
        add_inline_inputs(&mut inner, task);
        items::add_to(&mut inner, task).map_err(|message| fail(format!("{name} {message}")))?;
        let has_ended = |other: &str| dependencies::is_after(&task.name, other, &graph.by_name);
        if tags::task_has_tags(task) || tags::map_has_tags(&task.hooks.0) {
            let json = go_json::text_of(task, TASK).map_err(|error| fail(error.to_string()))?;
            Known { has_ended: &has_ended, ..self.known(&inner) }
                .check(&json)
                .map_err(|message| fail(format!("{name} {message}")))?;
        }
        arguments::check(&format!("{name}.arguments"), &task.arguments, false).map_err(fail)?;
        check_sources(&task.arguments, &has_ended).map_err(|message| fail(format!("{name} {message}")))?;
        if takes_nothing(template) {
            return Ok(());
        }
        // Once more with what it really gets.
        let holder = Holder::of_task(task).map_err(fail)?;
        self.check_holder(&holder, &place, Given::Arguments(&task.arguments))
            .map_err(|error| error.within(&name))?;
        Ok(())
    }
}

/// `depends` and `dependencies` in one DAG, and what does not go with them.
fn check_dependency_style(graph: &Graph<'_>, task: &Task) -> Result<(), String> {
    let template = &graph.template.name;
    let uses_depends = graph.uses_depends;
    let has_dependencies = !task.dependencies.is_empty();
    if (uses_depends || has_dependencies) && task.name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!(
            "{} name cannot begin with a digit when using either 'depends' or 'dependencies'",
            graph.name(task)
        ));
    }
    if uses_depends && has_dependencies {
        return Err(format!(
            "templates.{template} cannot use both 'depends' and 'dependencies' in the same DAG template"
        ));
    }
    if uses_depends && task.other.get("continueOn").is_some_and(|value| !value.is_null()) {
        return Err(format!(
            "templates.{template} cannot use 'continueOn' when using 'depends'. Instead use \
             'dep-task.Failed'/'dep-task.Errored'"
        ));
    }
    Ok(())
}

/// `AnySucceeded` or `AllFailed` of a task that is no loop. Argo names that task twice.
fn check_item_conditions(graph: &Graph<'_>, index: usize) -> Result<(), String> {
    let is_loop = |name: &str| {
        let mut tasks = graph.dag.tasks.iter();
        tasks.find(|task| task.name == name).is_some_and(items::is_loop)
    };
    match graph.dependencies[index].iter().find(|found| found.of_items && !is_loop(&found.name)) {
        Some(Dependency { name, .. }) => Err(format!(
            "templates.{}.tasks.{name} dependency '{name}' uses an items-based condition such as \
             .AnySucceeded or .AllFailed but does not contain any items",
            graph.template.name
        )),
        None => Ok(()),
    }
}

fn check_targets(graph: &Graph<'_>) -> Result<(), String> {
    let target = &graph.dag.target;
    if target.is_empty() {
        return Ok(());
    }
    // What comes of an expression is known only when it runs.
    if target.contains("{{=") {
        return Ok(());
    }
    let is_known = |name: &str| names::has_tag(name) || graph.by_name.contains_key(name);
    match target.split(' ').find(|name| !is_known(name)) {
        Some(name) => {
            Err(format!("templates.{}.targets: target '{name}' is not defined", graph.template.name))
        }
        None => Ok(()),
    }
}

/// Arguments that begin with the output of a task that need not be over.
fn check_sources(arguments: &Arguments, has_ended: &dyn Fn(&str) -> bool) -> Result<(), String> {
    let missing = |text: &str| {
        let name = text.strip_prefix("{{tasks.")?.split('.').next().unwrap_or_default();
        (!has_ended(name)).then(|| name.to_owned())
    };
    for parameter in &arguments.parameters {
        if let Some(task) = parameter.value.as_deref().and_then(missing) {
            return Err(format!("missing dependency '{task}' for parameter '{}'", parameter.name));
        }
    }
    for one in artifact::list(&arguments.other) {
        if let Some(task) = missing(artifact::text(one, "from")) {
            let name = artifact::text(one, "name");
            return Err(format!("missing dependency '{task}' for artifact '{name}'"));
        }
    }
    Ok(())
}
