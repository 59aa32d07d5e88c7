//! Steps templates.
//! Source: Argo `workflow/validate/validate.go`, `validateSteps`, `validateHooks`, `validateNonLeaf`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;
use unwind_model::Template;
use unwind_model::hooks::{EXIT, LifecycleHooks};
use unwind_model::spec::Task;

use super::arguments::Given;
use super::resolve::{Checker, Holder, Place};
use super::scope::Scope;
use super::shape::STEP;
use super::template::raw;
use super::{Invalid, arguments, go_json, items, names, outputs};
use crate::lang::tags;

/// A named hook without an expression; `name` is what the hooks belong to.
pub(super) fn check_hooks(name: &str, hooks: &LifecycleHooks) -> Result<(), String> {
    let lacks = |hook: &Value| hook.get("expression").and_then(Value::as_str).unwrap_or_default().is_empty();
    match hooks.0.iter().find(|(hook, value)| hook.as_str() != EXIT && lacks(value)) {
        Some((hook, _)) => Err(format!("{name}.{hook} Expression required")),
        None => Ok(()),
    }
}

/// Whether something runs when the task is over.
pub(super) fn has_exit_hook(task: &Task) -> bool {
    !task.on_exit.is_empty() || task.hooks.0.get(EXIT).is_some_and(|hook| !hook.is_null())
}

/// A deadline where there can be none.
pub(super) fn check_non_leaf(template: &Template) -> Result<(), String> {
    match raw(template, "activeDeadlineSeconds") {
        Some(_) => {
            Err(format!("templates.{}.activeDeadlineSeconds is only valid for leaf templates", template.name))
        }
        None => Ok(()),
    }
}

/// A step and where it stands.
struct Step<'t> {
    task: &'t Task,
    /// What stands before a problem of it: `templates.main.steps[0].name`.
    name: String,
    place: Place,
}

impl Checker<'_> {
    pub(super) fn check_steps(
        &mut self,
        template: &Template,
        scope: &mut Scope<'_>,
        place: &Place,
    ) -> Result<(), Invalid> {
        check_non_leaf(template).map_err(|message| Invalid::new(&place.path, message))?;
        let mut seen = BTreeSet::new();
        for (group_index, group) in template.steps.iter().flatten().enumerate() {
            for (index, task) in group.0.iter().enumerate() {
                let at = place.at_part(format_args!(".steps[{group_index}][{index}]"));
                let group_name = format!("templates.{}.steps[{group_index}]", template.name);
                check_name(&group_name, &task.name, &mut seen)
                    .map_err(|message| Invalid::new(&at.path, message))?;
                let step = Step { task, name: format!("{group_name}.{}", task.name), place: at };
                self.check_step(template, &step, scope)?;
            }
        }
        Ok(())
    }

    fn check_step(
        &mut self,
        template: &Template,
        step: &Step<'_>,
        scope: &mut Scope<'_>,
    ) -> Result<(), Invalid> {
        let Step { task, name, place } = step;
        let fail = |message: String| Invalid::new(&place.path, message);
        let prefix = format!("steps.{}", task.name);
        scope.add_parts(&prefix, &["status"]);
        items::add_to(scope, task).map_err(|message| fail(format!("{name} {message}")))?;
        arguments::check(&format!("{name}.arguments"), &task.arguments, false).map_err(fail)?;
        let holder = Holder::of_task(task).map_err(fail)?;
        let resolved =
            self.check_holder(&holder, place, Given::Anything).map_err(|error| error.within(name))?;
        let resolved: Option<&Template> = resolved.as_ref().map(Cow::as_ref);
        if has_exit_hook(task) {
            outputs::add_to(scope, &mut self.globals, &prefix, resolved, false);
        }
        check_hooks(name, &task.hooks).map_err(fail)?;
        self.check_step_tags(task, scope)
            .map_err(|message| fail(format!("templates.{}.steps {message}", template.name)))?;
        outputs::add_to(scope, &mut self.globals, &prefix, resolved, items::is_aggregate(task));
        if takes_nothing(resolved) {
            return Ok(());
        }
        // Once more with what it really gets.
        self.check_holder(&holder, place, Given::Arguments(&task.arguments))
            .map_err(|error| error.within(name))?;
        Ok(())
    }

    fn check_step_tags(&self, task: &Task, scope: &Scope<'_>) -> Result<(), String> {
        if !tags::task_has_tags(task) && !tags::map_has_tags(&task.hooks.0) {
            return Ok(());
        }
        let json = go_json::text_of(task, STEP).map_err(|error| error.to_string())?;
        let mut inner = Scope::inside(scope);
        add_inline_inputs(&mut inner, task);
        self.known(&inner).check(&json)
    }
}

/// Whether a template that was looked at is the same whatever it is called with.
pub(super) fn takes_nothing(template: Option<&Template>) -> bool {
    template.is_some_and(|template| template.inputs.is_empty() && raw(template, "timeout").is_none())
}

/// The inputs of an inline template may be used in it.
pub(super) fn add_inline_inputs(scope: &mut Scope<'_>, task: &Task) {
    for parameter in task.inline.iter().flat_map(|inline| &inline.inputs.parameters) {
        scope.add(format!("inputs.parameters.{}", parameter.name));
    }
}

fn check_name<'t>(group: &str, name: &'t str, seen: &mut BTreeSet<&'t str>) -> Result<(), String> {
    if name.is_empty() {
        return Err(format!("{group}.name is required"));
    }
    if !seen.insert(name) {
        return Err(format!("{group}.name '{name}' is not unique"));
    }
    match names::wrong(name, names::Rule::Field) {
        Some(wrong) => Err(format!("{group}.name '{name}' is invalid: {wrong}")),
        None => Ok(()),
    }
}
