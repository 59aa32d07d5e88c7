//! What a workflow asks for that programs on this machine cannot be given.
//!
//! In: a workflow and the documents it refers to. Out: one diagnostic for each such thing, with its
//! place and what to do instead. Nothing else about the workflow is judged here.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use unwind_engine::library::Library;
use unwind_engine::{Code, Diagnostic, Severity};
use unwind_model::Workflow;
use unwind_model::features::{TemplateRef, WorkflowTemplateRef, field};
use unwind_model::params::{Arguments, Parameter};
use unwind_model::spec::{Container, Task, Template, WorkflowSpec};

const ON_A_CLUSTER: &str = "remove it, or run this on a cluster";
const ARTIFACTS: &str = "nothing is carried between programs but parameters: write the file to a folder of \
                         this machine, or run this on a cluster";
const VOLUMES: &str = "no volume is mounted for a program: use a folder of this machine";
const OUTSIDE: &str = "of the file system a program has only `/tmp` for itself: write to a path below that, or \
                       to one relative to the working folder";

/// Everything of a workflow, and of the templates it refers to, that cannot be had here.
pub(super) fn check(workflow: &Workflow, library: &Library) -> Vec<Diagnostic> {
    let mut check = Check { library, found: Vec::new(), seen: BTreeSet::new() };
    check.spec(&workflow.spec, "spec");
    check.found
}

struct Check<'a> {
    library: &'a Library,
    found: Vec<Diagnostic>,
    /// Templates of other documents that were looked at.
    seen: BTreeSet<(String, String, bool)>,
}

impl Check<'_> {
    fn refuse(&mut self, path: String, what: &str, next: &str) {
        let code = Code::NotHere { what: what.to_owned(), next: next.to_owned() };
        self.found.push(Diagnostic { code, severity: Severity::Error, path, position: None });
    }

    fn spec(&mut self, spec: &WorkflowSpec, path: &str) {
        self.arguments(&spec.arguments, &format!("{path}.arguments"));
        if is_given(&spec.other, "volumeClaimTemplates") {
            let at = format!("{path}.volumeClaimTemplates");
            self.refuse(at, "volumeClaimTemplates", VOLUMES);
        }
        let defaults = spec.other.get("templateDefaults").cloned().unwrap_or_default();
        let has_default = |kind: &str| defaults.pointer(&format!("/{kind}/command")).is_some();
        let defaults = [has_default("container"), has_default("script")];
        for (at, template) in spec.templates.iter().enumerate() {
            self.template(template, &format!("{path}.templates[{at}]"), defaults);
        }
        for (name, hook) in spec.hooks.iter() {
            if let Ok(hook) = hook {
                self.referred(&hook.other, &format!("{path}.hooks.{name}.templateRef"));
            }
        }
        if let Ok(Some(reference)) = field::<WorkflowTemplateRef>(&spec.other, "workflowTemplateRef") {
            let stored = self.library.workflow_template(&reference.name, reference.cluster_scope);
            if let Some(stored) = stored.cloned() {
                let before = self.found.len();
                self.spec(&stored, path);
                self.placed_at(before, &format!("{path}.workflowTemplateRef"));
            }
        }
    }

    /// What was found in another document is at the place that refers to it.
    fn placed_at(&mut self, before: usize, path: &str) {
        for found in &mut self.found[before..] {
            path.clone_into(&mut found.path);
        }
    }

    /// A template of another document, each once.
    fn referred(&mut self, other: &Map<String, Value>, path: &str) {
        let Ok(Some(reference)) = field::<TemplateRef>(other, "templateRef") else { return };
        let key = (reference.name.clone(), reference.template.clone(), reference.cluster_scope);
        if !self.seen.insert(key) {
            return;
        }
        let (name, scope) = (&reference.name, reference.cluster_scope);
        let template = self.library.template(name, scope, &reference.template).cloned();
        if let Some(template) = template {
            let before = self.found.len();
            self.template(&template, path, [false; 2]);
            self.placed_at(before, path);
            self.siblings(name, scope, path);
        }
    }

    /// A template of another document may call those beside it.
    fn siblings(&mut self, name: &str, cluster_scope: bool, path: &str) {
        let Some(spec) = self.library.workflow_template(name, cluster_scope).cloned() else { return };
        for template in spec.templates {
            if self.seen.insert((name.to_owned(), template.name.clone(), cluster_scope)) {
                let before = self.found.len();
                self.template(&template, path, [false; 2]);
                self.placed_at(before, path);
            }
        }
    }

    /// `defaults`: whether containers and scripts get a command from `templateDefaults`.
    fn template(&mut self, template: &Template, path: &str, defaults: [bool; 2]) {
        self.arguments(&template.inputs, &format!("{path}.inputs"));
        let is_program = template.container.is_some() || template.script.is_some();
        if is_given(&template.outputs.other, "artifacts") {
            self.refuse(format!("{path}.outputs.artifacts"), "artifacts", ARTIFACTS);
        }
        for (at, parameter) in template.outputs.parameters.iter().enumerate() {
            self.output(parameter, &format!("{path}.outputs.parameters[{at}]"));
        }
        for kind in ["resource", "plugin", "data"] {
            if is_given(&template.other, kind) {
                self.refuse(format!("{path}.{kind}"), kind, ON_A_CLUSTER);
            }
        }
        self.programs(template, path);
        self.request(template, &format!("{path}.http"));
        if is_program && is_given(&template.other, "volumes") {
            self.refuse(format!("{path}.volumes"), "volumes", VOLUMES);
        }
        let [container, script] = defaults;
        if let Some(of) = &template.container {
            self.container(of, &format!("{path}.container"), container);
        }
        if let Some(of) = &template.script {
            self.container(of, &format!("{path}.script"), script);
        }
        let dag = template.dag.iter().flat_map(|dag| dag.tasks.iter().enumerate());
        for (at, task) in dag {
            self.task(task, &format!("{path}.dag.tasks[{at}]"));
        }
        for (group, steps) in template.steps.iter().flatten().enumerate() {
            for (at, step) in steps.0.iter().enumerate() {
                self.task(step, &format!("{path}.steps[{group}][{at}]"));
            }
        }
    }

    /// What a request takes from elsewhere.
    fn request(&mut self, template: &Template, path: &str) {
        let Ok(Some(http)) = template.http() else { return };
        if http.body_from.is_some() {
            self.refuse(format!("{path}.bodyFrom"), "bodyFrom", "write the text under `body`");
        }
        for (at, header) in http.headers.iter().enumerate() {
            if header.get("valueFrom").is_some_and(|from| !from.is_null()) {
                let path = format!("{path}.headers[{at}].valueFrom");
                self.refuse(path, "valueFrom", "write the value, or `{{inputs.parameters.…}}`");
            }
        }
    }

    /// What runs before, beside or in place of the one program.
    fn programs(&mut self, template: &Template, path: &str) {
        let set = template.container_set().ok().flatten().unwrap_or_default();
        if !set.volume_mounts.is_empty() {
            self.refuse(format!("{path}.containerSet.volumeMounts"), "volumeMounts", VOLUMES);
        }
        let listed = |name| field::<Vec<Container>>(&template.other, name).ok().flatten().unwrap_or_default();
        let lists = [
            ("containerSet.containers", set.containers),
            ("initContainers", listed("initContainers")),
            ("sidecars", listed("sidecars")),
        ];
        for (name, containers) in lists {
            for (at, container) in containers.iter().enumerate() {
                let path = format!("{path}.{name}[{at}]");
                self.container(container, &path, false);
                for (at, _) in
                    container.env.iter().enumerate().filter(|(_, one)| one.get("valueFrom").is_some())
                {
                    let next = "only the main program takes variables from elsewhere: write the value";
                    self.refuse(format!("{path}.env[{at}].valueFrom"), "valueFrom", next);
                }
            }
        }
    }

    fn task(&mut self, task: &Task, path: &str) {
        self.arguments(&task.arguments, &format!("{path}.arguments"));
        self.referred(&task.other, &format!("{path}.templateRef"));
        if let Some(inline) = &task.inline {
            self.template(inline, &format!("{path}.inline"), [false; 2]);
        }
        for (name, hook) in task.hooks.iter() {
            if let Ok(hook) = hook {
                self.referred(&hook.other, &format!("{path}.hooks.{name}.templateRef"));
            }
        }
    }

    fn container(&mut self, container: &Container, path: &str, has_command: bool) {
        if container.command.is_empty() && !has_command {
            let code = Code::NoCommand { image: container.image.clone() };
            let path = path.to_owned();
            self.found.push(Diagnostic { code, severity: Severity::Error, path, position: None });
        }
        for (name, next) in [
            ("envFrom", "write the variables under `env`"),
            ("volumeMounts", VOLUMES),
            ("volumeDevices", VOLUMES),
        ] {
            if is_given(&container.other, name) {
                self.refuse(format!("{path}.{name}"), name, next);
            }
        }
        for (at, entry) in container.env.iter().enumerate() {
            let Some(from) = entry.get("valueFrom").filter(|from| !from.is_null()) else { continue };
            self.variable(from, &format!("{path}.env[{at}].valueFrom"));
        }
    }

    /// Where the value of a variable comes from.
    fn variable(&mut self, from: &Value, path: &str) {
        let Some(key) = from.get("configMapKeyRef") else {
            let next = "write the value, `{{inputs.parameters.…}}`, or a `configMapKeyRef`";
            return self.refuse(path.to_owned(), "valueFrom", next);
        };
        let text = |field: &str| key.get(field).and_then(Value::as_str).unwrap_or_default();
        let (name, key_name) = (text("name"), text("key"));
        let is_open = name.contains("{{") || key_name.contains("{{");
        let is_optional = key.get("optional").and_then(Value::as_bool) == Some(true);
        let is_there = self.library.config_map(name).is_some_and(|data| data.contains_key(key_name));
        if !is_open && !is_optional && !is_there {
            let what = format!("{name}/{key_name}");
            let next = "no config map here has it; give one with `--resources FILE`";
            self.refuse(format!("{path}.configMapKeyRef"), &what, next);
        }
    }

    fn arguments(&mut self, arguments: &Arguments, path: &str) {
        if is_given(&arguments.other, "artifacts") {
            self.refuse(format!("{path}.artifacts"), "artifacts", ARTIFACTS);
        }
    }

    fn output(&mut self, parameter: &Parameter, path: &str) {
        let Some(from) = &parameter.value_from else { return };
        let file = from.get("path").and_then(Value::as_str).unwrap_or_default();
        if file.starts_with('/') && !file.starts_with("/tmp/") && !file.contains("{{") {
            self.refuse(format!("{path}.valueFrom.path"), file, OUTSIDE);
        }
        for name in ["jqFilter", "jsonPath", "event"] {
            if from.get(name).is_some_and(|value| !value.is_null()) {
                self.refuse(format!("{path}.valueFrom.{name}"), name, ON_A_CLUSTER);
            }
        }
    }
}

/// Whether a field says something.
fn is_given(object: &Map<String, Value>, name: &str) -> bool {
    match object.get(name) {
        None | Some(Value::Null) => false,
        Some(Value::Array(list)) => !list.is_empty(),
        Some(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(template: &Value) -> Vec<String> {
        let spec = json!({"entrypoint": "main", "templates": [template]});
        let workflow: Workflow = serde_json::from_value(json!({"spec": spec})).expect("a workflow");
        check(&workflow, &Library::default()).into_iter().map(|found| found.path).collect()
    }

    #[test]
    fn what_needs_a_cluster_is_told_with_its_place() {
        let main = |kind: &str, value: &Value| json!({"name": "main", kind: value});
        assert_eq!(places(&main("resource", &json!({"action": "get"}))), ["spec.templates[0].resource"]);
        assert_eq!(places(&main("container", &json!({"image": "alpine"}))), ["spec.templates[0].container"]);
        let mounted = json!({"command": ["true"], "volumeMounts": [{"name": "v", "mountPath": "/v"}]});
        assert_eq!(places(&main("container", &mounted)), ["spec.templates[0].container.volumeMounts"]);
        assert!(places(&main("container", &json!({"command": ["true"], "volumeMounts": []}))).is_empty());
    }

    #[test]
    fn what_other_documents_bring_is_told_where_they_are_named() {
        let mut library = Library::default();
        let spec = json!({"templates": [
            {"name": "outer", "steps": [[{"name": "a", "template": "inner"}]]},
            {"name": "inner", "plugin": {"x": {}}},
        ]});
        let document = json!({"kind": "WorkflowTemplate", "metadata": {"name": "kept"}, "spec": spec});
        library.add(&document).expect("fits");
        let task = json!({"name": "a", "templateRef": {"name": "kept", "template": "outer"}});
        let workflow = json!({"spec": {"templates": [{"name": "main", "dag": {"tasks": [task]}}]}});
        let workflow: Workflow = serde_json::from_value(workflow).expect("a workflow");
        let found: Vec<_> = check(&workflow, &library).into_iter().map(|found| found.path).collect();
        assert_eq!(found, ["spec.templates[0].dag.tasks[0].templateRef"]);
    }
}
