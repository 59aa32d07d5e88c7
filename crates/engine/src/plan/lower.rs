//! Workflow object to plan, with diagnostics.

use std::collections::BTreeMap;

use unwind_model::hooks::{self, LifecycleHook, LifecycleHooks};
use unwind_model::params::{Arguments, Parameter};
use unwind_model::{NodeType, Workflow};

use crate::diagnostic::{Code, Diagnostic, Severity};

use super::fields::{self, Place};
use super::references;
use super::template;
use super::{Argument, Call, HookPlan, OpaquePlan, Plan, TemplateIndex, TemplateKind, TemplatePlan};

/// Lowers a workflow. Never fails: what cannot be lowered is an opaque node and a diagnostic.
/// Linear in the size of the document.
pub fn lower(workflow: &Workflow) -> (Plan, Vec<Diagnostic>) {
    let spec = &workflow.spec;
    let mut lowering = Lowering::default();
    lowering.index_templates(workflow);
    let arguments = lowering.arguments(&spec.arguments, "spec.arguments");
    for (at, template) in spec.templates.iter().enumerate() {
        let path = format!("spec.templates[{at}]");
        let plan = template::lower(&mut lowering, template, &path);
        lowering.templates[at] = plan;
    }
    let root = lowering.root(workflow, &arguments);
    let (handler, hooks) = lowering.hooks(&spec.on_exit, &spec.hooks, "spec");
    lowering.workflow_fields(workflow);
    let plan = Plan {
        workflow: name_of(workflow),
        templates: lowering.templates,
        root,
        handler,
        hooks,
        arguments,
        preset_shutdown: spec.shutdown,
        suspended: spec.suspend == Some(true),
    };
    references::check(&plan, &mut lowering.diagnostics);
    (plan, lowering.diagnostics.found)
}

fn name_of(workflow: &Workflow) -> String {
    let metadata = &workflow.metadata;
    if metadata.name.is_empty() {
        metadata.generate_name.trim_end_matches('-').to_owned()
    } else {
        metadata.name.clone()
    }
}

/// Diagnostics in the order in which they were found.
#[derive(Default)]
pub(super) struct Diagnostics {
    found: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(super) fn add(&mut self, severity: Severity, code: Code, path: String) {
        self.found.push(Diagnostic { code, severity, path, position: None });
    }

    pub(super) fn error(&mut self, code: Code, path: String) {
        self.add(Severity::Error, code, path);
    }
}

/// What is known so far.
#[derive(Default)]
pub(super) struct Lowering {
    templates: Vec<TemplatePlan>,
    by_name: BTreeMap<String, TemplateIndex>,
    stand_ins: BTreeMap<String, TemplateIndex>,
    pub(super) diagnostics: Diagnostics,
}

impl Lowering {
    /// Gives every template of the document its index before any is lowered, since they may call
    /// each other in any order.
    fn index_templates(&mut self, workflow: &Workflow) {
        for (at, template) in workflow.spec.templates.iter().enumerate() {
            let path = format!("spec.templates[{at}]");
            if template.name.is_empty() {
                let field = "name".to_owned();
                self.diagnostics.error(Code::Missing { field }, path.clone());
            } else if self.by_name.contains_key(&template.name) {
                let name = template.name.clone();
                self.diagnostics.error(Code::DuplicateName { name }, format!("{path}.name"));
            }
            let index = self.add(opaque(&template.name, String::new()));
            self.by_name.entry(template.name.clone()).or_insert(index);
        }
    }

    /// Adds a template to the arena.
    pub(super) fn add(&mut self, template: TemplatePlan) -> TemplateIndex {
        self.templates.push(template);
        TemplateIndex((self.templates.len() - 1) as u32)
    }

    /// The template of a name, or an opaque one that says it is not there.
    pub(super) fn find(&mut self, name: &str, path: &str) -> TemplateIndex {
        if let Some(index) = self.by_name.get(name) {
            return *index;
        }
        let code = if name.is_empty() {
            Code::Missing { field: "template".to_owned() }
        } else {
            Code::UnknownTemplate { template: name.to_owned() }
        };
        self.diagnostics.error(code, path.to_owned());
        self.stand_in(name, format!("template {name} not found"))
    }

    /// An opaque template for one that cannot be had.
    pub(super) fn stand_in(&mut self, name: &str, message: String) -> TemplateIndex {
        if let Some(index) = self.stand_ins.get(name) {
            return *index;
        }
        let index = self.add(opaque(name, message));
        self.stand_ins.insert(name.to_owned(), index);
        index
    }

    /// Entrypoint with the workflow's own arguments.
    fn root(&mut self, workflow: &Workflow, arguments: &[Argument]) -> Call {
        let name = &workflow.spec.entrypoint;
        let template = if name.is_empty() {
            let code = Code::Missing { field: "entrypoint".to_owned() };
            self.diagnostics.error(code, "spec.entrypoint".to_owned());
            self.stand_in("", "no entrypoint".to_owned())
        } else {
            self.find(name, "spec.entrypoint")
        };
        Call { template, arguments: arguments.to_vec(), name: name.clone() }
    }

    /// Parameters of `arguments` or `inputs`; everything else in there is checked.
    pub(super) fn arguments(&mut self, arguments: &Arguments, path: &str) -> Vec<Argument> {
        for (field, value) in &arguments.other {
            let given = value.as_array().is_none_or(|list| !list.is_empty()) && !value.is_null();
            if given {
                let field = field.clone();
                let at = format!("{path}.{field}");
                self.diagnostics.error(Code::Unsupported { field }, at);
            }
        }
        let mut names = std::collections::BTreeSet::new();
        let mut lowered = Vec::new();
        for (at, parameter) in arguments.parameters.iter().enumerate() {
            let path = format!("{path}.parameters[{at}]");
            if !names.insert(&parameter.name) {
                let name = parameter.name.clone();
                self.diagnostics.error(Code::DuplicateName { name }, path.clone());
            }
            lowered.push(self.parameter(parameter, &path));
        }
        lowered
    }

    fn parameter(&mut self, parameter: &Parameter, path: &str) -> Argument {
        if parameter.value_from.is_some() {
            let code = Code::Unsupported { field: "valueFrom".to_owned() };
            self.diagnostics.error(code, format!("{path}.valueFrom"));
        }
        fields::check(Place::Parameter, &parameter.other, path, &mut self.diagnostics);
        Argument {
            name: parameter.name.clone(),
            value: parameter.value.clone().or(parameter.default.clone()),
        }
    }

    /// Exit hook and other hooks of a task, step or workflow at `path`. `onExit` beats
    /// `hooks.exit`. Source: Argo `workflow_types.go`, `GetExitHook`.
    pub(super) fn hooks(
        &mut self,
        on_exit: &str,
        hooks: &LifecycleHooks,
        path: &str,
    ) -> (Option<HookPlan>, Vec<HookPlan>) {
        let mut exit = None;
        let mut named = Vec::new();
        for (name, hook) in hooks.iter() {
            let path = format!("{path}.hooks.{name}");
            match hook {
                Ok(hook) if name == hooks::EXIT => exit = Some(self.hook(name, &hook, path)),
                Ok(hook) => named.push(self.hook(name, &hook, path)),
                Err(error) => {
                    let expected = error.to_string();
                    self.diagnostics.error(Code::BadValue { expected }, path);
                }
            }
        }
        if !on_exit.is_empty() {
            let hook = LifecycleHook { template: on_exit.to_owned(), ..LifecycleHook::default() };
            exit = Some(self.hook(hooks::EXIT, &hook, format!("{path}.onExit")));
        }
        (exit, named)
    }

    fn hook(&mut self, name: &str, hook: &LifecycleHook, path: String) -> HookPlan {
        let is_exit = name == hooks::EXIT;
        fields::check(Place::Hook, &hook.other, &path, &mut self.diagnostics);
        match (&hook.expression, is_exit) {
            (None, false) => {
                let field = "expression".to_owned();
                self.diagnostics.error(Code::Missing { field }, path.clone());
            }
            (Some(_), true) => self.exit_expression(&path),
            (Some(_), false) | (None, true) => {}
        }
        let template = if hook.other.contains_key("templateRef") {
            self.stand_in("templateRef", "templateRef is not supported".to_owned())
        } else if path.ends_with(".onExit") {
            self.find(&hook.template, &path)
        } else {
            self.find(&hook.template, &format!("{path}.template"))
        };
        HookPlan {
            name: name.to_owned(),
            call: Call {
                template,
                arguments: self.arguments(&hook.arguments, &format!("{path}.arguments")),
                name: hook.template.clone(),
            },
            condition: hook.expression.clone(),
            path,
        }
    }

    /// On the workflow Argo ignores the expression of an exit hook; elsewhere it decides.
    /// Source: Argo `workflow/controller/operator.go`, `operate`; `exit_handler.go`, `runOnExitNode`.
    fn exit_expression(&mut self, path: &str) {
        if path.starts_with("spec.hooks.") {
            let code = Code::Unsupported { field: "expression".to_owned() };
            self.diagnostics.add(Severity::Note, code, format!("{path}.expression"));
        }
    }

    fn workflow_fields(&mut self, workflow: &Workflow) {
        let spec = &workflow.spec;
        fields::check(Place::Spec, &spec.other, "spec", &mut self.diagnostics);
        if let Some(shutdown) = spec.shutdown {
            let strategy = shutdown.as_str().to_owned();
            self.diagnostics.add(
                Severity::Warning,
                Code::PresetShutdown { strategy },
                "spec.shutdown".to_owned(),
            );
        }
    }
}

fn opaque(name: &str, message: String) -> TemplatePlan {
    TemplatePlan {
        name: name.to_owned(),
        inputs: Vec::new(),
        kind: TemplateKind::Opaque(OpaquePlan { node_type: NodeType::Skipped, message }),
        is_daemon: false,
        path: String::new(),
    }
}
