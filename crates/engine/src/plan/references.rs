//! References that resolve to nothing, and inputs that nothing is given for.
//! Source: Argo `workflow/validate/validate.go`, `resolveAllVariables`; `argo-semantics` 4.5.

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Severity};
use crate::substitute::references;

use super::lower::Diagnostics;
use super::{Argument, Call, HookPlan, LeafPlan, Plan, TaskPlan, TemplateKind, TemplatePlan};

/// What a text may refer to besides the workflow.
struct Known<'plan> {
    inputs: &'plan TemplatePlan,
    /// `tasks` or `steps` with the names there are; `None` inside a leaf.
    siblings: Option<(&'static str, BTreeSet<&'plan str>)>,
}

/// Looks through a whole plan. Linear in its texts.
pub(super) fn check(plan: &Plan, diagnostics: &mut Diagnostics) {
    let mut checker = Checker { plan, diagnostics };
    for (at, argument) in plan.arguments.iter().enumerate() {
        checker.value(argument, None, &format!("spec.arguments.parameters[{at}].value"));
    }
    for template in &plan.templates {
        let known = Known { inputs: template, siblings: None };
        for (at, input) in template.inputs.iter().enumerate() {
            checker.value(input, Some(&known), &format!("{}.inputs.parameters[{at}]", template.path));
        }
        match &template.kind {
            TemplateKind::Leaf(leaf) => checker.leaf(template, leaf),
            TemplateKind::Dag(dag) => checker.tasks(template, "tasks", dag.tasks.iter()),
            TemplateKind::Steps(steps) => {
                checker.tasks(template, "steps", steps.groups.iter().flatten());
            }
            TemplateKind::Suspend(_) | TemplateKind::Opaque(_) => {}
        }
    }
    checker.call(&plan.root, false, "spec.entrypoint");
    for hook in plan.handler.iter().chain(&plan.hooks) {
        checker.call(&hook.call, true, &hook.path);
        checker.arguments(&hook.call, None, &hook.path);
    }
}

struct Checker<'plan, 'found> {
    plan: &'plan Plan,
    diagnostics: &'found mut Diagnostics,
}

impl<'plan> Checker<'plan, '_> {
    fn leaf(&mut self, template: &'plan TemplatePlan, leaf: &LeafPlan) {
        let known = Known { inputs: template, siblings: None };
        let field = if leaf.source.is_some() { "script" } else { "container" };
        let path = format!("{}.{field}", template.path);
        self.text(&leaf.image, Some(&known), &format!("{path}.image"));
        for (name, texts) in [("command", &leaf.command), ("args", &leaf.args)] {
            for (at, text) in texts.iter().enumerate() {
                self.text(text, Some(&known), &format!("{path}.{name}[{at}]"));
            }
        }
        for (at, (_, value)) in leaf.env.iter().enumerate() {
            self.text(value, Some(&known), &format!("{path}.env[{at}].value"));
        }
        let rest = [("source", &leaf.source), ("workingDir", &leaf.working_dir)];
        for (name, text) in rest.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
            self.text(text, Some(&known), &format!("{path}.{name}"));
        }
    }

    fn tasks(
        &mut self,
        template: &'plan TemplatePlan,
        kind: &'static str,
        tasks: impl Iterator<Item = &'plan TaskPlan> + Clone,
    ) {
        let names = tasks.clone().map(|task| task.name.as_str()).collect();
        let known = Known { inputs: template, siblings: Some((kind, names)) };
        for task in tasks {
            self.call(&task.call, false, &task.path);
            self.arguments(&task.call, Some(&known), &task.path);
            if let Some(when) = &task.when {
                let path = format!("{}.when", task.path);
                self.text(when, Some(&known), &path);
            }
            for hook in task.exit_hook.iter().chain(&task.hooks) {
                self.hook(hook, &known);
            }
        }
    }

    fn hook(&mut self, hook: &'plan HookPlan, known: &Known<'plan>) {
        self.call(&hook.call, true, &hook.path);
        self.arguments(&hook.call, Some(known), &hook.path);
    }

    /// Inputs of the called template that get no value.
    fn call(&mut self, call: &Call, is_hook: bool, path: &str) {
        let arguments =
            if is_hook && call.arguments.is_empty() { &self.plan.arguments } else { &call.arguments };
        for input in &self.plan.template(call.template).inputs {
            let given =
                arguments.iter().any(|argument| argument.name == input.name && argument.value.is_some());
            if !given && input.value.is_none() {
                let field = format!("arguments.parameters.{}", input.name);
                self.diagnostics.error(Code::Missing { field }, path.to_owned());
            }
        }
    }

    fn arguments(&mut self, call: &Call, known: Option<&Known<'_>>, path: &str) {
        for (at, argument) in call.arguments.iter().enumerate() {
            self.value(argument, known, &format!("{path}.arguments.parameters[{at}].value"));
        }
    }

    fn value(&mut self, argument: &Argument, known: Option<&Known<'_>>, path: &str) {
        if let Some(value) = &argument.value {
            self.text(value, known, path);
        }
    }

    fn text(&mut self, text: &str, known: Option<&Known<'_>>, path: &str) {
        for reference in references(text) {
            if reference.starts_with('=') {
                // An expression; its names are looked up when it is filled in.
                continue;
            }
            let severity = match self.resolves(reference, known) {
                Resolves::Yes => continue,
                Resolves::No => Severity::Error,
                Resolves::Foreign => Severity::Warning,
            };
            let placeholder = format!("{{{{{reference}}}}}");
            self.diagnostics.add(severity, Code::Unresolved { placeholder }, path.to_owned());
        }
    }

    fn resolves(&self, reference: &str, known: Option<&Known<'_>>) -> Resolves {
        let Some((root, rest)) = reference.split_once('.') else {
            return match reference {
                "item" | "retries" => Resolves::Yes,
                _ => Resolves::Foreign,
            };
        };
        match root {
            "workflow" if rest.starts_with("outputs.") => Resolves::Yes,
            "workflow" => yes_if(self.of_workflow(rest)),
            "inputs" => yes_if(known.is_some_and(|known| {
                let inputs = &known.inputs.inputs;
                rest.strip_prefix("parameters.")
                    .is_some_and(|name| inputs.iter().any(|input| input.name == name))
            })),
            "pod" | "node" => yes_if(rest == "name"),
            "tasks" | "steps" => yes_if(known.is_some_and(|known| of_sibling(root, rest, known))),
            "item" | "lastRetry" => Resolves::Yes,
            "outputs" => yes_if(rest.starts_with("parameters.")),
            _ => Resolves::Foreign,
        }
    }

    fn of_workflow(&self, rest: &str) -> bool {
        let plain = [
            "name",
            "namespace",
            "uid",
            "status",
            "failures",
            "duration",
            "mainEntrypoint",
            "creationTimestamp",
            "parameters",
        ];
        plain.contains(&rest)
            || rest.starts_with("labels.")
            || rest.starts_with("annotations.")
            || rest
                .strip_prefix("parameters.")
                .is_some_and(|name| self.plan.arguments.iter().any(|argument| argument.name == name))
    }
}

enum Resolves {
    Yes,
    /// Argo's words, but nothing that is there.
    No,
    /// Perhaps no reference at all: another program's braces.
    Foreign,
}

fn yes_if(resolves: bool) -> Resolves {
    if resolves { Resolves::Yes } else { Resolves::No }
}

/// Whether it is one of the fields or outputs of another task.
fn of_sibling(root: &str, rest: &str, known: &Known<'_>) -> bool {
    let (Some((kind, names)), Some((task, field))) = (&known.siblings, rest.split_once('.')) else {
        return false;
    };
    let fields = ["status", "name", "id", "startedAt", "finishedAt", "exitCode"];
    let is_known = fields.contains(&field) || field == "ip" || field.starts_with("outputs.");
    *kind == root && names.contains(task) && is_known
}
