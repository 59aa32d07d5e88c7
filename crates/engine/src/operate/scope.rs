//! What names mean inside a DAG or Steps: the nodes before, their outputs and artifacts.
//! Source: Argo `workflow/controller/scope.go`; `operator.go`, `buildLocalScope`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use unwind_model::params::Outputs;
use unwind_model::spec::Template;
use unwind_model::{NodePhase, Timestamp};

use crate::lang::{ABSENT, Names};

use super::pass::Pass;
use super::table::{At, Node};
use super::templates::Prepared;
use super::times::rfc3339;

/// Names of one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    values: BTreeMap<String, String>,
    /// Artifacts by `tasks.<name>.outputs.artifacts.<artifact>`.
    artifacts: BTreeMap<String, Value>,
    /// Outputs of nodes that did not run; `tasks.<name>` where it is not known which it has.
    absent: BTreeSet<String>,
}

/// A scope over the workflow's own names.
pub(crate) struct Seen<'a> {
    pub(crate) over: &'a Scope,
    pub(crate) under: &'a BTreeMap<String, String>,
}

impl Scope {
    /// What a template's own inputs give to the place inside it.
    /// Source: Argo `workflow/controller/scope.go`, `createScope`.
    pub(crate) fn of(template: &Prepared) -> Self {
        let mut scope = Self::default();
        let inputs = &template.template.inputs;
        for parameter in &inputs.parameters {
            let value = parameter.value.as_deref().unwrap_or_default();
            scope.set(format!("inputs.parameters.{}", parameter.name), value);
        }
        if let Some(Value::Array(artifacts)) = inputs.other.get("artifacts") {
            for artifact in artifacts {
                if let Some(name) = artifact.get("name").and_then(Value::as_str) {
                    scope.set_artifact(format!("inputs.artifacts.{name}"), artifact.clone());
                }
            }
        }
        scope
    }

    pub(crate) fn set(&mut self, name: String, value: &str) {
        self.values.insert(name, value.to_owned());
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    pub(crate) fn artifact(&self, name: &str) -> Option<&Value> {
        self.artifacts.get(name)
    }

    pub(crate) fn artifact_names(&self) -> impl Iterator<Item = &str> {
        self.artifacts.keys().map(String::as_str)
    }

    pub(crate) fn set_artifact(&mut self, name: String, artifact: Value) {
        self.artifacts.insert(name, artifact);
    }

    pub(crate) fn over<'a>(&'a self, under: &'a BTreeMap<String, String>) -> Seen<'a> {
        Seen { over: self, under }
    }

    pub(crate) fn add_artifacts(&mut self, prefix: &str, outputs: &Outputs) {
        let Some(Value::Array(artifacts)) = outputs.other.get("artifacts") else { return };
        for artifact in artifacts {
            if let Some(name) = artifact.get("name").and_then(Value::as_str) {
                self.set_artifact(format!("{prefix}.outputs.artifacts.{name}"), artifact.clone());
            }
        }
    }

    /// Whether a name is an output of a node that did not run.
    pub(crate) fn is_absent(&self, name: &str) -> bool {
        self.absent.contains(name)
            || name.split_once(".outputs.").is_some_and(|(node, _)| self.absent.contains(node))
    }
}

impl Names for Seen<'_> {
    fn value(&self, name: &str) -> Option<Cow<'_, str>> {
        let found = self.over.get(name).or_else(|| self.under.get(name).map(String::as_str));
        match found {
            Some(found) => Some(Cow::Borrowed(found)),
            None if self.over.is_absent(name) => Some(Cow::Borrowed(ABSENT)),
            None => None,
        }
    }

    fn each(&self, see: &mut dyn FnMut(&str, &str)) {
        for (name, value) in self.under.iter().chain(&self.over.values) {
            see(name, value);
        }
    }
}

impl Pass<'_> {
    /// Adds what a node shows of itself: phase, times, outputs.
    pub(crate) fn node_names(&self, scope: &mut Scope, prefix: &str, at: At) {
        let shown = self.shown_attempt(at).unwrap_or(at);
        let node = self.node(shown);
        scope.set([prefix, ".id"].concat(), node.id.as_str());
        scope.set([prefix, ".status"].concat(), node.phase.as_str());
        if !node.rare().pod_ip.is_empty() {
            scope.set(format!("{prefix}.ip"), &node.rare().pod_ip);
        }
        if !node.rare().host.is_empty() {
            scope.set(format!("{prefix}.hostNodeName"), &node.rare().host);
        }
        let mut time = |name: &str, at: Option<Timestamp>| {
            if let Some(at) = at {
                scope.set(format!("{prefix}.{name}"), &rfc3339(at));
            }
        };
        time("startedAt", node.started_at);
        time("finishedAt", node.finished_at);
        if matches!(node.phase, NodePhase::Skipped | NodePhase::Omitted) && self.knows_absent() {
            self.default_names(scope, prefix, node);
        }
        if let Some(outputs) = &node.outputs {
            output_names(scope, prefix, outputs);
        }
    }

    /// A node that did not run still gives the defaults of its template's outputs.
    /// Source: Argo `workflow/controller/scope.go`, `addSkippedParamToScope`, and its callers.
    fn default_names(&self, scope: &mut Scope, prefix: &str, node: &Node) {
        let template_ref = node.rare().template_ref.as_ref();
        let stored = |name: &str, is_cluster| -> Option<&[Template]> {
            Some(&self.run.library.workflow_template(name, is_cluster)?.templates)
        };
        let templates = match node.template_scope.split_once('/') {
            _ if template_ref.is_some() => template_ref.and_then(|reference| {
                let name = reference.get("name").and_then(Value::as_str)?;
                let is_cluster = reference.get("clusterScope").and_then(Value::as_bool) == Some(true);
                stored(name, is_cluster)
            }),
            Some(("namespaced", name)) => stored(name, false),
            Some(("cluster", name)) => stored(name, true),
            Some(_) | None => Some(self.run.templates_of(&self.spec)),
        };
        let referred = template_ref.and_then(|reference| reference.get("template")?.as_str());
        let name = referred.unwrap_or(&node.template_name);
        let mut templates = templates.into_iter().flatten();
        let template = templates.find(|template| template.name == name);
        let Some(template) = template else {
            // One that is written in place is not found again.
            scope.absent.insert(prefix.to_owned());
            return;
        };
        // A step that did not run gives artifacts that lie nowhere; a task gives none.
        if let Some(Value::Array(artifacts)) = template.outputs.other.get("artifacts")
            && prefix.starts_with("steps.")
        {
            for artifact in artifacts {
                if let Some(name) = artifact.get("name").and_then(Value::as_str) {
                    scope.set_artifact(format!("{prefix}.outputs.artifacts.{name}"), serde_json::json!({}));
                }
            }
        }
        for parameter in &template.outputs.parameters {
            let full = format!("{prefix}.outputs.parameters.{}", parameter.name);
            let default = parameter.value_from.as_ref().and_then(|from| from.get("default"));
            if let Some(default) = default.filter(|value| !value.is_null()) {
                let text = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
                scope.set(full, &text);
            } else {
                scope.absent.insert(full);
            }
        }
    }

    fn knows_absent(&self) -> bool {
        match self.run.behaviour.skipped_outputs {
            crate::behaviour::SkippedOutputs::StayLiteral => false,
            crate::behaviour::SkippedOutputs::AreAbsent => true,
        }
    }
}

/// Source: Argo `operator.go`, `addOutputsToLocalScope`.
pub(crate) fn output_names(scope: &mut Scope, prefix: &str, outputs: &Outputs) {
    if prefix != "workflow" {
        if let Some(result) = &outputs.result {
            scope.set(format!("{prefix}.outputs.result"), result);
        }
        if let Some(code) = &outputs.exit_code {
            scope.set(format!("{prefix}.exitCode"), code);
        }
    }
    for parameter in &outputs.parameters {
        if let Some(value) = &parameter.value {
            scope.set(format!("{prefix}.outputs.parameters.{}", parameter.name), value);
        }
    }
    scope.add_artifacts(prefix, outputs);
}
